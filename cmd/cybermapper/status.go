package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

func newStatusCommand() *cobra.Command {
	var dirs []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show how a crawl stands",
		Long: `Shows how a crawl stands, also while it runs: what was done, every reason why
something was not, which sites are waiting, until when and why, and how much of
the disk the job takes. It changes nothing.

While the crawl runs it also estimates how long it still takes, and what decides
that: the queue of the slowest site at its pace, the rate of the whole crawl, or
a limit. "At least" means that links are still being found; when nobody can
know, it says why. For a crawl that is stopped it shows what is left. Of several
jobs it shows one after the other, and what they are in all; what nodes of one
crawl tell is of the whole crawl, and counts once.

Exit codes:
  0    done
  1    error
  2    wrong usage, or there is no job
`,
		Example: "  cybermapper status --job big\n  cybermapper status --job big --json | jq .total.queued",
		Args:    cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return status(cmd.Context(), dirs, cmd.OutOrStdout(), asJSON)
		},
	}
	cli.JobsFlag(cmd, &dirs)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// standings are how several jobs stand.
type standings struct {
	Jobs  []*progress.Report `json:"jobs"`
	Total progress.Totals    `json:"total"` // of all jobs

	shared map[string]*progress.Report // by the name of a crawl: that of its nodes which was written last
}

// add takes in how a job stands.
func (s *standings) add(v *job.View, r *progress.Report) {
	s.Jobs = append(s.Jobs, r)
	if !v.IsNode {
		s.Total.Add(r.Total)
		return
	}
	name := v.Dir
	if c, err := config.Read(v.Path(job.ConfigFile)); err == nil {
		name = c.Frontier.Cluster.Crawl
	}
	if last := s.shared[name]; last == nil || r.Time.After(last.Time) {
		s.shared[name] = r
	}
}

func status(ctx context.Context, dirs []string, w io.Writer, asJSON bool) error {
	dirs, err := cli.Jobs(dirs)
	if err != nil {
		return err
	}
	all := standings{Jobs: []*progress.Report{}, shared: map[string]*progress.Report{}}
	err = cli.EachJob(dirs, func(v *job.View) error {
		r, err := reportOf(ctx, v)
		if err == nil {
			r.Disk, err = diskOf(v)
		}
		if err == nil {
			r.Job = v.Dir
			all.add(v, r)
		}
		return err
	})
	for _, r := range all.shared {
		all.Total.Add(r.Total)
	}
	return errors.Join(all.print(w, asJSON, len(dirs) > 1), err)
}

// print writes how each job stands and, of several, what they are in all.
func (s *standings) print(w io.Writer, asJSON, several bool) error {
	if asJSON && several {
		return cli.EncodeJSON(w, s)
	}
	for _, r := range s.Jobs {
		if several {
			fmt.Fprintf(w, "%s\n", say.Printable(r.Job))
		}
		if err := printSummary(w, r, asJSON); err != nil || asJSON {
			return err
		}
		r.PrintSeeds(w, cli.Language())
		if several {
			fmt.Fprintln(w)
		}
	}
	if several {
		fmt.Fprintf(w, "%s: %s\n", say.Plural(len(s.Jobs), "job"), s.Total.Text(cli.Language()))
	}
	return nil
}

// reportOf returns how a job stands: as the running process last said, or as the queue on disk says. It is empty when no
// run has got so far as to say anything.
func reportOf(ctx context.Context, v *job.View) (*progress.Report, error) {
	r, err := progress.Read(v.Path(job.StatusFile))
	if errors.Is(err, fs.ErrNotExist) {
		r, err = &progress.Report{Format: 1, Job: v.Dir}, nil
	}
	if err != nil || v.Running {
		return r, err
	}
	if r.State == progress.Running {
		r.State = progress.Killed
	}
	if v.Frontier == nil {
		return r, nil
	}
	stats, err := v.Frontier.Stats(ctx)
	if err != nil {
		return nil, fmt.Errorf("read frontier: %w", err)
	}
	total := progress.TotalsOf(stats)
	total.Parked = r.Total.Parked // which the queue does not tell from what else is refused
	r.Total = total
	now := time.Now()
	c, err := config.Read(v.Path(job.ConfigFile))
	if err != nil {
		return nil, fmt.Errorf("read job configuration: %w", err)
	}
	engine := c.Crawler()
	if r.Waiting, r.WaitingN, err = progress.Waiting(ctx, v.Frontier, &engine, now, progress.UsualPause); err != nil {
		return nil, err
	}
	r.ETA, err = progress.Left(ctx, v.Frontier, progress.UsualPace(&engine), now)
	return r, err
}

// diskOf returns what a job takes of the disk. What is removed meanwhile does not count.
func diskOf(v *job.View) (*progress.Disk, error) {
	files, err := ledger.Files(v.Path(job.LedgerDir))
	if err != nil {
		return nil, err
	}
	d := &progress.Disk{LedgerFiles: len(files)}
	for _, f := range files {
		d.Ledger += f.Bytes
		d.LedgerText += f.Text
	}
	for _, dir := range []string{job.FrontierDir, job.PartitionsDir} {
		err := filepath.WalkDir(v.Path(dir), func(_ string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return ignoreNotExist(err)
			}
			if info, err := e.Info(); err == nil {
				d.Queue += info.Size()
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if info, err := os.Stat(filepath.Join(v.Path(job.PagesDir), "pages.jsonl")); err == nil {
		d.List = info.Size()
	}
	return d, nil
}

func ignoreNotExist(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

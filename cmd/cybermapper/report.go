package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/report"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// reportOptions are the flags of report.
type reportOptions struct {
	jobs   []string
	job    string // the one at hand
	out    string
	asJSON bool
}

func newReportCommand() *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Make a page of figures and plots of a crawl",
		Long: `Makes one HTML file that shows what a crawl did over all its runs, also while it
runs: pages, bytes and requests over time, by host, status and media type; why
things were refused; how robots.txt was answered; slow hosts, duplicates, traps,
failures; and the pauses owed against those kept. The file needs no network and
loads nothing; its links lead to the stored pages, the ledger and the robots.txt
files, relative to where the file is (with --out -, to the job directory). crawl
and demo write it when they end.

Of several jobs it makes a page in each, and tells what they are in all.

--json prints the figures instead, or writes them to --out. Nothing else in the job is changed.

Exit codes:
  0    the report was made
  1    error: the ledger or the list of pages is damaged or of a later version
  2    wrong usage, or there is no job
  4    the file cannot be written
`,
		Example: `  cybermapper report --job big                    # makes big/report.html
  cybermapper report --job big --out /tmp/big.html
  cybermapper report --job big --json | jq '.hosts.slow[].site'`,
		Args: cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return makeReport(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	cli.JobsFlag(cmd, &o.jobs)
	cmd.Flags().StringVar(&o.out, "out", "",
		"file to write; - is stdout (default report.html in the job directory, with --json stdout)")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "figures as JSON instead of HTML")
	return cmd
}

// makeReport writes the report of each job, prints where it lies, and what several are in all.
func makeReport(ctx context.Context, o reportOptions, stdout io.Writer) (err error) {
	if o.jobs, err = cli.Jobs(o.jobs); err != nil {
		return err
	}
	all := several{Jobs: []*report.Figures{}}
	if all.n = len(o.jobs); all.n > 1 && o.out != "" && !o.asJSON {
		return cli.UsageError("without --out each page is made in its job", "a page is about one job, and here are %d", all.n)
	}
	err = cli.EachJob(o.jobs, func(v *job.View) error {
		o.job = v.Dir
		status, err := reportOf(ctx, v)
		if err != nil {
			return err
		}
		f, err := figuresOf(ctx, v.Dir, status)
		if err != nil {
			return err
		}
		all.add(f)
		if all.n > 1 && o.asJSON {
			return nil
		}
		return writeReport(o, f, stdout)
	})
	if all.n == 1 {
		return err
	}
	if !o.asJSON {
		all.Total.print(stdout, len(all.Jobs))
		return err
	}
	return errors.Join(err, writeReport(o, &all, stdout))
}

// several are the figures of several jobs.
type several struct {
	Jobs  []*report.Figures `json:"jobs"`
	Total sum               `json:"total"`

	n int
}

// A sum is what several jobs are in all.
type sum struct {
	Records  uint64    `json:"ledger_records"`
	First    time.Time `json:"first,omitzero"`
	Last     time.Time `json:"last,omitzero"`
	Requests int64     `json:"requests"`
	Bytes    int64     `json:"bytes"`
	Failed   int64     `json:"failed"`
	Pages    int64     `json:"pages"`
	Stored   int64     `json:"stored"`
	Refusals int64     `json:"refusals"`
	Rests    int64     `json:"rests"`
}

// add adds the figures of another job.
func (s *several) add(f *report.Figures) {
	s.Jobs = append(s.Jobs, f)
	t := &s.Total
	t.Records += f.Records
	if !f.First.IsZero() && (t.First.IsZero() || f.First.Before(t.First)) {
		t.First = f.First
	}
	if f.Last.After(t.Last) {
		t.Last = f.Last
	}
	t.Requests += f.Requests.Count
	t.Bytes += f.Requests.Bytes
	t.Failed += f.Requests.Failed
	t.Pages += f.Stored.Pages
	t.Stored += f.Stored.Bytes
	t.Refusals += f.Refusals.Total
	t.Rests += f.Rests.Total
}

func (t *sum) print(w io.Writer, jobs int) {
	fmt.Fprintf(w, "%s: %s requests, %s received, %s failed; %s pages of %s stored; %s refusals, %s rests",
		say.Plural(jobs, "job"), say.Count(t.Requests), say.Bytes(t.Bytes), say.Count(t.Failed), say.Count(t.Pages),
		say.Bytes(t.Stored), say.Count(t.Refusals), say.Count(t.Rests))
	if !t.First.IsZero() {
		fmt.Fprintf(w, "; %s to %s", say.Clock(t.First), say.Clock(t.Last))
	}
	fmt.Fprintln(w)
}

// writeReport writes figures as a page or, also those of several jobs, as JSON, and prints where they lie.
func writeReport(o reportOptions, figures any, stdout io.Writer) error {
	out := o.file()
	data, err := renderReport(o, out, figures)
	if err != nil {
		return err
	}
	if out == "-" {
		_, err = stdout.Write(data)
		return err
	}
	if err := job.WriteFile(out, data); err != nil {
		if o.out == "" && !cli.IsDiskFull(err) {
			return cli.WithHint(cli.DiskError(err), "--out FILE writes it elsewhere, as of a job that can only be read")
		}
		return cli.DiskError(err)
	}
	_, err = fmt.Fprintln(stdout, out)
	return err
}

// file returns where the report goes; - is stdout.
func (o reportOptions) file() string {
	switch {
	case o.out != "":
		return o.out
	case o.asJSON:
		return "-"
	}
	return filepath.Join(o.job, job.PageFile)
}

// figuresOf returns the figures of the job in dir, which stands as status says.
func figuresOf(ctx context.Context, dir string, status *progress.Report) (*report.Figures, error) {
	f, err := report.Gather(ctx, dir, status, report.Options{})
	switch {
	case errors.Is(err, report.ErrDamaged):
		return nil, cli.WithHint(err, "cybermapper verify --job "+say.Argument(dir)+" tells more; nothing was changed")
	case errors.Is(err, report.ErrVersion):
		return nil, cli.WithHint(err, "use the version that wrote it; nothing was changed")
	}
	return f, err
}

// renderReport returns what the file out is to hold.
func renderReport(o reportOptions, out string, figures any) (data []byte, err error) {
	var b bytes.Buffer
	f, isOne := figures.(*report.Figures)
	if o.asJSON || !isOne {
		err = cli.EncodeJSON(&b, figures)
		return b.Bytes(), err
	}
	base := "."
	if out != "-" {
		if base, err = wayTo(o.job, filepath.Dir(out)); err != nil {
			return nil, err
		}
	}
	err = report.WriteHTML(&b, f, base)
	return b.Bytes(), err
}

// wayTo returns the relative path of dir as seen from another directory.
func wayTo(dir, from string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if from, err = filepath.Abs(from); err != nil {
		return "", err
	}
	way, err := filepath.Rel(from, dir)
	if err != nil {
		return "", cli.UsageError("--out must be on the same drive as --job, for its links", "%w", err)
	}
	return way, nil
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/report"
)

// reportOptions are the flags of report.
type reportOptions struct {
	job    string
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

--json prints the figures instead, or writes them to --out. Nothing else in the job is changed.

Exit codes:
  0    the report was made
  1    error: no job, or its ledger or list of pages is damaged or of a later
       version
  2    wrong usage
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
	cli.JobFlag(cmd, &o.job)
	cmd.Flags().StringVar(&o.out, "out", "",
		"file to write; - is stdout (default report.html in the job directory, with --json stdout)")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "figures as JSON instead of HTML")
	return cmd
}

// makeReport writes the report of a job and prints where it lies.
func makeReport(ctx context.Context, o reportOptions, stdout io.Writer) (err error) {
	v, err := cli.LookAt(o.job)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	status, err := reportOf(ctx, v)
	if err != nil {
		return err
	}
	out := o.file()
	data, err := renderReport(ctx, o, out, status)
	if err != nil {
		return err
	}
	if out == "-" {
		_, err = stdout.Write(data)
		return err
	}
	if err := job.WriteFile(out, data); err != nil {
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

// renderReport returns the report of a job that stands as status says, made for the file out.
func renderReport(ctx context.Context, o reportOptions, out string, status *progress.Report) ([]byte, error) {
	f, err := report.Gather(ctx, o.job, status, report.Options{})
	switch {
	case errors.Is(err, report.ErrDamaged):
		return nil, cli.WithHint(err, "cybermapper verify --job "+o.job+" tells more; nothing was changed")
	case errors.Is(err, report.ErrVersion):
		return nil, cli.WithHint(err, "use the version that wrote it; nothing was changed")
	case err != nil:
		return nil, err
	}
	var b bytes.Buffer
	if o.asJSON {
		err = cli.EncodeJSON(&b, f)
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

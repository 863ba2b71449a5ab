package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler/verify"
)

// verifyOptions are the flags of verify.
type verifyOptions struct {
	dir    string
	asJSON bool
	quick  bool
}

func newVerifyCommand() *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Prove from the ledger that a crawl kept its promises",
		Long: `Shows or refutes, from the ledger, the robots.txt files of the time and the list of pages alone, what
a crawl promises: that every request was allowed by the robots.txt in force, that no gap was shorter
than owed, that no site was asked twice at once, and more. For each promise there is a verdict with
counts, the worst case, and evidence: proven, refuted, or not shown when evidence is missing. It
changes nothing, and may be used while the crawl runs.

Exit codes:
  0    everything is proven
  1    something is refuted, or an error
  2    wrong usage: not a job, no ledger, or one of another version
  7    nothing is refuted, but something is not shown
`,
		Example: "  cybermapper verify --job big\n  cybermapper verify --job big --json | jq '.promises[] | select(.verdict != \"proven\")'",
		Args:    exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	jobFlag(cmd, &o.dir)
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print as JSON")
	cmd.Flags().BoolVar(&o.quick, "quick", false, "read the list of pages only, not their files")
	return cmd
}

// run looks at the job and does what was asked for.
func (o *verifyOptions) run(ctx context.Context, w io.Writer) (err error) {
	v, err := lookAt(o.dir)
	if err != nil {
		return usageError("", "%w", err)
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	return verifyError(o.prove(ctx, v, w))
}

// evidence names what there is to prove anything from.
func evidence(v *job.View) verify.Job {
	return verify.Job{Ledger: v.Path(job.LedgerDir), Robots: v.Path(job.RobotsDir), Pages: v.Path(job.PagesDir)}
}

// verifyError gives errors about the evidence their exit code.
func verifyError(err error) error {
	switch {
	case errors.Is(err, verify.ErrNoLedger):
		return usageError("a job has a ledger from its first run on", "%w", err)
	case errors.Is(err, verify.ErrFormat):
		return usageError("use the version of cybermapper that wrote it", "%w", err)
	}
	return err
}

// prove checks all promises and prints the verdicts.
func (o *verifyOptions) prove(ctx context.Context, v *job.View, w io.Writer) error {
	r, err := verify.Prove(ctx, evidence(v), verify.Options{Running: v.Running, SkipFiles: o.quick})
	if err != nil {
		return err
	}
	if o.asJSON {
		err = encodeJSON(w, r)
	} else {
		printProof(w, r)
	}
	if err != nil {
		return err
	}
	switch r.Verdict {
	case verify.Refuted:
		return &exitError{code: exitFailure}
	case verify.NotShown:
		return &exitError{code: exitNotShown}
	}
	return nil
}

// printProof prints the verdicts with their evidence.
func printProof(w io.Writer, r *verify.Report) {
	for _, p := range r.Promises {
		fmt.Fprintf(w, "%-9s  %s\n", p.Verdict, p.Text)
		fmt.Fprintf(w, "           %s checked", say.Count(p.Checked))
		if p.Broken > 0 {
			fmt.Fprintf(w, ", %s broken", say.Count(p.Broken))
		}
		if p.Unknown > 0 {
			fmt.Fprintf(w, ", %s not known", say.Count(p.Unknown))
		}
		if p.Worst != "" {
			fmt.Fprintf(w, "; nearest to the bound: %s", say.Printable(p.Worst))
		}
		fmt.Fprintln(w)
		for _, f := range p.Findings {
			fmt.Fprintf(w, "           - %s\n", say.Printable(f.String()))
		}
	}
	fmt.Fprintf(w, "\n%s: %s records, %s requests in %s", r.Verdict, say.Count(int64(r.Records)), say.Count(r.Requests), say.Plural(r.Runs, "run"))
	if !r.First.IsZero() {
		fmt.Fprintf(w, ", %s to %s", say.Clock(r.First), say.Clock(r.Last))
	}
	fmt.Fprintln(w)
	for _, note := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", say.Printable(note))
	}
	fmt.Fprintf(w, "the ledger ends in %s\n", r.Head)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/engine"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

func newRepairCommand() *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "repair",
		Short: "Put a damaged job directory in order",
		Long: `Puts a job directory in order whose files were damaged or lost, and says what it
did. It makes no request; the next crawl goes on from there.

The end of a ledger that does not fit its chain is cut off, and kept beside it
in a file .cut. The index of the pages is built from their list, and the tables
of contents that explain looks into are made anew. Pages whose files or lines
are lost are queued again, as is what was in files of the archive that are gone
or damaged; files of pages without a line are kept in pages.damaged, damaged
ones of the archive in archive.damaged. A queue that cannot be read, or has
forgotten what the ledger knows, is built anew from the ledger, the stored pages
and the seeds; the old one is kept in frontier.damaged. What each site is owed
and who is left alone is carried over. If debts.json cannot be read, every site
is left alone as long as any can have asked for. Seeds that cannot be read are
found again in the ledger; the old file is kept in seeds.txt.damaged.
Links in the headers of pages are not kept, nor are pages that did not want to
be: these are asked for again.

Exit codes:
  0    the job is in order
  1    error; or a line in the middle of the ledger was altered, which nothing
       mends: a crawl goes on, and verify refutes that the ledger is whole
  2    wrong usage, or there is no job
  4    the job directory cannot be used
`,
		Example: "  cybermapper repair --job big\n  cybermapper check --job big",
		Args:    cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return repair(cmd.Context(), dir, cmd.OutOrStdout(), cmd.ErrOrStderr(), asJSON)
		},
	}
	cli.JobFlag(cmd, &dir)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func repair(ctx context.Context, dir string, out, warnings io.Writer, asJSON bool) error {
	r, err := engine.Repair(ctx, dir, warnings)
	if err != nil {
		return err
	}
	err = cli.Tell(out, asJSON, r, func(w io.Writer) { printRepaired(w, r) })
	return errors.Join(err, unmended(r))
}

// printRepaired says what a repair did.
func printRepaired(out io.Writer, r *engine.Repaired) {
	if r.LedgerAnew {
		fmt.Fprintf(out, "ledger   begins anew: %s; what it said cannot be proven any more\n", r.LedgerWhy)
	} else if r.LedgerWhy != "" {
		fmt.Fprintf(out, "ledger   cut off %s, kept in a file .cut; %s were known to be there: %s\n",
			say.Plural(r.LedgerCut, "byte"), say.Plural(int64(r.LedgerLost), "lost record"), say.Printable(r.LedgerWhy))
	}
	if r.LedgerBehind != "" {
		fmt.Fprintf(out, "ledger   %s;\n         what was asked for since it ends cannot be proven\n",
			say.Printable(r.LedgerBehind))
	}
	if r.BadLines > 0 {
		fmt.Fprintf(out, "pages    %s of pages.jsonl not as written, kept in .store/lines.cut\n", say.Plural(r.BadLines, "line"))
	}
	fmt.Fprintf(out, "pages    %s in the list; the index was built from it\n", say.Plural(r.PageLines, "page"))
	if r.Unlisted > 0 {
		fmt.Fprintf(out, "pages    %s that the list does not name: kept in pages.damaged\n", say.Plural(r.Unlisted, "file"))
	}
	if r.Queue == "" {
		fmt.Fprintln(out, "queue    sound")
	} else {
		fmt.Fprintf(out, "queue    built anew, as %s: %s settled, %s queued\n", say.Printable(r.Queue),
			say.Plural(r.Settled, "URL"), say.Count(r.Queued))
	}
	if r.Seeds > 0 {
		fmt.Fprintf(out, "seeds    seeds.txt could not be read, or had none: %s in it now; the old file is seeds.txt.damaged\n",
			say.Plural(r.Seeds, "seed"))
	}
	if !r.DebtsUntil.IsZero() {
		fmt.Fprintf(out, "debts    debts.json could not be read: each site is left alone until %s,\n"+
			"         the longest that any can have asked for\n", r.DebtsUntil.Local().Format(time.DateTime))
	}
	if r.ArchiveGone > 0 {
		fmt.Fprintf(out, "archive  %s gone; the indexes are kept in archive.damaged\n", say.Plural(r.ArchiveGone, "file"))
	}
	if r.ArchiveDamaged > 0 {
		fmt.Fprintf(out, "archive  %s damaged, kept in archive.damaged; what is whole in them stays\n",
			say.Plural(r.ArchiveDamaged, "file"))
	}
	if r.ArchiveIndexes > 0 {
		fmt.Fprintf(out, "archive  %s written anew\n", say.Plural(r.ArchiveIndexes, "index"))
	}
	fmt.Fprintf(out, "lost     %s to be asked for again\n", say.Plural(r.AskedAgain, "page"))
}

// unmended is the error of a job that a repair left with a ledger that is not whole.
func unmended(r *engine.Repaired) error {
	if r.LedgerBroken == "" {
		return nil
	}
	return &cli.Error{Code: cli.ExitFailure, Err: errors.New(say.Printable(r.LedgerBroken)),
		Hint: "nothing mends that; put back a copy of the ledger as it was, or crawl on and verify what was before it"}
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/indexer"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/storage/index"
)

// indexOptions are the flags of index.
type indexOptions struct {
	job     string
	mode    string
	recheck bool
	rebuild bool
	asJSON  bool
}

func newIndexCommand() *cobra.Command {
	var o indexOptions
	cmd := &cobra.Command{
		Use:   "index",
		Short: "Make the pages of a job searchable, or bring the index up to date",
		Long: `Makes index.db in the job directory from the pages that the crawl has stored, or
brings it up to date with what was stored since; also while the crawl runs, and
while others search. crawl --index does it by itself.

Not in the index, and taken out when that changes: pages that ask for it (META
ROBOTS or X-Robots-Tag noindex, unavailable_after), that the robots.txt of today
forbids, of owners who opted out, and with a preference against being searched.
--recheck asks it of every page again.

--mode says what is searched, and with another one than before the index is made
anew: words (all words, weighted by where they stand), title, lead (titles and
first paragraphs) or meta (titles and META elements).

An index that is damaged, or that another version made, is made anew: all that is
in it comes from the pages and the ledger. With --rebuild it is in any case, in a
file beside the one that there is: that is searched meanwhile, then replaced as a
whole, and kept if the command does not come to its end. There must be room for
both, and for the new one once more.

Exit codes:
  0    the index is up to date
  1    error
  2    wrong usage, or no job
  4    disk full
`,
		Example: `  cybermapper index --job big
  cybermapper index --job big --recheck
  cybermapper index --job big --mode title`,
		Args: cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cli.WarnNoPages(o.job, cmd.ErrOrStderr())
			return makeIndex(cmd.Context(), o, cmd.OutOrStdout(), progress.NewScreen(cmd.ErrOrStderr(), o.asJSON))
		},
	}
	cli.JobFlag(cmd, &o.job)
	f := cmd.Flags()
	f.StringVar(&o.mode, "mode", "", "what is searched: words, title, lead or meta")
	f.BoolVar(&o.recheck, "recheck", false, "ask of every page again whether it may be in the index")
	f.BoolVar(&o.rebuild, "rebuild", false, "make the index anew")
	f.BoolVar(&o.asJSON, "json", false, "print as JSON")
	return cmd
}

func makeIndex(ctx context.Context, o indexOptions, w io.Writer, screen *progress.Screen) (err error) {
	mode := index.Mode(o.mode)
	if mode != "" && !slices.Contains(index.Modes(), mode) {
		return cli.UsageError("the modes are words, title, lead and meta", "--mode: %q is no mode", o.mode)
	}
	if err := requireJob(o.job); err != nil {
		return err
	}
	d, err := indexer.Open(ctx, o.job, indexer.Options{
		Mode: mode, Check: true, Rebuild: o.rebuild, Memory: cli.IndexMemory(cli.MaxMemory()),
		Progress: func(n int) { screen.Keep(say.Plural(n, "page") + " read") },
	})
	if err != nil {
		return indexError(err, o.job)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	r, err := d.Sync(ctx, o.recheck)
	screen.Keep("")
	if err != nil {
		return indexError(err, o.job)
	}
	if r.Added > 1000 {
		if err := d.Index().Optimize(ctx); err != nil {
			return indexError(err, o.job)
		}
	}
	return cli.Tell(w, o.asJSON, r, func(w io.Writer) { printIndexed(w, r) })
}

// requireJob returns an error if there is no job in dir.
func requireJob(dir string) error {
	if _, err := job.KindOf(dir); err != nil {
		return cli.JobError(err)
	}
	return nil
}

// indexError says what can be done about an error of an index.
func indexError(err error, dir string) error {
	switch {
	case errors.Is(err, index.ErrConflict):
		return cli.WithHint(err, "another process brings the index of "+dir+" up to date; what it has done is there")
	case errors.Is(err, index.ErrNewer):
		return cli.WithHint(err,
			"use the version of cybermapper that made it, or cybermapper index --rebuild --job "+say.Argument(dir))
	case errors.Is(err, index.ErrLog):
		return cli.WithHint(err, "make room on the disk of "+dir+", or copy the job to where it can be written")
	case errors.Is(err, index.ErrDamaged), errors.Is(err, index.ErrVersion):
		return cli.WithHint(err, "cybermapper index --job "+say.Argument(dir)+" makes it anew")
	case cli.IsDiskFull(err):
		return cli.WithHint(err, cli.RoomHint(err)+", then run the same command again: it goes on where it was")
	}
	return err
}

// printIndexed says what was done.
func printIndexed(w io.Writer, r *indexer.Report) {
	if r.Rebuilt != "" {
		fmt.Fprintf(w, "made anew: %s\n", say.Printable(r.Rebuilt))
	}
	fmt.Fprintf(w, "%-12s %s in %s", "added", say.Plural(r.Added, "page"), say.Seconds(r.Seconds))
	if r.Returned > 0 {
		fmt.Fprintf(w, ", of these %s back", say.Count(r.Returned))
	}
	fmt.Fprintln(w)
	for _, reason := range slices.Sorted(maps.Keys(r.Refused)) {
		fmt.Fprintf(w, "%-12s %s: %s\n", "refused now", say.Plural(r.Refused[reason], "page"),
			cmp.Or(refusalTexts[reason], string(reason)))
	}
	fmt.Fprintf(w, "%-12s %s, %s\n", "searchable", say.Plural(r.Index.Pages, "page"), say.Bytes(r.Index.Bytes))
	n := 0
	for _, count := range r.Index.Refused {
		n += count
	}
	if n > 0 {
		fmt.Fprintf(w, "%-12s %s; cybermapper search --why URL says why\n", "not in it", say.Plural(n, "page"))
	}
}

// refusalTexts say in words why pages are not in the index.
var refusalTexts = map[index.Reason]string{
	index.NoIndex:    "they ask not to be indexed (noindex)",
	index.Disallowed: "the robots.txt of today forbids them",
	index.OptedOut:   "the owner asked to be left alone",
	index.Preference: "they ask not to be used for searching",
	index.Expired:    "their time is up",
	index.Gone:       "the server says that they are gone",
	index.Moved:      "the server says that they have moved for good",
	index.Unreadable: "their files cannot be read",
	index.Excluded:   "they are for machines",
}

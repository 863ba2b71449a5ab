package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/graph"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// careOptions are the flags of care.
type careOptions struct {
	job    string
	kinds  []string
	host   string
	slow   time.Duration
	limit  int
	asJSON bool
	asCSV  bool
}

func newCareCommand() *cobra.Command {
	var o careOptions
	cmd := &cobra.Command{
		Use:   "care",
		Short: "What the owner of the crawled site may want to put right",
		Long: `Tells what is wrong with the crawled site, as far as a robot can see it:

  dead-link           pages link to what is not there, with the pages that do,
                      and the redirects on the way; what may be there for
                      others, or later, is none (401, 403, 407, 429, 451, 503,
                      999)
  bad-canonical       a page names another as the one to show, which is not to
                      be indexed, forbidden, gone, or only a redirect
  bad-sitemap-entry   a sitemap lists what is not to be indexed, forbidden,
                      gone, or only a redirect
  redirect-chain      redirects lead on to redirects, or in a circle
  endless             places that look endless to robots
  linked-disallowed   pages link to what robots.txt forbids
  linked-noindex      pages link to what asks not to be indexed: is that meant?
  orphan              only a sitemap leads there, no stored page does
  slow                answers that took longer than --slow
  no-title, double-title, no-description, double-description
  duplicate           the same page under several addresses

It reads what was added to the job since it was asked last, also while the crawl
runs; what it learns is in graph.db in the job directory. That a sitemap lists a
URL is known of those that were met there first (see crawl --sitemaps); that it
no longer does is not noticed. Of a canonical address to which no link leads
nothing is known. Links of pages that are not kept are not known, nor are those
of pages that other nodes of a shared crawl have: an orphan of one node may have
links there. Images, styles and scripts that are missing, links to sites where
nobody answers, and those that are no URL, are not told of here: see
"cybermapper export dead-links".

--csv prints a line for each page concerned, --json an object for each fault;
both list all of them, unless --limit is given.

Exit codes:
  0    nothing is wrong
  1    something is
  2    error, or wrong usage
  4    disk full
`,
		Example: `  cybermapper care --job big
  cybermapper care --job big --kind dead-link --csv > dead.csv
  cybermapper care --job big --host www.example.org --json | jq -r 'select(.kind == "orphan") | .url'`,
		Args: cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("limit") && (o.asJSON || o.asCSV) {
				o.limit = 0
			}
			cli.WarnNoPages(o.job, cmd.ErrOrStderr())
			quiet := o.asJSON || o.asCSV
			return cli.Trouble(care(cmd.Context(), o, cmd.OutOrStdout(), progress.NewScreen(cmd.ErrOrStderr(), quiet)))
		},
	}
	cli.JobFlag(cmd, &o.job)
	f := cmd.Flags()
	f.SortFlags = false
	f.StringSliceVar(&o.kinds, "kind", nil, "only faults of this kind; repeatable")
	f.StringVar(&o.host, "host", "", "only those of this host, with its port if it has one")
	f.DurationVar(&o.slow, "slow", 2*time.Second, "from which on an answer is slow")
	f.IntVar(&o.limit, "limit", 10, "faults of each kind; 0: all")
	f.BoolVar(&o.asJSON, "json", false, "print one JSON object per fault")
	f.BoolVar(&o.asCSV, "csv", false, "print CSV: kind, url, detail, page")
	cmd.MarkFlagsMutuallyExclusive("json", "csv")
	cli.CompleteValues(cmd, "kind", kindNames()...)
	return cmd
}

func kindNames() (names []string) {
	for _, k := range graph.Kinds() {
		names = append(names, string(k))
	}
	return names
}

// care runs the command.
func care(ctx context.Context, o careOptions, w io.Writer, screen *progress.Screen) (err error) {
	kinds, err := kindsOf(o.kinds)
	if err != nil {
		return err
	}
	if o.limit < 0 || o.slow <= 0 {
		return cli.UsageError("", "--limit and --slow cannot be negative")
	}
	g, err := openGraph(ctx, o.job, screen)
	if err != nil {
		return err
	}
	defer func() {
		if err = graph.Discard(o.job, errors.Join(err, g.Close())); errors.Is(err, graph.ErrUnusable) {
			err = graphError(err) // it is printed, and graph.db has been written
		}
	}()
	options := graph.FaultOptions{Slow: o.slow, Host: o.host, Limit: o.limit}
	b := bufio.NewWriter(w)
	var n int
	switch {
	case o.asJSON:
		n, err = careJSON(ctx, g, kinds, options, b)
	case o.asCSV:
		n, err = g.WriteCSV(ctx, b, kinds, options)
	default:
		n, err = careText(ctx, g, kinds, options, b)
	}
	if err := errors.Join(err, b.Flush()); err != nil {
		return err
	}
	if n > 0 {
		return &cli.Error{Code: cli.ExitFailure}
	}
	return nil
}

func kindsOf(names []string) (kinds []graph.Kind, err error) {
	if len(names) == 0 {
		return graph.Kinds(), nil
	}
	for _, name := range names {
		if !graph.IsKind(name) {
			return nil, cli.UsageError("the kinds are "+strings.Join(kindNames(), ", "), "--kind: %q is no kind", name)
		}
		kinds = append(kinds, graph.Kind(name))
	}
	return kinds, nil
}

// openGraph opens the graph of a job, brought up to date.
func openGraph(ctx context.Context, dir string, screen *progress.Screen) (*graph.Graph, error) {
	if err := requireJob(dir); err != nil {
		return nil, err
	}
	g, err := graph.Open(ctx, dir)
	if cli.IsReadOnly(err) {
		g, err = graph.OpenApart(ctx, dir)
	}
	if err != nil {
		return nil, graphError(err)
	}
	err = g.Sync(ctx, func(n int) { screen.Keep(say.Plural(n, "page") + " read") })
	screen.Keep("")
	if err != nil {
		return nil, errors.Join(graphError(err), g.Close())
	}
	return g, nil
}

// graphError says what can be done about an error of a graph.
func graphError(err error) error {
	switch {
	case errors.Is(err, graph.ErrConflict):
		return cli.WithHint(err, "ask again when it has done that; what it has done is there")
	case errors.Is(err, graph.ErrUnusable):
		return cli.WithHint(err, "ask again: it is made anew then")
	case cli.IsDiskFull(err), errors.Is(err, fs.ErrPermission):
		return cli.WithHint(err, "graph.db is written into the job directory: make room, or work on a copy")
	}
	return err
}

func careText(ctx context.Context, g *graph.Graph, kinds []graph.Kind, o graph.FaultOptions, w io.Writer) (total int, err error) {
	for _, k := range kinds {
		n, err := g.Count(ctx, k, o)
		if err != nil {
			return total, err
		}
		if n == 0 {
			continue
		}
		if total += n; total > n {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s (%s)\n", k, say.Count(int64(n)), k.Text())
		shown := 0
		for f, err := range g.Faults(ctx, k, o) {
			if err != nil {
				return total, err
			}
			shown++
			printFault(w, f)
		}
		if shown < n {
			fmt.Fprintf(w, "  and %s more: --kind %s --limit 0\n", say.Count(int64(n-shown)), k)
		}
	}
	if total == 0 {
		fmt.Fprintln(w, "nothing is wrong")
	}
	return total, nil
}

// maxPagesShown bounds the pages of a fault that are printed as text.
const maxPagesShown = 3

func printFault(w io.Writer, f graph.Fault) {
	fmt.Fprintf(w, "  %s\n", say.Printable(f.URL))
	if f.Detail != "" {
		fmt.Fprintf(w, "      %s\n", say.Shorten(say.Printable(f.Detail), 300))
	}
	for _, page := range f.Pages[:min(len(f.Pages), maxPagesShown)] {
		fmt.Fprintf(w, "      on %s\n", say.Printable(page))
	}
	if more := f.PagesN - maxPagesShown; more > 0 {
		fmt.Fprintf(w, "      and %s more\n", say.Count(int64(more)))
	}
}

func careJSON(ctx context.Context, g *graph.Graph, kinds []graph.Kind, o graph.FaultOptions, w io.Writer) (n int, err error) {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, k := range kinds {
		for f, err := range g.Faults(ctx, k, o) {
			if err == nil {
				err = e.Encode(f)
			}
			if err != nil {
				return n, err
			}
			n++
		}
	}
	return n, nil
}

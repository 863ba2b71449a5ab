package changescmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

type options struct {
	dir, since, until, runs, format string
	only                            []string
	diff                            int
	asJSON                          bool
}

// NewCommand returns the command changes.
func NewCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "changes",
		Short: "What has changed since: new, changed, gone, moved, forbidden pages",
		Long: `Tells what became of the pages of a job: which are new, which have changed, and
how their text differs, which are gone, have moved, or may not be kept any more
because robots.txt, the page itself (noindex) or its owner (opt-out) forbids it
now. One that was so before is not told again, and one that is back is new.
Without a word of when, since the last crawl --again began; one that was killed or
interrupted and the one that went on with it are one.

--since takes a time (2026-11-22, 2026-11-22T08:00:00Z) or how long ago (36h,
7d). --runs takes the number of a run, or two: 2..4 tells what became different
from the beginning of the second to the end of the fourth.

Exit codes:
  0    done, whether anything changed or not
  1    error
  2    wrong usage, or there is no job
  4    disk full
`,
		Example: `  cybermapper changes --job JOB
  cybermapper changes --job JOB --since 7d --format atom > feed.xml
  cybermapper changes --job JOB --runs 2..4 --only changed,gone --json
  cybermapper changes --job JOB --since 2026-11-01 --format html > changes.html`,
		Args: cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), cmd.OutOrStdout()) },
	}
	cli.JobFlag(cmd, &o.dir)
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.since, "since", "", "changes since a time (of this place), or for so long")
	f.StringVar(&o.until, "until", "", "and until a time, or so long ago")
	f.StringVar(&o.runs, "runs", "", "changes that a run found, or several: 3 or 2..4")
	f.StringSliceVar(&o.only, "only", nil, "some of new, changed, gone, moved, forbidden")
	f.IntVar(&o.diff, "diff", 20, "lines of the difference that are shown of each page; 0: none, -1: all, as JSON has them")
	f.StringVar(&o.format, "format", "text", "text, json, atom or html")
	f.BoolVar(&o.asJSON, "json", false, "the same as --format json")
	cli.CompleteValues(cmd, "format", "text", "json", "atom", "html")
	cli.CompleteValues(cmd, "only", "new", "changed", "gone", "moved", "forbidden")
	return cmd
}

func (o *options) run(ctx context.Context, w io.Writer) error {
	if o.asJSON {
		o.format = "json"
	}
	write := map[string]func(io.Writer, *Report) error{
		"text": o.print, "json": o.encode, "atom": o.feed, "html": o.page,
	}[o.format]
	if write == nil {
		return cli.UsageError("", "--format %q is none of text, json, atom and html", o.format)
	}
	s, err := o.span(time.Now())
	if err != nil {
		return err
	}
	s.Compare, s.LatestFirst, s.Memory = o.diff != 0, o.format == "atom", int64(min(cli.MaxMemory(), math.MaxInt64)/2)
	r, err := Gather(ctx, o.dir, s)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	return errors.Join(write(b, r), b.Flush(), r.Close())
}

// encode writes the report as one JSON value, a change at a time.
func (o *options) encode(w io.Writer, r *Report) error {
	head := &bytes.Buffer{}
	if err := cli.EncodeJSON(head, r); err != nil {
		return err
	}
	before, after := ",\n  \"changes\": [", "]\n}\n"
	w.Write(bytes.TrimSuffix(head.Bytes(), []byte("\n}\n")))
	e := &bytes.Buffer{}
	for c, err := range r.All() {
		if err != nil {
			return err
		}
		e.Reset()
		enc := json.NewEncoder(e)
		enc.SetEscapeHTML(false)
		enc.SetIndent("    ", "  ")
		if err := enc.Encode(c); err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\n    %s", before, bytes.TrimSuffix(e.Bytes(), []byte("\n")))
		before, after = ",", "\n  ]\n}\n"
	}
	if before != "," {
		after = before + after
	}
	_, err := io.WriteString(w, after)
	return err
}

// span reads which changes are wanted.
func (o *options) span(now time.Time) (s Span, err error) {
	if o.runs != "" && (o.since != "" || o.until != "") {
		return s, cli.UsageError("", "--runs and --since or --until contradict each other")
	}
	if s.Since, err = cli.Moment("since", o.since, now, time.Local); err != nil {
		return s, err
	}
	if s.Until, err = cli.Moment("until", o.until, now, time.Local); err != nil {
		return s, err
	}
	if o.runs != "" {
		first, last, more := strings.Cut(o.runs, "..")
		if !more {
			last = first
		}
		var bad [2]error
		s.First, bad[0] = strconv.Atoi(first)
		s.Last, bad[1] = strconv.Atoi(last)
		if errors.Join(bad[:]...) != nil || s.First < 1 {
			return s, cli.UsageError("", "--runs %q is neither the number of a run nor two of them, as in 2..4", o.runs)
		}
	}
	for _, k := range o.only {
		if !slices.Contains(kinds, Kind(k)) {
			return s, cli.UsageError("", "--only %q is none of new, changed, gone, moved and forbidden", k)
		}
		s.Kinds = append(s.Kinds, Kind(k))
	}
	return s, nil
}

// print writes the report as text.
func (o *options) print(w io.Writer, r *Report) error {
	var counts []string
	for _, k := range kinds {
		if n := r.Counts[k]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, k))
		}
		if n := r.SameText; n > 0 && k == Changed {
			counts[len(counts)-1] += fmt.Sprintf(" (%d in the markup alone)", n)
		}
	}
	if len(counts) == 0 {
		counts = []string{"nothing has changed"}
	}
	fmt.Fprintf(w, "%s to %s: %s\n", r.From.Local().Format(time.DateTime), r.To.Local().Format(time.DateTime),
		strings.Join(counts, ", "))
	for c, err := range r.All() {
		if err != nil {
			return err
		}
		o.printChange(w, c)
	}
	return nil
}

func (o *options) printChange(w io.Writer, c *Change) {
	fmt.Fprintf(w, "\n%-9s %s\n", c.Kind, c.URL)
	if title := c.titles(); title != "" {
		fmt.Fprintf(w, "%-9s %s\n", "", title)
	}
	switch c.Kind {
	case Gone:
		fmt.Fprintf(w, "%-9s status %d since %s\n", "", c.Status, c.Time.Local().Format(time.DateTime))
	case Moved:
		fmt.Fprintf(w, "%-9s to %s (%d)\n", "", say.Printable(c.To), c.Status)
	case Forbidden:
		fmt.Fprintf(w, "%-9s %s\n", "", say.Printable(c.Why))
	}
	if c.SameText {
		fmt.Fprintf(w, "%-9s %s\n", "", sameText)
	}
	for _, line := range c.lines(o.diff) {
		fmt.Fprintf(w, "%-9s %s\n", "", line)
	}
}

// sameText is said of a page that looks as it did.
const sameText = "the visible text is as it was; what changed is in the markup"

// titles tells the title, and the one before if that was another, fit to be shown.
func (c *Change) titles() string {
	if c.Kind == Changed && c.Before.Title != c.After.Title {
		return fmt.Sprintf("%q, was %q", c.After.Title, c.Before.Title)
	}
	return say.Printable(c.Title())
}

// lines returns the first lines of the difference, fit to be shown, and how many more there are; all of them for a negative number.
func (c *Change) lines(most int) []string {
	lines := strings.Split(strings.TrimRight(c.Diff, "\n"), "\n")
	if c.Diff == "" || most == 0 {
		return nil
	}
	lines = lines[min(2, len(lines)):] // the names of the two
	if more := len(lines) - most; most > 0 && more > 0 {
		lines = append(lines[:most:most], fmt.Sprintf("(and %d more lines)", more))
	}
	for i, line := range lines {
		lines[i] = say.Printable(strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\t", "    "))
	}
	return lines
}

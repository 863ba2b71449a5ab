package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/indexer"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/storage/index"
)

// searchOptions are the flags of search.
type searchOptions struct {
	jobs   []string
	why    string
	since  string
	asJSON bool
	query  index.Query
}

func newSearchCommand() *cobra.Command {
	var o searchOptions
	cmd := &cobra.Command{
		Use:   "search QUERY... | --why URL",
		Short: "Search the pages of a job, or say why a page is not found",
		Long: `Searches the index of a job, which crawl --index or index has made; also while the
crawl runs. All words must be on a page, in any of their forms; if hardly any page
has all, those with some follow. Pages that are the same are one hit.

  "a phrase"            these words in this order
  -word                 not on the page; -site:example.org likewise. In a shell
                        the query needs quotes then: 'robots -yandex'
  one OR other          either; also lang:de OR lang:fr
  begin*                any word that begins so
  intitle: inurl:       in that part of the page
  site: lang: filetype: narrow the search, as do before: and after: with a date

Of several jobs all indexes are searched, and the best hits of all shown; each
names its job.

On a terminal the words are marked. --json prints one object per hit and line.

--why URL says of any URL whether a search can find it; and if not, which line of
which robots.txt forbids it, that it asks not to be indexed and where, that it was
not fetched and why, or until when it waits in the queue.

Exit codes:
  0    the query was answered, whether or not anything was found
  1    error, or --why knows nothing of the URL
  2    wrong usage, or nothing in the query can be searched for
  3    there is no index yet
`,
		Example: `  cybermapper search --job big robots exclusion
  cybermapper search --job big '"crawl delay" -yandex site:example.org'
  cybermapper search --job big --json lang:de Häuser | jq -r .url
  cybermapper search --job big --why https://example.org/private/`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.query.Text = strings.Join(args, " ")
			if o.why != "" {
				return why(cmd, o, args)
			}
			return search(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cli.JobsFlag(cmd, &o.jobs)
	cmd.SetFlagErrorFunc(wordError)
	f := cmd.Flags()
	f.SortFlags = false
	f.IntVar(&o.query.Limit, "limit", 10, "hits to show, at most 1000")
	f.IntVar(&o.query.Offset, "offset", 0, "hits to pass over")
	f.StringVar(&o.query.Site, "site", "", "host or domain")
	f.StringVar(&o.query.Lang, "lang", "", "language, such as de")
	f.StringVar(&o.query.Type, "type", "", "html, pdf, text/plain, ...")
	f.StringVar(&o.since, "since", "", "time (UTC) or age: 2026-01-31, 2026-01, 7d, 12h")
	f.BoolVar(&o.query.Ungrouped, "all", false, "show pages that are the same, or nearly so, one by one")
	f.BoolVar(&o.query.Explain, "explain", false, "say of each hit in which parts of the page the words stand")
	f.StringVar(&o.why, "why", "", "say whether and why this URL is found, or not")
	f.BoolVar(&o.asJSON, "json", false, "print one JSON object per hit")
	return cmd
}

// excludedWord is what is said of a flag that is rather a word that must not be on a page.
const excludedWord = "a word that must not be on the page stands in quotes with the others: cybermapper search 'robots -yandex'"

// wordError words what is wrong with a flag. What looks like flags of a letter each is rather a word that must not be on a page.
func wordError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() != "" {
		return cli.UsageError(excludedWord, "%w", err)
	}
	return cli.FlagError(cmd, err)
}

// notAJob words that there is no job where -oracle names one.
func notAJob(err error) error {
	if missing, ok := errors.AsType[*job.MissingError](err); ok && slices.Contains(os.Args, "-o"+missing.Dir) {
		return cli.UsageError("-o is short for --job; "+excludedWord, "%w", missing)
	}
	return err
}

// search prints what a query finds.
func search(ctx context.Context, o searchOptions, w, stderr io.Writer) (err error) {
	if o.query.Limit < 1 || o.query.Limit > index.MaxHits || o.query.Offset < 0 {
		return cli.UsageError("", "--limit is 1 to %d, --offset 0 or more", index.MaxHits)
	}
	if o.query.Since, err = cli.Moment("since", o.since, time.Now(), time.UTC); err != nil {
		return err
	}
	if o.jobs, err = cli.Jobs(o.jobs); err != nil {
		return notAJob(err)
	}
	s, err := openShelves(o.jobs)
	if err != nil {
		return notAJob(err)
	}
	defer func() { err = errors.Join(err, s.close()) }()
	r, jobs, err := s.search(ctx, o.query)
	if errors.Is(err, index.ErrNothing) {
		return nothingToSearch(ctx, o, s, w)
	}
	if err != nil {
		return err
	}
	behind, err := s.behind(ctx)
	if err != nil {
		return err
	}
	r.Notices = append(r.Notices, behind...)
	if o.asJSON {
		return printHitsJSON(w, r, jobs, stderr)
	}
	p := newHitPrinter(w)
	p.result(r, jobs, o.query)
	return nil
}

// nothingToSearch answers a query in which there is nothing to search for: none at all is asked by somebody who wants to know how.
func nothingToSearch(ctx context.Context, o searchOptions, s *shelves, w io.Writer) error {
	if strings.TrimSpace(o.query.Text) != "" {
		_, notices := index.Parse(o.query.Text)
		for i, n := range notices {
			notices[i] = say.Printable(n)
		}
		return cli.UsageError(strings.Join(append([]string{"cybermapper search --help lists the operators"}, notices...), "; "),
			"there is nothing to search for in %q", o.query.Text)
	}
	if o.asJSON {
		return nil
	}
	pages, err := s.pages(ctx)
	if err == nil {
		fmt.Fprintf(w, "%s can be searched: cybermapper search WORDS; --help lists the operators\n", say.Plural(pages, "page"))
	}
	return err
}

// openIndex opens the index of the job in dir to search it.
func openIndex(dir string) (*index.Index, error) {
	if err := job.Inspect(dir); err != nil {
		return nil, cli.JobError(err)
	}
	x, err := index.Open(indexer.File(dir), index.Options{ReadOnly: true, Memory: cli.IndexMemory(cli.MaxMemory())})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := requireJob(dir); err != nil {
			return nil, err
		}
		return nil, &cli.Error{Code: cli.ExitConfig, Err: fmt.Errorf("the job in %s has no index yet", dir),
			Hint: "cybermapper index --job " + say.Argument(dir) + " makes it; crawl --index does so while crawling"}
	case err != nil:
		return nil, indexError(err, dir)
	}
	return x, nil
}

// A jsonHit is a hit as --json prints it.
type jsonHit struct {
	Rank     int              `json:"rank"`
	Job      string           `json:"job,omitempty"` // whose page it is, where there are several
	URL      string           `json:"url"`
	Title    string           `json:"title"`
	Snippet  string           `json:"snippet"`
	Host     string           `json:"host"`
	Lang     string           `json:"lang,omitempty"`
	Type     string           `json:"type,omitempty"`
	Fetched  time.Time        `json:"fetched,omitzero"`
	Modified time.Time        `json:"modified,omitzero"`
	File     string           `json:"file,omitempty"`
	Score    float64          `json:"score"`
	Marked   index.Excerpt    `json:"marked,omitempty"`
	Missing  []string         `json:"missing,omitempty"`
	Sections []jsonSection    `json:"sections,omitempty"`
	Same     []index.Relative `json:"same,omitempty"`
	Similar  []index.Relative `json:"similar,omitempty"`
	Parts    []index.Part     `json:"parts,omitempty"`
}

// A jsonSection is a heading with words that were asked for.
type jsonSection struct {
	Heading string `json:"heading"`
	URL     string `json:"url"`
}

// printHitsJSON writes a line for each hit, with its job if there are several, to w; what is to be said about the query goes to
// stderr.
func printHitsJSON(w io.Writer, r *index.Result, jobs []string, stderr io.Writer) error {
	for _, n := range r.Notices {
		fmt.Fprintf(stderr, "cybermapper: %s\n", say.Printable(n))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range r.Hits {
		h := &r.Hits[i]
		j := jsonHit{
			Rank: h.Rank, URL: h.URL, Title: h.Title.String(), Snippet: h.Snippet.String(), Host: h.Host, Lang: h.Lang,
			Type: h.Type, Fetched: h.Fetched, Modified: h.Modified, File: h.File, Score: h.Score, Marked: h.Snippet,
			Missing: h.Missing, Same: h.Same, Similar: h.Similar, Parts: h.Parts,
		}
		if jobs != nil {
			j.Job = jobs[i]
		}
		for _, s := range h.Sections {
			j.Sections = append(j.Sections, jsonSection{s.Heading.String(), s.URL})
		}
		if err := enc.Encode(j); err != nil {
			return err
		}
	}
	return nil
}

// A hitPrinter writes hits for people. What is from the web cannot steer the terminal.
type hitPrinter struct {
	w                           io.Writer
	on, off, strong, faint, end string
}

func newHitPrinter(w io.Writer) *hitPrinter {
	p := &hitPrinter{w: w}
	if progress.NewScreen(w, false).IsTerminal() && os.Getenv("NO_COLOR") == "" {
		p.on, p.off, p.strong, p.faint, p.end = "\x1b[1;33m", "\x1b[0m", "\x1b[1m", "\x1b[32m", "\x1b[0m"
	}
	return p
}

func (p *hitPrinter) result(r *index.Result, jobs []string, q index.Query) {
	for _, n := range r.Notices {
		fmt.Fprintf(p.w, "note: %s\n", say.Printable(n))
	}
	for i := range r.Hits {
		from := ""
		if jobs != nil {
			from = "  in " + say.Printable(jobs[i])
		}
		p.hit(&r.Hits[i], from)
	}
	for _, word := range r.Unmatched {
		fmt.Fprintf(p.w, "no page has %s\n", say.Printable(word))
	}
	if r.Suggestion != "" {
		fmt.Fprintf(p.w, "did you mean: %s\n", say.Printable(r.Suggestion))
	}
	fmt.Fprintf(p.w, "%s for %s in %s", found(r), say.Printable(r.Understood), say.Span(r.Took))
	switch {
	case r.More:
		fmt.Fprintf(p.w, "; --offset %d shows more", q.Offset+len(r.Hits))
	case r.Capped:
		fmt.Fprintf(p.w, "; only the best %s can be shown", say.Count(index.MaxHits))
	case len(r.Hits) == 0 && r.Total > 0:
		fmt.Fprint(p.w, "; --offset passes over all hits")
	}
	fmt.Fprintln(p.w)
	if r.Partial {
		fmt.Fprintln(p.w, "time was up: these are some hits, and there may be better ones")
	}
}

// found says how many pages there are.
func found(r *index.Result) string {
	switch {
	case r.Total == 0 && len(r.Hits) > 0:
		return "no page with all words, " + say.Plural(len(r.Hits), "hit") + " with some,"
	case r.Total == 0:
		return "nothing"
	case r.Some:
		return say.Plural(r.Total, "page") + ", and some that lack a word,"
	}
	return say.Plural(r.Total, "page")
}

func (p *hitPrinter) hit(h *index.Hit, from string) {
	fmt.Fprintf(p.w, "%3d. %s\n", h.Rank, p.excerpt(h.Title, p.strong))
	fmt.Fprintf(p.w, "     %s%s%s%s%s\n", p.faint, p.url(h.URL), p.end, aside(h), from)
	if len(h.Snippet) > 0 {
		fmt.Fprintf(p.w, "     %s\n", p.excerpt(h.Snippet, ""))
	}
	for _, s := range h.Sections {
		fmt.Fprintf(p.w, "       > %s  %s%s%s\n", p.excerpt(s.Heading, ""), p.faint, p.url(s.URL), p.end)
	}
	if len(h.Missing) > 0 {
		fmt.Fprintf(p.w, "     without: %s\n", say.Printable(strings.Join(h.Missing, ", ")))
	}
	for _, part := range h.Parts {
		fmt.Fprintf(p.w, "     %-11s x %-4g %s\n", part.Name, part.Weight, say.Printable(strings.Join(part.Words, ", ")))
	}
	if n := len(h.Same); n > 0 {
		fmt.Fprintf(p.w, "     also at %s\n", p.someURLs(h.Same))
	}
	if n := len(h.Similar); n > 0 {
		fmt.Fprintf(p.w, "     nearly the same: %s\n", p.someURLs(h.Similar))
	}
	fmt.Fprintln(p.w)
}

// aside names the date of a page, and its language and type where they are not the usual ones.
func aside(h *index.Hit) string {
	at := h.Modified
	if at.IsZero() {
		at = h.Fetched
	}
	text := "  " + at.Format(time.DateOnly)
	if h.Lang != "" {
		text += " " + h.Lang
	}
	if h.Type != "text/html" && h.Type != "" {
		text += " " + h.Type
	}
	return say.Printable(text)
}

// url writes a URL: readable on a terminal, and as it is for what reads the output.
func (p *hitPrinter) url(raw string) string {
	if p.on != "" {
		return say.URL(raw)
	}
	return say.Printable(raw)
}

func (p *hitPrinter) someURLs(list []index.Relative) string {
	var urls []string
	for _, r := range list {
		urls = append(urls, p.url(r.URL))
	}
	return cli.SomeOf(urls, 2)
}

// excerpt writes text with its matches marked. style is how the rest is written.
func (p *hitPrinter) excerpt(e index.Excerpt, style string) string {
	var b strings.Builder
	for _, f := range e {
		text := say.Printable(f.Text)
		switch {
		case f.Match && p.on != "":
			b.WriteString(p.on + text + p.off)
		case style != "":
			b.WriteString(style + text + p.end)
		default:
			b.WriteString(text)
		}
	}
	return b.String()
}

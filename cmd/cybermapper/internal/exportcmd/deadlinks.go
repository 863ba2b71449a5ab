package exportcmd

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/graph"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

func newDeadLinksCommand() *cobra.Command {
	var dir, format string
	cmd := &cobra.Command{
		Use:   "dead-links",
		Short: "Write every dead link, with the pages that have it",
		Long: `Writes the links of the stored pages that lead nowhere: what they lead to was
answered with 404, 410 or another error, says with status 200 that it does not
exist, or nobody answers there; be it after redirects, or because these lead in
a circle; or what is written is no URL, or one that browsers refuse. Images, styles, scripts
and what else pages need count as links. They, and links out of the scope, are
known only if they were asked for: crawl --check-links, and for what styles name
crawl --requisites as well. What robots.txt
forbids is not asked for, and not told; nor are links that only pages have that
are not stored (noindex).

Answers that keep strangers out, or say nothing for good (401, 403, 407, 429,
451, 503, 999), are told as unclear and are not counted.

Exit codes:
  0    no link is dead
  1    error
  2    wrong usage, or there is no job
  4    disk full
  9    there are dead links
`,
		Example: `  cybermapper crawl --check-links --job JOB --contact you@example.org https://example.org/
  cybermapper export dead-links --job JOB --format csv > dead.csv`,
		Args: cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return WriteDeadLinks(cmd.Context(), dir, format, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cli.JobFlag(cmd, &dir)
	cmd.Flags().StringVar(&format, "format", "text", "text, jsonl or csv")
	cli.CompleteValues(cmd, "format", "text", "jsonl", "csv")
	return cmd
}

// A deadLink is what links lead to in vain.
type deadLink struct {
	URL     string `json:"url"`
	Status  int    `json:"status,omitempty"` // of the answer
	Why     string `json:"why"`
	Unclear bool   `json:"unclear,omitempty"` // it may be there for others, or later
	Through string `json:"through,omitempty"` // where redirects led

	number, pages int // its own, from 1, once a page has it, and how many have
}

// A linkFrom is a page that has a dead link.
type linkFrom struct {
	URL  string `json:"url"`
	Text string `json:"text,omitempty"` // of the link
	Kind string `json:"kind,omitempty"` // image, style, script ... for what the page needs; absent for links
}

// WriteDeadLinks writes the dead links of a job as text, jsonl or csv. The error says with its exit code that there are any.
func WriteDeadLinks(ctx context.Context, dir, format string, w, warnings io.Writer) (err error) {
	if !slices.Contains([]string{"text", "jsonl", "csv"}, format) {
		return cli.UsageError("", "--format %q is none of text, jsonl and csv", format)
	}
	s, err := openSource(dir, warnings)
	if err != nil {
		return err
	}
	f, err := s.findDead(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.pages.close()) }()
	if err := f.findPages(ctx); err != nil {
		return err
	}
	dead := f.links()
	err = buffered(w, func(b *bufio.Writer) error {
		switch format {
		case "jsonl":
			return f.writeJSON(ctx, b, dead)
		case "csv":
			return f.writeCSV(ctx, b, dead)
		}
		return f.writeText(ctx, b, dead)
	})
	if err == nil && slices.ContainsFunc(dead, func(d *deadLink) bool { return !d.Unclear }) {
		err = &cli.Error{Code: cli.ExitDeadLinks}
	}
	return err
}

// A deadFinder finds dead links. It needs memory for what is dead, what redirects, and 16 bytes for each page; which pages
// have what is dead is in a file.
type deadFinder struct {
	*source
	dead  map[string]*deadLink
	moved map[string]string // where redirects lead

	settled map[uint64]struct{} // URLs of which something is known
	resting map[string]string   // sites that could not be reached, and why
	hasBad  bool                // a link of some page was no URL
	bad     map[string]deadLink // what is no URL and was met last on a page, or as where it redirects to, until that is settled

	pages deadPages
	on    int64 // pages that have a link that is dead for certain
}

// findDead finds what is dead, by what the ledger heard last of each URL.
func (s *source) findDead(ctx context.Context) (*deadFinder, error) {
	f := &deadFinder{source: s, dead: map[string]*deadLink{}, moved: map[string]string{},
		settled: map[uint64]struct{}{}, resting: map[string]string{}, bad: map[string]deadLink{}}
	o := ledger.ReadOptions{Types: []ledger.Type{ledger.Outcome, ledger.Refusal, ledger.Rest}}
	for r, err := range ledger.ReadSound(s.path(job.LedgerDir), o) {
		if err != nil {
			return nil, fmt.Errorf("read ledger: %w", err)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		f.note(r)
	}
	return f, nil
}

// note takes in what became of a URL.
func (f *deadFinder) note(r ledger.Record) {
	if r.Type == ledger.Rest {
		if isUnreachable(crawler.Reason(r.Reason)) {
			f.resting[r.Site] = r.Reason
		}
		return
	}
	if r.Type == ledger.Outcome && r.Outcome == "retrying" {
		return
	}
	f.settled[xxhash.Sum64String(r.URL)] = struct{}{}
	if r.Type == ledger.Refusal {
		switch crawler.Reason(r.Reason) {
		case crawler.ReasonRedirectLoop, crawler.ReasonRedirectLimit:
			f.dead[r.URL] = &deadLink{URL: r.URL, Why: r.Reason}
			delete(f.moved, r.URL)
		case crawler.ReasonBadPort:
			f.dead[r.URL] = &deadLink{URL: r.URL, Why: r.Rule}
		case crawler.ReasonBadURL:
			if isMeantForWeb(r.URL) {
				f.hasBad = true
				f.bad[r.Via] = deadLink{Why: noURL + r.Rule, Through: r.URL}
			}
		}
		return
	}
	bad := f.bad[r.URL]
	delete(f.bad, r.URL)
	delete(f.dead, r.URL)
	delete(f.moved, r.URL)
	d := &deadLink{URL: r.URL, Status: r.Status, Why: r.Reason}
	switch {
	case r.Status >= 300 && r.Status < 400 && r.Location != "":
		f.moved[r.URL] = r.Location
		return
	case r.Reason == string(crawler.ReasonChallenge):
		d.Why, d.Unclear = say.Reason(crawler.ReasonChallenge), true
	case r.Status >= 300 && r.Status < 400 && bad.Through != "":
		d.Why, d.Through = bad.Why, bad.Through
	case r.Status >= 400:
		d.Why, d.Unclear = http.StatusText(r.Status), graph.IsUnclear(r.Status)
	case r.Outcome == "failed" || r.Reason == string(crawler.ReasonSoft404):
	default:
		return
	}
	d.Why = cmp.Or(d.Why, "an error")
	f.dead[r.URL] = d
}

// isUnreachable reports whether a site rests because nobody answers there.
func isUnreachable(r crawler.Reason) bool {
	switch r {
	case crawler.ReasonDNS, crawler.ReasonRefused, crawler.ReasonTLS, crawler.ReasonTimeout, crawler.ReasonReset,
		crawler.ReasonProtocol, crawler.ReasonFailures, crawler.ReasonUnreachable:
		return true
	}
	return false
}

// maxMoves bounds how far redirects are followed.
const maxMoves = 30

// of returns what is dead about a link; nil when nothing is known to be.
func (f *deadFinder) of(url string) *deadLink {
	if d := f.dead[url]; d != nil {
		return d
	}
	at := url
	for range maxMoves {
		next, ok := f.moved[at]
		if !ok {
			return f.unreached(at, url)
		}
		if d := f.dead[next]; d != nil {
			own := &deadLink{URL: url, Status: d.Status, Why: d.Why, Unclear: d.Unclear, Through: next}
			f.dead[url] = own
			return own
		}
		at = next
	}
	d := &deadLink{URL: url, Why: string(crawler.ReasonRedirectLoop)}
	f.dead[url] = d
	return d
}

// noURL begins what is said of what is none.
const noURL = "no URL: "

// ofBad returns what is dead about a link that is no URL.
func (f *deadFinder) ofBad(x link) *deadLink {
	if f.dead[x.To] == nil {
		f.dead[x.To] = &deadLink{URL: x.To, Why: noURL + x.bad}
	}
	return f.dead[x.To]
}

// unreached returns what is dead about a link that leads to at, of which nothing is known, because nobody answers at its site.
func (f *deadFinder) unreached(at, url string) *deadLink {
	u, err := frontier.ParseURL(at)
	if err != nil || len(f.resting) == 0 {
		return nil
	}
	why, rests := f.resting[u.Site()]
	if _, known := f.settled[xxhash.Sum64String(at)]; known || !rests {
		return nil
	}
	d := &deadLink{URL: url, Why: "its site cannot be reached: " + why}
	if at != url {
		d.Through = at
	}
	f.dead[url] = d
	return d
}

// findPages finds the pages that have dead links, each in its last version.
func (f *deadFinder) findPages(ctx context.Context) error {
	if len(f.dead)+len(f.resting) == 0 && !f.hasBad && len(f.moved) == 0 {
		return nil
	}
	versions, err := f.versions(ctx)
	if err != nil {
		return err
	}
	for l, err := range f.lines(ctx) {
		if err != nil {
			return err
		}
		if !versions.isLatest(l) || f.dead[l.FinalURL] != nil || f.moved[l.FinalURL] != "" {
			continue
		}
		body, err := f.body(l)
		if err != nil {
			return err
		}
		if err := f.findOn(ctx, l, body); err != nil {
			return err
		}
	}
	return nil
}

// findOn finds the dead links of a page, and what it needs and is not there; of a style sheet only the latter.
func (f *deadFinder) findOn(ctx context.Context, l pages.Line, body []byte) (err error) {
	told, isOn := map[string]bool{}, false
	tell := func(d *deadLink, from linkFrom) error {
		if d == nil || told[d.URL] {
			return nil
		}
		told[d.URL] = true
		isOn = isOn || !d.Unclear
		return f.pages.add(ctx, d, from)
	}
	var links []link
	if l.IsPage() {
		if links, err = f.source.allLinks(ctx, l, body); err != nil {
			return err
		}
	}
	for _, x := range links {
		d := f.of(x.To)
		if x.bad != "" {
			d = f.ofBad(x)
		}
		if err := tell(d, linkFrom{URL: x.From, Text: x.Text}); err != nil {
			return err
		}
	}
	u, err := frontier.ParseURL(l.FinalURL)
	if err != nil {
		return fmt.Errorf("page %s: %w", l.FinalURL, err)
	}
	needed, _, err := crawler.ReadRequisites(ctx, f.extractor, u, l.Answer(), body)
	for _, x := range needed {
		if err := tell(f.of(x.URL.String()), linkFrom{URL: l.FinalURL, Kind: x.Kind.String()}); err != nil {
			return err
		}
	}
	if isOn {
		f.on++
	}
	return err
}

// links returns the dead links that pages have, those that are certain first.
func (f *deadFinder) links() []*deadLink {
	var all []*deadLink
	for _, d := range f.dead {
		if d.pages > 0 {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b *deadLink) int {
		if a.Unclear != b.Unclear {
			if b.Unclear {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.URL, b.URL)
	})
	return all
}

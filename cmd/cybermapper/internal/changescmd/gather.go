package changescmd

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"iter"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// A Kind is what has become of a page.
type Kind string

// The kinds, in the order in which they are told.
const (
	New       Kind = "new"
	Changed   Kind = "changed"
	Gone      Kind = "gone"
	Moved     Kind = "moved"
	Forbidden Kind = "forbidden" // by robots.txt, by itself (noindex), or by an opt-out
)

var kinds = []Kind{New, Changed, Gone, Moved, Forbidden}

// A Version is a page as it was at a time.
type Version struct {
	Fetched time.Time      `json:"fetched"`
	Title   string         `json:"title,omitempty"`
	Digest  storage.Digest `json:"digest"`
	Bytes   int64          `json:"bytes"`
	File    string         `json:"file"` // in JOB/pages

	url, media, charset string
}

// A Change is what has become of one page.
type Change struct {
	Kind   Kind      `json:"kind"`
	URL    string    `json:"url"`
	Time   time.Time `json:"time"`             // when it was noticed
	Status int       `json:"status,omitempty"` // of the answer that told
	To     string    `json:"to,omitempty"`     // where a page has moved to
	Why    string    `json:"why,omitempty"`    // of one that is forbidden: reason and rule
	Before *Version  `json:"before,omitempty"`
	After  *Version  `json:"after,omitempty"`
	Diff   string    `json:"diff,omitempty"` // of the visible text, as diff -u writes it

	SameText bool `json:"same_text,omitempty"` // nothing but the markup has changed
}

// Title returns the title of the page as it is known last.
func (c *Change) Title() string {
	switch {
	case c.After != nil:
		return c.After.Title
	case c.Before != nil:
		return c.Before.Title
	}
	return ""
}

// A Report is what has become of the pages of a job. It is to be closed.
type Report struct {
	Job      string       `json:"job"`
	From     time.Time    `json:"from"`
	To       time.Time    `json:"to"`
	Counts   map[Kind]int `json:"counts"`
	SameText int          `json:"-"` // of the changed pages those whose text is as it was; none unless compared

	found found
}

// All yields the changes: by kind, then by URL, unless they were wanted in another order; of those that were compared the ones of
// another text before those of the same.
func (r *Report) All() iter.Seq2[*Change, error] { return r.found.all() }

// Close removes what does not fit into memory.
func (r *Report) Close() error { return r.found.close() }

// Gather tells what has become of the pages of the job in dir. Pages of which more is to be kept than may be held are looked at in
// several parts, for each of which ledger and list are read anew; changes beyond are in temporary files.
func Gather(ctx context.Context, dir string, s Span) (_ *Report, err error) {
	if _, err := job.KindOf(dir); err != nil {
		return nil, cli.JobError(err)
	}
	memory := min(cmp.Or(s.Memory, mostMemory), mostMemory)
	g := &gatherer{
		dir: dir, parts: 1, most: max(int(memory/2/perPage), leastPages), seed: maphash.MakeSeed(),
	}
	if err := g.span(s); err != nil {
		return nil, err
	}
	if !g.from.Before(g.to) && !g.open && g.end == 0 {
		return nil, cli.UsageError("--since says from when on", "the changes are wanted from %s until %s, which is not later",
			g.from.Local().Format(time.DateTime), g.to.Local().Format(time.DateTime))
	}
	r := &Report{Job: dir, From: g.from.UTC(), To: g.to.UTC(), Counts: map[Kind]int{}}
	r.found = found{order: byKind, most: memory / 4}
	if s.LatestFirst {
		r.found.order = latestFirst
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	for g.part = 0; g.part < g.parts; g.part++ {
		if err := g.gather(ctx); err != nil {
			return nil, err
		}
		if err := g.tell(ctx, r, s); err != nil {
			return nil, err
		}
	}
	return r, nil
}

const (
	mostMemory = 256 << 20 // that is held, however much may be; a job of 600,000 pages is read in four parts
	perPage    = 768       // bytes that are kept of a page while it is looked at, about
	leastPages = 4         // that are looked at together, however little may be held
)

// gather reads what there is to know of the pages of a part.
func (g *gatherer) gather(ctx context.Context) error {
	g.last, g.earlier = newHeard(), newHeard()
	g.before, g.after = map[string]*Version{}, map[string]*Version{}
	if err := g.hear(ctx, g.last, g.within, g.part == 0); err != nil {
		return err
	}
	earlier := func(r ledger.Record) bool { return g.last.has(r.URL) && g.isBefore(r) }
	if err := g.hear(ctx, g.earlier, earlier, false); err != nil {
		return err
	}
	return g.readPages(ctx)
}

// tell adds the changes of a part to the report.
func (g *gatherer) tell(ctx context.Context, r *Report, s Span) error {
	x := extract.New(extract.Options{})
	for url := range g.last.said {
		c, ok := g.change(url)
		if !ok || len(s.Kinds) > 0 && !slices.Contains(s.Kinds, c.Kind) {
			continue
		}
		if s.Compare && c.Kind == Changed {
			if err := r.compare(ctx, x, &c); err != nil {
				return err
			}
		}
		r.Counts[c.Kind]++
		if c.SameText {
			r.SameText++
		}
		if err := r.found.add(&c); err != nil {
			return err
		}
	}
	return nil
}

// A gatherer finds changes.
type gatherer struct {
	dir        string
	from, to   time.Time
	first, end uint64          // records that the span begins with and ends before; 0 where the times say so
	open       bool            // it has no end
	visits     map[uint64]bool // in the span, if the clock was set; else nil, and the time says where a page belongs

	// What there is to know of the pages that are looked at together: part, of parts, as which the hash of their URL counts.
	part, parts   int
	most          int // words that may be of the pages of a part; the first part finds out how many parts that makes
	seed          maphash.Seed
	last          heard // in the span
	earlier       heard // and before it, of the same URLs
	before, after map[string]*Version
}

// isOfPart reports whether a page is one of those that are looked at.
func (g *gatherer) isOfPart(url string) bool {
	return g.parts == 1 || maphash.String(g.seed, url)%uint64(g.parts) == uint64(g.part)
}

// split makes more parts until no more is kept of the pages of the first one than may be, and forgets the others: they have their
// turn.
func (g *gatherer) split(kept ...map[string]word) {
	for {
		n := 0
		for _, words := range kept {
			n += len(words)
		}
		if n <= g.most {
			return
		}
		g.parts *= 2
		for _, words := range kept {
			maps.DeleteFunc(words, func(url string, _ word) bool { return !g.isOfPart(url) })
		}
	}
}

// A heard is what was heard last of each URL.
type heard struct {
	said map[string]word

	// doubtful are requests of which a kill left no outcome, for pages that may not have been there before. By status 200 one is
	// back if it was stored then; else it may say that it does not exist (soft-404), or ask not to be kept.
	doubtful map[string]word
}

func newHeard() heard { return heard{map[string]word{}, map[string]word{}} }

// A word is what is kept of a record: there is one for each page of a job.
type word struct {
	URL       string
	Type      ledger.Type
	Time, End time.Time
	Status    int
	Reason    string
	Rule      string
	Location  string
	File      string
}

func wordOf(r ledger.Record) word {
	return word{r.URL, r.Type, r.Time, r.End, r.Status, r.Reason, r.Rule, r.Location, r.File}
}

func (h heard) has(url string) bool {
	_, said := h.said[url]
	_, doubtful := h.doubtful[url]
	return said || doubtful
}

// note takes a record in, unless it says nothing new. visited says that the page was asked for after what was heard last.
func (h heard) note(r word, visited bool) {
	was, known := h.said[r.URL]
	if kindOf(r) != "" {
		delete(h.doubtful, r.URL)
	}
	switch {
	case isForbidden(r, was, visited), isMoot(r, was), known && saysTheSame(r, was) && !forbidsItself(r, was):
	case r.Type == ledger.Request && kindOf(r) == "" && (!known || kindOf(was) != ""):
		h.doubtful[r.URL] = r
	default:
		h.said[r.URL] = r
	}
}

// stored takes in that a page was stored: it has been there since then.
func (h heard) stored(l pages.Line) {
	if r, ok := h.doubtful[l.FinalURL]; ok && r.End.Equal(l.Fetched) {
		h.said[l.FinalURL] = r
		delete(h.doubtful, l.FinalURL)
	}
}

func (g *gatherer) path(name string) string { return filepath.Join(g.dir, name) }

// visit returns by what the page is known that was stored when a request ended.
func (g *gatherer) visit(url string, end time.Time) uint64 {
	return maphash.String(g.seed, strconv.FormatInt(end.UnixNano(), 10)+" "+url)
}

// hear finds what was heard last of each page in the records that are wanted: of several that say the same, the first one. Of an
// answer that nothing came after, since the run was killed, the request tells. An error like 403 says nothing of the page, nor does
// 202 or a redirect to nowhere. The first one to hear of the span finds out into how many parts the pages go.
func (g *gatherer) hear(ctx context.Context, h heard, wanted func(ledger.Record) bool, first bool) error {
	answers := map[string]word{} // the requests after which nothing was heard yet
	for r, err := range g.records(ledger.Request, ledger.Outcome, ledger.Refusal, ledger.Purge) {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r.Type == ledger.Outcome && r.Purpose == string(crawler.ForSitemap) && wanted(r) {
			delete(answers, r.URL) // a seed that was asked for as a page, and is none
		}
		if !wanted(r) || r.Purpose != "" && r.Purpose != string(crawler.ForPage) || r.Type == ledger.Refusal && !forbids(r) {
			continue
		}
		if r.Type == ledger.Request && g.visits != nil && g.within(r) {
			g.visits[g.visit(r.URL, r.End)] = true
		}
		if !g.isOfPart(r.URL) {
			continue
		}
		answer, visited := answers[r.URL]
		delete(answers, r.URL)
		switch {
		case r.Type == ledger.Request:
			if visited {
				h.note(answer, true)
			}
			if tells(&r) {
				answers[r.URL] = wordOf(r)
			}
		case r.Type == ledger.Outcome && (r.Outcome != "done" || r.Status != 0 && !saysOfPage(wordOf(r))):
		default:
			h.note(wordOf(r), visited)
		}
		if first {
			g.split(h.said, h.doubtful, answers)
		}
	}
	for _, answer := range answers {
		h.note(answer, true)
	}
	return nil
}

// tells reports whether a request alone tells what became of a page, and makes its Location absolute, as that of an outcome is.
func tells(r *ledger.Record) bool {
	switch {
	case r.Error != "":
		return false
	case r.Location != "" && r.Status >= 300 && r.Status < 400:
		u, err := frontier.ParseURL(r.URL)
		if err != nil {
			return false
		}
		if u, err = u.Resolve(r.Location); err != nil {
			return false
		}
		r.Location = u.String()
		return true
	}
	return saysOfPage(wordOf(*r))
}

// saysOfPage reports whether a record brings a page, or says what has become of one.
func saysOfPage(r word) bool {
	return crawler.IsPage(r.Status) || r.Status == http.StatusNotModified || kindOf(r) != ""
}

// forbids reports whether a refusal says that a page may not be asked for, or not be kept.
func forbids(r ledger.Record) bool {
	switch crawler.Reason(r.Reason) {
	case crawler.ReasonDisallowed, crawler.ReasonNoindex, crawler.ReasonOptedOut:
		return true
	}
	return false
}

// forbidsItself reports whether a page that was refused for another reason asks not to be kept: of the answer that told, no
// outcome says that the page is there. What was removed stays told as that.
func forbidsItself(r, was word) bool {
	return isNoindex(r) && !isNoindex(was) && was.Type == ledger.Refusal
}

// isForbidden reports whether a page stays refused for noindex, or removed: the refusal was told in the same visit, or nothing has
// changed. visited says that the page was asked for after what was heard last.
func isForbidden(r, last word, visited bool) bool {
	return (isNoindex(last) || last.Type == ledger.Purge) && r.File == "" && r.Type != ledger.Refusal && r.Type != ledger.Purge &&
		(r.Status < 300 && !visited || r.Status == http.StatusNotModified)
}

// isMoot reports whether a page was forbidden, without a visit, that was not there any more: it stays gone, or moved.
func isMoot(r, was word) bool {
	return r.Type == ledger.Refusal && !isNoindex(r) && (kindOf(was) == Gone || kindOf(was) == Moved)
}

func isNoindex(r word) bool {
	return r.Type == ledger.Refusal && r.Reason == string(crawler.ReasonNoindex)
}

// kindOf returns what a record says has become of a page; empty for one that is there.
func kindOf(r word) Kind {
	switch {
	case r.Type == ledger.Refusal || r.Type == ledger.Purge:
		return Forbidden
	case r.Status == http.StatusNotFound || r.Status == http.StatusGone || r.Reason == string(crawler.ReasonSoft404):
		return Gone
	case r.Location != "" && r.Status >= 300 && r.Status < 400:
		return Moved
	}
	return ""
}

// saysTheSame reports whether a record says nothing that an earlier one has not said. That nothing has changed is said of a page
// that is forbidden, too; that it is there, is not.
func saysTheSame(r, was word) bool {
	if was.Status == http.StatusNotModified && r.Status != http.StatusNotModified {
		return false
	}
	return kindOf(r) == kindOf(was) && r.Location == was.Location && (r.Type != ledger.Purge || was.Type == ledger.Purge)
}

// readPages finds the versions before and after.
func (g *gatherer) readPages(ctx context.Context) error {
	begun := false
	for l, err := range pages.Read(g.path(job.PagesDir)) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || !l.IsPage() {
			continue // a line that cannot be read is for check to tell
		}
		isOurs := g.last.has(l.FinalURL)
		if !isOurs && (g.visits == nil || g.isOfPart(l.FinalURL)) {
			continue
		}
		where := g.place(l, begun)
		if begun = begun || where == 0; where > 0 || !isOurs {
			continue
		}
		g.last.stored(l)
		g.earlier.stored(l)
		v := &Version{
			Fetched: l.Fetched, Title: l.Title, Digest: l.Digest, Bytes: l.Bytes, File: l.File,
			url: l.FinalURL, media: l.Type, charset: l.Charset,
		}
		if where == 0 {
			g.after[l.FinalURL] = v
		} else {
			g.before[l.FinalURL] = v
		}
	}
	return nil
}

// place says where a page was stored: before the span (-1), in it (0) or after it (1). begun says that one before it in the list is
// of the span.
func (g *gatherer) place(l pages.Line, begun bool) int {
	switch {
	case g.visits != nil && g.visits[g.visit(l.FinalURL, l.Fetched)]:
		return 0
	case g.visits != nil && begun && g.open:
		return 0 // a kill left no record of the request
	case g.visits != nil && begun:
		return 1
	case g.visits != nil, l.Fetched.Before(g.from):
		return -1
	case l.Fetched.Before(g.to):
		return 0
	}
	return 1
}

// change works out what has become of a page.
func (g *gatherer) change(url string) (c Change, ok bool) {
	r, was := g.last.said[url], g.earlier.said[url]
	c = Change{Kind: kindOf(r), URL: url, Time: r.Time, Status: r.Status, Before: g.before[url], After: g.after[url]}
	known := c.Before != nil || c.After != nil || r.Type == ledger.Purge
	switch {
	case !known, isMoot(r, was), c.Kind != "" && saysTheSame(r, was):
		return c, false
	case c.Kind == Forbidden:
		c.Why = r.Reason
		if r.Rule != "" {
			c.Why += ": " + r.Rule
		}
		if r.Type == ledger.Purge {
			c.Why += "; removed (--purge)"
		}
	case c.Kind == Moved:
		c.To = r.Location
	case c.Kind == Gone:
	case kindOf(was) != "" && !(isNoindex(was) && r.Status == http.StatusNotModified && c.After == nil): // it is back
		c.Kind, c.Before, c.After = New, nil, cmp.Or(c.After, c.Before)
	case c.Before != nil && c.After != nil && c.Before.Digest != c.After.Digest:
		c.Kind, c.Time = Changed, c.After.Fetched
	case c.After != nil && c.Before == nil:
		c.Kind, c.Time = New, c.After.Fetched
	default:
		return c, false
	}
	return c, true
}

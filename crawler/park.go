package crawler

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/trap"
	"github.com/cybermapper/cybermapper/frontier"
)

// What looks endless is parked: it is settled as refused, for one of the reasons below. A little of it is asked for when nothing
// else is left, to judge it once more (askLast), and the rest not until the operator releases it (Traps.Released, Override.Release)
// or raises the bound. So a wrong guess costs an order, not a page.

// Parks reports whether what is turned away for this reason is parked: only a guess speaks against it.
func (r Reason) Parks() bool {
	switch r {
	case ReasonEndless, ReasonQueries, ReasonPrefixPages, ReasonPrefixYield:
		return true
	}
	return false
}

// parking notices places without end and counts what is parked.
type parking struct {
	config   *Config
	detector *trap.Detector // nil when it is switched off
	parked   atomic.Int64   // URLs, over all runs as far as they were recalled
	waiting  atomic.Int64   // entries that are taken and wait for scouts, of all sites
	buffers  sync.Pool      // of *[]trap.URL
}

func newParking(c *Config) *parking {
	p := &parking{config: c, buffers: sync.Pool{New: func() any { return new([]trap.URL) }}}
	t := &c.Traps
	if t.EndlessSample > 0 {
		p.detector = trap.New(t.detection())
	}
	return p
}

// detection are the bounds in the words of package trap, which has other defaults.
func (t *Traps) detection() trap.Options {
	return trap.Options{
		Pages: t.EndlessSample, Levels: t.ScoutDepth,
		Yield: orOff(t.PrefixYield), Dates: orOff(t.PrefixSample), Variants: orOff(t.Spellings), Orders: t.orders(),
		Guises: orOff(t.Guises), Archives: orOff(t.Archives), Links: 2 * t.Remembered, Lineages: max(t.Remembered/5, 1),
	}
}

// orders is the default of package trap, or that orders do not matter.
func (t *Traps) orders() int {
	if t.KeepOrders {
		return -1
	}
	return 0
}

// orOff writes what is switched off, which is zero once the defaults are filled in, as package trap has it.
func orOff[T int | float64](n T) T {
	if n == 0 {
		return -1
	}
	return n
}

// released reports whether the operator has released a URL: then nothing that looks endless is parked.
func (p *parking) released(u frontier.URL) bool {
	if p.config.Hosts[u.Site()].Release {
		return true
	}
	return slices.ContainsFunc(p.config.Traps.Released, func(re *regexp.Regexp) bool { return re.MatchString(u.String()) })
}

// mayWait reports whether an entry may have to wait for scouts. Another visit need not: what they find does not turn it away.
func (p *parking) mayWait(e frontier.Entry) bool {
	return p.detector != nil && e.Kind == kindPage && e.Attempt == 0 && len(e.State) == 0 && !p.released(e.URL)
}

// waits reports whether an entry should wait for the scouts that are under way in its place, as so many of its site do. When too
// many wait, that place is judged by what the scouts have seen.
func (p *parking) waits(e frontier.Entry, ofSite int64) bool {
	if !p.mayWait(e) {
		return false
	}
	u, via := trapURLs(e.URL, e.Via)
	if !p.detector.Waits(u, via) {
		return false
	}
	if p.waiting.Load() < mostWaiting || ofSite < fewWaiting {
		return true
	}
	p.detector.EndTrial(u, via)
	return false
}

// lags reports whether pages that are being read may decide about the place of an entry, of which there are so many.
func (p *parking) lags(e frontier.Entry, reading int) bool {
	if reading == 0 || !p.mayWait(e) {
		return false
	}
	u, via := trapURLs(e.URL, e.Via)
	return p.detector.Lags(u, via, reading)
}

// trials returns how many trials have ended.
func (p *parking) trials() int {
	if p.detector == nil {
		return 0
	}
	return p.detector.Trials()
}

// conclude ends the trial for which an entry waits.
func (p *parking) conclude(e frontier.Entry) {
	p.detector.Conclude(trapURLs(e.URL, e.Via))
}

// judge turns away an entry of a place that looks endless.
func (p *parking) judge(e frontier.Entry) (Refusal, bool) {
	if p.detector == nil {
		return Refusal{}, false
	}
	u, via := trapURLs(e.URL, e.Via)
	f, suspect := p.detector.Suspect(u, via, time.Now())
	if !suspect {
		return Refusal{}, false
	}
	return Refusal{Gate: GateTrap, Reason: ReasonEndless, Rule: f.String()}, true
}

// visited takes in how a page ended, with the links that were queued, of which so many were new. It reports whether the page opens
// its place.
func (p *parking) visited(e frontier.Entry, fresh int, how ending) (opens bool) {
	if p.detector == nil {
		return false
	}
	u, via := trapURLs(e.URL, e.Via)
	buffer := p.buffers.Get().(*[]trap.URL)
	defer p.buffers.Put(buffer)
	of := (*buffer)[:0]
	for _, l := range how.settled.Links {
		of = append(of, trapURLFrom(u, l.URL))
	}
	links := len(of)
	for _, picture := range how.shows {
		of = append(of, trapURLFrom(u, picture))
	}
	*buffer = of
	return p.detector.Visit(trap.Page{
		URL: u, Via: via, New: fresh, Links: of[:links:links], Unkept: how.unkept, Mirrors: how.mirrors, Extras: how.extras,
		Text: trap.Text{Hash: how.text.Hash, Words: how.text.Words, Sample: how.text.sample}, Exact: how.text.exact,
		Made: isMade(how.seen.header, time.Now()), Pictures: of[links:],
	})
}

// fewWords is how many words a page has at most whose pictures are looked at: they tell more of it than its words do.
const fewWords = 512

// mostShown is how many pictures of a page package trap looks at.
const mostShown = 100

// shows returns the first pictures of a page that says little, without small ones. The error is that of work.
func (h *host) shows(work context.Context, e frontier.Entry, r *fetch.Response, text pageText) (
	pictures []frontier.URL, err error) {
	if h.crawl.parking.detector == nil || text.Words == 0 || text.Words > fewWords {
		return nil, nil
	}
	all, _, err := ReadRequisites(work, h.config.Extract, e.URL, r.Header, r.Body)
	for _, q := range all {
		if q.Kind == extract.RequisiteImage && !q.Small && !q.URL.IsZero() && len(pictures) < mostShown {
			pictures = append(pictures, q.URL)
		}
	}
	return pictures, err
}

// isMade reports whether a program made an answer for the request: it lacks a validator, of which servers send both for files, or
// was modified just now.
func isMade(header http.Header, now time.Time) bool {
	modified, isKnown := timeIn(header.Get("Last-Modified"))
	if !isKnown || header.Get("ETag") == "" {
		return true
	}
	if date, isKnown := timeIn(header.Get("Date")); isKnown {
		now = date // by the same clock
	}
	return now.Sub(modified).Abs() < justNow
}

// justNow is how much time may lie between an answer and the modification of what is made for it.
const justNow = time.Minute

// moved takes in a redirect, perhaps in vain.
func (p *parking) moved(e frontier.Entry, to frontier.URL, vain bool) {
	if p.detector != nil {
		u, via := trapURLs(e.URL, e.Via)
		p.detector.Moved(u, via, trapURL(to), vain)
	}
}

// trapURLs is trapURL for a URL and for where it was found, which mostly have one origin, and so one domain.
func trapURLs(u, via frontier.URL) (of, from trap.URL) {
	of = trapURL(u)
	return of, trapURLFrom(of, via)
}

// trapURLFrom is trapURL for a URL that mostly has the origin of another one, and so its domain.
func trapURLFrom(other trap.URL, u frontier.URL) trap.URL {
	if pathQuery, same := strings.CutPrefix(u.String(), other.Origin); same && strings.HasPrefix(pathQuery, "/") {
		return trap.URL{Domain: other.Domain, Origin: other.Origin, PathQuery: pathQuery}
	}
	return trapURL(u)
}

// trapURL returns a URL in the parts that the detector looks at.
func trapURL(u frontier.URL) trap.URL {
	if u.IsZero() {
		return trap.URL{}
	}
	return trap.URL{Domain: registrableDomain(u), Origin: u.Origin(), PathQuery: u.PathQuery()}
}

// A Memory is what an earlier run of a crawl knew of a page that it visited.
type Memory struct {
	URL, Via frontier.URL
	New      int  // links that were new
	Opens    bool // Outcome.Opens
}

// Recall takes in a page that an earlier run of the crawl has visited, so that a place without end is not given its bounds
// anew with each run. It is called before Run, in the order of the visits, with the pages visited last; as many as
// Traps.Remembered matter.
func (c *Crawler) Recall(m Memory) {
	c.traps.recall(m.URL)
	if p := c.parking; p.detector != nil {
		u, via := trapURLs(m.URL, m.Via)
		p.detector.Recall(trap.Page{URL: u, Via: via, New: m.New}, m.Opens)
	}
}

// RecallParked takes in that an earlier run has parked a URL for that reason and rule, which is still parked. Like Recall it
// is called before Run, in the order of events.
func (c *Crawler) RecallParked(u frontier.URL, reason Reason, rule string) {
	c.parking.parked.Add(1)
	if f, ok := trap.ParseFinding(rule); ok && reason == ReasonEndless && c.parking.detector != nil {
		c.parking.detector.Restore(trapURL(u), f)
	}
}

// Parked returns how many URLs are parked, by this run and by those that were recalled.
func (c *Crawler) Parked() int64 { return c.parking.parked.Load() }

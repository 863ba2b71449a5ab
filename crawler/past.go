package crawler

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage"
)

// A Past is what is remembered of the visits to a URL, as frontier.Link.State, so that the next one asks for changes only, and
// comes when something is likely to have changed.
type Past struct {
	ETag     string `json:"etag,omitempty"`     // what If-None-Match says of the body: see knownTags
	Modified string `json:"modified,omitempty"` // Last-Modified, as the server gave it
	Digest   string `json:"digest,omitempty"`   // of the body
	Code     int    `json:"code,omitempty"`     // HTTP status, other than 304
	Page     bool   `json:"page,omitempty"`     // it has been a page
	Refused  bool   `json:"refused,omitempty"`  // robots.txt has forbidden it since the body came (Config.Removed)
	Noindex  string `json:"noindex,omitempty"`  // where the body asks not to be kept, as Refusal.Rule says it
	Made     Made   `json:"made,omitempty"`     // of the body, when it came
	Cut      int64  `json:"cut,omitempty"`      // most bytes that were read of a body at that time, when this one was longer
	Last     int64  `json:"last"`               // visit, in seconds since 1970; before the first one, when it was forbidden
	Changed  int64  `json:"changed,omitempty"`  // when a change was noticed last, likewise
	Every    int64  `json:"every"`              // seconds between visits, as they look best now
	Visits   int    `json:"visits"`
	Changes  int    `json:"changes,omitempty"` // that visits after the first one found
	Gone     int    `json:"gone,omitempty"`    // visits in a row that were due and found it gone,
	Since    int64  `json:"since,omitempty"`   // and the first of them, in seconds since 1970
	Untrue   int    `json:"untrue,omitempty"`  // times in a row that its sitemap told of a change that was none
}

// Made says what was made of a body when it came, besides a page that is kept: a sum of the constants below. A later visit that is
// to make more of it needs it whole.
type Made int

// What may be made of a body.
const (
	MadeArchive    Made = 1 << iota // it is in the archive
	MadeRequisites                  // what it needs to be shown was queued
	MadeChecks                      // so were links out of the scope, to be checked
	MadeNoPage                      // it is not kept as a page, for pages are not, or not those of its media type
	MadeSitemap                     // what it names was queued, if it is a sitemap
)

// maxValidator bounds an ETag or Last-Modified of an answer, in bytes; with a longer one the page is asked for whole. So it
// does Past.Noindex, which is cut.
const maxValidator = 256

// ReadPast returns what a state remembers; ok is false when it remembers nothing that can be read.
func ReadPast(state []byte) (p Past, ok bool) {
	if len(state) == 0 {
		return p, false
	}
	if p.scan(state) {
		return p, true
	}
	p = Past{}
	if json.Unmarshal(state, &p) != nil {
		return Past{}, false
	}
	return p, true
}

// state returns p as it is remembered.
func (p Past) state() []byte { return p.appendTo(make([]byte, 0, 256)) }

// PastOf returns what a page tells that was stored before pasts were remembered.
func PastOf(header http.Header, digest storage.Digest, fetched time.Time) []byte {
	p := Past{Page: true, Code: http.StatusOK, Digest: shortDigest(digest), Last: fetched.Unix(), Visits: 1}
	p.learn(header)
	return p.state()
}

func (p *Past) learn(h http.Header) {
	p.ETag, p.Modified = knownTags(h), validator(h.Get("Last-Modified"))
	if t, isKnown := timeIn(p.Modified); isKnown && t.Unix() < firstPage {
		p.Modified = ""
	}
}

// timeIn returns the time that a header field tells, if it does. Most pages have no Last-Modified, and to find that nothing is no
// time costs http.ParseTime more than a time does.
func timeIn(field string) (t time.Time, isKnown bool) {
	if field == "" {
		return t, false
	}
	t, err := http.ParseTime(field)
	return t, err == nil
}

// knownTags returns the ETag of an answer as the server will know it. One that has an Age (RFC 9111 section 5.1) is of a cache,
// which compares what it holds, and with a list of them none, if it is Varnish.
func knownTags(h http.Header) string {
	etag := validator(h.Get("ETag"))
	if h.Get("Age") != "" {
		return etag
	}
	return unmarkedToo(etag)
}

// unmarkedToo returns an ETag and, if that has the mark of a compression, the one without it. Apache marks that of what it
// compresses, "x-gzip" or "x-br" (DeflateAlterETag, BrotliAlterETag), and answers a condition before it compresses, when only "x"
// is known: both are named, for without its coding the body is the same.
func unmarkedToo(etag string) string {
	if inner, ok := strings.CutSuffix(etag, `"`); ok {
		for _, mark := range []string{"-gzip", "-br"} {
			if plain, ok := strings.CutSuffix(inner, mark); ok {
				return etag + ", " + plain + `"`
			}
		}
	}
	return etag
}

func validator(v string) string {
	if len(v) > maxValidator {
		return ""
	}
	return v
}

// shortDigest is enough of a digest to know a body again by: 128 bits.
func shortDigest(d storage.Digest) string {
	hex := strings.TrimPrefix(string(d), "sha256:")
	return hex[:min(len(hex), 32)]
}

// holds reports whether the visit before had brought a body with that digest.
func (p *Past) holds(d storage.Digest) bool { return p.Digest != "" && p.Digest == shortDigest(d) }

// A sighting is what an answer says about changes.
type sighting struct {
	header http.Header
	digest storage.Digest // of the body; empty when there was none
	state  string         // META DOCUMENT-STATE

	// barred says that the answer, and not the page, asks not to keep it (X-Robots-Tag). It may stop to do so while the page stays
	// as it is: the next visit must bring the page. So it must a sitemap of which something could not be judged.
	barred bool

	noindex string // where the page asks not to be kept

	long   bool // the body was cut, as it is longer than Crawler.mostOf
	cut    bool // the body is not whole, by no bound of ours, or was not read at all: the next visit must bring all of it
	unkept bool // nothing of the body is kept as a page, because its media type is not wanted
}

// seenIn returns what an answer with a body of that digest says.
func seenIn(r *fetch.Response, digest storage.Digest) sighting {
	s := sighting{header: r.Header, digest: digest}
	switch r.Truncated {
	case "", fetch.CutRatio:
	case fetch.CutLength:
		s.long = true
	default:
		s.cut = true
	}
	return s
}

// makes returns what is made of bodies by the settings.
func (c *Crawler) makes(e frontier.Entry, unkept bool) (m Made) {
	if c.config.Archive != nil {
		m |= MadeArchive
	}
	if PurposeOf(e.Kind) == ForSitemap || c.mayBeSitemap(e) {
		m |= MadeSitemap
	}
	if e.Kind != kindPage && !isRequisite(e.Kind) {
		return m
	}
	if c.config.Requisites.Fetch {
		m |= MadeRequisites
	}
	if c.config.CheckLinks {
		m |= MadeChecks
	}
	if unkept || !c.keepsPages {
		m |= MadeNoPage
	}
	return m
}

// mostOf returns how many bytes of a body are read at most.
func (c *Crawler) mostOf(e frontier.Entry) int64 {
	if PurposeOf(e.Kind) == ForSitemap {
		return c.config.Fetch.MaxSpool()
	}
	return c.config.Fetch.MaxBody()
}

// condition returns the validators that a visit is made with: none when more is to be made of the body than the visit before has,
// or more of it is to be read. Of bodies that are not wanted only those of pages are read.
func (c *Crawler) condition(e frontier.Entry, p Past) (etag, modified string) {
	_, unwanted := c.config.MediaTypes.of(e.Kind).judge(extension(e.URL), "text/html")
	makes := c.makes(e, unwanted)
	isLonger := p.Cut > 0 && p.Cut < c.mostOf(e)
	if isLonger || makes&^MadeNoPage&^p.Made != 0 || p.Made&MadeNoPage&^makes != 0 {
		return "", ""
	}
	return p.ETag, p.Modified
}

// isConditional reports whether an entry is asked for under a condition.
func (c *Crawler) isConditional(e frontier.Entry) bool {
	past, _ := ReadPast(e.State)
	etag, modified := c.condition(e, past)
	return etag != "" || modified != ""
}

// forgetRemoved forgets the body of an entry that the Sink does not have any more.
func (c *Config) forgetRemoved(e *frontier.Entry) {
	p, again := ReadPast(e.State)
	isKept := (e.Kind == kindPage || isRequisite(e.Kind)) && p.Digest != "" && p.Made&MadeNoPage == 0
	if again && isKept && c.Removed != nil && c.Removed(e.URL, p.Refused) {
		p.forget()
		e.State = p.state()
	}
}

// remember fills in what is to be remembered of an entry that is settled, and when another visit is due.
func (c *Crawler) remember(e frontier.Entry, o *frontier.Outcome, s sighting) {
	p, again := ReadPast(e.State)
	if o.Status == frontier.Retrying || o.Status == frontier.Refused && !again && Reason(o.Reason) != ReasonDisallowed {
		return
	}
	if s.barred {
		s.digest = ""
	}
	now := time.Now()
	b := &c.config.Recrawl
	if o.Status == frontier.Refused && !p.isOfVisit() { // another robots.txt may allow it
		every := b.within(b.First)
		if p.Every > 0 {
			every = b.longer(time.Duration(p.Every)*time.Second, now.Sub(time.Unix(p.Last, 0)))
		}
		p.Every, p.Last = seconds(every), now.Unix()
		if o.State = p.state(); Reason(o.Reason) != ReasonOptedOut {
			o.Again = now.Add(every)
		}
		return
	}
	p.Visits++
	p.Page = p.Page || o.Page
	if p.Every == 0 || p.Visits == 1 {
		p.Every = seconds(b.first(s, now))
	}
	if o.Status == frontier.Done {
		stays := o.Code == http.StatusNotModified || p.outlasts(o)
		p.answered(e, o, s, b, now)
		if !stays {
			p.Made, p.Cut = 0, 0
			if s.long {
				p.Cut = c.mostOf(e)
			}
			if p.Digest != "" && IsPage(o.Code) {
				p.Made = c.makes(e, s.unkept)
			}
		}
	}
	if s.barred {
		p.forget()
	}
	p.Refused = p.Refused || Reason(o.Reason) == ReasonDisallowed
	p.Last = now.Unix()
	o.State, o.Again = p.state(), p.due(o, s, b)
}

// answered takes in an answer.
func (p *Past) answered(e frontier.Entry, o *frontier.Outcome, s sighting, b *Recrawl, now time.Time) {
	if isGone(o) {
		switch since := time.Unix(p.Since, 0); {
		case p.Gone == 0:
			p.Gone, p.Since = 1, now.Unix()
		case !now.Before(since.Add(b.goneFor(p.Gone))): // visits that were not due do not count
			p.Gone++
		}
		p.forget()
		p.Code = o.Code
		return
	}
	p.Gone, p.Since = 0, 0
	if p.outlasts(o) {
		p.sentAway(o, b, now)
		return
	}
	p.Refused = false
	told := !e.Modified.IsZero() && e.Modified.Unix() > p.Last && p.Last > 0
	isSame := p.holds(s.digest) || o.Code == p.Code && p.Digest == shortDigest(s.digest) // of what is no page, too
	unchanged := isSame || Reason(o.Reason) == ReasonUnchanged
	dated := p.Modified != "" // by the server, which knows better than a sitemap
	passed := now.Sub(time.Unix(p.Last, 0))
	switch {
	case unchanged:
		p.Every = seconds(b.longer(time.Duration(p.Every)*time.Second, passed))
		if told {
			p.Untrue++
		}
	case p.Visits > 1:
		p.Every = seconds(b.shorter(time.Duration(p.Every)*time.Second, passed))
		p.Changes++
		p.Changed, p.Untrue = now.Unix(), 0
	}
	if p.Visits == 2 && !dated {
		if every, ok := second(e, !unchanged, time.Unix(p.Last, 0), now); ok {
			p.Every = seconds(b.within(every))
		}
	}
	switch {
	case o.Code == http.StatusNotModified: // it may bring new validators (RFC 9111 section 4.3.4)
		if v := knownTags(s.header); v != "" && p.Digest != "" {
			p.ETag = v
		}
	default:
		p.forget()
		p.Digest, p.Code, p.Noindex = shortDigest(s.digest), o.Code, s.noindex
		if s.digest != "" && IsPage(o.Code) && !s.cut {
			p.learn(s.header)
		}
	}
}

// isOfVisit reports whether there was a visit: robots.txt may have forbidden all of them.
func (p *Past) isOfVisit() bool { return p.Visits > 0 || p.Digest != "" }

// Unarchived returns a state without what it says of the archive, as when the file is lost that had the answer: a visit that is
// archived asks for all of it.
func Unarchived(state []byte) []byte {
	p, ok := ReadPast(state)
	if !ok {
		return nil
	}
	p.Made &^= MadeArchive
	return p.state()
}

// Unmade returns a state without what it says was made of the answer, as when all of that is lost: the next visit asks for all of
// it, of a page that is counted already.
func Unmade(state []byte) []byte {
	p, ok := ReadPast(state)
	if !ok {
		return nil
	}
	p.Made = MadeNoPage
	return p.state()
}

// forget forgets the body: the next one is new, whatever it is.
func (p *Past) forget() { p.ETag, p.Modified, p.Digest, p.Noindex = "", "", "", "" }

// outlasts reports whether the body that is remembered stays what it was after an answer: an error like 403 and a redirect bring
// nothing in its place, and another visit may well find it there.
func (p *Past) outlasts(o *frontier.Outcome) bool {
	return p.Digest != "" && !isGone(o) && o.Code >= 300 && o.Code != http.StatusNotModified
}

// sentAway takes in an answer that says nothing of the body. One that may be due to the condition (RFC 9110 sections 15.5.1 and
// 15.5.13) ends that: to be asked under it again, the server could say the same for ever.
func (p *Past) sentAway(o *frontier.Outcome, b *Recrawl, now time.Time) {
	if o.Code == p.Code {
		p.Every = seconds(b.longer(time.Duration(p.Every)*time.Second, now.Sub(time.Unix(p.Last, 0))))
	}
	p.Code = o.Code
	if o.Code == http.StatusBadRequest || o.Code == http.StatusPreconditionFailed {
		p.ETag, p.Modified = "", ""
	}
}

// isGone reports whether an answer says that there is nothing any more.
func isGone(o *frontier.Outcome) bool {
	return o.Code == http.StatusNotFound || o.Code == http.StatusGone || Reason(o.Reason) == ReasonSoft404
}

// due returns when another visit is due; zero for never.
func (p *Past) due(o *frontier.Outcome, s sighting, b *Recrawl) time.Time {
	last := time.Unix(p.Last, 0)
	wait := time.Duration(p.Every) * time.Second
	switch {
	case Reason(o.Reason) == ReasonOptedOut, p.Gone > 0 && b.Gone > 0 && p.Gone > b.Gone:
		return time.Time{}
	case p.Gone > 0:
		wait = b.goneRest(p.Gone)
	default:
		wait = max(wait, maxAge(s.header))
	}
	return last.Add(b.within(wait))
}

// maxAge returns how long an answer says that it is good for (RFC 9111 section 5.2.2.1); 0 when it says nothing.
func maxAge(h http.Header) time.Duration {
	for _, line := range h.Values("Cache-Control") {
		for part := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
			if !strings.EqualFold(name, "max-age") {
				continue
			}
			if n, err := strconv.ParseUint(strings.Trim(value, `" `), 10, 32); err == nil {
				return time.Duration(n) * time.Second
			}
		}
	}
	return 0
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

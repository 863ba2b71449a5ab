package verify

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// A visit is what is known of one URL while its records go by.
type visit struct {
	run     int32
	round   int32
	state   visitState
	end     int64  // of its last request, on the wall, in nanoseconds
	again   int64  // not to be requested again before, likewise; 0 when nobody said
	status  int16  // that answered it
	digest  uint64 // hash of the digest of its stored page; 0 when none was stored
	outcome bool   // its last request has an outcome
	needed  bool   // it was asked for as what a page needs, and not as a page
}

type visitState uint8

const (
	answered visitState = iota // and the outcome is still to come
	failed                     // the request may be made again
	settled                    // nothing may be asked for again
)

// visit judges whether a page or a sitemap may be requested, again perhaps.
func (p *pass) visit(e *ledger.Entry) {
	h := p.urls.hash(e.URL)
	if !p.urls.has(h) || !p.opts.judges(siteOf(e.URL)) {
		return
	}
	before, again := p.visits[h]
	switch {
	case !again || before.state == failed || before.state == settled && before.round < p.round:
		p.tally(Once).ok()
	case before.state == settled && before.needed && e.Purpose == forPage:
		p.tally(Once).ok() // it turned out to be a page
	case before.state == settled:
		p.tally(Once).refute(e, "requested again after it was settled")
	case int(before.run) == p.run.number:
		p.tally(Once).refute(e, "requested again although it had been answered")
	default:
		p.interrupted++
		p.tally(Once).ok()
	}
	if slack := int64(time.Second); again && before.state == failed && e.Start.UnixNano() < before.again-slack {
		p.tally(Once).refute(e, "requested again %v before it was due", time.Duration(before.again-e.Start.UnixNano()))
	}
	v := visit{run: int32(p.run.number), round: p.round, end: e.End.Add(p.set).UnixNano(), status: int16(e.Status),
		needed: e.Purpose == forRequisite}
	if mayRepeat(e) {
		v.state = failed
	}
	p.visits[h] = v
	if _, path := splitURL(e.URL); e.Purpose == forPage && (path == "/robots.txt" || path == tdmPath) {
		p.asPages++ // that file is asked for on its own account as well
	}
	if e.Purpose == forPage || e.Purpose == forRequisite { // of anything else nothing may be stored
		p.answers[p.answer(e.URL, v.end)] = unsettled
	}
	p.full = p.full || max(len(p.visits), len(p.answers)) > p.opts.URLs
}

// mayRepeat reports whether an answer, or the lack of one, is a reason to ask again.
func mayRepeat(e *ledger.Entry) bool {
	switch e.Status {
	case 0, http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return e.Status >= 500 || e.Truncated == "disconnect"
}

// lostPage is the reason of an outcome that a repair wrote: the page was stored, and is to be asked for again.
const lostPage = "lost"

// outcome notes what became of a URL.
func (p *pass) outcome(e *ledger.Entry) {
	h := p.urls.hash(e.URL)
	if !p.urls.has(h) || !p.opts.judges(siteOf(e.URL)) {
		return
	}
	v, ok := p.visits[h]
	if !ok {
		p.tally(Decided).refute(e, "an outcome without a request")
		return
	}
	before := v.state
	v.state, v.outcome = settled, true
	switch e.Outcome {
	case "retrying":
		if v.state = failed; before != failed && e.Reason != lostPage {
			p.tally(Once).refute(e, "is to be asked for again, though it was answered with %d, which settles it", v.status)
		}
		if !e.NotBefore.IsZero() {
			v.again = e.NotBefore.UnixNano()
		} else {
			p.tally(Once).lack(e, "does not say when it may be requested again")
		}
	case "done":
		if e.Status == 0 {
			p.tally(Records).lack(e, "is done, and does not say with which answer")
		}
	case "failed", "refused":
	default:
		p.tally(Records).lack(e, "the outcome %q is not understood", e.Outcome)
	}
	if e.Status != 0 && e.Status != int(v.status) {
		p.tally(Records).refute(e, "says that the answer was %d; it was %d", e.Status, v.status)
	}
	if e.Outcome == "retrying" && e.Reason == lostPage {
		if len(p.lostPages) < maxLost {
			p.lostPages[e.URL] = true
		}
		if p.firstLost == nil {
			first := *e
			p.firstLost = &first
		}
		p.visits[h] = v // what was stored then was stored, though it is lost now
		return
	}
	delete(p.lostPages, e.URL)
	if (e.File == "") != (e.Digest == "") || e.SameAs != "" && e.File == "" {
		p.tally(Pages).refute(e, "is stored as %q, %s, same as %q: these do not fit", e.File, e.Digest, e.SameAs)
	}
	if e.Digest != "" {
		v.digest = p.urls.hash(e.Digest)
	}
	p.visits[h] = v
	p.listing(e, v)
}

// What the outcome of a request says of the list of pages, when it does not name a line of it.
const (
	unsettled uint64 = iota // there is no outcome
	unstored                // nothing was stored
	unnamed                 // something was, but the line is not named
)

// A place is where a record lies.
type place struct {
	seq  uint64
	line int
}

// listing notes what an outcome says of the list of pages.
func (p *pass) listing(e *ledger.Entry, v visit) {
	says := unstored
	if e.File != "" {
		p.stored[p.listed(e.URL, e.Digest, e.File)] = place{e.Seq, e.AtLine}
		says = unnamed
	}
	if e.Listing != "" {
		says = max(p.urls.hash(e.Listing), unnamed+1)
	}
	key := p.answer(e.URL, v.end)
	if _, ok := p.answers[key]; ok {
		p.answers[key] = says
	}
}

// listed identifies a stored page.
func (p *pass) listed(url, digest, file string) uint64 {
	return p.urls.hash(digest + " " + file + " " + url)
}

// answer identifies a request by its URL and when it ended.
func (p *pass) answer(url string, end int64) uint64 {
	return maphash.Comparable(p.urls.seed, [2]uint64{p.urls.hash(url), uint64(end)})
}

// countPages returns how many lines the list of pages has. A list that does not exist has none.
func countPages(dir string) (n int, err error) {
	if info, err := os.Stat(filepath.Join(dir, "pages.jsonl")); err == nil && !info.Mode().IsRegular() {
		return 0, errors.New("count pages: pages.jsonl is not a regular file")
	}
	f, err := os.Open(filepath.Join(dir, "pages.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("count pages: %w", err)
	}
	defer f.Close()
	buf := make([]byte, 64<<10)
	for {
		size, err := f.Read(buf)
		n += bytes.Count(buf[:size], []byte("\n"))
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return 0, fmt.Errorf("count pages: %w", err)
		}
	}
}

// pages judges the lines of the list of pages.
func (p *pass) pages(dir string) error {
	n := 0
	for l, err := range pages.Read(dir) {
		n++
		if err == nil {
			delete(p.stored, p.listed(l.FinalURL, string(l.Digest), l.File))
		}
		if p.opts.Running && n > p.lines {
			p.newer++
			continue
		}
		if err != nil {
			p.tally(Pages).refute(nil, "%v", err)
			continue
		}
		if h := p.urls.hash(l.FinalURL); p.urls.has(h) && p.opts.judges(siteOf(l.FinalURL)) {
			p.line(p.visits[h], n, &l)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "pages.jsonl")); err != nil && len(p.stored) > 0 {
		p.tally(Pages).lack(nil, "there is no list of the %s that the ledger says were stored", plural(len(p.stored), "page"))
		return nil
	}
	for _, at := range p.stored {
		p.tally(Pages).refute(&ledger.Entry{Record: ledger.Record{Seq: at.seq}}, "the page that it stored is not in pages.jsonl")
	}
	return nil
}

// answerOf returns what is known of the request that brought a page. It ended when the page says; if the clock was set before its
// record was written, it differs by that.
func (p *pass) answerOf(l *pages.Line) (says uint64, known bool) {
	says, known = p.answers[p.answer(l.FinalURL, l.Fetched.UnixNano())]
	for i := 0; !known && i < len(p.clockSets); i++ {
		says, known = p.answers[p.answer(l.FinalURL, l.Fetched.Add(p.clockSets[i]).UnixNano())]
	}
	return says, known
}

// line judges the nth line.
func (p *pass) line(v visit, n int, l *pages.Line) {
	t := p.tally(Pages)
	at := &ledger.Entry{InFile: "pages.jsonl", AtLine: n, Record: ledger.Record{URL: l.FinalURL}}
	says, known := p.answerOf(l)
	switch {
	case !known || says == unsettled:
	case says == unnamed:
		p.tally(Listed).lack(at, "pages.jsonl line %d: the ledger does not have its digest", n)
	case says != unstored && says != max(p.urls.hash(string(l.Listing)), unnamed+1):
		p.tally(Listed).refute(at, "pages.jsonl line %d: is not the line that was written", n)
	case says != unstored:
		p.tally(Listed).ok()
	}
	switch {
	case says == unstored && known:
		t.refute(at, "pages.jsonl line %d: nothing was stored then, says the ledger", n)
	case !known && p.lost(l.Fetched):
		t.lack(at, "pages.jsonl line %d: fetched at %s, when the ledger lost its end", n, stamp(l.Fetched))
	case !known:
		t.refute(at, "pages.jsonl line %d: no request of the ledger brought it at %s", n, stamp(l.Fetched))
	case v.digest != 0 && v.end == l.Fetched.UnixNano() && v.digest != p.urls.hash(string(l.Digest)):
		t.refute(at, "pages.jsonl line %d: the ledger names another body than %s", n, l.Digest)
	default:
		t.ok()
		if !v.outcome {
			p.unsettled++
		}
	}
}

package verify

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// A visit is what is known of one URL while its records go by.
type visit struct {
	run     int32
	state   visitState
	end     int64  // of its last request, on the wall, in nanoseconds
	digest  uint64 // hash of the digest of its stored page; 0 when none was stored
	outcome bool   // its last request has an outcome
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
	case !again || before.state == failed:
		p.tally(Once).ok()
	case before.state == settled:
		p.tally(Once).refute(e, "requested again after it was settled")
	case int(before.run) == p.run.number:
		p.tally(Once).refute(e, "requested again although it had been answered")
	default:
		p.interrupted++
		p.tally(Once).ok()
	}
	v := visit{run: int32(p.run.number), end: e.End.UnixNano()}
	if mayRepeat(e) {
		v.state = failed
	}
	p.visits[h] = v
	if e.Purpose == forPage { // of anything else no page may be stored
		p.answers[p.answer(e.URL, v.end)] = struct{}{}
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
	v.state, v.outcome = settled, true
	if e.Outcome == "retrying" {
		v.state = failed
	}
	if e.Digest != "" {
		v.digest = p.urls.hash(e.Digest)
	}
	p.visits[h] = v
}

// answer identifies a request by its URL and when it ended.
func (p *pass) answer(url string, end int64) uint64 {
	return p.urls.hash(strconv.FormatInt(end, 36) + " " + url)
}

// countPages returns how many lines the list of pages has. A list that does not exist has none.
func countPages(dir string) (n int, err error) {
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
	return nil
}

// line judges the nth line.
func (p *pass) line(v visit, n int, l *pages.Line) {
	t := p.tally(Pages)
	at := &ledger.Entry{InFile: "pages.jsonl", AtLine: n, Record: ledger.Record{URL: l.FinalURL}}
	_, known := p.answers[p.answer(l.FinalURL, l.Fetched.UnixNano())]
	switch {
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

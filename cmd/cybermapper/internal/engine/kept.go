package engine

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"sync"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// keptBytes is how much of the end of the list of pages is looked at after a kill: many times what is under way at once.
const keptBytes = 8 << 20

// keptPages are the pages that a run which was killed had stored, and the queue does not know of: it is settled last. Of a node
// of a cluster, nobody else asks for them when it comes again before its lease is over.
type keptPages struct {
	stores *stores

	mu   sync.Mutex // guards page
	page map[frontier.URL]keptPage
}

type keptPage struct {
	line    pages.Line
	bytes   int64 // received
	attempt int   // 1 for the first
}

// findKept finds them. Only what the last request for a URL has brought, by the ledger, is taken, and only if that is unsettled
// there too. What was brought before a crawl --again is not: its outcome may have been lost by a kill, and since then the URL is
// queued for another visit.
func findKept(ctx context.Context, j *job.Job, s *stores) (*keptPages, error) {
	k := &keptPages{stores: s, page: map[frontier.URL]keptPage{}}
	if s.own != nil && !s.own.Unclean() {
		return k, nil
	}
	lines := map[string]pages.Line{}
	for l, err := range pages.ReadLast(j.Path(job.PagesDir), keptBytes) {
		if err != nil {
			return nil, err
		}
		u, err := frontier.ParseURL(l.FinalURL)
		if err != nil || l.Header == nil {
			continue
		}
		if s.own != nil {
			switch info, err := s.own.Lookup(ctx, u); {
			case err != nil:
				return nil, err
			case info.Status != frontier.Queued && info.Status != frontier.Retrying:
				continue
			}
		}
		lines[l.FinalURL] = l
	}
	if len(lines) > 0 {
		err := k.find(j.Path(job.LedgerDir), lines)
		return k, err
	}
	return k, nil
}

// find finds the pages among the lines, the last ones of each URL that is queued.
func (k *keptPages) find(dir string, lines map[string]pages.Line) error {
	o := ledger.ReadOptions{Types: []ledger.Type{ledger.Run, ledger.Request, ledger.Outcome}, Tail: recallBytes}
	for r, err := range ledger.ReadSound(dir, o) {
		if err != nil {
			return err
		}
		if r.Event == ledger.EventAgain {
			clear(k.page)
		}
		u, err := frontier.ParseURL(r.URL)
		if err != nil {
			continue
		}
		delete(k.page, u)
		l, ok := lines[r.URL]
		if ok && r.Type == ledger.Request && r.End.Equal(l.Fetched) && r.Status == l.Status {
			k.page[u] = keptPage{l, r.Bytes, r.Attempt}
		}
	}
	return nil
}

// take is for crawler.Config.Kept. What is not on disk any more as it was stored is asked for again, and what another node has
// visited since.
func (k *keptPages) take(e frontier.Entry) *fetch.Response {
	k.mu.Lock()
	p, ok := k.page[e.URL]
	delete(k.page, e.URL)
	k.mu.Unlock()
	past, again := crawler.ReadPast(e.State)
	if !ok || p.attempt != e.Attempt+1 || again && past.Last >= p.line.Fetched.Unix() {
		return nil
	}
	body, err := k.stores.pages.Body(p.line)
	if err != nil {
		return nil
	}
	k.stores.files.Keep(p.line)
	h := http.Header{"Content-Type": {cmp.Or(p.line.Type, "application/octet-stream")}}
	if p.line.Charset != "" {
		h.Set("Content-Type", p.line.Type+"; charset="+p.line.Charset)
	}
	maps.Copy(h, p.line.Header)
	return &fetch.Response{
		Status: p.line.Status, Header: h, Body: body, Truncated: p.line.Truncated, End: p.line.Fetched, WireBytes: p.bytes,
	}
}

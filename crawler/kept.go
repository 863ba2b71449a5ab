package crawler

import (
	"context"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage"
)

// kept returns the answer for an entry that an earlier run has stored and not settled; nil when there is none.
func (h *host) kept(e frontier.Entry) *fetch.Response {
	if h.config.Kept == nil || e.Kind != kindPage {
		return nil
	}
	return h.config.Kept(e)
}

// processKept makes of a page that is stored already what is made of any: its links and what it needs are passed on.
func (h *host) processKept(work context.Context, e frontier.Entry, r *fetch.Response) ending {
	reading, err := Read(work, h.config.Extract, h.config.Robots.Product(), e.URL, r.Header, r.Body)
	if err != nil {
		return ending{err: err}
	}
	past, _ := ReadPast(e.State)
	text := h.crawl.texts.read(r.Body)
	seen := seenIn(r, storage.DigestOf(r.Body))
	h.crawl.texts.near(e.URL, text.Text, seen.digest)
	o := frontier.Outcome{Status: frontier.Done, Code: r.Status, Bytes: r.WireBytes, Page: !past.Page}
	o.Links = h.follow(work, e, reading)
	if past.Page {
		o.Reason = string(ReasonChanged)
	}
	n, err := h.needs(work, e, r, reading.Directives.MayFollow(), true)
	if err != nil {
		return ending{err: err}
	}
	o.Links = n.with(o.Links)
	seen.state = reading.Page.DocumentState
	shows, err := h.shows(work, e, r, text)
	told := Outcome{Stored: true, Links: len(reading.Outlinks)}
	return ending{settled: o, told: told, text: text, shows: shows, seen: seen, err: err}
}

package frontiertest

import (
	"context"
	"io"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// A TB is what the helpers need of a test; property tests have it too.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
}

// URL parses a URL.
func URL(t TB, raw string) frontier.URL {
	t.Helper()
	u, err := frontier.ParseURL(raw)
	if err != nil {
		t.Fatalf("parse URL %q: %v", raw, err)
	}
	return u
}

// Links returns links of depth 0.
func Links(t TB, raws ...string) (links []frontier.Link) {
	t.Helper()
	for _, raw := range raws {
		links = append(links, frontier.Link{URL: URL(t, raw)})
	}
	return links
}

// MustAdd adds links, new or known.
func MustAdd(t TB, f frontier.Frontier, links ...frontier.Link) {
	t.Helper()
	if _, err := f.Add(context.Background(), links); err != nil {
		t.Fatalf("Add: %v", err)
	}
}

// Queue adds links of depth 0, new or known.
func Queue(t TB, f frontier.Frontier, raws ...string) {
	t.Helper()
	MustAdd(t, f, Links(t, raws...)...)
}

// MustLease leases a site.
func MustLease(t TB, f frontier.Frontier, patience time.Duration) frontier.Lease {
	t.Helper()
	l, err := f.Lease(context.Background(), patience)
	if err != nil {
		t.Fatalf("Lease: %v", err)
	}
	return l
}

// MustNext takes the next entry, which there must be.
func MustNext(t TB, l frontier.Lease) frontier.Entry {
	t.Helper()
	e, ok, err := l.Next(context.Background())
	if err != nil || !ok {
		t.Fatalf("Next = %v, %v, %v, want an entry", e.URL, ok, err)
	}
	return e
}

// MustPermit waits for leave to make a request.
func MustPermit(t TB, l frontier.Lease, site string) frontier.Grant {
	t.Helper()
	g, err := l.Permit(context.Background(), site)
	if err != nil {
		t.Fatalf("Permit(%s): %v", site, err)
	}
	return g
}

// MustSettle settles outcomes.
func MustSettle(t TB, l frontier.Lease, outcomes ...frontier.Outcome) {
	t.Helper()
	if _, err := l.Settle(context.Background(), outcomes...); err != nil {
		t.Fatalf("Settle: %v", err)
	}
}

// MustClose closes a frontier or a lease.
func MustClose(t TB, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
}

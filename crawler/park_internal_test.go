package crawler

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/trap"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// Another visit does not wait for scouts in its place, as a first one does: their finding is about what nobody has visited. Here
// each page of a maze leads to two new ones.
func TestParking_AnotherVisitDoesNotWait(t *testing.T) {
	p := newParking(&Config{Traps: Traps{}.withDefaults()})
	at := func(n int) frontier.URL {
		return frontiertest.URL(t, fmt.Sprintf("https://a.example/maze/%d", n))
	}
	for n := 1; n < 1000; n++ {
		e := frontier.Entry{Link: frontier.Link{URL: at(n), Via: at(n / 2)}}
		if !p.waits(e, 0) {
			p.visited(e, 2, ending{settled: frontier.Outcome{Links: []frontier.Link{{URL: at(2 * n)}, {URL: at(2*n + 1)}}}})
			continue
		}
		past := Past{Page: true, Visits: 1}
		if e.State = past.state(); p.waits(e, 0) {
			t.Errorf("another visit to %s waits", e.URL)
		}
		return
	}
	t.Fatal("nothing has to wait; the test tests nothing")
}

// What waits is in memory: when too much of it is, a place is judged by what is known of it. What goes back with its lease is not.
func TestParking_MostWaiting(t *testing.T) {
	p := newParking(&Config{Traps: Traps{}.withDefaults()})
	h := &host{crawl: &Crawler{parking: p}}
	at := func(n int) frontier.URL {
		return frontiertest.URL(t, fmt.Sprintf("https://a.example/maze/%d", n))
	}
	for n := 1; n < 1000; n++ {
		e := frontier.Entry{Link: frontier.Link{URL: at(n), Via: at(n / 2)}}
		if !p.waits(e, 0) {
			p.visited(e, 2, ending{settled: frontier.Outcome{Links: []frontier.Link{{URL: at(2 * n)}, {URL: at(2*n + 1)}}}})
			continue
		}
		for range mostWaiting {
			h.took(e, true, true)
		}
		trials := p.trials()
		if !p.waits(e, fewWaiting-1) || p.trials() != trials {
			t.Errorf("of another site none waits")
		}
		if p.waits(e, h.waiting()) || p.trials() != trials+1 {
			t.Errorf("%d entries wait, and one more", mostWaiting)
		}
		h.took(e, true, false)
		if h.endWaiting(); p.waiting.Load() != 0 {
			t.Errorf("%d entries wait that are back in the queue", p.waiting.Load())
		}
		return
	}
	t.Fatal("nothing has to wait; the test tests nothing")
}

// A bound that is switched off is off in package trap as well, where zero would mean the default.
func TestTraps_Detection(t *testing.T) {
	for _, tt := range []struct {
		name  string
		traps Traps
		want  trap.Options
	}{
		{"defaults", Traps{},
			trap.Options{Pages: 40, Levels: 6, Yield: 0.1, Dates: 100, Variants: 4, Guises: 16, Archives: 8, Links: 200_000,
				Lineages: 20_000}},
		{"off", Traps{ScoutDepth: -1, PrefixSample: -1, PrefixYield: -1, Spellings: -1, Guises: -1, Archives: -1, Remembered: -1},
			trap.Options{Pages: 40, Levels: 6, Yield: -1, Dates: -1, Variants: -1, Guises: -1, Archives: -1, Links: 200_000,
				Lineages: 20_000}},
	} {
		traps := tt.traps.withDefaults()
		if got := traps.detection(); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// Ensure that what a server has as a file is told from what a program makes for a request.
func TestIsMade(t *testing.T) {
	now := time.Date(2026, 11, 26, 16, 48, 35, 0, time.UTC)
	for _, tt := range []struct {
		etag, modified, date string
		want                 bool
	}{
		{`"1200000-6613081356018"`, "Thu, 26 Nov 2026 16:33:34 GMT", "", false}, // Apache
		{"", "Tue, 13 Sep 2022 22:07:15 +0000", "", true},                       // gitweb
		{`W/"1795710670"`, "", "", true},                                        // hgweb
		{`"10e87fe9"`, "Thu, 26 Nov 2026 16:48:33 GMT", "", true},               // cgit
		{`"10e87fe9"`, "Thu, 26 Nov 2026 15:48:33 GMT", "Thu, 26 Nov 2026 15:48:33 GMT", true},
		{`"10e87fe9"`, "Thu, 26 Nov 2026 16:48:33 GMT", "Thu, 26 Nov 2026 17:48:33 GMT", false},
	} {
		h := http.Header{}
		h.Set("ETag", tt.etag)
		h.Set("Last-Modified", tt.modified)
		h.Set("Date", tt.date)
		if got := isMade(h, now); got != tt.want {
			t.Errorf("isMade(%v) = %v, want %v", h, got, tt.want)
		}
	}
}

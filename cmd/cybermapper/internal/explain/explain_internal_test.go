package explain

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

func TestGates(t *testing.T) {
	request := attempt{Record: ledger.Record{
		Type: ledger.Request, RobotsDigest: "sha256:0123456789abcdef", RobotsLine: 4, RobotsRule: "Allow: /a",
	}}
	refused := func(gate, reason, rule string) []ledger.Record {
		return []ledger.Record{{Type: ledger.Refusal, Gate: gate, Reason: reason, Rule: rule}}
	}
	tests := []struct {
		name  string
		state string
		h     history
		want  []string
	}{
		{"queued", "queued", history{}, []string{
			"url, meta, opt-out, action, scope, trap, limit: passed", "address, robots: not yet",
		}},
		{"done", "done", history{attempts: []attempt{request}}, []string{
			"url, meta, opt-out, action, scope, trap, limit, address: passed", "robots: passed: robots.txt line 4: Allow: /a (robots/0123456789ab...)",
		}},
		{"refused early", "refused", history{refusals: refused("scope", "out-of-scope", "host")}, []string{
			"url, meta, opt-out, action: passed", "scope: refused: outside the scope of the crawl: host", "trap, limit, address, robots: not reached",
		}},
		{"let in from another page", "queued", history{refusals: refused("meta", "nofollow-link", "rel")}, []string{
			"url, meta, opt-out, action, scope, trap, limit: passed", "address, robots: not yet",
		}},
		{"noindex is no refusal of the URL", "done", history{attempts: []attempt{request}, refusals: refused("meta", "noindex", "")}, []string{
			"url, meta, opt-out, action, scope, trap, limit, address: passed", "robots: passed: robots.txt line 4: Allow: /a (robots/0123456789ab...)",
		}},
		{"named by a sitemap that may not", "refused", history{refusals: refused("sitemap", "sitemap-proofs", "http://a.example")}, []string{
			"url, meta, opt-out, action, scope, trap, limit: passed",
			"sitemap: refused: too many sites would have to be asked whether a sitemap speaks for them: http://a.example", "address, robots: not reached",
		}},
		{"never heard of", "unknown", history{}, nil},
	}
	for _, tt := range tests {
		if got := gateLines(gatesOf(tt.state, &tt.h)); !slices.Equal(got, tt.want) {
			t.Errorf("%s (-want +got):\n%s", tt.name, cmp.Diff(tt.want, got))
		}
	}
}

func TestSitemapOf(t *testing.T) {
	read := attempt{Record: ledger.Record{Type: ledger.Request, Purpose: "sitemap"}}
	outcome := []ledger.Record{{Type: ledger.Outcome, Status: 200, LinksFound: 5, LinksNew: 3}}
	limit := []ledger.Record{
		{Type: ledger.Refusal, Gate: "sitemap", Reason: "sitemap-urls", Rule: "more than 5 URLs"}, {Type: ledger.Refusal, Gate: "scope"},
	}
	if s := sitemapOf(&history{attempts: []attempt{read}, outcomes: outcome, refusals: limit}); s == nil || s.URLs != 5 || s.New != 3 ||
		!slices.Equal(s.Left, []string{"sitemap urls: more than 5 URLs (sitemap-urls)"}) {
		t.Errorf("a sitemap that was read: %+v", s)
	}
	for name, h := range map[string]history{
		"nothing": {}, "a page": {attempts: []attempt{{}}, outcomes: outcome}, "no outcome": {attempts: []attempt{read}},
		"gone": {attempts: []attempt{read}, outcomes: []ledger.Record{{Type: ledger.Outcome, Status: 404}}},
	} {
		if s := sitemapOf(&h); s != nil {
			t.Errorf("%s was read as a sitemap: %+v", name, s)
		}
	}
}

func TestPause(t *testing.T) {
	const ms = config.Duration(time.Millisecond)
	end := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		name string
		p    Pause
		want []string
	}{
		{"first request", Pause{}, []string{"the first known request to the site: no pause was owed"}},
		{"floor", Pause{LastEnd: end, Owed: 3100 * ms, Kept: 3200 * ms, Why: "floor", Floor: 3000 * ms, Factor: 5, Response: 20 * ms, Factored: 100 * ms, Jitter: 100 * ms}, []string{
			"pause: 3.2s since the request before ended; 3.1s was owed",
			"the largest of floor 3s, 5 x response 20ms = 100ms; here floor, and 100ms of jitter",
		}},
		{"crawl-delay", Pause{LastEnd: end, Owed: 10 * 1000 * ms, Kept: 10 * 1000 * ms, Why: "crawl-delay", Floor: 3000 * ms, Factor: 5, CrawlDelay: 10 * 1000 * ms, DelayLine: 2}, []string{
			"pause: 10s since the request before ended; 10s was owed",
			"the largest of floor 3s, 5 x response 0s = 0s, Crawl-delay 10s (robots.txt line 2); here crawl-delay, and 0s of jitter",
		}},
		{"override", Pause{LastEnd: end, Owed: 10 * ms, Kept: 11 * ms, Why: whyOverride}, []string{
			"pause: 11ms since the request before ended; 10ms was owed: set by hosts in the configuration",
		}},
		{"restart", Pause{LastEnd: end, Owed: 3000 * ms, Kept: 3001 * ms, Why: whyRestart}, []string{
			"pause: 3s since the request before ended; 3s was owed: the crawl was restarted, and the pause with it",
		}},
		{"crawl-delay of a robots.txt elsewhere", Pause{LastEnd: end, Owed: 3000 * ms, Kept: 5000 * ms, Why: "floor", CrawlDelay: 5000 * ms, DelayLine: 2, Late: true}, []string{
			"pause: 5s since the request before ended; 3s was owed: floor",
			"Crawl-delay 5s (robots.txt line 2) was not known yet when it began",
		}},
		{"other settings", Pause{LastEnd: end, Owed: 9000 * ms, Kept: 9001 * ms, Why: "floor", Earlier: true}, []string{
			"pause: 9s since the request before ended; 9s was owed: floor, by the settings of an earlier run",
		}},
	}
	for _, tt := range tests {
		if got := tt.p.lines(); !slices.Equal(got, tt.want) {
			t.Errorf("%s (-want +got):\n%s", tt.name, cmp.Diff(tt.want, got))
		}
	}
}

// What was asked for the rules of a site, or for its TDM file, was not found for that.
func TestFound_WhatIsAskedForItsRules(t *testing.T) {
	rules := attempt{Record: ledger.Record{Seq: 3, Type: ledger.Request, Purpose: "robots", URL: "http://a.example/r.txt"}}
	linked := attempt{Record: ledger.Record{Seq: 9, Type: ledger.Request, Purpose: "page", URL: "http://a.example/r.txt", Via: "http://a.example/", Depth: 1}}
	if r := (&history{attempts: []attempt{rules}}).first(); r != nil {
		t.Errorf("found by %+v", r)
	}
	if r := (&history{attempts: []attempt{rules, linked}}).first(); r == nil || r.Via != linked.Via {
		t.Errorf("found by %+v, want the link", r)
	}
	if text := (&Found{unbidden: true}).String(); !strings.Contains(text, "neither a seed nor a link") {
		t.Error(text)
	}
}

// A link that was not followed turns nothing away that another link leads to, whichever was met first.
func TestForgetLinks(t *testing.T) {
	nofollow := ledger.Record{Type: ledger.Refusal, Via: "http://a.example/nf", Depth: 2, Gate: "meta", Reason: "nofollow-page"}
	closed := ledger.Record{Type: ledger.Refusal, Via: "http://a.example/", Depth: 1, Gate: "robots", Reason: "robots-disallow"}
	visit := attempt{Record: ledger.Record{Type: ledger.Request, Purpose: "page", Via: "http://a.example/", Depth: 1}}
	rules := attempt{Record: ledger.Record{Type: ledger.Request, Purpose: "robots"}}
	tests := []struct {
		name string
		h    history
		via  string
		gate string // that refused
	}{
		{"only such a link", history{refusals: []ledger.Record{nofollow}}, nofollow.Via, "meta"},
		{"asked for as rules besides", history{attempts: []attempt{rules}, refusals: []ledger.Record{nofollow}}, nofollow.Via, "meta"},
		{"refused later", history{refusals: []ledger.Record{nofollow, closed}}, closed.Via, "robots"},
		{"refused before", history{refusals: []ledger.Record{closed, nofollow}}, closed.Via, "robots"},
		{"visited", history{attempts: []attempt{visit}, refusals: []ledger.Record{nofollow}}, visit.Via, ""},
	}
	for _, tt := range tests {
		for i := range tt.h.refusals {
			tt.h.refusals[i].Seq = uint64(i + 1)
		}
		for i := range tt.h.attempts {
			tt.h.attempts[i].Seq = 9
		}
		tt.h.forgetLinks()
		if r := tt.h.first(); r == nil || r.Via != tt.via {
			t.Errorf("%s: found by %+v, want via %s", tt.name, r, tt.via)
		}
		gate := ""
		for _, g := range gatesOf("refused", &tt.h) {
			if g.Verdict == "refused" {
				gate = g.Gate
			}
		}
		if gate != tt.gate {
			t.Errorf("%s: refused by %q, want %q", tt.name, gate, tt.gate)
		}
	}
}

// An answer that was no error, and for which its URL was asked for again all the same, says why.
func TestHistory_Again(t *testing.T) {
	request := func(seq uint64, status int) attempt {
		return attempt{Record: ledger.Record{Type: ledger.Request, Seq: seq, Status: status}}
	}
	outcome := func(seq uint64, outcome, reason string) ledger.Record {
		return ledger.Record{Type: ledger.Outcome, Seq: seq, Outcome: outcome, Reason: reason}
	}
	h := &history{
		attempts: []attempt{request(1, 200), request(5, 200), request(7, 500), request(9, 302), request(12, 200)},
		outcomes: []ledger.Record{outcome(2, "done", ""), outcome(4, "retrying", "site-away"), outcome(6, "done", "changed"),
			outcome(8, "retrying", "server-error"), outcome(10, "retrying", "site-away"), outcome(13, "done", "changed")},
	}
	var got []string
	for _, a := range h.attempts {
		got = append(got, h.again(a))
	}
	if want := []string{"site-away", "", "", "site-away", ""}; !slices.Equal(got, want) {
		t.Errorf("why was it asked for again: %q, want %q", got, want)
	}
}

package plan_test

import (
	"errors"
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/plan"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/robots"
)

// A site is a host of a test.
type site struct {
	name    string
	gap     time.Duration
	took    time.Duration
	address string
	waiting int64
	rests   time.Duration
}

// planOf plans a crawl of sites whose robots.txt allows everything; of a job if one is named.
func planOf(t *testing.T, b plan.Budget, job string, sites ...site) *plan.Plan {
	t.Helper()
	p := plan.New(b)
	p.Job = job
	for _, s := range sites {
		h := p.Host(s.name)
		h.Learn(crawler.Surveyed{Origin: "http://" + s.name, Site: s.name, Answer: robots.Answer{
			Rules: robots.AllowAll(robots.ReasonUnavailable), State: robots.State{Outcome: robots.Unavailable, Status: 404},
		}}, nil)
		h.SetPace(crawler.Pace{Gap: s.gap, Why: "floor", Floor: s.gap, Held: s.took}, s.took, 1, nil)
		if s.address != "" {
			h.SetAddress(netip.AddrPortFrom(netip.MustParseAddr(s.address), 80))
		}
		h.Waiting = s.waiting
		if s.rests > 0 {
			h.RestsUntil, h.RestReason = time.Now().Add(s.rests), "too-many-requests"
		}
	}
	p.Finish()
	return p
}

func TestTime(t *testing.T) {
	many := func(n int, s site) (all []site) {
		for i := range n {
			s.name = string(rune('a'+i)) + ".example"
			all = append(all, s)
		}
		return all
	}
	tests := []struct {
		name   string
		budget plan.Budget
		job    string
		sites  []site
		want   time.Duration
		why    string
	}{
		{"one host", plan.Budget{MaxPagesPerHost: 100, Depth: -1}, "", []site{{name: "a", gap: 10 * time.Second}}, 1000 * time.Second, "a: 100 pages at 10s a page"},
		{"the slowest decides", plan.Budget{MaxPagesPerHost: 100, Depth: -1}, "", []site{{name: "a", gap: time.Second}, {name: "b", gap: 10 * time.Second}},
			1000 * time.Second, "b: 100 pages at 10s a page"},
		{"the response counts", plan.Budget{MaxPagesPerHost: 10, Depth: -1}, "", []site{{name: "a", gap: time.Second, took: time.Second}}, 20 * time.Second, "a: 10 pages at 2s a page"},
		{"hosts share a limit", plan.Budget{MaxPages: 110, Depth: -1}, "", []site{{name: "a", gap: time.Second}, {name: "b", gap: 10 * time.Second}},
			100 * time.Second, "all hosts together give 3,960 pages an hour at most"},
		{"one worker", plan.Budget{MaxPagesPerHost: 10, Depth: -1, Workers: 1}, "", many(4, site{took: time.Second}), 40 * time.Second, "all workers are busy (--workers 1)"},
		{"one address", plan.Budget{MaxPagesPerHost: 10, Depth: -1, Workers: 100, PerAddress: 2}, "", many(4, site{took: time.Second, address: "192.0.2.1"}),
			20 * time.Second, "4 hosts share the address 192.0.2.1, where at most 2 requests are in flight"},
		{"what waits", plan.Budget{Depth: -1}, "job", []site{{name: "a", gap: time.Second, waiting: 7}, {name: "b", gap: time.Second, waiting: 3}}, 7 * time.Second, "a: 7 pages at 1s a page"},
		{"a rest comes first", plan.Budget{Depth: -1}, "job", []site{{name: "a", gap: time.Second, waiting: 10, rests: time.Minute}}, 70 * time.Second,
			"a: 10 pages at 1s a page after a rest of 1m (too-many-requests)"},
		{"nothing waits", plan.Budget{Depth: -1}, "job", []site{{name: "a", gap: time.Second}}, 0, ""},
	}
	for _, tt := range tests {
		got := planOf(t, tt.budget, tt.job, tt.sites...).Total
		if math.Abs(got.Seconds-tt.want.Seconds()) > 0.01*tt.want.Seconds() || got.Why != tt.why || got.AtLeast != (tt.job != "") {
			t.Errorf("%s: %.1fs (at least: %t), %q, want %v, %q", tt.name, got.Seconds, got.AtLeast, got.Why, tt.want, tt.why)
		}
	}
}

func TestWhatFits(t *testing.T) {
	sites := []site{{name: "a", gap: time.Second}, {name: "b", gap: 10 * time.Second}}
	limited := planOf(t, plan.Budget{MaxPagesPerHost: 100, MaxTime: config.Duration(200 * time.Second), Depth: -1}, "", sites...)
	if got := limited.Total; got.Fit != 120 || got.Left != 80 || got.Slow != 1 {
		t.Errorf("%d fit, %d do not, %d slow hosts, want 120, 80, 1", got.Fit, got.Left, got.Slow)
	}
	if h := limited.Hosts[0]; h.Site != "b" || !h.Slow || h.Fit != 20 {
		t.Errorf("slowest host %+v, want b, of which 20 pages fit", h)
	}
	open := planOf(t, plan.Budget{MaxTime: config.Duration(100 * time.Second), Depth: -1}, "", sites...)
	if got := open.Total; got.Pages != plan.Unlimited || got.Fit != 110 || got.Seconds != 0 {
		t.Errorf("without a limit %+v, want no number of pages, and 110 that fit", got)
	}
}

// A job whose limit of pages is reached has something left to fetch, which nobody fetches.
func TestPrint_LimitReached(t *testing.T) {
	var out strings.Builder
	planOf(t, plan.Budget{MaxPages: 3, Done: 3, Depth: -1}, "job", site{name: "a", gap: time.Second, waiting: 5}).Print(&out)
	if got := out.String(); strings.Contains(got, "nothing is left") || !strings.Contains(got, "the job has its 3 pages (--max-pages)") {
		t.Errorf("%s", got)
	}
}

func TestWhoRefuses(t *testing.T) {
	file := robots.Parse([]byte("User-agent: *\nDisallow: /\n"), robots.Cautious)
	tests := []struct {
		name string
		x    crawler.Surveyed
		want string
	}{
		{"allowed", crawler.Surveyed{Answer: robots.Answer{Rules: robots.AllowAll(robots.ReasonUnavailable), State: robots.State{Outcome: robots.Unavailable}}}, ""},
		{"disallowed", crawler.Surveyed{Answer: robots.Answer{File: file, Rules: file.Rules("cybermapper"), State: robots.State{Outcome: robots.Found}}},
			"robots.txt allows none of the seeds"},
		{"unreachable", crawler.Surveyed{Answer: robots.Answer{Rules: robots.DenyAll(robots.ReasonUnreachable), State: robots.State{Outcome: robots.Unreachable, Err: "status 503"}}},
			"robots.txt cannot be fetched (status 503), so everything counts as disallowed until "},
		{"not to be asked", crawler.Surveyed{Err: errors.New("a private address")}, "a private address"},
		{"resting", crawler.Surveyed{Err: &frontier.BlockedError{Site: "a.example"}}, ""},
	}
	for _, tt := range tests {
		u := frontiertest.URL(t, "http://a.example/x")
		p := plan.New(plan.Budget{MaxPagesPerHost: 1, Depth: -1})
		h := p.Host(u.Site())
		h.Learn(tt.x, []frontier.URL{u})
		p.Finish()
		if !strings.HasPrefix(h.Refuses, tt.want) || (h.Refuses == "") != (tt.want == "") || p.Total.Refusing > 0 != (tt.want != "") {
			t.Errorf("%s: refuses %q, want %q", tt.name, h.Refuses, tt.want)
		}
	}
}

// Sitemaps bound what a host has from below.
func TestListed(t *testing.T) {
	p := plan.New(plan.Budget{MaxPagesPerHost: 50, Depth: 3, Workers: 8, PerAddress: 4})
	for name, urls := range map[string]int64{"a.example": 40, "b.example": 60, "c.example": 0} {
		h := p.Host(name)
		h.Learn(crawler.Surveyed{Origin: "http://" + name, Site: name, Listed: crawler.SitemapCount{Files: 2, Unread: 1, URLs: urls}, Answer: robots.Answer{
			Rules: robots.AllowAll(robots.ReasonUnavailable), State: robots.State{Outcome: robots.Unavailable, Status: 404},
		}}, nil)
		h.SetPace(crawler.Pace{Gap: time.Second, Why: "floor"}, 0, 1, nil)
	}
	p.Finish()
	for name, want := range map[string]int64{"a.example": 40, "b.example": 50, "c.example": 50} {
		if got := p.Host(name).Pages; got != want {
			t.Errorf("%s: %d pages, want %d", name, got, want)
		}
	}
	var b strings.Builder
	p.Print(&b)
	if !p.Total.AtLeast || !strings.Contains(b.String(), "sitemaps  40 URLs in 2 files; 1 file could not be read\n") {
		t.Errorf("the total is %+v:\n%s", p.Total, &b)
	}
}

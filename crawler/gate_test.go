package crawler

import (
	"fmt"
	"testing"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// A link that a later gate turns away takes no room of its domain: to judge counts nothing, and only what is admitted is counted.
func TestAdmit_CountsWhatPassesAllGates(t *testing.T) {
	c := &Crawler{config: Config{Traps: Traps{HostsPerDomain: 1}.withDefaults(), Limits: Limits{Depth: 2}}}
	c.traps = newTrapCounters(&c.config.Traps)
	everywhere, err := newScope(Scope{Mode: ScopeAny})
	if err != nil {
		t.Fatal(err)
	}
	c.scope = everywhere
	for _, tt := range []struct {
		url   string
		depth int
		want  Reason
	}{
		{"http://deep.site.example/", 3, ReasonDepth},
		{"http://a.site.example/", 1, ""},
		{"http://a.site.example/again", 2, ""},
		{"http://b.site.example/", 1, ReasonHostsPerDomain},
		{"http://b.site.example/", 3, ReasonHostsPerDomain},
	} {
		l := frontier.Link{URL: frontiertest.URL(t, tt.url), Depth: tt.depth}
		for range 2 {
			if r, _ := c.judge(l); r.Reason != tt.want {
				t.Errorf("judge(%s at %d) = %q, want %q", tt.url, tt.depth, r.Reason, tt.want)
			}
		}
		if r, refused := c.admit(l); r.Reason != tt.want || refused != (tt.want != "") {
			t.Errorf("admit(%s at %d) = %q, %v; want %q", tt.url, tt.depth, r.Reason, refused, tt.want)
		}
	}
}

// The hosts of seeds are no trap, however many one domain has: those of a university, or of a platform for weblogs.
func TestAdmit_HostsOfSeeds(t *testing.T) {
	for _, mode := range []ScopeMode{ScopeHost, ScopePrefix, ScopeDomain, ScopeAny} {
		c := &Crawler{config: Config{Traps: Traps{HostsPerDomain: 2}.withDefaults()}}
		c.traps = newTrapCounters(&c.config.Traps)
		var seeds []frontier.URL
		for i := range 5 {
			seeds = append(seeds, frontiertest.URL(t, fmt.Sprintf("http://h%d.site.example/", i)))
		}
		scope, err := newScope(Scope{Mode: mode, Seeds: seeds})
		if err != nil {
			t.Fatal(err)
		}
		c.scope = scope
		for _, seed := range seeds {
			if r, refused := c.admit(frontier.Link{URL: seed}); refused {
				t.Errorf("%s: the seed %s: %+v", mode, seed, r)
			}
			page := frontier.Entry{Link: frontier.Link{URL: frontiertest.URL(t, seed.String()+"page"), Via: seed, Depth: 1}}
			if r, refused := c.admitTurn(page); refused {
				t.Errorf("%s: a page of the seed %s: %+v", mode, seed, r)
			}
		}
		if r, _ := c.admit(frontier.Link{URL: frontiertest.URL(t, "http://x.site.example/"), Via: seeds[0], Depth: 1}); r.Reason != ReasonHostsPerDomain &&
			r.Reason != ReasonOutOfScope {
			t.Errorf("%s: a host that is found: %+v", mode, r)
		}
	}
}

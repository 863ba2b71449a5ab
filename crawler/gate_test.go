package crawler

import (
	"testing"

	"github.com/cybermapper/cybermapper/frontier"
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
		l := frontier.Link{URL: mustURL(t, tt.url), Depth: tt.depth}
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

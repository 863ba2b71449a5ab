package crawler

import (
	"testing"

	"github.com/cybermapper/cybermapper/frontier"
)

// The body of a page, or of what a page needs, is forgotten when the Sink has it no more; what never was in the Sink is not looked
// for there.
func TestForgetRemoved(t *testing.T) {
	u, _ := frontier.ParseURL("http://a.example/x")
	c := Config{Removed: func(frontier.URL, bool) bool { return true }}
	for name, tt := range map[string]struct {
		purpose Purpose
		made    Made
		want    bool
	}{
		"page": {ForPage, 0, true}, "requisite": {ForRequisite, 0, true}, "sitemap": {ForSitemap, 0, false}, "not kept": {ForPage, MadeNoPage, false},
	} {
		past := Past{Digest: "abc", Made: tt.made, Visits: 1}
		e := frontier.Entry{Link: frontier.Link{URL: u, Kind: tt.purpose.Kind(), State: past.state()}}
		c.forgetRemoved(&e)
		if p, _ := ReadPast(e.State); (p.Digest == "") != tt.want {
			t.Errorf("%s: the digest is %q", name, p.Digest)
		}
	}
}

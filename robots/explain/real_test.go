package explain_test

import (
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/explain"
	"github.com/cybermapper/cybermapper/robots/robotstest"
)

// TestRealFiles explains the files of real sites. What is said of each path must be what package robots says.
func TestRealFiles(t *testing.T) {
	for _, site := range robotstest.Real(t) {
		f := robots.Parse(site.Body, robots.Cautious)
		for _, p := range explain.File(f, []string{"cybermapper", "Googlebot"}, nil).Products {
			rules := f.Rules(p.Name)
			for _, path := range p.Paths {
				if v := rules.Test(path.Path); v.Allowed != path.Allowed || v.Line != path.Line || path.Says == "" {
					t.Errorf("%s: %s: %+v, but the verdict is %+v", site.ID, p.Name, path, v)
				}
			}
			if p.Says == "" || p.Group == "" || p.Delay.Says == "" {
				t.Errorf("%s: nothing to say about %s: %+v", site.ID, p.Name, p)
			}
		}
	}
}

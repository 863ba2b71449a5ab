package robots_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/cybermapper/cybermapper/robots"
)

// Known answers from memory, or from what the caller kept and the bodies, and never asks; what has expired is not known.
func TestCacheKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bodies := robots.DirBodies(t.TempDir())
		c := newCache(robots.CacheOptions{Bodies: bodies})
		if _, known := c.Known(site, robots.State{}); known {
			t.Error("known before anybody asked")
		}
		a, err := c.Rules(t.Context(), site, robots.State{}, always(status(200, "User-agent: *\nDisallow: /x\n")).fetch)
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]*robots.Cache{"memory": c, "kept": newCache(robots.CacheOptions{Bodies: bodies})} {
			if rules, known := c.Known(site, a.State); !known || rules.Test("/x").Allowed || !rules.Test("/y").Allowed {
				t.Errorf("%s: rules known %v, or other ones", name, known)
			}
		}
		if _, known := c.Known("http://other.example", a.State); known {
			t.Error("the state of another origin was taken")
		}
		time.Sleep(25 * time.Hour)
		if _, known := c.Known(site, a.State); known {
			t.Error("known after it has expired")
		}
	})
}

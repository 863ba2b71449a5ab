package crawler_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
)

// A crawl of many seeds begins with the first of them, and takes the others in meanwhile.
func TestSeedsAreTakenInMeanwhile(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		asked := make(chan struct{})
		ask := sync.OnceFunc(func() { close(asked) })
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				http.NotFound(w, r)
				return
			}
			ask()
			fmt.Fprint(w, r.URL.Path)
		}))
		const seeds = 2500
		var urls []string
		for i := range seeds {
			urls = append(urls, fmt.Sprintf("%s/p%d", site.URL, i))
		}
		j := newJob(t, web)
		j.frontier = &slowToAdd{Frontier: j.frontier, until: asked}
		end := j.run(t, t.Context(), func(c *crawler.Config) { c.Traps.PrefixPages, c.Traps.PrefixSample = -1, -1 }, urls...)
		if got := len(j.stored()); end != crawler.EndDone || got != seeds {
			t.Errorf("Run ended with %q and %d pages, want done and %d", end, got, seeds)
		}
	})
}

// slowToAdd is a frontier that takes in one list of links at once, and the others later.
type slowToAdd struct {
	frontier.Frontier
	until <-chan struct{}
	first sync.Once
}

func (f *slowToAdd) Add(ctx context.Context, links []frontier.Link) (frontier.AddResult, error) {
	wait := true
	f.first.Do(func() { wait = false })
	if wait {
		select {
		case <-f.until:
		case <-ctx.Done():
			return frontier.AddResult{}, ctx.Err()
		}
	}
	return f.Frontier.Add(ctx, links)
}

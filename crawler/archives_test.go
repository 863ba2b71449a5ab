package crawler_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// Ensure that of archives which a program packs of one revision each eight are asked for, and all that are files; and that the
// others are taken up when that bound is switched off.
func TestParked_Archives(t *testing.T) {
	const revisions = 20
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/robots.txt":
				http.NotFound(w, r)
			case r.URL.Path == "/":
				for i := range revisions {
					fmt.Fprintf(w, `<a href="/snapshot/r-%040x.tar.gz">made</a> <a href="/file/%040[1]x.zip">file</a>`, 0xabcd00+i)
				}
			case strings.HasPrefix(r.URL.Path, "/file/"):
				w.Header().Set("Last-Modified", "Fri, 13 Sep 1996 22:07:15 GMT")
				fallthrough
			default:
				w.Header().Set("ETag", `"1"`)
				w.Header().Set("Content-Type", "application/x-gzip")
				fmt.Fprint(w, r.URL.Path)
			}
		}))
		asked := func(dir string) (n int) {
			for _, path := range site.Hits().Paths() {
				if strings.HasPrefix(path, dir) {
					n++
				}
			}
			return n
		}
		j := newJob(t, web)
		polite := func(c *crawler.Config) { c.Politeness.Delay = time.Millisecond }
		j.run(t, t.Context(), polite, site.URL+"/")
		if made, files := asked("/snapshot/"), asked("/file/"); made != 8 || files != revisions {
			t.Errorf("%d archives that are made were asked for, want 8, and %d that are files, want %d", made, files, revisions)
		}
		if n := j.last.Parked(); n != revisions-8 {
			t.Errorf("%d archives are parked, want %d", n, revisions-8)
		}
		refused := j.refusals
		j.before = func(c *crawler.Crawler) {
			var links []frontier.Link
			for _, r := range refused {
				u := frontiertest.URL(t, r.URL)
				c.RecallParked(u, r.Reason, r.Rule)
				links = append(links, frontier.Link{URL: u, Via: r.Via, Depth: r.Depth})
			}
			if n, err := c.Reconsider(t.Context(), links); err != nil || n != revisions-8 {
				t.Errorf("Reconsider = %d, %v, want %d", n, err, revisions-8)
			}
		}
		j.run(t, t.Context(), func(c *crawler.Config) {
			polite(c)
			c.Traps.Archives = -1
		}, site.URL+"/")
		if made := asked("/snapshot/"); made != revisions {
			t.Errorf("%d archives were asked for without the bound, want %d", made, revisions)
		}
	})
}

package crawler_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// A changing site answers by what its pages are now, and knows what has been asked for under a condition.
type changing struct {
	mu          sync.Mutex
	pages       map[string]webtest.Page // a path that is missing is gone
	conditional map[string]int
	asked       map[string]int
}

func newChanging(pages map[string]string) *changing {
	c := &changing{pages: map[string]webtest.Page{}, conditional: map[string]int{}, asked: map[string]int{}}
	for path, body := range pages {
		c.pages[path] = webtest.Page{Body: body}
	}
	return c
}

func (c *changing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.pages[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if r.URL.Path == "/robots.txt" || p.Handler != nil {
		p.ServeHTTP(w, r)
		return
	}
	c.asked[r.URL.Path]++
	tag := fmt.Sprintf("%q", fmt.Sprintf("%x", len(p.Body)))
	w.Header().Set("ETag", tag)
	for name, value := range p.Header {
		w.Header().Set(name, value)
	}
	if r.Header.Get("If-None-Match") != "" {
		c.conditional[r.URL.Path]++
	}
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	p.ServeHTTP(w, r)
}

func (c *changing) set(path string, p webtest.Page) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages[path] = p
}

func (c *changing) remove(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pages, path)
}

// again crawls what is due, or all of it, once more.
func (j *job) again(t *testing.T, q crawler.ReturnRequest, change func(*crawler.Config), seed string) (r crawler.Returned) {
	t.Helper()
	j.before = func(c *crawler.Crawler) {
		var err error
		if r, err = c.Return(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	*j.recorder = recorder{}
	if end := j.run(t, t.Context(), func(c *crawler.Config) {
		c.Recrawl.Run = true
		if change != nil {
			change(c)
		}
	}, seed); end != crawler.EndDone && end != crawler.EndPages {
		t.Fatalf("run ended with %s", end)
	}
	return r
}

// Another visit asks for changes only, and tells what has become of each page.
func TestReturn(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := newChanging(map[string]string{
			"/": "<a href=same>s</a><a href=changed>c</a><a href=gone>g</a><a href=moved>m</a>" +
				"<a href=forbidden>f</a><a href=unindexed>u</a>",
			"/same": "same", "/changed": "before", "/gone": "gone", "/moved": "moved", "/forbidden": "f", "/unindexed": "unindexed",
		})
		base := web.Site(site).URL
		j := newJob(t, web)
		j.run(t, t.Context(), nil, base+"/")
		if len(j.pages) != 7 {
			t.Fatalf("%d pages", len(j.pages))
		}
		if r := j.again(t, crawler.ReturnRequest{}, nil, base+"/"); r.Queued != 0 || !r.Next.After(time.Now()) {
			t.Errorf("nothing is due yet, but Return = %+v", r)
		}
		site.set("/changed", webtest.Page{Body: "afterwards <a href=new>n</a>"})
		site.set("/new", webtest.Page{Body: "new"})
		site.set("/moved", webtest.Page{Handler: http.RedirectHandler("/new", http.StatusMovedPermanently)})
		site.set("/robots.txt", webtest.Page{Body: "User-agent: *\nDisallow: /forbidden\n"})
		site.set("/unindexed", webtest.Page{Body: "unindexed", Header: map[string]string{"X-Robots-Tag": "noindex"}})
		site.remove("/gone")
		time.Sleep(25 * time.Hour)
		if r := j.again(t, crawler.ReturnRequest{}, nil, base+"/"); r.Queued != 7 {
			t.Errorf("a day later Return = %+v", r)
		}
		for path, want := range map[string]crawler.Reason{
			"/": crawler.ReasonUnchanged, "/same": crawler.ReasonUnchanged, "/changed": crawler.ReasonChanged, "/gone": crawler.ReasonGone,
			"/moved": crawler.ReasonMoved, "/new": "", "/unindexed": crawler.ReasonUnchanged,
		} {
			if o := j.outcome(base + path); o.Status != frontier.Done || o.Reason != want {
				t.Errorf("%s ends as %s, %q; want done, %q", path, o.Status, o.Reason, want)
			}
		}
		wantStrings(t, "stored", j.stored(), []string{base + "/changed", base + "/new"})
		for path, want := range map[string]crawler.Reason{"/forbidden": crawler.ReasonDisallowed, "/unindexed": crawler.ReasonNoindex} {
			if got := j.refused(base + path); len(got) != 1 || got[0] != want {
				t.Errorf("%s is refused for %q, want %s", path, got, want)
			}
		}
		if site.conditional["/same"] != 1 || site.asked["/forbidden"] != 1 {
			t.Errorf("asked %v, under a condition %v", site.asked, site.conditional)
		}
		stats, err := j.frontier.Stats(t.Context())
		if err != nil || stats.Pages != 8 {
			t.Errorf("%d pages are counted, want each once: 8 (%v)", stats.Pages, err)
		}
	})
}

// What robots.txt has kept from being asked for at all is asked for once it allows that, though no page that links to it has
// changed; seeds, too.
func TestReturn_ForbiddenAtFirst(t *testing.T) {
	for name, q := range map[string]crawler.ReturnRequest{"due": {}, "all": {All: true}, "most": {Most: 1}} {
		for _, closed := range []string{"/a", "/"} {
			t.Run(name+" "+closed, func(t *testing.T) {
				bubble(t, func(t *testing.T, web *webtest.Web) {
					site := newChanging(map[string]string{
						"/robots.txt": "User-agent: *\nDisallow: " + closed + "\n", "/": "<a href=a>a</a>", "/a": "a",
					})
					base := web.Site(site).URL
					j := newJob(t, web)
					j.run(t, t.Context(), nil, base+"/")
					time.Sleep(25 * time.Hour)
					j.again(t, q, nil, base+"/") // it is forbidden still
					if site.asked["/a"] != 0 {
						t.Fatal("asked for what is forbidden")
					}
					site.set("/robots.txt", webtest.Page{Body: ""})
					if time.Sleep(25 * time.Hour); !q.All { // which is too soon after that
						j.again(t, q, nil, base+"/")
						if site.asked[closed] != 0 {
							t.Error("it is due as soon as after the first time")
						}
						time.Sleep(12 * time.Hour)
					}
					j.again(t, q, nil, base+"/")
					if o := j.outcome(base + "/a"); site.asked["/a"] != 1 || site.conditional["/a"] != 0 || o.Reason != "" {
						t.Errorf("asked for %d times, %d under a condition; ends as %q", site.asked["/a"], site.conditional["/a"], o.Reason)
					}
				})
			})
		}
	}
}

// That something is unchanged means nothing where it was never asked for.
func TestReturn_ForbiddenAtFirstIsNotUnchanged(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := newChanging(map[string]string{"/robots.txt": "User-agent: *\nDisallow: /a\n", "/": "<a href=a>a</a>"})
		site.set("/a", webtest.Page{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotModified)
		})})
		base := web.Site(site).URL
		j := newJob(t, web)
		j.run(t, t.Context(), nil, base+"/")
		site.set("/robots.txt", webtest.Page{Body: ""})
		time.Sleep(25 * time.Hour)
		j.again(t, crawler.ReturnRequest{}, nil, base+"/")
		if o := j.outcome(base + "/a"); o.Code != http.StatusNotModified || o.Reason != crawler.ReasonProtocol {
			t.Errorf("ends with %d as %q, want 304 and %q", o.Code, o.Reason, crawler.ReasonProtocol)
		}
	})
}

// A page that asks not to be kept does so as long as it is unchanged, whatever its address answered meanwhile.
func TestReturn_UnchangedNoindex(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := newChanging(map[string]string{"/": "<a href=page>p</a>", "/page": "page"})
		base := web.Site(site).URL
		j := newJob(t, web)
		j.run(t, t.Context(), nil, base+"/")
		noindex := webtest.Page{Body: "<meta name=robots content=noindex>page"}
		for n, visit := range []struct {
			finds  webtest.Page
			reason crawler.Reason
			kept   bool
		}{
			{noindex, crawler.ReasonChanged, false},
			{noindex, crawler.ReasonUnchanged, false},
			{webtest.Page{Handler: http.RedirectHandler("/", http.StatusFound)}, crawler.ReasonMoved, true},
			{noindex, crawler.ReasonUnchanged, false},
			{webtest.Page{Body: "page"}, crawler.ReasonChanged, true},
			{webtest.Page{Body: "page"}, crawler.ReasonUnchanged, true},
		} {
			site.set("/page", visit.finds)
			j.again(t, crawler.ReturnRequest{All: true}, nil, base+"/")
			var want []crawler.Reason
			if !visit.kept {
				want = []crawler.Reason{crawler.ReasonNoindex}
			}
			if o := j.outcome(base + "/page"); o.Reason != visit.reason || !slices.Equal(j.refused(base+"/page"), want) {
				t.Errorf("visit %d ends as %q, refused for %q; want %q, %q", n+2, o.Reason, j.refused(base+"/page"), visit.reason, want)
			}
		}
		if n := site.conditional["/page"]; n != 5 {
			t.Errorf("%d requests for the page under a condition, want all but the first and the redirect: 5", n)
		}
	})
}

// A visit to everything that was cut short goes on with what it has not visited yet.
func TestReturn_Since(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := newChanging(map[string]string{"/": "<a href=a>a</a><a href=b>b</a>", "/a": "a", "/b": "b"})
		base := web.Site(site).URL
		j := newJob(t, web)
		j.run(t, t.Context(), nil, base+"/")
		time.Sleep(time.Minute)
		began := time.Now()
		time.Sleep(time.Second) // what was visited in the same second may have been before
		if r := j.again(t, crawler.ReturnRequest{All: true, Since: began, Most: 2}, nil, base+"/"); r.Queued != 2 {
			t.Errorf("%+v, want two of three", r)
		}
		if r := j.again(t, crawler.ReturnRequest{All: true, Since: began}, nil, base+"/"); r.Queued != 1 {
			t.Errorf("%+v, want the third", r)
		}
		if r := j.again(t, crawler.ReturnRequest{All: true, Since: began}, nil, base+"/"); r.Queued != 0 {
			t.Errorf("%+v, want none", r)
		}
		if asked := site.asked; asked["/"] != 2 || asked["/a"] != 2 || asked["/b"] != 2 {
			t.Errorf("asked %v, want each twice", asked)
		}
		time.Sleep(365 * 24 * time.Hour)
		if r := j.again(t, crawler.ReturnRequest{All: true, Since: began}, nil, base+"/"); r.Queued != 3 {
			t.Errorf("%+v, want what is due again by now: all three", r)
		}
	})
}

// The time between visits follows what they find.
func TestReturn_Interval(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := newChanging(map[string]string{"/": "<a href=quiet>q</a><a href=busy>b</a><a href=gone>g</a>", "/quiet": "q", "/busy": ""})
		base := web.Site(site).URL
		j := newJob(t, web)
		j.run(t, t.Context(), nil, base+"/")
		for day := range 60 {
			site.set("/busy", webtest.Page{Body: fmt.Sprintf("%0*d", day+1, 0)})
			time.Sleep(24 * time.Hour)
			j.again(t, crawler.ReturnRequest{}, func(c *crawler.Config) { c.Recrawl.Max = 8 * 24 * time.Hour }, base+"/")
		}
		if site.asked["/busy"] < 55 {
			t.Errorf("a page that changes each day was asked for %d times in 60 days", site.asked["/busy"])
		}
		if n := site.asked["/quiet"]; n < 8 || n > 14 {
			t.Errorf("a page that never changes was asked for %d times in 60 days", n)
		}
	})
}

// A visit that comes before its time, or long after it, tells of how often a page changes as far as the time that has passed does.
func TestReturn_IntervalOfTheTimePassed(t *testing.T) {
	for name, tt := range map[string]struct {
		pause   time.Duration
		changes bool
		want    [2]time.Duration // bounds of the time until the next visit
	}{
		"unchanged within minutes": {time.Minute, false, [2]time.Duration{24 * time.Hour, 24 * time.Hour}},
		"unchanged within a day":   {20 * time.Hour, false, [2]time.Duration{29 * time.Hour, 31 * time.Hour}},
		"changed within minutes":   {time.Minute, true, [2]time.Duration{time.Hour, time.Hour}},
		"changed each two days":    {48 * time.Hour, true, [2]time.Duration{24 * time.Hour, 24*time.Hour + time.Minute}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				site := newChanging(map[string]string{"/": "0"})
				base := web.Site(site).URL
				j := newJob(t, web)
				j.run(t, t.Context(), nil, base+"/")
				for n := range 8 {
					if tt.changes {
						site.set("/", webtest.Page{Body: fmt.Sprintf("%0*d", n+2, 0)})
					}
					time.Sleep(tt.pause)
					j.again(t, crawler.ReturnRequest{All: true}, nil, base+"/")
				}
				info, err := j.frontier.Lookup(t.Context(), frontiertest.URL(t, base+"/"))
				if err != nil || info.Return == nil {
					t.Fatalf("%+v, %v", info, err)
				}
				p, _ := crawler.ReadPast(info.Return.State)
				if got := time.Duration(p.Every) * time.Second; got < tt.want[0] || got > tt.want[1] {
					t.Errorf("visited each %v after %d visits, want %v to %v", got, p.Visits, tt.want[0], tt.want[1])
				}
			})
		})
	}
}

// A date before the web began is that of no change: it is neither a reason to come late nor one for a server to say that nothing
// has changed.
func TestReturn_DatedBeforeTheWeb(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var conditions []string
		dated := func(w http.ResponseWriter, r *http.Request) {
			conditions = append(conditions, r.Header.Get("If-Modified-Since"))
			w.Header().Set("Last-Modified", "Thu, 01 Jan 1970 00:00:01 GMT")
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, len(conditions))
		}
		site := web.Site(webtest.Pages{"/": {Handler: http.HandlerFunc(dated)}})
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		time.Sleep(25 * time.Hour)
		if r := j.again(t, crawler.ReturnRequest{}, nil, site.URL+"/"); r.Queued != 1 {
			t.Errorf("a day later Return = %+v", r)
		}
		if got := strings.Join(conditions, ""); len(conditions) != 2 || got != "" {
			t.Errorf("conditions %q", conditions)
		}
	})
}

// A page that is gone is asked for again rarely, and then never.
func TestReturn_Gone(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		asked := 0
		site := web.Site(webtest.Pages{
			"/": {Body: "<a href=gone>g</a>"},
			"/gone": {Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				http.Error(w, "", http.StatusGone)
			})},
		})
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		for range 200 {
			time.Sleep(4 * 24 * time.Hour)
			j.again(t, crawler.ReturnRequest{}, nil, site.URL+"/")
		}
		if asked != 4 {
			t.Errorf("asked for %d times, want 4", asked)
		}
		info, err := j.frontier.Lookup(t.Context(), frontiertest.URL(t, site.URL+"/gone"))
		if err != nil || info.Return == nil || !info.Return.Due.IsZero() {
			t.Fatalf("%+v, %v", info.Return, err)
		}
		if p, ok := crawler.ReadPast(info.Return.State); !ok || p.Gone != 4 || p.Since == 0 {
			t.Errorf("remembered as %+v", p)
		}
	})
}

// A site that is gone for an afternoon is not given up because everything was asked for several times meanwhile.
func TestReturn_GoneForAWhile(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := newChanging(map[string]string{"/": "<a href=a>a</a>", "/a": "a"})
		base := web.Site(site).URL
		j := newJob(t, web)
		j.run(t, t.Context(), nil, base+"/")
		site.remove("/")
		site.remove("/a")
		for range 10 {
			time.Sleep(time.Hour)
			j.again(t, crawler.ReturnRequest{All: true}, nil, base+"/")
		}
		site.set("/", webtest.Page{Body: "<a href=a>a</a>"})
		site.set("/a", webtest.Page{Body: "a"})
		if r := j.again(t, crawler.ReturnRequest{All: true}, nil, base+"/"); r.Queued != 2 {
			t.Errorf("Return = %+v, want both pages", r)
		}
		wantStrings(t, "stored", j.stored(), []string{base + "/", base + "/a"})
	})
}

// An answer 304 to a request without a condition says nothing of a page: neither that one which was gone is back, nor that there is
// none.
func TestReturn_NotModifiedWithoutCondition(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := newChanging(map[string]string{"/": "<a href=a>a</a>"})
		base := web.Site(site).URL
		j := newJob(t, web)
		j.run(t, t.Context(), nil, base+"/")
		site.set("/a", webtest.Page{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotModified)
		})})
		time.Sleep(25 * time.Hour)
		j.again(t, crawler.ReturnRequest{All: true}, nil, base+"/")
		if o := j.outcome(base + "/a"); o.Status != frontier.Failed || o.Reason != crawler.ReasonProtocol {
			t.Errorf("ends as %v %q, want that it failed", o.Status, o.Reason)
		}
		site.set("/a", webtest.Page{Body: "a"})
		time.Sleep(25 * time.Hour)
		j.again(t, crawler.ReturnRequest{All: true}, nil, base+"/")
		wantStrings(t, "stored", j.stored(), []string{base + "/a"})
	})
}

// Apache marks the ETag of what it compresses, and knows only the one without the mark when it is asked for changes; Varnish
// compares with the one that it holds, and reads no list.
func TestReturn_ETagOfACompression(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		serve := func(age, known string) webtest.Page {
			return webtest.Page{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("ETag", `"2b1b-6540-gzip"`)
				if age != "" {
					w.Header().Set("Age", age)
				}
				if asked := r.Header.Get("If-None-Match"); asked == known || age == "" && strings.HasSuffix(asked, ", "+known) {
					w.WriteHeader(http.StatusNotModified)
				} else {
					io.WriteString(w, "Some text.")
				}
			})}
		}
		site := newChanging(map[string]string{"/": "<a href=apache>a</a><a href=varnish>b</a>"})
		site.set("/apache", serve("", `"2b1b-6540"`))
		site.set("/varnish", serve("0", `"2b1b-6540-gzip"`))
		base := web.Site(site).URL
		j := newJob(t, web)
		j.run(t, t.Context(), nil, base+"/")
		for range 2 {
			time.Sleep(25 * time.Hour)
			j.again(t, crawler.ReturnRequest{All: true}, nil, base+"/")
			for _, path := range []string{"/apache", "/varnish"} {
				if o := j.outcome(base + path); o.Code != http.StatusNotModified {
					t.Errorf("%s was answered %d, want 304", path, o.Code)
				}
			}
		}
	})
}

// A recrawl with a limit asks for what is most likely to have changed.
func TestReturn_Most(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := newChanging(map[string]string{"/": "<a href=a>a</a><a href=b>b</a><a href=c>c</a>", "/a": "a", "/b": "b", "/c": "c"})
		base := web.Site(site).URL
		j := newJob(t, web)
		j.run(t, t.Context(), nil, base+"/")
		for day := range 3 {
			site.set("/b", webtest.Page{Body: fmt.Sprintf("%0*d", day+2, 0)})
			time.Sleep(24 * time.Hour)
			j.again(t, crawler.ReturnRequest{All: true}, nil, base+"/")
		}
		time.Sleep(24 * time.Hour)
		before := site.asked["/b"]
		j.again(t, crawler.ReturnRequest{Most: 1}, func(c *crawler.Config) { c.Limits.Pages = 1 }, base+"/")
		if len(j.requests) != 1 && len(j.requests) != 2 || site.asked["/b"] != before+1 {
			t.Errorf("asked for %v", j.requests)
		}
	})
}

// A limit that is too low for all that is due leaves nothing out for ever: neither what is gone nor what changes rarely.
func TestReturn_MostIsFair(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		pages := map[string]string{"/": "<a href=gone>g</a><a href=quiet>q</a>", "/gone": "g", "/quiet": "q"}
		for n := range 4 {
			pages["/"] += fmt.Sprintf("<a href=busy%d>b</a>", n)
			pages[fmt.Sprintf("/busy%d", n)] = ""
		}
		site := newChanging(pages)
		base := web.Site(site).URL
		j := newJob(t, web)
		j.run(t, t.Context(), nil, base+"/")
		site.remove("/gone")
		j.again(t, crawler.ReturnRequest{All: true}, nil, base+"/")
		site.set("/gone", webtest.Page{Body: "back"})
		gone, quiet := site.asked["/gone"], site.asked["/quiet"]
		for day := range 60 {
			for n := range 4 {
				site.set(fmt.Sprintf("/busy%d", n), webtest.Page{Body: fmt.Sprintf("%0*d", day+1, n)})
			}
			time.Sleep(24 * time.Hour)
			j.again(t, crawler.ReturnRequest{Most: 2}, func(c *crawler.Config) { c.Limits.Pages = 2 }, base+"/")
		}
		if site.asked["/gone"] == gone {
			t.Error("what was gone and came back was not asked for in 60 days")
		}
		if n := site.asked["/quiet"] - quiet; n < 4 {
			t.Errorf("what does not change was asked for %d times in 60 days, want 4", n)
		}
	})
}

// A sitemap that is read again tells what has changed: until it has told twice what was not true.
func TestReturn_Sitemap(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		asked := map[string]int{}
		lastmod := time.Now()
		page := func(w http.ResponseWriter, r *http.Request) {
			asked[r.URL.Path]++
			w.Header().Set("Last-Modified", "Sat, 01 Jan 1994 00:00:00 GMT") // so it would not be due for months
			fmt.Fprint(w, "always the same")
		}
		var base string
		site := web.Site(webtest.Pages{
			"/robots.txt": later(func() webtest.Page { return webtest.Page{Body: "Sitemap: " + base + "/map.xml\n"} }),
			"/":           {Handler: http.HandlerFunc(page)},
			"/b":          {Handler: http.HandlerFunc(page)},
			"/map.xml": later(func() webtest.Page {
				return webtest.Page{Type: "application/xml", Body: fmt.Sprintf("<urlset><url><loc>%s/b</loc><lastmod>%s</lastmod></url></urlset>",
					base, lastmod.UTC().Format(time.RFC3339))}
			}),
		})
		base = site.URL
		j := newJob(t, web)
		slow := func(c *crawler.Config) {
			readSitemaps(c)
			c.Recrawl.First, c.Recrawl.Min, c.Recrawl.Max = 20*24*time.Hour, 20*24*time.Hour, 200*24*time.Hour
		}
		j.run(t, t.Context(), slow, base+"/")
		var counts []int
		for range 5 {
			time.Sleep(21 * 24 * time.Hour)
			lastmod = time.Now()
			j.again(t, crawler.ReturnRequest{}, slow, base+"/")
			counts = append(counts, asked["/b"])
		}
		if want := []int{2, 3, 3, 3, 3}; !slices.Equal(counts, want) {
			t.Errorf("asked for %v times, want %v", counts, want)
		}
	})
}

// Whether a sitemap may speak for another site is not known while that one's robots.txt cannot be had. That is what is said, and
// the next visit finds out, be the sitemap the same.
func TestReturn_SitemapUnproven(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var base, other string
		names := later(func() webtest.Page { return webtest.Page{Body: "Sitemap: " + base + "/map.xml\n"} })
		sibling := web.Site(webtest.Pages{
			"/robots.txt": {Handler: inTurn(webtest.Page{Status: 503}, names)}, "/post/1": page(), "/post/2": page(),
		})
		site := web.Site(webtest.Pages{
			"/robots.txt": names, "/": page(),
			"/map.xml": later(func() webtest.Page {
				return webtest.Page{Type: "text/plain", Header: map[string]string{"ETag": `"1"`}, Body: other + "/post/1\n" + other + "/post/2\n"}
			}),
		})
		base, other = site.URL, sibling.URL
		j := newJob(t, web)
		wide := func(c *crawler.Config) { readSitemaps(c); c.Scope.Mode = crawler.ScopeAny }
		j.run(t, t.Context(), wide, base+"/")
		for _, r := range j.refusals {
			if !strings.Contains(r.Rule, "could not be had") {
				t.Errorf("%s is refused because %q", r.URL, r.Rule)
			}
		}
		if len(j.refusals) != 2 {
			t.Errorf("%d refusals, want 2", len(j.refusals))
		}
		time.Sleep(25 * time.Hour)
		j.again(t, crawler.ReturnRequest{All: true}, wide, base+"/")
		wantStrings(t, "stored", j.stored(), []string{other + "/post/1", other + "/post/2"})
	})
}

// What a sitemap says of changes is where the time between visits begins: if the second visit has found it true.
func TestReturn_SitemapInterval(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		const day = 24 * time.Hour
		old, fresh := time.Now().Add(-300*day), time.Now().Add(-10*day)
		changes := 0
		site := newChanging(map[string]string{"/robots.txt": "", "/": "home", "/plain": "plain"})
		var listed string
		list := func(path string, lastmod time.Time, every string) {
			listed += fmt.Sprintf("<url><loc>BASE%s</loc>", path)
			if !lastmod.IsZero() {
				listed += fmt.Sprintf("<lastmod>%s</lastmod>", lastmod.UTC().Format(time.RFC3339))
			}
			listed += "<changefreq>" + every + "</changefreq></url>"
			site.set(path, webtest.Page{Body: path})
		}
		list("/old", old, "")
		list("/monthly", fresh, "monthly")
		list("/daily", time.Time{}, "daily")
		list("/news", time.Time{}, "weekly")
		list("/lie", time.Time{}, "yearly")
		list("/dated", old, "")
		site.set("/dated", webtest.Page{Body: "dated", Header: map[string]string{
			"Last-Modified": time.Now().Add(-50 * day).UTC().Format(http.TimeFormat),
		}})
		base := web.Site(site).URL
		site.set("/robots.txt", webtest.Page{Body: "Sitemap: " + base + "/map.xml\n"})
		site.set("/map.xml", webtest.Page{Type: "application/xml", Body: "<urlset>" + strings.ReplaceAll(listed, "BASE", base) + "</urlset>"})
		j := newJob(t, web)
		config := func(c *crawler.Config) {
			readSitemaps(c)
			c.Recrawl.First, c.Recrawl.Min, c.Recrawl.Max = 5*day, day, 400*day
		}
		intervals := func(when string, want map[string]time.Duration) {
			t.Helper()
			for path, every := range want {
				u := frontiertest.URL(t, base+path)
				info, err := j.frontier.Lookup(t.Context(), u)
				if err != nil || info.Return == nil {
					t.Fatalf("%s: %+v, %v", path, info, err)
				}
				p, _ := crawler.ReadPast(info.Return.State)
				if got := time.Duration(p.Every) * time.Second; got.Round(day/2) != every {
					t.Errorf("%s: %s every %v, want %v", when, path, got, every)
				}
			}
		}
		j.run(t, t.Context(), config, base+"/", base+"/plain")
		intervals("nothing is proved", map[string]time.Duration{
			"/plain": 5 * day, "/old": 5 * day, "/monthly": 5 * day, "/daily": 5 * day, "/news": 5 * day, "/lie": 5 * day, "/dated": 5 * day,
		})
		time.Sleep(5*day + time.Hour)
		for _, path := range []string{"/news", "/lie"} {
			changes++
			site.set(path, webtest.Page{Body: fmt.Sprintf("changed: %*d", 10+changes, changes)})
		}
		j.again(t, crawler.ReturnRequest{All: true}, config, base+"/")
		intervals("after the second visit", map[string]time.Duration{
			"/plain": 15 * day / 2, "/old": 61 * day / 2, "/monthly": 30 * day, "/daily": 15 * day / 2, "/news": 7 * day, "/lie": 5 * day / 2,
			"/dated": 15 * day / 2,
		})
	})
}

// What a state holds comes from servers and from disks: whatever it is, it is read, and what is read is written alike.
func FuzzReadPast(f *testing.F) {
	f.Add([]byte(`{"etag":"\"x\"","last":1,"every":86400,"visits":2}`))
	f.Add([]byte(`{"every":-1,"gone":99999999,"visits":-3}`))
	f.Fuzz(func(t *testing.T, state []byte) {
		p, ok := crawler.ReadPast(state)
		if !ok && p != (crawler.Past{}) {
			t.Errorf("%q is not read, and is %+v", state, p)
		}
	})
}

// Where more is to be made of a page than the visit before has made, it is asked for whole, once.
func TestReturn_MakesMoreOfAPage(t *testing.T) {
	as := func(change func(*crawler.Config)) func(testing.TB, *job) func(*crawler.Config) {
		return func(testing.TB, *job) func(*crawler.Config) { return change }
	}
	archived := func(t testing.TB, j *job) func(*crawler.Config) {
		j.wire = &fetch.WireOptions{Dir: t.TempDir()}
		return func(c *crawler.Config) { c.Archive = &archive{} }
	}
	onlyPDF := func(c *crawler.Config) { c.MediaTypes.Accept = []string{"pdf"} }
	noPages := func(c *crawler.Config) { c.Sink = nil }
	checks := func(c *crawler.Config) { c.CheckLinks = true }
	for _, tt := range []struct {
		name  string
		first func(*crawler.Config)
		then  func(testing.TB, *job) func(*crawler.Config)
		whole string // what the second run asks for without a condition
		kept  string // by it
		third string // as whole, of the run after that
	}{
		{"as before", nil, as(nil), "", "", ""},
		{"an archive", nil, archived, "/ /data", "", ""},
		{"requisites", nil, as(fetchRequisites), "/ /a.png /data", "/a.png", ""},
		{"checks", nil, as(checks), "/ /a.png /data", "", "/a.png"}, // of which no body is read
		{"pages", noPages, as(nil), "/ /data", "/ /data", ""},
		{"still no pages", noPages, as(noPages), "", "", ""},
		{"unwanted once", onlyPDF, as(nil), "/ /data", "/ /data", ""},
		{"still unwanted", onlyPDF, as(onlyPDF), "/data", "", "/data"}, // likewise
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				site := newChanging(map[string]string{"/": "<a href=data>d</a><img src=a.png>"})
				site.set("/data", webtest.Page{Type: "application/octet-stream", Body: "data"})
				site.set("/a.png", png())
				base := web.Site(site).URL
				j := newJob(t, web)
				j.run(t, t.Context(), tt.first, base+"/")
				then := tt.then(t, j)
				for _, want := range [][2]string{{tt.whole, tt.kept}, {tt.third, ""}} {
					site.asked, site.conditional = map[string]int{}, map[string]int{}
					j.again(t, crawler.ReturnRequest{All: true}, then, base+"/")
					var whole []string
					for path, n := range site.asked {
						if site.conditional[path] < n {
							whole = append(whole, path)
						}
					}
					slices.Sort(whole)
					kept := strings.ReplaceAll(strings.Join(j.stored(), " "), base, "")
					if got := strings.Join(whole, " "); got != want[0] || kept != want[1] {
						t.Errorf("asked for %q whole and kept %q, want %q and %q", got, kept, want[0], want[1])
					}
				}
			})
		})
	}
}

// What did not come whole is asked for whole by the next visit, and a 304 that answers no condition is the ETag of nothing.
func TestReturn_WhatCameInPart(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var conditions []string
		cut := true
		site := web.Site(webtest.Pages{
			"/": {Body: "<a href=long>l</a><a href=never>n</a>"},
			"/long": {Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				conditions = append(conditions, r.Header.Get("If-None-Match"))
				w.Header().Set("ETag", `"l"`)
				w.Header().Set("Content-Type", "text/html")
				w.Header().Set("Content-Length", "8")
				if cut {
					w.Write([]byte("half"))
					panic(http.ErrAbortHandler)
				}
				w.Write([]byte("all of it")[:8])
			})},
			"/never": {Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				conditions = append(conditions, r.Header.Get("If-None-Match"))
				w.Header().Set("ETag", `"n"`)
				w.WriteHeader(http.StatusNotModified)
			})},
		})
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) { c.Retries = -1 }, site.URL+"/")
		cut = false
		j.again(t, crawler.ReturnRequest{All: true}, nil, site.URL+"/")
		if got := strings.Join(conditions, ""); got != "" {
			t.Errorf("conditions: %q", conditions)
		}
		wantStrings(t, "stored", j.stored(), []string{site.URL + "/long"})
		conditions = nil
		j.again(t, crawler.ReturnRequest{All: true}, nil, site.URL+"/")
		if !slices.Contains(conditions, `"l"`) {
			t.Errorf("conditions of a page that came whole: %q", conditions)
		}
	})
}

// A page that was cut for its length is asked for whole when more of it may be read, and else under its condition.
func TestReturn_MaxBody(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var conditions []string
		site := web.Site(webtest.Pages{"/": {Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conditions = append(conditions, r.Header.Get("If-None-Match"))
			w.Header().Set("ETag", `"l"`)
			w.Header().Set("Content-Type", "text/html")
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(strings.Repeat("long ", 1000)))
		})}})
		j := newJob(t, web)
		for i, maxBody := range []int64{1000, 1000, 2000, 16 << 20, 16 << 20, 1000} {
			j.maxBody = maxBody
			if i == 0 {
				j.run(t, t.Context(), nil, site.URL+"/")
			} else {
				j.again(t, crawler.ReturnRequest{All: true}, nil, site.URL+"/")
			}
		}
		wantStrings(t, "conditions", conditions, []string{"", `"l"`, "", "", `"l"`, `"l"`})
	})
}

// A page that was out of reach for a while is asked for under its condition as before, and is unchanged if it is as it was stored.
func TestReturn_ShutForAWhile(t *testing.T) {
	answers := func(h http.HandlerFunc) map[string]webtest.Page { return map[string]webtest.Page{"/a": {Handler: h}} }
	status := func(code int) map[string]webtest.Page {
		return answers(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(code) })
	}
	signIn := answers(http.RedirectHandler("/in", http.StatusFound).ServeHTTP)
	shut := map[string]webtest.Page{"/robots.txt": {Body: "User-agent: *\nDisallow: /a\n"}}
	for name, tt := range map[string]struct {
		meanwhile   map[string]webtest.Page
		removed     func(u frontier.URL, refused bool) bool
		conditional int
		want        crawler.Reason
	}{
		"robots.txt":     {shut, nil, 1, crawler.ReasonUnchanged},
		"not removed":    {shut, func(frontier.URL, bool) bool { return false }, 1, crawler.ReasonUnchanged},
		"removed":        {shut, func(_ frontier.URL, refused bool) bool { return refused }, 0, crawler.ReasonChanged},
		"403":            {status(403), nil, 1, crawler.ReasonUnchanged},
		"412":            {status(412), nil, 0, crawler.ReasonUnchanged}, // whole, and the same bytes
		"a sign-in page": {signIn, nil, 1, crawler.ReasonUnchanged},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				site := newChanging(map[string]string{"/robots.txt": "", "/": "<a href=a>a</a>", "/a": "a", "/in": "in"})
				base := web.Site(site).URL
				j := newJob(t, web)
				again := func() {
					time.Sleep(25 * time.Hour)
					j.again(t, crawler.ReturnRequest{All: true}, func(c *crawler.Config) { c.Removed = tt.removed }, base+"/")
				}
				j.run(t, t.Context(), nil, base+"/")
				before := map[string]webtest.Page{}
				for path, p := range tt.meanwhile {
					before[path] = site.pages[path]
					site.set(path, p)
				}
				again()
				for path, p := range before {
					site.set(path, p)
				}
				site.conditional = map[string]int{}
				again()
				if got := j.outcome(base + "/a").Reason; got != tt.want || site.conditional["/a"] != tt.conditional {
					t.Errorf("ends as %q, asked for %d times under a condition; want %q, %d", got, site.conditional["/a"], tt.want,
						tt.conditional)
				}
				info, err := j.frontier.Lookup(t.Context(), frontiertest.URL(t, base+"/a"))
				if err != nil || info.Return == nil {
					t.Fatalf("%+v, %v", info, err)
				}
				p, _ := crawler.ReadPast(info.Return.State)
				if isSlower := p.Every > seconds(24*time.Hour); isSlower != (tt.want == crawler.ReasonUnchanged) {
					t.Errorf("visited each %d seconds after %q", p.Every, tt.want)
				}
			})
		})
	}
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

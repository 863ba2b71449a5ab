package crawler_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage"
)

// A site is an outage's: its pages fail for a while, as where the program behind a web server is started anew. Files, and what is
// said of pages that do not exist, are the web server's own.
type outage struct {
	handler http.Handler // what answers for pages meanwhile
	begin   time.Duration
	length  time.Duration
}

func (o outage) site(web *webtest.Web, pages, files webtest.Pages) *webtest.Site {
	start := time.Now()
	return web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		since := time.Since(start)
		_, is := pages[r.URL.RequestURI()]
		switch {
		case !is:
			files.ServeHTTP(w, r)
		case since > o.begin && since < o.begin+o.length:
			o.handler.ServeHTTP(w, r)
		default:
			pages.ServeHTTP(w, r)
		}
	}))
}

// While the pages of a site fail, whichever is asked for, none of them is given up, and the site is hardly asked.
func TestOutage_LosesNothing(t *testing.T) {
	const n = 60
	numbers := func(first, last int) (paths []string) {
		for i := first; i <= last; i++ {
			paths = append(paths, fmt.Sprintf("/p?%d", i))
		}
		return paths
	}
	for _, failing := range []struct {
		name    string
		handler http.Handler
		lost    int // at most, before it is noticed
	}{
		{"500", webtest.Page{Status: 500}, 0}, {"502", webtest.Page{Status: 502}, 0}, {"504", webtest.Page{Status: 504}, 0},
		{"408", webtest.Page{Status: 408}, 0}, {"reset", webtest.Drop(), 0}, {"garbage", webtest.Garbage(), 0},
		{"silence", webtest.Delay(time.Hour, page()), 0},
		{"302", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/notice?for="+url.QueryEscape(r.URL.RequestURI()), http.StatusFound)
		}), 2},
	} {
		for _, shape := range []struct {
			name  string
			links func(i int) []string
			seeds []string
			map_  string
		}{
			{"a list", func(i int) []string { return numbers(1, n)[:n*max(0, 1-i)] }, []string{"/p?0"}, ""},
			{"a chain", func(i int) []string { return numbers(i+1, min(i+1, n)) }, []string{"/p?0"}, ""},
			{"seeds", func(int) []string { return nil }, numbers(0, n), ""},
			{"a sitemap", func(int) []string { return nil }, []string{"/p?0"}, "sitemap"},
			{"one after another", func(i int) []string { return numbers(i+1, min(i+2, n)) }, []string{"/p?0"}, ""},
		} {
			if failing.lost > 0 && (shape.name == "a chain" || shape.name == "one after another") {
				continue // the one page that is queued may well redirect
			}
			t.Run(failing.name+" in "+shape.name, func(t *testing.T) {
				bubble(t, func(t *testing.T, web *webtest.Web) {
					pages, files := webtest.Pages{}, webtest.Pages{"/notice": page()}
					for i, p := range numbers(0, n) {
						pages[p] = page(shape.links(i)...)
					}
					o := outage{failing.handler, 30 * time.Second, 11 * time.Minute}
					site := o.site(web, pages, files)
					if shape.map_ != "" {
						files["/robots.txt"] = webtest.Page{Body: "Sitemap: " + site.URL + "/sitemap.xml"}
						var b strings.Builder
						for p := range pages {
							fmt.Fprintf(&b, "<url><loc>%s%s</loc></url>", site.URL, p)
						}
						files["/sitemap.xml"] = webtest.Page{Type: "text/xml", Body: "<urlset>" + b.String() + "</urlset>"}
					}
					var seeds []string
					for _, s := range shape.seeds {
						seeds = append(seeds, site.URL+s)
					}
					start := time.Now()
					j := newJob(t, web)
					end := j.run(t, t.Context(), func(c *crawler.Config) { c.Patience, c.Sitemaps.Read = time.Hour, true }, seeds...)
					got := 0
					for _, u := range j.stored() {
						if strings.Contains(u, "/p?") {
							got++
						}
					}
					if end != crawler.EndDone || got < n+1-failing.lost {
						t.Errorf("Run ended with %q and %d pages, want done and %d", end, got, n+1-failing.lost)
					}
					during := 0
					for _, h := range site.Hits() {
						if at := h.Start.Sub(start); at > o.begin && at < o.begin+o.length {
							during++
						}
					}
					if during > 40 {
						t.Errorf("%d requests during the outage, want few", during)
					}
				})
			})
		}
	}
}

// A part of a site that fails for good does not make the rest of it wait, and is given up.
func TestOutage_BrokenPart(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		pages, links := webtest.Pages{}, []string(nil)
		for i := range 40 {
			p := fmt.Sprintf("/broken/%d", i)
			pages[p], links = webtest.Page{Status: 500}, append(links, p)
		}
		for i := range 40 {
			p := fmt.Sprintf("/fine/%d", i)
			pages[p], links = page(), append(links, p)
		}
		pages["/"] = page(links...)
		site := web.Site(pages)
		j := newJob(t, web)
		if end := j.run(t, t.Context(), nil, site.URL+"/"); end != crawler.EndDone || len(j.stored()) != 41 {
			t.Errorf("Run ended with %q and %d pages, want done and 41", end, len(j.stored()))
		}
		if len(j.rests) > 0 {
			t.Errorf("the site rested: %+v", j.rests)
		}
		if n := len(site.Hits()); n > 1+1+40+3*40+40 {
			t.Errorf("%d requests, want three for each page that fails, and for one of five another", n)
		}
		for _, o := range j.outcomes {
			if o.Status == frontier.Failed != strings.Contains(o.URL.String(), "/broken/") && o.Status != frontier.Retrying {
				t.Errorf("%s is %s", o.URL, o.Status)
			}
		}
	})
}

// A site of which nothing is answered any more, what is not there neither, is given up page by page, at last.
func TestOutage_ForEver(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			w.WriteHeader(http.StatusInternalServerError)
		}))
		j := newJob(t, web)
		start := time.Now()
		end := j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = 30 * 24 * time.Hour }, site.URL+"/", site.URL+"/a")
		if end != crawler.EndDone {
			t.Errorf("Run ended with %q, want done", end)
		}
		for _, path := range []string{"/", "/a"} {
			if o := j.outcome(site.URL + path); o.Status != frontier.Failed || o.Reason != crawler.ReasonServerError {
				t.Errorf("%s is %s for %q, want failed for an error of the server", path, o.Status, o.Reason)
			}
		}
		if took, n := time.Since(start), len(site.Hits()); took < 20*time.Hour || n > 60 {
			t.Errorf("%d requests in %v, want few in more than 20 hours", n, took)
		}
	})
}

// What the web server itself answers, whatever becomes of the program behind it, does not tell that its pages are well: files,
// redirects, and a sitemap, which after a restart is all that is known to lead to a page.
func TestOutage_FilesAreNoWitness(t *testing.T) {
	const n = 20
	for name, tt := range map[string]struct {
		page  func(i int) webtest.Page
		files func(url string) webtest.Pages
		seed  string
		begin time.Duration // of the outage
		stop  time.Duration // when the first of two runs ends; 0 for one run
		want  int           // pages and files
	}{
		"documents": {
			page: func(i int) webtest.Page { return page(fmt.Sprintf("/%d.pdf", i), fmt.Sprintf("/p?%d", min(i+1, n))) },
			files: func(string) webtest.Pages {
				files := webtest.Pages{}
				for i := range n + 1 {
					files[fmt.Sprintf("/%d.pdf", i)] = webtest.Page{Type: "application/pdf", Body: "%PDF"}
				}
				return files
			},
			seed: "/p?0", begin: 10 * time.Second, want: 2 * (n + 1),
		},
		"pictures": {
			page: func(i int) webtest.Page {
				return webtest.Page{Body: fmt.Sprintf(`<html><img src="/%d.png"><a href="/p?%d">next</a>`, i, min(i+1, n))}
			},
			files: func(string) webtest.Pages {
				files := webtest.Pages{}
				for i := range n + 1 {
					files[fmt.Sprintf("/%d.png", i)] = webtest.Page{Type: "image/png", Body: "PNG"}
				}
				return files
			},
			seed: "/p?0", begin: 10 * time.Second, want: 2 * (n + 1),
		},
		"a redirect": {
			page: func(i int) webtest.Page { return page(fmt.Sprintf("/p?%d", min(i+1, n))) },
			files: func(string) webtest.Pages {
				return webtest.Pages{"/old": {Status: 301, Header: map[string]string{"Location": "/p?0"}}}
			},
			seed: "/old", want: n + 1,
		},
		"the front page is disallowed": {
			page: func(i int) webtest.Page { return page(fmt.Sprintf("/p?%d", min(i+1, n))) },
			files: func(string) webtest.Pages {
				return webtest.Pages{"/robots.txt": {Body: "User-agent: *\nDisallow: /$\n"}}
			},
			seed: "/p?0", want: n + 1,
		},
		"a sitemap, after a restart": {
			page: func(int) webtest.Page { return page() },
			files: func(url string) webtest.Pages {
				body := "<urlset>"
				for i := range n + 1 {
					body += fmt.Sprintf("<url><loc>%s/p?%d</loc></url>", url, i)
				}
				return webtest.Pages{"/robots.txt": {Body: "Sitemap: " + url + "/sitemap.xml"},
					"/sitemap.xml": {Type: "text/xml", Body: body + "</urlset>"}}
			},
			seed: "/p?0", begin: 10 * time.Second, stop: 20 * time.Second, want: n + 1,
		},
		"a front page, after a restart": {
			page:  func(i int) webtest.Page { return page(fmt.Sprintf("/p?%d", min(i+1, n))) },
			files: func(string) webtest.Pages { return webtest.Pages{"/": page()} },
			seed:  "/p?0", begin: 10 * time.Second, stop: 11500 * time.Millisecond, want: n + 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				files, pages, start := webtest.Pages{}, webtest.Pages{}, time.Now()
				for i := range n + 1 {
					pages[fmt.Sprintf("/p?%d", i)] = tt.page(i)
				}
				site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, is := files[r.URL.RequestURI()]
					switch since := time.Since(start); {
					case is, r.URL.Path == "/robots.txt":
						files.ServeHTTP(w, r)
					case since >= tt.begin && since < tt.begin+11*time.Minute:
						w.WriteHeader(http.StatusBadGateway)
					default:
						pages.ServeHTTP(w, r)
					}
				}))
				maps.Copy(files, tt.files(site.URL))
				j := newJob(t, web)
				change := func(c *crawler.Config) {
					c.Patience, c.Sitemaps.Read = time.Hour, true
					fetchRequisites(c)
				}
				if tt.stop > 0 {
					ctx, cancel := context.WithTimeout(t.Context(), tt.stop)
					defer cancel()
					j.run(t, ctx, change, site.URL+tt.seed)
				}
				end := j.run(t, t.Context(), change, site.URL+tt.seed)
				if n := len(j.stored()); end != crawler.EndDone || n != tt.want {
					t.Errorf("Run ended with %q and %d pages, want done and %d", end, n, tt.want)
				}
			})
		})
	}
}

// A site of files, of which all that does not exist fails, too, has one that is broken: it is well, and that one is given up.
func TestOutage_BrokenFile(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		pages, seeds := webtest.Pages{}, []string(nil)
		for i := range 10 {
			pages[fmt.Sprintf("/%d.json", i)] = webtest.Page{Type: "application/json", Body: "{}"}
		}
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, is := pages[r.URL.Path]; !is && r.URL.Path != "/robots.txt" {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			pages.ServeHTTP(w, r)
		}))
		for i := range 11 {
			seeds = append(seeds, fmt.Sprintf("%s/%d.json", site.URL, i))
		}
		j := newJob(t, web)
		if end := j.run(t, t.Context(), nil, seeds...); end != crawler.EndDone || len(j.stored()) != 10 || len(j.rests) > 0 {
			t.Errorf("Run ended with %q, %d pages and rests %+v, want done, 10 and none", end, len(j.stored()), j.rests)
		}
	})
}

// A witness that asks for a rest whenever it is asked for does not keep a page in the queue for ever, and the rest is told
// with what the witness asked for, by which the ledger proves it.
func TestOutage_WitnessAsksForRest(t *testing.T) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		bubble(t, func(t *testing.T, web *webtest.Web) {
			site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/robots.txt":
					w.WriteHeader(http.StatusNotFound)
				case "/":
					w.Header().Set("Retry-After", "7")
					w.WriteHeader(status)
				default:
					w.WriteHeader(http.StatusInternalServerError)
				}
			}))
			j := newJob(t, web)
			ctx, cancel := context.WithTimeout(t.Context(), 14*24*time.Hour)
			defer cancel()
			end := j.run(t, ctx, func(c *crawler.Config) { c.Patience = 30 * 24 * time.Hour }, site.URL+"/a")
			if o := j.outcome(site.URL + "/a"); end != crawler.EndDone || o.Status != frontier.Failed {
				t.Errorf("%d: Run ended with %q and the page %s, want done and failed", status, end, o.Status)
			}
			reason := map[int]crawler.Reason{429: crawler.ReasonBusy, 503: crawler.ReasonUnavailable}[status]
			for _, r := range j.rests {
				if r.Reason != reason || r.Detail != "7" {
					t.Errorf("%d: a rest for %s, %q, want %s, \"7\"", status, r.Reason, r.Detail, reason)
				}
			}
		})
	}
}

// What several connections find out at once is one failure: the rests double from one to the next, however many there are.
func TestOutage_Connections(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		pages, links := webtest.Pages{}, []string(nil)
		for i := range 60 {
			p := fmt.Sprintf("/p?%d", i)
			pages[p], links = page(), append(links, p)
		}
		pages["/"] = page(links...)
		o := outage{webtest.Delay(5*time.Second, webtest.Page{Status: 502}), 1500 * time.Millisecond, 11 * time.Minute}
		site := o.site(web, pages, webtest.Pages{})
		j := newJob(t, web)
		end := j.run(t, t.Context(), func(c *crawler.Config) {
			c.Patience = 24 * time.Hour
			c.Hosts = map[string]crawler.Override{strings.TrimPrefix(site.URL, "http://"): {Delay: 500 * time.Millisecond, Connections: 16}}
		}, site.URL+"/")
		if end != crawler.EndDone || len(j.stored()) != 61 {
			t.Errorf("Run ended with %q and %d pages, want done and 61", end, len(j.stored()))
		}
		for _, r := range j.rests {
			if r.Failures > 4 {
				t.Errorf("%d failures in a row until %v, want 4 in 15 minutes", r.Failures, r.Until)
			}
		}
	})
}

// A link that is only checked waits for no outage to end: of a site that only fails it is dead.
func TestOutage_CheckedLink(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		dead := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(map[bool]int{true: http.StatusNotFound, false: http.StatusBadGateway}[r.URL.Path == "/robots.txt"])
		}))
		site := web.Site(webtest.Pages{"/": page(dead.URL+"/a", dead.URL+"/b", dead.URL+"/c")})
		j := newJob(t, web)
		if end := j.run(t, t.Context(), func(c *crawler.Config) { c.CheckLinks = true }, site.URL+"/"); end != crawler.EndDone {
			t.Errorf("Run ended with %q, want done", end)
		}
		if o := j.outcome(dead.URL + "/a"); o.Status != frontier.Failed || len(j.rests) > 0 {
			t.Errorf("the link is %s, after rests %+v, want failed after none", o.Status, j.rests)
		}
	})
}

// Where many pages lead to one place while others are answered, as to where members sign in, the site is well.
func TestOutage_PartForMembers(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var links []string
		for i := range 100 {
			links = append(links, fmt.Sprintf("/members/%d", i), fmt.Sprintf("/s/%d", i), fmt.Sprintf("/cookie/%d", i))
		}
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch at := r.URL.Path; {
			case at == "/":
				page(links...).ServeHTTP(w, r)
			case strings.HasPrefix(at, "/members/"):
				http.Redirect(w, r, "/login?next="+at, http.StatusFound)
			case strings.HasPrefix(at, "/s/"):
				http.Redirect(w, r, "/long"+at, http.StatusSeeOther)
			case strings.HasPrefix(at, "/cookie/"):
				http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
			default:
				page().ServeHTTP(w, r)
			}
		}))
		j := newJob(t, web)
		if end := j.run(t, t.Context(), nil, site.URL+"/"); end != crawler.EndDone || len(j.rests) > 0 {
			t.Errorf("Run ended with %q after the rests %+v, want done after none", end, j.rests)
		}
		witnesses := 0
		for _, r := range j.requests {
			if r.Purpose == crawler.ForWitness {
				witnesses++
			}
		}
		if witnesses > 12 {
			t.Errorf("a witness was asked for %d times, want few", witnesses)
		}
	})
}

// What a witness asks for is heeded as what a page does.
func TestOutage_WitnessIsBusy(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var redirects atomic.Int64
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/":
				page("/1", "/2", "/3", "/4", "/5").ServeHTTP(w, r)
			case r.URL.Path == "/1" && redirects.Load() == 3:
				w.Header().Set("Retry-After", "600")
				w.WriteHeader(http.StatusTooManyRequests)
			case r.URL.Path == "/robots.txt":
				w.WriteHeader(http.StatusNotFound)
			case r.URL.Path == "/1", r.URL.Path == "/notice":
				page().ServeHTTP(w, r)
			default:
				redirects.Add(1)
				http.Redirect(w, r, "/notice", http.StatusFound)
			}
		}))
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = time.Hour }, site.URL+"/")
		hits := site.Hits()
		busy := slices.IndexFunc(hits, func(h webtest.Hit) bool { return h.Status == http.StatusTooManyRequests })
		if busy < 0 || hits[busy].Path != "/1" || len(hits) == busy+1 {
			t.Fatalf("no witness was asked for, or nothing after it: %q", hits.Paths())
		}
		if got := hits[busy+1].Start.Sub(hits[busy].End); got < 10*time.Minute {
			t.Errorf("%s was asked for %v after a witness that wanted ten minutes", hits[busy+1].Path, got)
		}
	})
}

// An error of the server in the place of a witness does not show the site to be well: its rests grow.
func TestOutage_WitnessFails(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		start, last, asked := time.Now(), "", 0
		var mu sync.Mutex // guards these
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			switch since := time.Since(start); {
			case r.URL.Path == "/robots.txt" || r.URL.Path == "/notice":
				w.WriteHeader(http.StatusNotFound)
			case since > 15*time.Second && since < time.Hour:
				if r.URL.Path == last {
					asked++
				}
				if r.URL.Path == last && asked%2 == 0 {
					w.WriteHeader(http.StatusInternalServerError)
					return
				}
				http.Redirect(w, r, "/notice", http.StatusFound)
			case r.URL.Path == "/":
				for i := range 60 {
					fmt.Fprintf(w, "<a href=/p/%d>%d</a>", i, i)
				}
			default:
				last = r.URL.Path
				fmt.Fprint(w, ownBody(r.URL.Path))
			}
		}))
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = 2 * time.Hour }, site.URL+"/")
		if asked < 6 {
			t.Errorf("the witness was asked for %d times, want some", asked)
		}
		for i, r := range j.rests {
			if r.Failures != i+1 {
				t.Errorf("rest %d is for failure %d in a row", i+1, r.Failures)
			}
		}
	})
}

// Another run that begins while a site leads every page to one place knows it by the page that was answered in the run before.
func TestOutage_AwayInTheNextRun(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var links []string
		for i := range 20 {
			links = append(links, fmt.Sprintf("/p?%d", i))
		}
		statusOf := func(path string) int { return []int{http.StatusFound, http.StatusSeeOther}[path[len(path)-1]%2] }
		start := time.Now()
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch since := time.Since(start); {
			case r.URL.Path == "/robots.txt":
				w.WriteHeader(http.StatusNotFound)
			case r.URL.Path == "/notice":
				page().ServeHTTP(w, r)
			case since > 15*time.Second && since < time.Hour:
				http.Redirect(w, r, "/notice", statusOf(r.URL.RequestURI()))
			default:
				page(links...).ServeHTTP(w, r)
			}
		}))
		j := newJob(t, web)
		for _, patience := range []time.Duration{30 * time.Second, 2 * time.Hour} {
			j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = patience }, site.URL+"/")
			time.Sleep(time.Minute)
		}
		if got := len(j.stored()); got != 1+len(links)+1 {
			t.Errorf("%d pages were stored, want all of %d, and the notice", got, 1+len(links))
		}
		for _, o := range j.outcomes {
			if want := statusOf(o.URL.PathQuery()); o.Reason == crawler.ReasonAway && o.Code != want {
				t.Errorf("%s was answered with %d, and its outcome names %d", o.URL, want, o.Code)
			}
		}
	})
}

// Another visit that begins with what has not changed, and with files, which the web server itself has, knows by a page of the run
// before that a site is away.
func TestOutage_AwayInTheNextVisit(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var again bool
		var mu sync.Mutex // guards away
		var away time.Time
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			isFile := strings.HasPrefix(r.URL.Path, "/f/")
			if isFile && again && away.IsZero() {
				away = time.Now()
			}
			switch {
			case r.URL.Path == "/robots.txt" || r.URL.Path == "/notice":
				w.WriteHeader(http.StatusNotFound)
			case isFile:
				w.Header().Set("Content-Type", "text/plain")
				fmt.Fprint(w, r.URL.Path)
			case !away.IsZero() && time.Since(away) < time.Hour:
				http.Redirect(w, r, "/notice", http.StatusFound)
			case r.Header.Get("If-None-Match") != "":
				w.WriteHeader(http.StatusNotModified)
			default:
				w.Header().Set("ETag", `"1"`)
				fmt.Fprintf(w, "<title>%s</title>", r.URL.Path)
				for i := range 20 {
					fmt.Fprintf(w, "<a href=/p/%d>p</a><a href=/f/%d>f</a>", i, i)
				}
			}
		}))
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		again = true
		j.again(t, crawler.ReturnRequest{All: true}, func(c *crawler.Config) { c.Patience = 2 * time.Hour }, site.URL+"/")
		moved := 0
		for _, o := range j.outcomes {
			if o.Reason == crawler.ReasonMoved {
				moved++
			}
		}
		if moved > 2 {
			t.Errorf("%d pages are said to have moved, want two at most", moved)
		}
	})
}

// siteWithNotice returns a site of 60 pages, each with a body of its own, which has a notice in the place of each from some time on
// until an hour has passed.
func siteWithNotice(web *webtest.Web, from time.Duration) *webtest.Site {
	start := time.Now()
	return web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch since := time.Since(start); {
		case r.URL.Path == "/robots.txt":
			w.WriteHeader(http.StatusNotFound)
		case since > from && since < time.Hour:
			fmt.Fprint(w, "<title>Back soon</title> We are working on it.")
		case r.URL.Path == "/":
			for i := range 60 {
				fmt.Fprintf(w, "<a href=/p/%d>%d</a>", i, i)
			}
		default:
			fmt.Fprint(w, ownBody(r.URL.Path))
		}
	}))
}

func ownBody(path string) string { return "<title>" + path + "</title> is about " + path }

// wholePages returns how many pages of such a site were stored with their own body.
func wholePages(j *job, site *webtest.Site) (n int) {
	for _, p := range j.pages {
		if string(p.Body) == ownBody(strings.TrimPrefix(p.URL, site.URL)) {
			n++
		}
	}
	return n
}

// A notice in the place of every page, as of a site that is under maintenance, or has had enough of us, is no page: it is known by
// a page that was answered otherwise before.
func TestOutage_OneBodyInThePlaceOfAll(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := siteWithNotice(web, 15*time.Second)
		j := newJob(t, web)
		end := j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = 2 * time.Hour }, site.URL+"/")
		whole := wholePages(j, site)
		if end != crawler.EndDone || whole != 60 || len(j.stored()) != 63 {
			t.Errorf("Run ended with %q, and of 60 pages %d were stored with their own body, %d in all; want all, and two with the notice",
				end, whole, len(j.stored())-1)
		}
		if n := len(site.Hits()); n > 85 {
			t.Errorf("%d requests: the site did not rest", n)
		}
		for _, r := range j.rests {
			if r.Reason != crawler.ReasonAway {
				t.Errorf("a rest for %s, want %s", r.Reason, crawler.ReasonAway)
			}
		}
	})
}

// Where several connections meet such a notice at once after a rest, none of them takes it for its page.
func TestOutage_OneBodyAndConnections(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		start := time.Now()
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			away := time.Since(start) > 15*time.Second && time.Since(start) < time.Hour
			var number int
			fmt.Sscanf(r.URL.Path, "/p/%d", &number)
			time.Sleep(time.Duration(300+700*(number%4)) * time.Millisecond) // the answers come at different times
			switch {
			case r.URL.Path == "/robots.txt":
				w.WriteHeader(http.StatusNotFound)
			case away:
				fmt.Fprint(w, "<title>Back soon</title> We are working on it.")
			case r.URL.Path == "/":
				for i := range 200 {
					fmt.Fprintf(w, "<a href=/p/%d>%d</a>", i, i)
				}
			default:
				fmt.Fprint(w, "<title>own</title> about ", r.URL.Path)
			}
		}))
		j := newJob(t, web)
		end := j.run(t, t.Context(), func(c *crawler.Config) {
			c.Patience = 2 * time.Hour
			c.Hosts = map[string]crawler.Override{strings.TrimPrefix(site.URL, "http://"): {Delay: 200 * time.Millisecond, Connections: 4}}
		}, site.URL+"/")
		for _, p := range j.pages {
			if since := p.Fetched.Sub(start); strings.Contains(string(p.Body), "Back soon") && since > time.Minute {
				t.Errorf("%s is the notice, %v after the start: the site rested by then", p.URL, since)
			}
		}
		last := map[string]*storage.Page{}
		for _, p := range j.pages {
			last[p.URL] = p
		}
		for url, p := range last { // those before came between pages with bodies of their own
			if strings.Contains(string(p.Body), "Back soon") && p.Fetched.Sub(start) > 17*time.Second {
				t.Errorf("the notice is what is known of %s in the end", url)
			}
		}
		if end != crawler.EndDone || len(last) != 201 {
			t.Errorf("Run ended with %q and %d pages, want done and 201", end, len(last))
		}
	})
}

// Pages of a site that is well have one body, too. It costs few requests more, and no rest.
func TestOutage_ManyPagesWithOneBody(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var links []string
		for i := range 400 {
			links = append(links, fmt.Sprintf("/same/%d", i))
			if i%20 == 0 {
				links = append(links, fmt.Sprintf("/own/%d", i))
			}
		}
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/":
				page(links...).ServeHTTP(w, r)
			case r.URL.Path == "/robots.txt":
				w.WriteHeader(http.StatusNotFound)
			case strings.HasPrefix(r.URL.Path, "/own/"):
				page(r.URL.Path).ServeHTTP(w, r)
			default:
				page("/", "/about").ServeHTTP(w, r)
			}
		}))
		j := newJob(t, web)
		if end := j.run(t, t.Context(), nil, site.URL+"/"); end != crawler.EndDone || len(j.rests) > 0 || len(j.stored()) != 422 {
			t.Errorf("Run ended with %q, %d pages and the rests %+v, want done, 422 and none", end, len(j.stored()), j.rests)
		}
		if n := len(site.Hits()) - 423; n > 4 {
			t.Errorf("%d requests more than there are pages, want few", n)
		}
		for _, o := range j.outcomes {
			if o.Status != frontier.Done {
				t.Errorf("%s is %s, want done at once", o.URL, o.Status)
			}
		}
	})
}

// A site of which every page has one body, as of one that a script fills in, is well; so it is after one of them failed.
func TestOutage_OneBodyAndAnError(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var links []string
		for i := range 40 {
			links = append(links, fmt.Sprintf("/p/%d", i))
		}
		failed := false
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/robots.txt":
				w.WriteHeader(http.StatusNotFound)
			case r.URL.Path == "/p/1" && !failed:
				failed = true
				w.WriteHeader(http.StatusInternalServerError)
			default:
				page(links...).ServeHTTP(w, r)
			}
		}))
		j := newJob(t, web)
		if end := j.run(t, t.Context(), nil, site.URL+"/"); end != crawler.EndDone || len(j.rests) > 0 || len(j.stored()) != 41 {
			t.Errorf("Run ended with %q, %d pages and the rests %+v, want done, 41 and none", end, len(j.stored()), j.rests)
		}
	})
}

// That there is nothing shows a site that was busy to be well: its rests do not grow.
func TestOutage_BusyBetweenWhatIsGone(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		pages, links := webtest.Pages{}, []string(nil)
		for i := range 6 {
			gone, busy := fmt.Sprintf("/gone/%d", i), fmt.Sprintf("/busy/%d", i)
			links, pages[busy] = append(links, gone, busy), webtest.Page{Handler: inTurn(webtest.Page{Status: 503}, webtest.Page{Status: 404})}
		}
		pages["/"] = page(links...)
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = time.Hour }, web.Site(pages).URL+"/")
		if len(j.rests) != 6 {
			t.Errorf("%d rests, want 6", len(j.rests))
		}
		for _, r := range j.rests {
			if r.Failures != 1 {
				t.Errorf("the site rests for %s, failure %d in a row, want 1", r.Reason, r.Failures)
			}
		}
	})
}

// A site of one body is well, too, when that becomes another one.
func TestOutage_OneBodyThatIsRenewed(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var links []string
		for i := range 60 {
			links = append(links, fmt.Sprintf("/p/%d", i))
		}
		start := time.Now()
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			fmt.Fprintf(w, "<script src=/app.%d.js></script>", time.Since(start)/(20*time.Second))
			page(links...).ServeHTTP(w, r)
		}))
		j := newJob(t, web)
		if end := j.run(t, t.Context(), nil, site.URL+"/"); end != crawler.EndDone || len(j.rests) > 0 || len(j.stored()) != 61 {
			t.Errorf("Run ended with %q, %d pages and the rests %+v, want done, 61 and none", end, len(j.stored()), j.rests)
		}
	})
}

// A site all pages of which have become one for good is waited for about as long as one that fails, and then taken as it is.
func TestOutage_OneBodyForGood(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		start := time.Now()
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/robots.txt":
				w.WriteHeader(http.StatusNotFound)
			case time.Since(start) > 15*time.Second:
				fmt.Fprint(w, "<title>This domain is for sale</title>")
			default:
				var links []string
				for i := range 200 {
					links = append(links, fmt.Sprintf("/p/%d", i))
				}
				page(append(links, r.URL.Path)...).ServeHTTP(w, r)
			}
		}))
		j := newJob(t, web)
		end := j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = 30 * 24 * time.Hour }, site.URL+"/")
		if took := time.Since(start); end != crawler.EndDone || len(j.stored()) != 203 || took > 30*time.Hour || len(j.rests) != 11 {
			t.Errorf("Run ended with %q after %v, %d pages and %d rests, want done within 30h, 201 with two once more, and 11", end, took, len(j.stored()), len(j.rests))
		}
	})
}

// Another run that begins while a site has one body for every page knows it by the page that was answered in the run before.
func TestOutage_OneBodyInTheNextRun(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := siteWithNotice(web, 15*time.Second)
		j := newJob(t, web)
		for range 20 {
			j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = 5 * time.Minute }, site.URL+"/")
			time.Sleep(5 * time.Minute)
		}
		whole := wholePages(j, site)
		if whole != 60 || len(j.stored()) != 63 {
			t.Errorf("of 60 pages %d were stored with their own body, %d in all; want all, and two with the notice", whole, len(j.stored())-1)
		}
	})
}

// A run that is stopped before it could ask for a witness leaves the page for the next one.
func TestOutage_OneBodyAndNoTimeForAWitness(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := siteWithNotice(web, 15*time.Second)
		j := newJob(t, web)
		rested := func(c *crawler.Config) { c.Patience = 2 * time.Hour }
		for range 4 {
			ctx, cancel := context.WithCancel(t.Context())
			j.run(t, ctx, func(c *crawler.Config) {
				rested(c)
				keep := c.Events.Request
				c.Events.Request = func(r crawler.Request) {
					keep(r)
					j.mu.Lock()
					defer j.mu.Unlock()
					if len(j.rests) > 0 && r.Purpose == crawler.ForPage {
						cancel()
					}
				}
			}, site.URL+"/")
			cancel()
		}
		j.run(t, t.Context(), rested, site.URL+"/")
		if whole := wholePages(j, site); whole != 60 || len(j.stored()) != 63 {
			t.Errorf("of 60 pages %d were stored with their own body, %d in all; want all, and two with the notice", whole, len(j.stored())-1)
		}
	})
}

// So it is where all was well in the run before: one page is kept that was unlike others.
func TestOutage_OneBodySinceTheNextRun(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := siteWithNotice(web, time.Minute)
		j := newJob(t, web)
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
		j.run(t, ctx, nil, site.URL+"/")
		cancel()
		time.Sleep(2 * time.Minute)
		end := j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = 2 * time.Hour }, site.URL+"/")
		whole := wholePages(j, site)
		if end != crawler.EndDone || whole != 60 || len(j.stored()) != 63 {
			t.Errorf("Run ended with %q, and of 60 pages %d were stored with their own body, %d in all; want all, and two with the notice",
				end, whole, len(j.stored())-1)
		}
	})
}

// So it is in another visit, which begins with the page that has the notice first after each rest, too.
func TestOutage_OneBodyInTheNextVisit(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := siteWithNotice(web, 5*time.Minute)
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		time.Sleep(5 * time.Minute)
		before := len(site.Hits())
		j.again(t, crawler.ReturnRequest{All: true}, func(c *crawler.Config) { c.Patience = 2 * time.Hour }, site.URL+"/")
		last := map[string]string{}
		for _, p := range j.pages {
			last[p.URL] = string(p.Body)
		}
		for url, body := range last {
			if strings.Contains(body, "Back soon") {
				t.Errorf("the notice is what is known of %s in the end", url)
			}
		}
		for i, r := range j.rests {
			if r.Failures != i+1 {
				t.Errorf("rest %d is for failure %d in a row", i+1, r.Failures)
			}
		}
		if n := len(site.Hits()) - before; n > 85 {
			t.Errorf("%d requests, want few more than 61", n)
		}
	})
}

// What was answered just before a site was back is asked for again, too, though its witness shows the site well.
func TestOutage_LastAnswerBeforeItIsOver(t *testing.T) {
	for name, away := range map[string]http.Handler{
		"notice":   webtest.Page{Body: "<title>Back soon</title> We are working on it."},
		"redirect": http.RedirectHandler("/notice", http.StatusFound),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				start, isOver := time.Now(), false
				var mu sync.Mutex // guards isOver
				site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					mu.Lock()
					defer mu.Unlock()
					switch since := time.Since(start); {
					case r.URL.Path == "/robots.txt" || r.URL.Path == "/notice":
						w.WriteHeader(http.StatusNotFound)
					case since > 15*time.Second && !isOver:
						isOver = since > time.Hour
						away.ServeHTTP(w, r)
					case r.URL.Path == "/":
						for i := range 60 {
							fmt.Fprintf(w, "<a href=/p/%d>%d</a>", i, i)
						}
					default:
						fmt.Fprint(w, ownBody(r.URL.Path))
					}
				}))
				j := newJob(t, web)
				end := j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = 2 * time.Hour }, site.URL+"/")
				if whole := wholePages(j, site); end != crawler.EndDone || whole != 60 {
					t.Errorf("Run ended with %q, and %d pages were stored with their own body, want done and 60", end, whole)
				}
			})
		})
	}
}

// The pages of a site that a script fills in have another body in the next run, which is no notice.
func TestOutage_OneBodyThatIsRenewedBetweenRuns(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		start := time.Now()
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			fmt.Fprintf(w, "<script src=/app.%d.js></script>", time.Since(start)/time.Minute)
			for i := range 60 {
				fmt.Fprintf(w, "<a href=/p/%d>%d</a>", i, i)
			}
		}))
		j := newJob(t, web)
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
		j.run(t, ctx, nil, site.URL+"/")
		cancel()
		time.Sleep(2 * time.Minute)
		if end := j.run(t, t.Context(), nil, site.URL+"/"); end != crawler.EndDone || len(j.rests) > 0 || len(j.stored()) != 61 {
			t.Errorf("Run ended with %q, %d pages and the rests %+v, want done, 61 and none", end, len(j.stored()), j.rests)
		}
	})
}

// Where pages lead to while a site is away there may be nothing, which does not show it to be well: its rests grow.
func TestOutage_AwayToNothing(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		start := time.Now()
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch since := time.Since(start); {
			case r.URL.Path == "/robots.txt" || strings.HasSuffix(r.URL.Path, "/notice"):
				w.WriteHeader(http.StatusNotFound)
			case since > 15*time.Second && since < time.Hour:
				http.Redirect(w, r, "/notice?for="+r.URL.Path, http.StatusFound)
			case r.URL.Path == "/":
				for i := range 60 {
					fmt.Fprintf(w, "<a href=/p/%d>%d</a><a href=/gone/%d/notice>%d</a>", i, i, i, i)
				}
			default:
				fmt.Fprint(w, ownBody(r.URL.Path))
			}
		}))
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = 2 * time.Hour }, site.URL+"/")
		for i, r := range j.rests {
			if r.Failures != i+1 {
				t.Errorf("rest %d is for failure %d in a row", i+1, r.Failures)
			}
		}
		if whole := wholePages(j, site); whole != 60 {
			t.Errorf("%d pages were stored with their own body, want 60", whole)
		}
	})
}

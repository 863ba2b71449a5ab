package crawler_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/sitemap"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

func readSitemaps(c *crawler.Config) { c.Sitemaps.Read = true }

// urlset is a sitemap that names URLs, base before each.
func urlset(base string, paths ...string) webtest.Page {
	return list("urlset", "url", base, paths)
}

// index is an index of sitemaps.
func index(base string, paths ...string) webtest.Page {
	return list("sitemapindex", "sitemap", base, paths)
}

func list(root, item, base string, paths []string) webtest.Page {
	var b strings.Builder
	fmt.Fprintf(&b, "<%s xmlns=%q>", root, "http://www.sitemaps.org/schemas/sitemap/0.9")
	for _, p := range paths {
		fmt.Fprintf(&b, "<%s><loc>%s%s</loc><lastmod>2026-03-04</lastmod></%s>", item, base, p, item)
	}
	fmt.Fprintf(&b, "</%s>", root)
	return webtest.Page{Type: "application/xml", Body: b.String()}
}

// later answers with a page that is made when the URL of its site is known.
func later(make func() webtest.Page) webtest.Page {
	return webtest.Page{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { make().ServeHTTP(w, r) })}
}

func packed(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

// Pages that nobody links to are found by sitemaps: under the rules, at the pace of the site, and without storing the sitemap.
func TestSitemaps(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var base string
		site := web.Site(webtest.Pages{
			"/robots.txt": later(func() webtest.Page {
				return webtest.Page{Body: "Sitemap: " + base + "/maps/index.xml\nUser-agent: *\nDisallow: /no\nDisallow: /closed.xml\nSitemap: " + base + "/closed.xml\nSitemap: /relative.xml\n"}
			}),
			"/":               page("/linked"),
			"/linked":         page(),
			"/maps/index.xml": later(func() webtest.Page { return index(base, "/maps/1.xml.gz", "/maps/2.txt") }),
			"/maps/1.xml.gz": later(func() webtest.Page {
				return webtest.Page{Type: "application/gzip", Body: packed(urlset(base, "/a", "/no/1", "/vote?x", "/maps/1.xml.gz").Body)}
			}),
			"/maps/2.txt": later(func() webtest.Page {
				return webtest.Page{Type: "text/plain", Body: base + "/b\nhttp://elsewhere.example/\nmailto:x\n"}
			}),
			"/a": page(), "/b": page(), "/no/1": page(), "/closed.xml": urlset("", "/x"),
		})
		base = site.URL
		j := newJob(t, web)
		j.run(t, t.Context(), readSitemaps, site.URL+"/")
		wantStrings(t, "asked for", site.Hits().Paths(), []string{"/robots.txt", "/", "/linked", "/maps/index.xml", "/maps/1.xml.gz", "/maps/2.txt", "/a", "/b"})
		wantStrings(t, "stored", j.stored(), []string{base + "/", base + "/linked", base + "/a", base + "/b"})
		for url, want := range map[string]crawler.Reason{
			base + "/no/1": crawler.ReasonDisallowed, base + "/closed.xml": crawler.ReasonDisallowed, base + "/vote?x": crawler.ReasonAction,
			"http://elsewhere.example/": crawler.ReasonOutOfScope, "/relative.xml": crawler.ReasonBadURL, base + "/maps/2.txt": crawler.Reason(sitemap.NoLoc),
		} {
			if got := j.refused(url); !slices.Equal(got, []crawler.Reason{want}) {
				t.Errorf("%s: refused for %q, want %q", url, got, want)
			}
		}
		for _, r := range j.requests {
			if (r.Purpose == crawler.ForSitemap) != strings.HasPrefix(r.URL.PathQuery(), "/maps/") || !r.Verdict.Allowed {
				t.Errorf("%s: for %s under %+v", r.URL, r.Purpose, r.Verdict)
			}
		}
		for _, p := range j.pages {
			if want := p.FinalURL == base+"/a"; want != p.LastMod.Equal(time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)) || want && p.Via != base+"/maps/1.xml.gz" {
				t.Errorf("%s: changed %v, via %s", p.FinalURL, p.LastMod, p.Via)
			}
		}
		if gap := webtest.MinGap(site.Hits()); gap < time.Second {
			t.Errorf("shortest gap %v, want at least 1s", gap)
		}
		if s := j.last.Status(); s.Sitemaps != 3 || s.Listed != 8 || s.Codes[200] != 4 {
			t.Errorf("status counts %d requests for sitemaps, %d URLs in them, %v; want 3, 8, 4 pages", s.Sitemaps, s.Listed, s.Codes)
		}
	})
}

func TestSitemapsAreOffByDefault(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var base string
		site := web.Site(webtest.Pages{
			"/robots.txt": later(func() webtest.Page { return webtest.Page{Body: "Sitemap: " + base + "/s.xml\n"} }),
			"/":           page(), "/s.xml": urlset("", "/a"), "/sitemap.xml": urlset("", "/a"),
		})
		base = site.URL
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		wantStrings(t, "asked for", site.Hits().Paths(), []string{"/robots.txt", "/"})
		// The next run of the job may want them: what is known of robots.txt says where they are.
		j.run(t, t.Context(), readSitemaps, site.URL+"/", site.URL+"/more")
		if site.Hits().Count("/s.xml") != 1 || site.Hits().Count("/robots.txt") != 1 {
			t.Errorf("with sitemaps it asked for %q", site.Hits().Paths())
		}
	})
}

// A sitemap speaks for its own directory, and beyond that for origins whose robots.txt names it.
func TestSitemapsSpeakForThoseWhoNameThem(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var cdn, proven, silent, first string
		lists := func() webtest.Page {
			var b strings.Builder
			for _, host := range []string{cdn, proven, silent, first} {
				fmt.Fprintf(&b, "%s/maps/page\n%s/page\n", host, host)
			}
			return webtest.Page{Type: "text/plain", Body: b.String()}
		}
		names := func() webtest.Page {
			return webtest.Page{Body: "User-agent: *\nCrawl-delay: 4\nSitemap: " + cdn + "/maps/index.xml\n"}
		}
		pages := webtest.Pages{"/": page(), "/page": page(), "/maps/page": page()}
		with := func(more webtest.Pages) webtest.Pages {
			maps.Copy(more, pages)
			return more
		}
		host := web.Site(with(webtest.Pages{"/maps/index.xml": later(func() webtest.Page { return index(cdn, "/maps/all.txt") }), "/maps/all.txt": later(lists)}))
		sites := []*webtest.Site{host, web.Site(with(webtest.Pages{"/robots.txt": later(names)})), web.Site(with(webtest.Pages{})), web.Site(with(webtest.Pages{"/robots.txt": later(names)}))}
		cdn, proven, silent, first = sites[0].URL, sites[1].URL, sites[2].URL, sites[3].URL
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) { readSitemaps(c); c.Scope.Mode = crawler.ScopeAny }, first+"/")
		wantStrings(t, "stored", j.stored(), []string{first + "/", first + "/page", first + "/maps/page", proven + "/page", proven + "/maps/page", cdn + "/maps/page"})
		for _, url := range []string{silent + "/page", silent + "/maps/page", cdn + "/page"} {
			if got := j.refused(url); !slices.Equal(got, []crawler.Reason{crawler.ReasonSitemapScope}) {
				t.Errorf("%s: refused for %q, want sitemap-scope", url, got)
			}
		}
		for _, s := range sites {
			if n := s.Hits().Count("/robots.txt"); n != 1 {
				t.Errorf("%s: robots.txt asked for %d times, want 1", s.URL, n)
			}
		}
		if gap := webtest.MinGap(sites[1].Hits()); gap < 4*time.Second {
			t.Errorf("a site asked for proof was left alone for %v, want its Crawl-delay of 4s", gap)
		}
	})
}

// A sitemap may not make us ask strangers: hosts out of scope are not asked for proof, and of others only so many.
func TestSitemapsAskFewForProof(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var urls strings.Builder
		var others []*webtest.Site
		for range 5 {
			s := web.Site(webtest.Pages{"/": page()})
			others = append(others, s)
			fmt.Fprintln(&urls, s.URL+"/")
		}
		var base string
		site := web.Site(webtest.Pages{
			"/robots.txt": later(func() webtest.Page { return webtest.Page{Body: "Sitemap: " + base + "/s.txt\n"} }),
			"/":           page(), "/s.txt": {Type: "text/plain", Body: urls.String()},
		})
		base = site.URL
		for _, mode := range []crawler.ScopeMode{crawler.ScopeHost, crawler.ScopeAny} {
			j := newJob(t, web)
			j.run(t, t.Context(), func(c *crawler.Config) { readSitemaps(c); c.Scope.Mode, c.Sitemaps.Proofs = mode, 2 }, site.URL+"/")
			asked := 0
			for _, s := range others {
				asked += len(s.Hits())
			}
			if want := map[crawler.ScopeMode]int{crawler.ScopeHost: 0, crawler.ScopeAny: 2}[mode]; asked != want {
				t.Errorf("scope %s: %d requests to hosts that did not name the sitemap, want %d", mode, asked, want)
			}
			if got := j.refused(others[4].URL + "/"); mode == crawler.ScopeAny && !slices.Equal(got, []crawler.Reason{crawler.ReasonSitemapProofs}) {
				t.Errorf("the fifth host: refused for %q, want sitemap-proofs", got)
			}
		}
	})
}

// A sitemap may be longer than a page, packed by the server or not; if it was cut, it is asked for whole when more of it may be
// read.
func TestSitemaps_LongerThanPages(t *testing.T) {
	for _, coding := range []string{"", "gzip"} {
		bubble(t, func(t *testing.T, web *webtest.Web) {
			var base string
			pages, paths := webtest.Pages{"/": page()}, []string(nil)
			for i := range 100 {
				path := fmt.Sprintf("/%d", i)
				pages[path], paths = page(), append(paths, path)
			}
			pages["/robots.txt"] = later(func() webtest.Page { return webtest.Page{Body: "Sitemap: " + base + "/s.xml\n"} })
			pages["/s.xml"] = webtest.Page{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body := urlset(base, paths...).Body
				if coding != "" {
					w.Header().Set("Content-Encoding", coding)
					body = packed(body)
				}
				w.Header().Set("ETag", `"s"`)
				http.ServeContent(w, r, "", time.Time{}, strings.NewReader(body))
			})}
			site := web.Site(pages)
			base = site.URL
			j := newJob(t, web)
			j.maxBody, j.maxSpool = 300, 1500
			j.run(t, t.Context(), readSitemaps, site.URL+"/")
			part := len(j.stored())
			if part < 10 || part > 90 {
				t.Errorf("coding %q: %d pages of a sitemap that was cut", coding, part)
			}
			j.maxSpool = 0
			j.again(t, crawler.ReturnRequest{All: true}, readSitemaps, site.URL+"/")
			if more := len(j.stored()); more != 101-part {
				t.Errorf("coding %q: %d more pages when all of it may be read, want %d", coding, more, 101-part)
			}
		})
	}
}

// Sitemaps that misbehave cost no more than their attempts, and say why nothing came of them.
func TestSitemapsThatMisbehave(t *testing.T) {
	var base string
	bomb := packed("<urlset><url><loc>{base}/from-bomb</loc></url>" + strings.Repeat("<x></x>", 4<<20))
	bad := map[string]struct {
		page   webtest.Page
		reason string
	}{
		"/bomb.gz": {later(func() webtest.Page { return webtest.Page{Type: "application/gzip", Body: bomb} }), "sitemap-ratio"},
		"/br":      {webtest.Page{Handler: webtest.Bomb("br", 64<<20)}, "sitemap-ratio"},
		"/endless": {webtest.Page{Handler: webtest.EndlessBody()}, "sitemap-bytes"},
		"/garbage": {webtest.Page{Handler: webtest.Garbage()}, ""},
		"/drop":    {webtest.Page{Handler: webtest.Drop()}, ""},
		"/stall":   {webtest.Page{Handler: webtest.Stall()}, ""},
		"/gone":    {webtest.Page{Status: 404, Body: "<urlset><url><loc>/from-404</loc></url></urlset>"}, ""},
		"/html":    {page("/from-html"), "sitemap-unknown"},
		"/dtd":     {webtest.Page{Type: "text/xml", Body: `<!DOCTYPE a [<!ENTITY b "c">]><urlset/>`}, "sitemap-dtd"},
		"/nested":  {webtest.Page{Type: "text/xml", Body: strings.Repeat("<urlset>", 100)}, "sitemap-nesting"},
		"/half": {later(func() webtest.Page {
			return webtest.Page{Handler: webtest.Cut("<urlset><url><loc>" + base + "/from-half</loc></url><url><loc>" + base + "/not")}
		}), "sitemap-broken"},
		"/many": {later(func() webtest.Page {
			return webtest.Page{Type: "text/plain", Body: strings.Repeat(base+"/from-many\n", 50_001)}
		}), "sitemap-urls"},
		"/self":       {later(func() webtest.Page { return index(base, "/self", "/loop1") }), ""},
		"/loop1":      {webtest.Redirect(301, "/loop2"), "redirect-loop"},
		"/loop2":      {webtest.Redirect(301, "/loop1"), ""},
		"/deep":       {later(func() webtest.Page { return index(base, "/deep2") }), ""},
		"/deep2":      {later(func() webtest.Page { return index(base, "/deep3") }), ""},
		"/deep3":      {later(func() webtest.Page { return index(base, "/deep4") }), "sitemap-index-depth"},
		"/busy":       {webtest.Page{Handler: webtest.Busy(1, 503, "5", later(func() webtest.Page { return urlset(base, "/from-busy") }))}, ""},
		"/moved":      {webtest.Redirect(302, "/moved-here"), ""},
		"/moved-here": {later(func() webtest.Page { return urlset(base, "/from-moved") }), ""},
	}
	bubble(t, func(t *testing.T, web *webtest.Web) {
		pages := webtest.Pages{"/": page()}
		for _, path := range []string{"/from-half", "/from-many", "/from-busy", "/from-moved"} {
			pages[path] = page()
		}
		for path, b := range bad {
			pages[path] = b.page
		}
		pages["/robots.txt"] = later(func() webtest.Page {
			var b strings.Builder
			for path := range bad {
				if path != "/loop2" && path != "/deep2" && path != "/deep3" && path != "/moved-here" {
					fmt.Fprintf(&b, "Sitemap: %s%s\n", base, path)
				}
			}
			return webtest.Page{Body: b.String()}
		})
		site := web.Site(pages)
		base = site.URL
		j := newJob(t, web)
		if end := j.run(t, t.Context(), func(c *crawler.Config) { readSitemaps(c); c.Patience = time.Hour }, site.URL+"/"); end != crawler.EndDone {
			t.Errorf("Run ended with %q, want done", end)
		}
		wantStrings(t, "stored", j.stored(), []string{base + "/", base + "/from-half", base + "/from-many", base + "/from-busy", base + "/from-moved"})
		for path, b := range bad {
			if n := site.Hits().Count(path); n < 1 || n > 3 {
				t.Errorf("%s was asked for %d times, want 1 to 3", path, n)
			}
			if got := j.refused(base + path); b.reason != "" && !slices.Contains(got, crawler.Reason(b.reason)) {
				t.Errorf("%s: refused for %q, want %q", path, got, b.reason)
			}
		}
		if n := site.Hits().Count("/deep4"); n > 0 {
			t.Error("an index three levels deep was followed")
		}
	})
}

// A sitemap is an entry of the queue: interrupted runs go on, nothing is lost and nothing asked for twice.
func TestSitemapsSurviveInterruptions(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var base string
		pages := webtest.Pages{"/": page()}
		var files []string
		for i := range 4 {
			var urls []string
			for k := range 4 {
				urls = append(urls, fmt.Sprintf("/%d/%d", i, k))
				pages[urls[k]] = webtest.Page{Body: urls[k]}
			}
			files = append(files, fmt.Sprintf("/s%d.xml", i))
			pages[files[i]] = webtest.Page{Handler: webtest.Delay(300*time.Millisecond, later(func() webtest.Page { return urlset(base, urls...) }))}
		}
		pages["/index.xml"] = later(func() webtest.Page { return index(base, files...) })
		pages["/robots.txt"] = later(func() webtest.Page { return webtest.Page{Body: "Sitemap: " + base + "/index.xml\n"} })
		site := web.Site(pages)
		base = site.URL
		j := newJob(t, web)
		runs := 0
		for end := crawler.Reason(""); end != crawler.EndDone; runs++ {
			ctx, cancel := context.WithTimeout(t.Context(), 3100*time.Millisecond)
			end = j.run(t, ctx, readSitemaps, site.URL+"/")
			cancel()
		}
		if runs < 3 {
			t.Errorf("all done after %d runs; the test interrupts nothing", runs)
		}
		if again := webtest.Repeated(site.Hits()); len(again) > 0 {
			t.Errorf("asked more than once: %q", again)
		}
		if got := len(j.stored()); got != 17 {
			t.Errorf("%d pages stored, want 17", got)
		}
	})
}

// What a link led to before robots.txt was known is a sitemap all the same, and the bounds per site and of depth hold.
func TestSitemapsFoundByLinks(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var base string
		site := web.Site(webtest.Pages{
			"/robots.txt": later(func() webtest.Page { return webtest.Page{Body: "Sitemap: " + base + "/s.xml\n"} }),
			"/s.xml":      later(func() webtest.Page { return urlset(base, "/a") }),
			"/a":          page(),
		})
		base = site.URL
		other := web.Site(webtest.Pages{"/": page(site.URL + "/s.xml")})
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) { readSitemaps(c); c.Scope.Mode = crawler.ScopeAny }, other.URL+"/")
		wantStrings(t, "stored", j.stored(), []string{other.URL + "/", base + "/a"})
	})
}

// A sitemap that the operator names is one, be it packed, an index, or what a seed redirects to, and no page; one that only a page
// links to is not, nor is any without Sitemaps.Read.
func TestSitemapsAsSeeds(t *testing.T) {
	for _, tt := range []struct {
		seed  string
		reads bool
		want  []string // stored
	}{
		{"/s.xml", true, []string{"/a"}},
		{"/s.xml.gz", true, []string{"/a"}},
		{"/index.xml", true, []string{"/a"}},
		{"/moved", true, []string{"/a"}},
		{"/as-html", true, []string{"/a"}},
		{"/page", true, []string{"/page", "/s.xml"}},
		{"/s.xml", false, []string{"/s.xml"}},
	} {
		bubble(t, func(t *testing.T, web *webtest.Web) {
			var base string
			site := web.Site(webtest.Pages{
				"/s.xml": later(func() webtest.Page { return urlset(base, "/a") }),
				"/s.xml.gz": later(func() webtest.Page {
					return webtest.Page{Type: "application/gzip", Body: packed(urlset(base, "/a").Body)}
				}),
				"/index.xml": later(func() webtest.Page { return index(base, "/s.xml") }),
				"/moved":     webtest.Redirect(301, "/s.xml"),
				"/as-html": later(func() webtest.Page {
					return webtest.Page{Type: "text/html; charset=utf-8", Body: urlset(base, "/a").Body}
				}),
				"/page": page("/s.xml"), "/a": page(),
			})
			base = site.URL
			j := newJob(t, web)
			change := func(c *crawler.Config) {
				c.Sitemaps.Read = tt.reads
				c.Limits.Pages = int64(len(tt.want)) // the sitemap is none of these
			}
			j.run(t, t.Context(), change, base+tt.seed)
			for i, path := range tt.want {
				tt.want[i] = base + path
			}
			wantStrings(t, tt.seed+": stored", j.stored(), tt.want)
		})
	}
}

// A sitemap that was stored as a page, as nobody had asked for sitemaps then, is read when it is visited again, with an ETag or
// without one, whether it is a seed or robots.txt names it by now; after that, only what has changed is read.
func TestSitemapsThatWerePages(t *testing.T) {
	for _, named := range []bool{false, true} {
		for _, etag := range []string{"", `"1"`} {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				var base, robots string
				site := web.Site(webtest.Pages{
					"/robots.txt": later(func() webtest.Page { return webtest.Page{Body: robots} }),
					"/s.xml": webtest.Page{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if w.Header().Set("ETag", etag); etag != "" && r.Header.Get("If-None-Match") == etag {
							w.WriteHeader(http.StatusNotModified)
							return
						}
						urlset(base, "/a").ServeHTTP(w, r)
					})},
					"/": page("/s.xml"), "/a": page(),
				})
				base = site.URL
				seed := base + "/s.xml"
				if named {
					seed = base + "/"
				}
				j := newJob(t, web)
				j.run(t, t.Context(), nil, seed)
				robots = map[bool]string{true: "Sitemap: " + base + "/s.xml\n"}[named]
				time.Sleep(48 * time.Hour) // robots.txt is asked for again
				for range 2 {
					j.again(t, crawler.ReturnRequest{All: true}, readSitemaps, seed)
				}
				if n := site.Hits().Count("/a"); n != 2 {
					t.Errorf("named by robots.txt: %v, ETag %s: what it names was asked for %d times, want 2", named, etag, n)
				}
				if got := j.outcome(base + "/s.xml").Code; etag != "" && got != http.StatusNotModified {
					t.Errorf("named by robots.txt: %v: answered %d at last, want 304", named, got)
				}
			})
		}
	}
}

func TestSitemapsAreBounded(t *testing.T) {
	tests := []struct {
		name   string
		change func(*crawler.Config)
		path   string
		reason crawler.Reason
	}{
		{"sitemaps of a site", func(c *crawler.Config) { c.Sitemaps.PerSite = 1 }, "/2.xml", crawler.ReasonSitemaps},
		{"seeds only", func(c *crawler.Config) { c.Limits.SeedsOnly = true }, "/1.xml", crawler.ReasonDepth},
		{"excluded", func(c *crawler.Config) { c.Scope.Exclude = []*regexp.Regexp{regexp.MustCompile(`1\.xml$`)} }, "/1.xml", crawler.ReasonExcluded},
		{"refusals", func(c *crawler.Config) {
			c.Sitemaps.Refusals = 1
			c.Scope.Include = []*regexp.Regexp{regexp.MustCompile(`/2$`)}
		}, "/1.xml", crawler.ReasonNotIncluded},
	}
	for _, tt := range tests {
		bubble(t, func(t *testing.T, web *webtest.Web) {
			var base string
			site := web.Site(webtest.Pages{
				"/robots.txt": later(func() webtest.Page {
					return webtest.Page{Body: "Sitemap: " + base + "/1.xml\nSitemap: " + base + "/2.xml\n"}
				}),
				"/": page(), "/1.xml": later(func() webtest.Page { return urlset(base, "/x", "/y", "/z") }), "/2.xml": urlset("", "/x"),
			})
			base = site.URL
			j := newJob(t, web)
			j.run(t, t.Context(), func(c *crawler.Config) { readSitemaps(c); tt.change(c) }, site.URL+"/")
			if got := j.refused(base + tt.path); !slices.Contains(got, tt.reason) {
				t.Errorf("%s: %s refused for %q, want %q", tt.name, tt.path, got, tt.reason)
			}
		})
	}
}

// A survey that reads sitemaps counts what they name, and asks for no page.
func TestSurveyCountsSitemaps(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var base string
		site := web.Site(webtest.Pages{
			"/robots.txt": later(func() webtest.Page {
				return webtest.Page{Body: "User-agent: *\nDisallow: /no.xml\nSitemap: " + base + "/index.xml\nSitemap: " + base + "/no.xml\nSitemap: http://elsewhere.example/\n"}
			}),
			"/index.xml": later(func() webtest.Page { return index(base, "/1.xml", "/gone.xml", "/drop.xml") }),
			"/1.xml":     later(func() webtest.Page { return urlset(base, "/a", "/b", "/vote", "http://elsewhere.example/") }),
			"/drop.xml":  {Handler: webtest.Drop()},
			"/":          page("/a"),
		})
		base = site.URL
		none := web.Site(webtest.Pages{"/": page()})
		got := surveyWith(t, web, true, crawler.Sitemaps{Read: true}, place(t, site.URL+"/"), place(t, none.URL+"/"))
		for _, p := range got {
			want := crawler.SitemapCount{}
			if p.Origin == site.URL {
				want = crawler.SitemapCount{Files: 2, Unread: 3, URLs: 2}
			}
			if p.Listed != want {
				t.Errorf("%s: %+v, want %+v", p.Origin, p.Listed, want)
			}
		}
		wantStrings(t, "asked for", site.Hits().Paths(), []string{"/robots.txt", "/index.xml", "/1.xml", "/gone.xml", "/drop.xml"})
		if gap := webtest.MinGap(site.Hits()); gap < 3*time.Second {
			t.Errorf("shortest gap %v, want at least 3s", gap)
		}
	})
}

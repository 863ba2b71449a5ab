package crawler_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage"
)

func fetchRequisites(c *crawler.Config) { c.Requisites.Fetch = true }

func html(body string) webtest.Page { return webtest.Page{Type: "text/html", Body: body} }

func css(body string) webtest.Page { return webtest.Page{Type: "text/css", Body: body} }

func png() webtest.Page { return webtest.Page{Type: "image/png", Body: "\x89PNG"} }

// kinds returns the URLs kept, each with its kind.
func (r *recorder) kinds() map[string]storage.Kind {
	kinds := map[string]storage.Kind{}
	for _, p := range r.pages {
		kinds[p.FinalURL] = p.Kind
	}
	return kinds
}

// What a page needs is fetched under the rules and at the pace of the site, also what its styles name, and nothing beyond.
func TestRequisites(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		other := web.Site(webtest.Pages{"/img.png": png(), "/x.css": css("@import 'y.css'"), "/y.css": css(""), "/": html("")}, "cdn.example")
		third := web.Site(webtest.Pages{"/t.png": png()}, "third.example")
		site := web.Site(webtest.Pages{
			"/robots.txt": {Body: "User-agent: *\nDisallow: /no\nAllow: /\n"},
			"/": html("<link rel=stylesheet href=/s.css><img src=/a.png srcset='/b.png 2x'><img src=/no.png><img src=/missing.png>" +
				"<img src=/moved.png><img src=/secret.png><img src=http://cdn.example/img.png><link rel=stylesheet href=http://cdn.example/x.css>" +
				"<img src=http://third.example/t.png><a href=/next>n</a><object data=/object.html></object>"),
			"/next":  html("<a href=/a.png>a</a><img src=/a.png>"),
			"/s.css": css("a{background:url(bg.png)} @font-face{src:url(f.woff)}"),
			"/a.png": png(), "/b.png": png(), "/bg.png": png(), "/no.png": png(), "/target.png": png(),
			"/f.woff":      {Type: "font/woff", Body: "wOFF"},
			"/moved.png":   webtest.Redirect(http.StatusFound, "/target.png"),
			"/secret.png":  {Type: "image/png", Body: "x", Header: map[string]string{"X-Robots-Tag": "noindex"}},
			"/object.html": html("<title>O</title><a href=/deep>d</a>"),
			"/deep":        html(""),
		}, "www.example")
		j := newJob(t, web)
		j.lookup = web.Lookup
		j.run(t, t.Context(), func(c *crawler.Config) {
			fetchRequisites(c)
			c.Requisites.Hosts = []string{"*.example.org", "cdn.example"}
		}, site.URL+"/")
		wantStrings(t, "asked for", site.Hits().Paths(), []string{"/robots.txt", "/", "/s.css", "/a.png", "/b.png", "/missing.png", "/moved.png",
			"/target.png", "/secret.png", "/bg.png", "/f.woff", "/object.html", "/object.html", "/next", "/deep"})
		wantStrings(t, "asked of the other host", other.Hits().Paths(), []string{"/robots.txt", "/img.png", "/x.css", "/y.css"})
		if n := len(third.Hits()); n > 0 {
			t.Errorf("%d requests to a host that was not named", n)
		}
		want := map[string]storage.Kind{"/": "", "/next": "", "/deep": "", "/object.html": ""}
		for _, p := range []string{"/s.css", "/a.png", "/b.png", "/target.png", "/bg.png", "/f.woff"} {
			want[p] = storage.KindRequisite
		}
		kinds := j.kinds()
		for p, kind := range want {
			if got, ok := kinds[site.URL+p]; !ok || got != kind {
				t.Errorf("%s is kept: %v, as %q, want %q", p, ok, got, kind)
			}
		}
		if _, kept := kinds[site.URL+"/secret.png"]; kept {
			t.Error("a noindex image is kept")
		}
		for url, reason := range map[string]crawler.Reason{
			site.URL + "/no.png": crawler.ReasonDisallowed, site.URL + "/secret.png": crawler.ReasonNoindex,
			third.URL + "/t.png": crawler.ReasonOutOfScope,
		} {
			wantStrings(t, url, strs(j.refused(url)), []string{string(reason)})
		}
		s := j.last.Status()
		if s.Pages != 4 || s.Stored != 4 || s.Needed != 10 || s.Requisites != 13 {
			t.Errorf("%d pages, %d stored, %d of %d requisites", s.Pages, s.Stored, s.Needed, s.Requisites)
		}
	})
}

func strs(reasons []crawler.Reason) (all []string) {
	for _, r := range reasons {
		all = append(all, string(r))
	}
	return all
}

// A limit of pages ends the crawl when what the last of them needs is there, too.
func TestRequisites_LastPage(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		pages := webtest.Pages{"/s.css": css("a{background:url(bg.png)}"), "/bg.png": png()}
		var links strings.Builder
		for i := range 50 {
			fmt.Fprintf(&links, "<a href=/%d>x</a>", i)
			pages[fmt.Sprintf("/%d", i)] = html(fmt.Sprintf("<img src=/%d.png><link rel=stylesheet href=/%d.css>", i, i))
			pages[fmt.Sprintf("/%d.png", i)] = png()
			pages[fmt.Sprintf("/%d.css", i)] = css(fmt.Sprintf("a{background:url(/bg%d.png)}", i))
			pages[fmt.Sprintf("/bg%d.png", i)] = png()
		}
		pages["/"] = html(links.String())
		site := web.Site(pages)
		j := newJob(t, web)
		end := j.run(t, t.Context(), func(c *crawler.Config) {
			fetchRequisites(c)
			c.Limits.Pages = 11
		}, site.URL+"/")
		if s := j.last.Status(); end != crawler.EndPages || s.Stored != 11 || s.Needed != 30 {
			t.Errorf("ended with %s: %d pages, %d requisites", end, s.Stored, s.Needed)
		}
		time.Sleep(time.Hour)
		j.run(t, t.Context(), fetchRequisites, site.URL+"/")
		if len(j.pages) != 51+150 {
			t.Errorf("%d kept in the end", len(j.pages))
		}
	})
}

// What a page shows and links to, as thumbnails in a manual do, is fetched as what it needs: limits of pages do not keep it away.
func TestRequisites_Linked(t *testing.T) {
	for name, limit := range map[string]func(*crawler.Limits){
		"of the job":  func(l *crawler.Limits) { l.Pages = 2 },
		"of the host": func(l *crawler.Limits) { l.PagesPerHost = 2 },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				site := web.Site(webtest.Pages{
					"/":  html("<a href=/a.png><img src=/a.png></a><a href=/1>1</a><a href=/2>2</a><a href=/3>3</a>"),
					"/1": html("<a href=/b.png><img src=/b.png></a>"), "/2": html(""), "/3": html(""), "/a.png": png(), "/b.png": png(),
				})
				j := newJob(t, web)
				j.run(t, t.Context(), func(c *crawler.Config) {
					fetchRequisites(c)
					limit(&c.Limits)
				}, site.URL+"/")
				wantStrings(t, "asked for", site.Hits().Paths(), []string{"/robots.txt", "/", "/a.png", "/1", "/b.png"})
				if s := j.last.Status(); s.Stored != 2 || s.Needed != 2 {
					t.Errorf("%d pages, %d requisites", s.Stored, s.Needed)
				}
			})
		})
	}
}

// What a page embeds and links to, as documents mostly are, is a page, and is asked for once.
func TestRequisites_EmbeddedAndLinked(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		pdf := webtest.Page{Type: "application/pdf", Body: "%PDF-1.4\n%%EOF\n"}
		site := web.Site(webtest.Pages{
			"/": html("<object data=/a.pdf><a href=/a.pdf>a</a></object><embed src=/b.pdf><a href=/b.pdf>b</a>" +
				"<object data=/c.html><a href=/c.html>c</a></object><embed src=/d.pdf>"),
			"/a.pdf": pdf, "/b.pdf": pdf, "/c.html": html("<a href=/e>e</a>"), "/d.pdf": pdf, "/e": html(""),
		})
		j := newJob(t, web)
		j.run(t, t.Context(), fetchRequisites, site.URL+"/")
		wantStrings(t, "asked for", site.Hits().Paths(), []string{"/robots.txt", "/", "/d.pdf", "/a.pdf", "/b.pdf", "/c.html", "/e"})
		if s := j.last.Status(); s.Stored != 5 || s.Needed != 1 {
			t.Errorf("%d pages, %d requisites", s.Stored, s.Needed)
		}
	})
}

// A page that asks not to be kept, or that none of its links be followed, gets nothing it needs; and there are bounds.
func TestRequisites_Bounds(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		sheets := func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/css")
			fmt.Fprintf(w, "@import 'x%s'", r.URL.Path[1:])
		}
		site := web.Site(webtest.Pages{
			"/":         html("<a href=/noindex></a><a href=/nofollow></a><a href=/endless></a><a href=/many></a>"),
			"/noindex":  html("<meta name=robots content=noindex><img src=/1.png>"),
			"/nofollow": html("<meta name=robots content=nofollow><img src=/2.png>"),
			"/endless":  html("<link rel=stylesheet href=/s.css>"),
			"/many":     html(strings.Repeat("<img src=/3.png>", 9) + "<img src=/4.png><img src=/5.png><img src=/6.png>"),
			"/1.png":    png(), "/2.png": png(), "/3.png": png(), "/4.png": png(), "/5.png": png(), "/6.png": png(),
			"/s.css": {Handler: http.HandlerFunc(sheets)}, "/xs.css": {Handler: http.HandlerFunc(sheets)},
			"/xxs.css": {Handler: http.HandlerFunc(sheets)}, "/xxxs.css": {Handler: http.HandlerFunc(sheets)},
		})
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) {
			fetchRequisites(c)
			c.Requisites.Nested, c.Requisites.PerPage = 2, 3
		}, site.URL+"/")
		wantStrings(t, "asked for", site.Hits().Paths(), []string{"/robots.txt", "/", "/noindex", "/nofollow", "/endless", "/many", "/s.css", "/xs.css",
			"/xxs.css", "/3.png", "/4.png", "/5.png"})
		for url, reason := range map[string]crawler.Reason{
			"/2.png": crawler.ReasonNofollowPage, "/xxs.css": crawler.ReasonRequisites, "/many": crawler.ReasonRequisites,
		} {
			wantStrings(t, url, strs(j.refused(site.URL+url)), []string{string(reason)})
		}
	})
}

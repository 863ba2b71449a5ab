package crawler_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/storage"
)

const tdmPath = "/.well-known/tdmrep.json"

// storedPage returns the page with that path.
func (j *job) storedPage(t testing.TB, path string) *storage.Page {
	t.Helper()
	for _, p := range j.pages {
		if frontiertest.URL(t, p.FinalURL).PathQuery() == path {
			return p
		}
	}
	t.Fatalf("%s was not stored", path)
	return nil
}

// What a page may be used for is stored with it, with what says so; it keeps nobody from asking for the page.
func TestPreferencesAreStored(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{
			"/robots.txt": {Body: "User-agent: *\nContent-Signal: search=yes, ai-train=no\nContent-Usage: /paper train-ai=y\nAllow: /\n"},
			"/":           page("/paper", "/art", "/garbled"),
			"/paper":      {Header: map[string]string{"Content-Usage": "search=n", "tdm-reservation": "1", "tdm-policy": "https://p.example/"}},
			"/art":        {Body: `<meta name=robots content=noai>`},
			"/garbled":    {Header: map[string]string{"Content-Usage": "train-ai=n,,"}},
		})
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		for path, want := range map[string]string{
			"/":        "search=allow train-ai=disallow",
			"/paper":   "search=disallow tdm=disallow train-ai=disallow",
			"/art":     "ai-input=disallow image-ai=disallow search=allow train-ai=disallow",
			"/garbled": "search=allow train-ai=disallow",
		} {
			p := j.storedPage(t, path)
			var got []string
			for use, v := range p.Uses {
				got = append(got, use+"="+v)
			}
			wantStrings(t, path+" may be used for", got, strings.Fields(want))
		}
		want := storage.Preference{Use: "train-ai", Value: "disallow", Source: "content-signal", Place: "robots.txt", Line: 2, Text: "Content-Signal: search=yes, ai-train=no"}
		if got := j.storedPage(t, "/").Preferences; len(got) != 2 || got[1] != want {
			t.Errorf("statements: %+v", got)
		}
		if n := site.Hits().Count(tdmPath); n != 0 {
			t.Errorf("%s was asked for, and nobody wanted that", tdmPath)
		}
	})
}

// wantTDM makes a job ask for TDM files.
func (j *job) wantTDM(c *crawler.Config) { c.TDMFiles = j.bodies }

// The TDM file is asked for once in a day, after robots.txt and before the pages, in its turn, and remembered by later runs.
func TestTDMFile(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{
			"/robots.txt": {Body: "User-agent: *\nAllow: /\n"},
			tdmPath:       {Body: `[{"location":"/free","tdm-reservation":0},{"location":"/","tdm-reservation":1,"tdm-policy":"https://p.example/"}]`},
			"/":           page("/free"), "/free": page(), "/later": page(), "/tomorrow": page(),
		})
		j := newJob(t, web)
		j.run(t, t.Context(), j.wantTDM, site.URL+"/")
		j.run(t, t.Context(), j.wantTDM, site.URL+"/later")
		wantStrings(t, "asked for", site.Hits().Paths(), []string{"/robots.txt", tdmPath, "/", "/free", "/later"})
		if got := site.Hits()[1].Path; got != tdmPath {
			t.Errorf("second request was %s", got)
		}
		if got := webtest.MinGap(site.Hits()); got < time.Second {
			t.Errorf("shortest gap %v, want 1s", got)
		}
		if r := j.requests[1]; r.Purpose != crawler.ForTDM || !r.Verdict.Allowed || r.Verdict.Digest == "" {
			t.Errorf("told as %+v", r)
		}
		for path, want := range map[string]string{"/": "disallow", "/free": "allow", "/later": "disallow"} {
			if got := j.storedPage(t, path).Uses["tdm"]; got != want {
				t.Errorf("%s: tdm %q, want %q", path, got, want)
			}
		}
		time.Sleep(25 * time.Hour)
		j.run(t, t.Context(), j.wantTDM, site.URL+"/tomorrow")
		if n := site.Hits().Count(tdmPath); n != 2 {
			t.Errorf("%s asked for %d times in two days, want 2", tdmPath, n)
		}
	})
}

// Whatever becomes of the TDM file, it is asked for once, pages are visited, and what is not known is unknown.
func TestTDMFile_ThatMisbehaves(t *testing.T) {
	for _, tt := range []struct {
		name   string
		robots string
		file   webtest.Page
		want   string
		asked  int
	}{
		{"absent", "", webtest.Page{Status: http.StatusNotFound}, "", 1},
		{"forbidden by robots.txt", "Disallow: /.well-known/\n", webtest.Page{Body: "[]"}, "", 0},
		{"error", "", webtest.Page{Status: http.StatusInternalServerError}, "unknown", 1},
		{"busy", "", webtest.Page{Status: http.StatusServiceUnavailable}, "unknown", 1},
		{"redirect", "", webtest.Redirect(302, "/elsewhere.json"), "unknown", 1},
		{"challenge", "", webtest.Page{Status: http.StatusForbidden, Header: map[string]string{"Cf-Mitigated": "challenge"}}, "unknown", 1},
		{"no JSON", "", webtest.Page{Body: "<html>"}, "unknown", 1},
		{"endless", "", webtest.Page{Body: "[" + strings.Repeat(`{"location":"/"},`, 100_000)}, "unknown", 1},
		{"dropped", "", webtest.Page{Handler: webtest.Drop()}, "unknown", 1},
		{"cut", "", webtest.Page{Handler: webtest.Cut(`[{"location":"/","tdm-reservation":0}`)}, "unknown", 1},
		{"bomb", "", webtest.Page{Handler: webtest.Bomb("gzip", 64<<20)}, "unknown", 1},
		{"garbage", "", webtest.Page{Handler: webtest.Garbage()}, "unknown", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				site := web.Site(webtest.Pages{
					"/robots.txt": {Body: "User-agent: *\nAllow: /\n" + tt.robots}, tdmPath: tt.file, "/": page("/a"), "/a": page(),
				})
				j := newJob(t, web)
				end := j.run(t, t.Context(), func(c *crawler.Config) { j.wantTDM(c); c.Patience = time.Hour }, site.URL+"/")
				if n := site.Hits().Count(tdmPath); end != crawler.EndDone || n != tt.asked {
					t.Errorf("asked for %d times, want %d; ended with %q", n, tt.asked, end)
				}
				if got := j.storedPage(t, "/a").Uses["tdm"]; got != tt.want {
					t.Errorf("tdm %q, want %q", got, tt.want)
				}
				if site.Hits().Count("/elsewhere.json") != 0 {
					t.Error("the redirect was followed")
				}
			})
		})
	}
}

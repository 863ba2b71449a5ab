package auditpage_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/audit/auditpage"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/browsertest"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/robots/accesslog/owner"
	"github.com/cybermapper/cybermapper/robots/accesslog/strain"
	"github.com/cybermapper/cybermapper/robots/roster"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// sample is a log of two robots and a browser, which write what they should not. In the end one of the robots is too fast for
// the site, and a scraper comes from many addresses.
func sample(t testing.TB) *audit.Report {
	t.Helper()
	var log strings.Builder
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for i := range 300 {
		agent, path := "GoodBot/1.0", fmt.Sprintf("/%d", i)
		switch {
		case i == 0:
			path = "/robots.txt"
		case i%3 == 1:
			agent, path = "EvilBot/1.0 <script>document.title='x'</script>", "/private/<img src=x onerror=document.title=1>"
		case i%3 == 2:
			agent = "Mozilla/5.0 (X11) Firefox/140.0"
		}
		fmt.Fprintf(&log, "192.0.2.%d - - [%s] \"GET %s HTTP/1.1\" 200 100 \"-\" \"%s\" 0.050\n", i%3, at.Format("02/Jan/2006:15:04:05 -0700"), path, agent)
		at = at.Add(7 * time.Minute)
	}
	for i := range 600 {
		client, agent, path := "192.0.2.1", "EvilBot/1.0", fmt.Sprint("/fast/", i)
		switch i % 3 {
		case 1:
			client, agent = fmt.Sprintf("198.51.100.%d", i%20), "Mozilla/5.0 (X11) Firefox/140.0"
		case 2:
			client, agent, path = "203.0.113.1", "Mozilla/5.0 (X11) Firefox/140.0", "/style.css"
		}
		fmt.Fprintf(&log, "%s - - [%s] \"GET %s HTTP/1.1\" 200 100 \"-\" \"%s\" 0.700\n", client, at.Format("02/Jan/2006:15:04:05 -0700"), path, agent)
		at = at.Add(400 * time.Millisecond)
	}
	notes, _ := roster.Parse([]byte("robot-id: evilbot\nrobot-owner-name: <img src=x>\nrobot-notes: <script>document.title='x'</script>\n"))
	networks, err := owner.Read(strings.NewReader("192.0.2.0/24\tExample <b>Hosting\n"))
	if err != nil {
		t.Fatal(err)
	}
	a := audit.New(audit.Options{
		Load:    []strain.Sample{{Time: at.Add(-time.Hour), Load: 0.6, Connections: 17}, {Time: at.Add(-time.Minute), Load: 7.5, Connections: 140}},
		Visitor: "EvilBot", Owners: networks, Roster: roster.NewList(notes),
		Copies: []audit.Copy{{Name: "robots.txt", File: robots.Parse([]byte("User-agent: *\nDisallow: /private/\nCrawl-delay: 5"), robots.RFC9309)}},
	})
	if err := a.Read(accesslog.NewReader(strings.NewReader(log.String()), accesslog.Auto), "access.log"); err != nil {
		t.Fatal(err)
	}
	return a.Report()
}

func page(t testing.TB, r *audit.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := auditpage.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWrite(t *testing.T) {
	text := page(t, sample(t))
	body := text[strings.Index(text, "<main>"):strings.LastIndex(text, "</main>")]
	for _, want := range []string{"GoodBot", "EvilBot", "robots.txt line 2: Disallow: /private/", "access.log:2", "Visits of EvilBot", "Whose they are", "Example &lt;b&gt;Hosting: 192.0.2.1", "&lt;script&gt;"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, bad := range []string{"<script>document", "<img", " style=", "http:", "https:"} {
		if strings.Contains(body, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}

func TestWrite_OfNothing(t *testing.T) {
	text := page(t, audit.New(audit.Options{}).Report())
	if !strings.Contains(text, "No robot broke a rule") || strings.Contains(text, "NaN") {
		t.Error("the page of an empty log does not say so")
	}
}

// TestWrite_MoreClientsThanAreKnown: the page says how much was not looked at.
func TestWrite_MoreClientsThanAreKnown(t *testing.T) {
	r := audit.New(audit.Options{}).Report()
	r.Untracked = 1234
	if text := page(t, r); !strings.Contains(text, "1,234 requests of clients who came when there was no room for more") {
		t.Error("the page does not say so")
	}
}

// TestWrite_Burden: the page says which networks came, what the site bore, and whether it suffered.
func TestWrite_Burden(t *testing.T) {
	text := page(t, sample(t))
	for _, want := range []string{
		"198.51.100.0/24</strong>, 200 requests from 20 clients, none of which identifies as a robot", "192.0.2.0/24", "requests/s were answered in 50 ms on average, as usual",
		"while it was there: others were answered in 700 ms against 50 ms, 14.0 times as long; load 7.5 against 0.6", "limit_req zone=robots", "Response times by rate",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if text := page(t, audit.New(audit.Options{}).Report()); strings.Contains(text, "Was it a problem?") {
		t.Error("the page of a log without response times asks what it cannot answer")
	}
}

// TestWrite_InABrowser looks at the page as people do: on a desk, at night, on a phone, without scripts.
func TestWrite_InABrowser(t *testing.T) {
	b := browsertest.Start(t)
	file := filepath.Join(t.TempDir(), "audit.html")
	filetest.Write(t, file, page(t, sample(t)))
	url := "file://" + filepath.ToSlash(file)
	for name, view := range map[string]browsertest.View{"desk": {}, "night": {Dark: true}, "phone": {Width: 375, Height: 812}, "no script": {NoScript: true}} {
		p := b.Open(t, url, view)
		if c := p.Complaints(); len(c) > 0 {
			t.Errorf("%s: %q", name, c)
		}
		if got := p.Requests(); !slices.Equal(got, []string{url}) {
			t.Errorf("%s: requests %q, want the page alone", name, got)
		}
		var folded struct{ Height, Shown int }
		p.Eval(t, `({Height: document.documentElement.scrollHeight, Shown: [...document.querySelectorAll("h2")].filter(h => h.offsetHeight).length})`, &folded)
		if view.Width == 0 && folded.Height >= 3000 || folded.Shown < 6 {
			t.Errorf("%s: the page is %d px high before anything is unfolded, with %d sections", name, folded.Height, folded.Shown)
		}
		p.Eval(t, `document.querySelectorAll("details").forEach(d => d.open = true)`, nil)
		if !view.NoScript {
			p.Eval(t, `new Promise(done => setTimeout(() => done(0), 200))`, nil) // plots are drawn when they are unfolded
		}
		var l struct {
			Title              string
			Plots, Drawn, Heat int
			Wide               bool
			Bare, Bad          int
		}
		p.Eval(t, `({
  Title: document.title,
  Plots: document.querySelectorAll(".plot").length,
  Drawn: document.querySelectorAll(".plot .uplot canvas").length,
  Heat: [...document.querySelectorAll("svg.heat rect")].filter(r => +getComputedStyle(r).fillOpacity > 0.9).length,
  Wide: document.documentElement.scrollWidth > innerWidth,
  Bare: document.querySelectorAll("main table:not(.u-legend) th:not([scope])").length,
  Bad: document.querySelectorAll("section[aria-labelledby=problem] .bad").length,
})`, &l)
		drawn := 6
		if view.NoScript {
			drawn = 0
		}
		if !strings.HasPrefix(l.Title, "Visitors: 2026-03-01") || l.Plots != 6 || l.Drawn != drawn || l.Heat < 2 || l.Wide || l.Bare > 0 || l.Bad != 2 {
			t.Errorf("%s: %+v", name, l)
		}
		if dir := os.Getenv("AUDIT_SHOTS"); dir != "" {
			p.Screenshot(t, filepath.Join(dir, name+".png"))
		}
	}
}

// TestWrite_ManyVisitors: the page of a log with many robots, all kinds of them, is as short before anything is unfolded.
func TestWrite_ManyVisitors(t *testing.T) {
	var log strings.Builder
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for i := range 100 * 60 {
		at = at.Add(time.Second)
		k, path := i%60, fmt.Sprintf("/private/%d", i/60)
		agent := fmt.Sprintf("Name-%c%c/1.0", 'a'+k/10, 'a'+k%10) // of whom nobody knows what it is
		if k < 30 {
			agent = fmt.Sprintf("Crawler-%c%c/1.0 (+https://crawler.example/)", 'a'+k/10, 'a'+k%10)
		}
		if k < 30 && i < 60 {
			path = "/robots.txt"
		}
		fmt.Fprintf(&log, "192.0.2.%d - - [%s] \"GET %s HTTP/1.1\" 200 100 \"-\" \"%s\"\n", k, at.Format("02/Jan/2006:15:04:05 -0700"), path, agent)
	}
	rules := robots.Parse([]byte("User-agent: *\nDisallow: /private/"), robots.RFC9309)
	a := audit.New(audit.Options{Copies: []audit.Copy{{Name: "robots.txt", File: rules}}})
	if err := a.Read(accesslog.NewReader(strings.NewReader(log.String()), accesslog.Auto), "access.log"); err != nil {
		t.Fatal(err)
	}
	b, file := browsertest.Start(t), filepath.Join(t.TempDir(), "audit.html")
	filetest.Write(t, file, page(t, a.Report()))
	for name, view := range map[string]browsertest.View{"desk": {}, "phone": {Width: 360, Height: 740}} {
		p := b.Open(t, "file://"+filepath.ToSlash(file), view)
		var l struct {
			Height, Suggestions int
			Wide                bool
		}
		p.Eval(t, `({
  Height: document.documentElement.scrollHeight,
  Suggestions: document.querySelectorAll("section[aria-labelledby=advice] details details").length,
  Wide: document.documentElement.scrollWidth > innerWidth,
})`, &l)
		if l.Height >= 3000 && view.Width == 0 || l.Suggestions != 22 || l.Wide {
			t.Errorf("%s: %+v", name, l)
		} else {
			t.Logf("%s: %+v", name, l)
		}
	}
}

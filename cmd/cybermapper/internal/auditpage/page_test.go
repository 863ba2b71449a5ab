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

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/auditpage"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/browsertest"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/robots/accesslog/owner"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// sample is a log of two robots and a browser, which write what they should not.
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
		fmt.Fprintf(&log, "192.0.2.%d - - [%s] \"GET %s HTTP/1.1\" 200 100 \"-\" \"%s\"\n", i%3, at.Format("02/Jan/2006:15:04:05 -0700"), path, agent)
		at = at.Add(7 * time.Minute)
	}
	notes, _ := roster.Parse([]byte("robot-id: evilbot\nrobot-owner-name: <img src=x>\nrobot-notes: <script>document.title='x'</script>\n"))
	networks, err := owner.Read(strings.NewReader("192.0.2.0/24\tExample <b>Hosting\n"))
	if err != nil {
		t.Fatal(err)
	}
	a := audit.New(audit.Options{
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

// TestWrite_InABrowser looks at the page as people do: on a desk, at night, on a phone, without scripts.
func TestWrite_InABrowser(t *testing.T) {
	b := browsertest.Start(t)
	file := filepath.Join(t.TempDir(), "audit.html")
	if err := os.WriteFile(file, []byte(page(t, sample(t))), 0o644); err != nil {
		t.Fatal(err)
	}
	url := "file://" + filepath.ToSlash(file)
	for name, view := range map[string]browsertest.View{"desk": {}, "night": {Dark: true}, "phone": {Width: 375, Height: 812}, "no script": {NoScript: true}} {
		p := b.Open(t, url, view)
		if c := p.Complaints(); len(c) > 0 {
			t.Errorf("%s: %q", name, c)
		}
		if got := p.Requests(); !slices.Equal(got, []string{url}) {
			t.Errorf("%s: requests %q, want the page alone", name, got)
		}
		var l struct {
			Title              string
			Plots, Drawn, Heat int
			Wide               bool
			Bare               int
		}
		p.Eval(t, `({
  Title: document.title,
  Plots: document.querySelectorAll(".plot").length,
  Drawn: document.querySelectorAll(".plot .uplot canvas").length,
  Heat: [...document.querySelectorAll("svg.heat rect")].filter(r => +getComputedStyle(r).fillOpacity > 0.9).length,
  Wide: document.documentElement.scrollWidth > innerWidth,
  Bare: document.querySelectorAll("main table:not(.u-legend) th:not([scope])").length,
})`, &l)
		drawn := 5
		if view.NoScript {
			drawn = 0
		}
		if !strings.HasPrefix(l.Title, "Visitors: 2026-03-01") || l.Plots != 5 || l.Drawn != drawn || l.Heat < 2 || l.Wide || l.Bare > 0 {
			t.Errorf("%s: %+v", name, l)
		}
		if dir := os.Getenv("AUDIT_SHOTS"); dir != "" {
			p.Screenshot(t, filepath.Join(dir, name+".png"))
		}
	}
}

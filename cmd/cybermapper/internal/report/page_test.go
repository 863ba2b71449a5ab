package report_test

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/browsertest"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/report"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

func html(t testing.TB, f *report.Figures, base string) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.WriteHTML(&b, f, base); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWriteHTML_WhatTheWebSaysIsText(t *testing.T) {
	page := html(t, gather(t, sample(t), report.Options{}), ".")
	for _, bad := range []string{"<script>document", "<img", "</script><"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if n := strings.Count(page, "&lt;script&gt;document.title"); n < 4 {
		t.Errorf("hostile texts are shown %d times, want all of them", n)
	}
	for _, link := range links(page) {
		if !strings.HasPrefix(link, "#") && !regexp.MustCompile(`^(ledger|pages|robots)/|^report\.json$`).MatchString(link) {
			t.Errorf("a link leads to %q", link)
		}
	}
	for _, bad := range []string{" style=", " onclick=", "http-equiv=\"refresh\""} {
		if strings.Contains(page[strings.Index(page, "<main>"):strings.LastIndex(page, "</main>")], bad) {
			t.Errorf("the page has %q, which its policy forbids", bad)
		}
	}
}

// Ensure that the page of a crawl without a page says what became of each seed, and that what is parked is counted as left.
func TestWriteHTML_LostSeedsAndWhatIsParked(t *testing.T) {
	f := gather(t, sample(t), report.Options{})
	f.Status = &progress.Report{
		State: progress.Ended, End: crawler.EndDone, SeedsN: 3,
		Seeds: []progress.Seed{{URL: "http://a.example/", Text: "answered 404 Not Found", Hint: "check the <address>"}, {URL: "http://b.example/", Text: "x"}},
		Total: progress.Totals{Queued: 2, Parked: 40},
	}
	page := html(t, f, ".")
	for _, want := range []string{
		"No seed gave a page", "http://a.example/", "answered 404 Not Found", "check the &lt;address&gt;", "And 1 more.",
		"<dt>Left</dt><dd>42<small>URLs to ask for, 40 of them parked</small>", "Done, but for 40 URLs of places that look endless, which are parked.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	f.Status = nil
	if page := html(t, f, "."); strings.Contains(page, "No seed gave a page") || !strings.Contains(page, "<dt>Left</dt><dd>0<small>URLs to ask for</small>") {
		t.Error("a job that is not known to have lost its seeds is told so")
	}
}

// links returns the targets of all links.
func links(page string) []string {
	var found []string
	for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		found = append(found, m[1])
	}
	return found
}

func TestWriteHTML_LinksToEvidence(t *testing.T) {
	f := gather(t, sample(t), report.Options{})
	for base, want := range map[string][]string{
		".":         {"ledger/ledger-000001.jsonl", "pages/pages.jsonl", "pages/a.example~80/1000", "robots/" + strings.TrimPrefix(digest, "sha256:"), "report.json"},
		"../my job": {"../my%20job/ledger/ledger-000001.jsonl", "../my%20job/pages/a.example~80/1000"},
		"a:b":       {"./a:b/ledger/"},
	} {
		got := links(html(t, f, base))
		for _, link := range want {
			if !slices.Contains(got, link) {
				t.Errorf("from %q no link leads to %s: %q", base, link, got)
			}
		}
	}
	f.Job = "/tmp/it's a job"
	page := html(t, f, ".")
	for _, want := range []string{
		`cybermapper verify --job &#39;/tmp/it&#39;\&#39;&#39;s a job&#39;`, `explain --job &#39;/tmp/it&#39;\&#39;&#39;s a job&#39; http://a.example/2000`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %s", want)
		}
	}
}

func TestWriteHTML_OfNothing(t *testing.T) {
	page := html(t, gather(t, t.TempDir(), report.Options{}), ".")
	if !strings.Contains(page, "Not yet begun") || strings.Contains(page, "NaN") {
		t.Error("the report of a job that has not begun does not say so")
	}
}

// A look is what a browser makes of the page.
type look struct {
	Title       string
	Plots       int
	Drawn       int      // plots with something on their canvas
	Wide        []string // what sticks out to the right
	Back        string   // colours
	Ink         []int
	Headings    []string
	BareHeaders int // table headers without a scope
	Unnamed     int // plots without a text alternative
}

// inspect looks at everything at once.
const inspect = `(() => {
  const all = s => [...document.querySelectorAll(s)];
  const pixels = c => c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
  const ink = c => { const d = pixels(c); const sum = [0, 0, 0]; let n = 0;
    for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 200) { n++; for (let k = 0; k < 3; k++) sum[k] += d[i + k]; }
    return n ? sum.map(v => Math.round(v / n)) : []; };
  return {
    Title: document.title,
    Plots: all(".plot").length,
    Drawn: all(".plot .uplot canvas").filter(c => ink(c).length > 0).length,
    Wide: document.documentElement.scrollWidth > innerWidth ? all("body *").filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, pre")).map(e => e.outerHTML.slice(0, 80)) : [],
    Back: getComputedStyle(document.body).backgroundColor,
    Ink: ink(document.querySelector(".plot canvas")),
    Headings: all("h1, h2, h3").map(h => h.tagName),
    BareHeaders: all("main table:not(.u-legend) th:not([scope])").length,
    Unnamed: all(".plot:not([role=img]), .plot:not([aria-label])").length,
  };
})()`

// TestWriteHTML_InABrowser looks at the page as people do: on a desk, at night, on a phone.
func TestWriteHTML_InABrowser(t *testing.T) {
	b := browsertest.Start(t)
	file := filepath.Join(t.TempDir(), "report.html")
	filetest.Write(t, file, html(t, gather(t, sample(t), report.Options{}), "."))
	url := "file://" + filepath.ToSlash(file)
	looks := map[string]look{}
	for name, view := range map[string]browsertest.View{"desk": {}, "night": {Dark: true}, "phone": {Width: 360, Height: 780}} {
		p := b.Open(t, url, view)
		checkSilent(t, name, p, url) // before looking at pixels, which the browser has an opinion about
		var l look
		p.Eval(t, inspect, &l)
		looks[name] = l
		if !strings.HasPrefix(l.Title, "Crawl report: ") {
			t.Errorf("%s: the title is %q: a text of the web came alive", name, l.Title)
		}
		if l.Plots != 5 || l.Drawn != l.Plots {
			t.Errorf("%s: %d of %d plots are drawn, want 5", name, l.Drawn, l.Plots)
		}
		var cut int // plots with ink at an edge, where a label would be cut
		p.Eval(t, `[...document.querySelectorAll(".plot canvas")].filter(c =>
			[0, c.width - 2].some(x => c.getContext("2d").getImageData(x, 0, 2, c.height).data.some((v, i) => i % 4 == 3 && v > 0))).length`, &cut)
		if cut > 0 {
			t.Errorf("%s: labels of %d plots are cut", name, cut)
		}
		if len(l.Wide) > 0 {
			t.Errorf("%s: wider than the screen: %q", name, l.Wide)
		}
		if l.BareHeaders > 0 || l.Unnamed > 0 || l.Headings[0] != "H1" || slices.Contains(l.Headings[1:], "H1") || l.Headings[1] != "H2" {
			t.Errorf("%s: %d headers without scope, %d plots without text, headings %q", name, l.BareHeaders, l.Unnamed, l.Headings)
		}
	}
	if day, night := looks["desk"], looks["night"]; day.Back == night.Back || slices.Equal(day.Ink, night.Ink) {
		t.Errorf("dark looks as light does: %s %v and %s %v", day.Back, day.Ink, night.Back, night.Ink)
	}
}

// checkSilent reports what the page complained of, and any request but the one for itself.
func checkSilent(t *testing.T, name string, p *browsertest.Page, url string) {
	t.Helper()
	for _, c := range p.Complaints() {
		t.Errorf("%s: %s", name, c)
	}
	if got := p.Requests(); !slices.Equal(got, []string{url}) {
		t.Errorf("%s: requests %q, want the page alone", name, got)
	}
}

// settled is a promise that the page has taken notice of a colour scheme and has been painted since.
func settled(scheme string) string {
	return `new Promise(done => {
  const look = () => matchMedia("(prefers-color-scheme: ` + scheme + `)").matches
    ? requestAnimationFrame(() => requestAnimationFrame(() => done(true))) : requestAnimationFrame(look);
  look();
})`
}

// TestWriteHTML_Interaction: when night falls plots are drawn anew, a click sorts, and without scripts all can be read.
func TestWriteHTML_Interaction(t *testing.T) {
	b := browsertest.Start(t)
	file := filepath.Join(t.TempDir(), "report.html")
	filetest.Write(t, file, html(t, gather(t, sample(t), report.Options{}), "."))
	url := "file://" + filepath.ToSlash(file)
	p := b.Open(t, url, browsertest.View{})
	var first, sorted string
	const name = `document.querySelector("#hosts").closest("section").querySelector("tbody th").textContent`
	p.Eval(t, name, &first)
	p.Eval(t, `document.querySelectorAll("#hosts ~ .scroll thead button")[4].click(), document.querySelectorAll("#hosts ~ .scroll thead button")[4].click(), `+name, &sorted)
	if first != "a.example" || sorted == "a.example" {
		t.Errorf("the first host is %q, and %q once sorted by the fewest failures", first, sorted)
	}
	p.Dark(t, true)
	p.Eval(t, settled("dark"), nil)
	checkSilent(t, "interaction", p, url)
	var day, night look
	p.Eval(t, inspect, &night)
	p.Dark(t, false)
	p.Eval(t, settled("light"), nil)
	p.Eval(t, inspect, &day)
	if night.Drawn != 5 || day.Drawn != 5 || slices.Equal(day.Ink, night.Ink) {
		t.Errorf("at night %d plots are drawn in %v, by day %d in %v", night.Drawn, night.Ink, day.Drawn, day.Ink)
	}

	var text string
	plain := b.Open(t, url, browsertest.View{NoScript: true})
	plain.Eval(t, "document.body.innerText", &text)
	for _, want := range []string{"The plots need JavaScript", "Of 5 pauses 1 was shorter than owed", "a.example"} {
		if !strings.Contains(text, want) {
			t.Errorf("without scripts the page does not say %q", want)
		}
	}
	checkSilent(t, "no script", plain, url)
}

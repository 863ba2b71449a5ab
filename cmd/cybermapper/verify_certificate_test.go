package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/browsertest"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// format1 is a job that an early version left; its first site has pages, refusals and a robots.txt.
func format1(t *testing.T) (verify.Job, string) {
	t.Helper()
	dir := filepath.Join(moduleRoot, "crawler", "verify", "testdata", "format1")
	j := verify.Job{Ledger: filepath.Join(dir, "ledger"), Robots: filepath.Join(dir, "robots"), Pages: filepath.Join(dir, "pages")}
	data := mustRead(t, filepath.Join(j.Ledger, "ledger-000001.jsonl"))
	site := regexp.MustCompile(`"type":"refusal".*"url":"http://([^/"]+)/[^\n]*"gate":"robots"`).FindStringSubmatch(data)
	if site == nil {
		t.Fatal("no site with a refusal")
	}
	return j, site[1]
}

func certificate(t *testing.T, j verify.Job, site string) string {
	t.Helper()
	return pageOf(t, certified(t, j, site))
}

func certified(t *testing.T, j verify.Job, site string) *verify.Certificate {
	t.Helper()
	c, err := verify.Certify(t.Context(), j, site, verify.Options{SkipFiles: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// large is a certificate of a site that was asked for more than is listed.
func large(t *testing.T, j verify.Job, site string) *verify.Certificate {
	t.Helper()
	c := certified(t, j, site)
	for i := len(c.Listed); i < 1000; i++ {
		a := c.Listed[i%c.Requests]
		a.URL += strings.Repeat("/a-long-path", i%20)
		c.Listed = append(c.Listed, a)
	}
	c.Requests, c.Pages = 1234, 1230
	return c
}

func pageOf(t *testing.T, c *verify.Certificate) string {
	t.Helper()
	page, err := certificateHTML(c, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), translate.Language{})
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// The page has the verdict before anything else, and no sentence that a person would not write.
func TestCertificate_TheVerdictFirst(t *testing.T) {
	j, site := format1(t)
	page := certificate(t, j, site)
	verdict, short := strings.Index(page, `class="verdict-line`), strings.Index(page, "In short")
	if verdict < 0 || short < verdict {
		t.Error("the verdict is not first")
	}
	for _, bad := range []string{"(0 checked)", "1 requests", "1 times", "1 pages", "<no value>"} {
		if i := strings.Index(page, bad); i >= 0 && !(page[i-1] >= '0' && page[i-1] <= '9') {
			t.Errorf("the page says %q: %s", bad, page[max(0, i-60):i+20])
		}
	}
	if !strings.Contains(page, "From which address it came is not in the record") { // format 1 has none
		t.Error("the page does not say that it knows no address of the crawler")
	}
	if !strings.Contains(page, "pauses of ") || !strings.Contains(page, "--head ") {
		t.Error("the page lacks the policy, or how to check it")
	}
}

// What an owner is told to type has the site as one argument for a shell, to which brackets are a pattern, and a dollar a command.
func TestCertificate_SiteIsOneArgument(t *testing.T) {
	j, site := format1(t)
	c := certified(t, j, site)
	c.Noted = nil
	for site, want := range map[string]string{
		"a.example:8080":     "--host a.example:8080 --head",
		"[2001:db8::1]:8080": "--host &#39;[2001:db8::1]:8080&#39; --head",
		"a$(id).example":     "--host &#39;a$(id).example&#39; --head",
	} {
		if c.Site = site; !strings.Contains(pageOf(t, c), want) {
			t.Errorf("no %s in the page of %s", want, site)
		}
	}
}

// Of more than a thousand requests the first are listed, and all counted.
func TestCertificate_MoreThanIsListed(t *testing.T) {
	j, site := format1(t)
	page := pageOf(t, large(t, j, site))
	if !strings.Contains(page, "These are the first 1,000 of 1,234.") || !strings.Contains(page, "1,234 requests") {
		t.Error("the page does not say how many there are, and how many it lists")
	}
}

// In each language the page says what it does in English; what an operator gave as a contact is no script.
func TestCertificate_InEachLanguage(t *testing.T) {
	j, site := format1(t)
	c := certified(t, j, site)
	c.Contact = "javascript:alert(1)"
	for name, wants := range map[string][]string{
		"en": {`<html lang="en">`, "In short", "at " + site + ": what was done", "nothing was requested that robots.txt disallowed"},
		"es": {`<html lang="es">`, "En resumen", "en " + site + ": qué se hizo", "no se pidió nada que robots.txt prohibiera"},
		"ru": {`<html lang="ru">`, "Коротко", "на сайте " + site + ": что было сделано", "не запрошено ничего, что запрещал robots.txt"},
		"th": {`<html lang="th">`, "โดยสรุป", "ที่ " + site + ": ทำอะไรไป", "ไม่ได้ขอสิ่งใดที่ robots.txt ห้าม"},
	} {
		in, _ := translate.In(name)
		page, err := certificateHTML(c, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), in)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(page), want) {
				t.Errorf("%s: the page lacks %q", name, want)
			}
		}
		for _, bad := range []string{"%!", "&lt;strong", "&lt;code", `href="javascript`} {
			if strings.Contains(string(page), bad) {
				t.Errorf("%s: the page has %q", name, bad)
			}
		}
	}
}

// From a broken record nothing is stated but that.
func TestCertificate_OfABrokenRecord(t *testing.T) {
	j, site := format1(t)
	dir := t.TempDir()
	lines := strings.SplitAfter(mustRead(t, filepath.Join(j.Ledger, "ledger-000001.jsonl")), "\n")
	n := len(lines) * 2 / 3
	lines[n] = strings.Replace(lines[n], `"time":"2`, `"time":"1`, 1)
	filetest.Write(t, filepath.Join(dir, "ledger-000001.jsonl"), strings.Join(lines, ""))
	j.Ledger = dir
	page := certificate(t, j, site)
	if !strings.Contains(page, "The record of this crawl is broken") || !strings.Contains(page, "was altered") {
		t.Error("the page does not say that the record is broken")
	}
	for _, stated := range []string{"In short", "Every request", "What was never requested", "robots.txt says so"} {
		if strings.Contains(page, stated) {
			t.Errorf("the page states %q from a broken record", stated)
		}
	}
}

// TestCertificate_InABrowser looks at the page as people do.
func TestCertificate_InABrowser(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	j, site := format1(t)
	t.Run("usual", func(t *testing.T) { lookAtCertificate(t, b, certificate(t, j, site)) })
	t.Run("large", func(t *testing.T) { lookAtCertificate(t, b, pageOf(t, large(t, j, site))) })
}

func lookAtCertificate(t *testing.T, b *browsertest.Browser, page string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "owner.html")
	filetest.Write(t, file, page)
	url := "file://" + filepath.ToSlash(file)
	backs := map[string]string{}
	for name, view := range map[string]browsertest.View{"desk": {}, "night": {Dark: true}, "phone": {Width: 360, Height: 780}} {
		p := b.Open(t, url, view)
		for _, c := range p.Complaints() {
			t.Errorf("%s: %s", name, c)
		}
		if got := p.Requests(); !slices.Equal(got, []string{url}) {
			t.Errorf("%s: requests %q, want the page alone", name, got)
		}
		var look struct {
			Back    string
			Wide    bool
			Unnamed int
		}
		p.Eval(t, `({Back: getComputedStyle(document.body).backgroundColor,
			Wide: document.documentElement.scrollWidth > innerWidth,
			Unnamed: [...document.querySelectorAll("th")].filter(h => !h.textContent.trim()).length})`, &look)
		backs[name] = look.Back
		if look.Wide || look.Unnamed > 0 {
			t.Errorf("%s: %+v", name, look)
		}
	}
	if backs["desk"] == backs["night"] {
		t.Error("dark looks as light does")
	}
	paper := b.Open(t, url, browsertest.View{Dark: true, Width: 700, Height: 1000})
	paper.Print(t)
	var printed struct {
		Back   string
		Hidden bool
	}
	paper.Eval(t, `({Back: getComputedStyle(document.body).backgroundColor,
		Hidden: [...document.querySelectorAll("pre, .scroll")].some(e => e.scrollHeight > e.clientHeight + 1)})`, &printed)
	if printed.Back != "rgb(255, 255, 255)" || printed.Hidden {
		t.Errorf("printed: %+v", printed)
	}
}

// TestCertificate_Axe lets axe-core look for what keeps people from reading the page (https://github.com/dequelabs/axe-core). The
// environment variable AXE names its file, as npm has it.
func TestCertificate_Axe(t *testing.T) {
	source, err := os.ReadFile(os.Getenv("AXE"))
	if err != nil {
		t.Skip("AXE does not name axe.min.js: npm pack axe-core has it")
	}
	b := startBrowser(t)
	j, site := format1(t)
	file := filepath.Join(t.TempDir(), "owner.html")
	filetest.Write(t, file, pageOf(t, large(t, j, site)))
	for name, view := range map[string]browsertest.View{"desk": {}, "night": {Dark: true}, "phone": {Width: 360, Height: 780}} {
		p := b.Open(t, "file://"+filepath.ToSlash(file), view)
		p.Eval(t, string(source)+";0", nil)
		var violations []string
		p.Eval(t, `axe.run().then(r => r.violations.map(v => v.id + ": " + v.help + " " + v.nodes.map(n => n.html).slice(0, 3).join(" ")))`, &violations)
		for _, v := range violations {
			t.Errorf("%s: %s", name, v)
		}
	}
}

package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/graph"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// faultySite has each fault once, and says of each fault that is to be found its kind, its path, and a part of what is said of it.
func faultySite(t *testing.T) (site *webtest.Site, faults [][3]string) {
	head := func(title, description string) string {
		return `<title>` + title + `</title><meta name="description" content="` + description + `">`
	}
	redirect := func(to string) webtest.Page {
		return webtest.Page{Status: 302, Header: map[string]string{"Location": to}}
	}
	pages := webtest.Pages{
		"/": {Body: head("Front", "front") + `<a href="/gone">gone</a> <a href="/a">a</a> <a href="/hop1">hop</a> <a href="/private/x">x</a>
			<a href="/round">round</a> <a href="/plain">p</a> <a href="/twin1">1</a> <a href="/twin2">2</a> <a href="/slow">slow</a>
			<a href="/copy1">c1</a> <a href="/copy2">c2</a> <a href="/hidden">h</a> <a href="/points">points</a>
			<a href="/x/x/x/x/x/x/x/">deep</a> <a href="/members">for others</a>`},
		"/members": {Status: 401},
		"/a":       {Body: head("A", "a") + `<a href="/gone">gone too</a> <a href="/">front</a>`},
		"/hop1":    redirect("/hop2"),
		"/hop2":    redirect("a"),
		"/round":   redirect("/round2"),
		"/round2":  redirect("/round"),
		"/plain":   {Body: `<p>Neither title nor description.`},
		"/twin1":   {Body: head("Twin", "same words") + `one`},
		"/twin2":   {Body: head("Twin", "same words") + `two`},
		"/copy1":   {Body: head("Copy", "copy") + `the same in all bytes`},
		"/copy2":   {Body: head("Copy", "copy") + `the same in all bytes`},
		"/hidden":  {Body: `<meta name="robots" content="noindex"><title>Hidden</title>`},
		"/points":  {Body: head("Points", "points") + `<link rel="canonical" href="/hidden">`},
		"/orphan":  {Body: head("Orphan", "orphan")},
		"/unlist":  {Body: `<meta name="robots" content="noindex"><title>Unlisted</title>`},
		"/slow":    {Handler: webtest.Delay(1200*time.Millisecond, webtest.Pages{"/slow": {Body: head("Slow", "slow")}})},
		"/healthy": {Body: head("Healthy", "healthy")},
	}
	site = webtest.New(t).Site(pages)
	pages["/robots.txt"] = webtest.Page{Body: "User-agent: *\nDisallow: /private/\nSitemap: " + site.URL + "/sitemap.txt\n"}
	pages["/sitemap.txt"] = webtest.Page{Header: map[string]string{"Content-Type": "text/plain"},
		Body: site.URL + "/orphan\n" + site.URL + "/unlist\n" + site.URL + "/private/listed\n" + site.URL + "/lost\n"}
	return site, [][3]string{
		{"dead-link", "/gone", "404 Not Found"},
		{"bad-canonical", "/points", "/hidden: it asks not to be indexed"},
		{"bad-sitemap-entry", "/lost", "404 Not Found, in "},
		{"bad-sitemap-entry", "/private/listed", "robots.txt forbids it: Disallow: /private/, in "},
		{"bad-sitemap-entry", "/unlist", "it asks not to be indexed, in "},
		{"redirect-chain", "/hop1", "/a: 200"},
		{"redirect-chain", "/round", "/round2"},
		{"endless", "/x/x/x/x/x/x/x/", "the same segments"},
		{"linked-disallowed", "/private/x", "Disallow: /private/"},
		{"linked-noindex", "/hidden", ""},
		{"orphan", "/orphan", "/sitemap.txt"},
		{"slow", "/slow", "1."},
		{"no-title", "/plain", ""},
		{"double-title", "/twin1", "Twin"},
		{"no-description", "/plain", ""},
		{"double-description", "/twin1", "same words"},
		{"duplicate", "/copy1", ""},
	}
}

// Each fault is found where it is, and nothing else is.
func TestCare_FindsEachFault(t *testing.T) {
	site, want := faultySite(t)
	dir := filepath.Join(t.TempDir(), "job")
	crawl := "crawl --quiet --allow-private --sitemaps --delay 1ms --delay-factor 0 --job " + dir + " "
	if code, out := runCommand(t.Context(), crawl+site.URL+"/ --max-pages 3"); code != 5 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	if code, out := runCommand(t.Context(), "care --job "+dir); code > 1 { // what is known so far
		t.Fatalf("exit code %d: %s", code, out)
	}
	mustRun(t, strings.Fields(crawl+"--max-pages 0")...)
	care := "care --slow 1s --job " + dir
	code, out := runCommand(t.Context(), care+" --json")
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
	var got []graph.Fault
	for line := range strings.Lines(out) {
		var f graph.Fault
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		got = append(got, f)
	}
	for _, w := range want {
		i := slices.IndexFunc(got, func(f graph.Fault) bool {
			return string(f.Kind) == w[0] && f.URL == site.URL+w[1] && strings.Contains(f.Detail, w[2])
		})
		if i < 0 {
			t.Errorf("not found: %v", w)
			continue
		}
		if f := got[i]; f.Kind == graph.DeadLink && !slices.Equal(f.Pages, []string{site.URL + "/", site.URL + "/a"}) {
			t.Errorf("%s is linked by %v", f.URL, f.Pages)
		}
		got = slices.Delete(got, i, i+1)
	}
	got = slices.DeleteFunc(got, func(f graph.Fault) bool { return f.Kind == graph.Slow }) // this machine may be slow
	if len(got) > 0 {
		t.Errorf("found, and not there: %+v", got)
	}

	// what was learned in two steps is what is learned in one
	if err := graph.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, again := runCommand(t.Context(), care+" --json"); again != out {
		t.Errorf("made anew it says\n%s\nand before\n%s", again, out)
	}
	// a file that is no graph is made anew
	filetest.Write(t, graph.File(dir), strings.Repeat("no database ", 1000))
	if _, again := runCommand(t.Context(), care+" --json"); again != out {
		t.Errorf("after damage it says\n%s", again)
	}
	_, table := runCommand(t.Context(), care+" --csv --kind dead-link")
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil || len(rows) != 3 || rows[2][3] != site.URL+"/a" {
		t.Errorf("CSV %q, %v", rows, err)
	}
	if code, out := runCommand(t.Context(), care+" --kind orphan --host nowhere.example"); code != 0 || out != "nothing is wrong\n" {
		t.Errorf("of another host: exit code %d, %s", code, out)
	}
	if code, out := runCommand(t.Context(), care+" --kind odd"); code != 2 || !strings.Contains(out, "the kinds are dead-link") {
		t.Errorf("exit code %d, %s", code, out)
	}
	if code, out := runCommand(t.Context(), care+" --kind dead-link"); code != 1 || !strings.Contains(out, "on "+site.URL+"/a\n") {
		t.Errorf("exit code %d, %s", code, out)
	}
}

// What was so before a crawl came again is so afterwards, unless the site has changed: pages that answer the same are still there,
// and what only an older version of a page linked to, or a page that is gone, is no dead link any more.
func TestCare_AfterAnotherVisit(t *testing.T) {
	pages := webtest.Pages{
		"/":      {Body: `<title>Front</title><a href="/a">a</a> <a href="/b">b</a> <a href="/lost1">1</a>`},
		"/a":     {Body: `<title>A</title><a href="/lost2">2</a>`},
		"/b":     {Body: `<title>B</title><a href="/lost3">3</a> <a href="/bare1">b1</a> <a href="/bare2">b2</a>`},
		"/bare1": {Body: `<p>the same`},
		"/bare2": {Body: `<p>the same`},
	}
	site := webtest.New(t).Site(pages)
	dir := filepath.Join(t.TempDir(), "job")
	crawl := func(more string) {
		t.Helper()
		command := "crawl --quiet --allow-private --delay 1ms --delay-factor 0 --job " + dir + " " + more
		mustRun(t, strings.Fields(command)...)
	}
	care := func(kind string) (paths string) {
		t.Helper()
		_, out := runCommand(t.Context(), "care --json --slow 1h --job "+dir+" --kind "+kind)
		for line := range strings.Lines(out) {
			var f graph.Fault
			if err := json.Unmarshal([]byte(line), &f); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			paths += strings.TrimPrefix(f.URL, site.URL) + " "
		}
		return paths
	}
	expect := func(when string, want map[string]string) {
		t.Helper()
		for kind, paths := range want {
			if got := care(kind); got != paths {
				t.Errorf("%s: %s: %q, want %q", when, kind, got, paths)
			}
		}
	}
	crawl(site.URL + "/")
	faults := map[string]string{"dead-link": "/lost1 /lost2 /lost3 ", "no-title": "/bare1 /bare2 ", "duplicate": "/bare1 "}
	expect("at first", faults)
	crawl("--again=all")
	expect("visited again", faults)

	pages["/"] = webtest.Page{Body: `<title>Front</title><a href="/a">a</a> <a href="/b">b</a>`}
	delete(pages, "/a")
	crawl("--again=all")
	faults["dead-link"] = "/a /lost3 "
	expect("changed", faults)
	if err := graph.Remove(dir); err != nil {
		t.Fatal(err)
	}
	expect("made anew", faults)
}

// Of a page with more links than are kept, what it led to first counts as linked, also after another visit.
func TestCare_ManyLinks(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	const links = 5010 // 5000 are kept
	var front strings.Builder
	for i := range links {
		fmt.Fprintf(&front, `<a href="/private/%d">x</a>`, i)
	}
	site := webtest.New(t).Site(webtest.Pages{
		"/": {Body: front.String()}, "/robots.txt": {Body: "User-agent: *\nDisallow: /private/\n"},
	})
	dir := filepath.Join(t.TempDir(), "job")
	for _, more := range []string{site.URL + "/", "--again=all"} {
		command := "crawl --quiet --allow-private --delay 1ms --delay-factor 0 --job " + dir + " " + more
		mustRun(t, strings.Fields(command)...)
		_, out := runCommand(t.Context(), "care --json --job "+dir+" --kind linked-disallowed")
		if n := strings.Count(out, "\n"); n != links {
			t.Errorf("%s: %d are linked, want %d", more, n, links)
		}
	}
}

// A dead link that goes by redirects is told with the pages that have it, and with the redirects.
func TestCare_DeadBehindRedirects(t *testing.T) {
	pages := webtest.Pages{
		"/":     {Body: `<a href="/a">a</a> <a href="/old">o</a>`},
		"/a":    {Body: `<a href="/old">o</a>`},
		"/old":  {Status: 301, Header: map[string]string{"Location": "/old2"}},
		"/old2": {Status: 302, Header: map[string]string{"Location": "/gone"}},
	}
	site := webtest.New(t).Site(pages)
	dir := filepath.Join(t.TempDir(), "job")
	crawl := "crawl --quiet --allow-private --delay 1ms --delay-factor 0 --job " + dir + " " + site.URL + "/"
	if code, out := runCommand(t.Context(), crawl); code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	_, out := runCommand(t.Context(), "care --json --kind dead-link --job "+dir)
	var f graph.Fault
	if err := json.Unmarshal([]byte(out), &f); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	want := []string{site.URL + "/", site.URL + "/a", site.URL + "/old", site.URL + "/old2"}
	if f.URL != site.URL+"/gone" || !slices.Equal(f.Pages, want) {
		t.Errorf("%s is linked by %v, want %v", f.URL, f.Pages, want)
	}
}

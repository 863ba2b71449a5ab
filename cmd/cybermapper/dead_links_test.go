package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// A program that others wrote finds the same dead links on the same pages: linkchecker, of Debian.
func TestDeadLinks_AsLinkcheckerFindsThem(t *testing.T) {
	t.Parallel()
	judge, err := exec.LookPath("linkchecker")
	if err != nil {
		t.Skip("linkchecker is not installed: apt-get install linkchecker")
	}
	web := webtest.New(t)
	other := web.Site(webtest.Pages{"/there": {Body: "<title>There</title>"}, "/odd": {Status: http.StatusGone}})
	site := web.Site(webtest.Pages{
		"/": {Body: `<title>Start</title><a href="a.html">a</a> <a href="missing.html">m</a> <a href=sub/>s</a> <a href='#here'>h</a>
			<a href="` + other.URL + `/there">o</a> <a href="` + other.URL + `/nothing">n</a>`},
		"/a.html": {Body: `<title>A</title><a href="gone.html">g</a> <a href="broken.html">b</a> <a href="moved.html">m</a>
			<a href="astray.html">x</a> <a href="missing.html?q=1&amp;r=2">q</a> <map><area href="area.html"></map>
			<a href="` + other.URL + `/odd">odd</a> <a href="missing.html">again</a> <a href="/with%20space.html">w</a>
			<img src="noimage.png"><link rel=stylesheet href="nostyle.css"><script src="noscript.js"></script><img src="image.png">`},
		"/image.png":       {Type: "image/png", Body: "x"},
		"/sub/":            {Body: `<title>Sub</title><base href="/base/"><a href="in.html">i</a> <a href="../a.html">a</a>`},
		"/gone.html":       {Status: http.StatusGone},
		"/broken.html":     {Status: http.StatusNotImplemented},
		"/moved.html":      {Handler: http.RedirectHandler("/a.html", http.StatusMovedPermanently)},
		"/astray.html":     {Handler: http.RedirectHandler("/nowhere.html", http.StatusFound)},
		"/with space.html": {Body: "<title>Space</title>"},
	})
	ours, theirs := ourDeadLinks(t, site.URL), linkcheckerFinds(t, judge, site.URL)
	if len(theirs) < 8 {
		t.Fatalf("linkchecker finds %q only", theirs)
	}
	for _, link := range theirs {
		if !slices.Contains(ours, link) {
			t.Errorf("linkchecker finds %s, which crawl does not", link)
		}
	}
	for _, link := range ours { // linkchecker names each target once, with the first page that has it
		_, to, _ := strings.Cut(link, " -> ")
		if !slices.ContainsFunc(theirs, func(s string) bool { return strings.HasSuffix(s, " -> "+to) }) {
			t.Errorf("crawl finds %s, of which linkchecker knows nothing", link)
		}
	}
}

// ourDeadLinks returns what crawl --check-links finds, page by page.
func ourDeadLinks(t *testing.T, site string) (found []string) {
	t.Helper()
	job := filepath.Join(t.TempDir(), "job")
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"crawl", "--check-links", "--job", job, "--allow-private", "--quiet", "--delay", "1ms",
		"--retries", "0", site + "/"}, nil, &stdout, &stderr)
	if code != cli.ExitDeadLinks {
		t.Fatalf("exit code %d\n%s%s", code, &stdout, &stderr)
	}
	stdout.Reset()
	run(t.Context(), []string{"export", "dead-links", "--job", job, "--format", "jsonl"}, nil, &stdout, &stderr)
	for d := json.NewDecoder(&stdout); d.More(); {
		var dead struct {
			URL   string
			Pages []struct{ URL string }
		}
		if err := d.Decode(&dead); err != nil {
			t.Fatal(err)
		}
		for _, p := range dead.Pages {
			found = append(found, p.URL+" -> "+dead.URL)
		}
	}
	slices.Sort(found)
	mustBeProven(t, job)
	return found
}

// linkcheckerFinds returns what linkchecker finds, page by page.
func linkcheckerFinds(t *testing.T, judge, site string) (found []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, judge, "--no-status", "--check-extern", "-o", "csv", site+"/")
	cmd.Dir = t.TempDir()
	out, err := cmd.Output() // it fails when it finds something
	if ctx.Err() != nil {
		t.Skipf("linkchecker does not come to an end: %v", err)
	}
	r := csv.NewReader(bytes.NewReader(out))
	r.Comma, r.Comment, r.FieldsPerRecord, r.LazyQuotes = ';', '#', -1, true
	rows, err := r.ReadAll()
	if err != nil || len(rows) == 0 {
		t.Skipf("linkchecker writes what cannot be read: %v\n%s", err, out)
	}
	column := func(row []string, name string) string {
		if i := slices.Index(rows[0], name); i >= 0 && i < len(row) {
			return row[i]
		}
		return ""
	}
	for _, row := range rows[1:] {
		if column(row, "valid") != "False" {
			continue
		}
		at, err := url.Parse(column(row, "parentname"))
		if base := column(row, "base"); err == nil && base != "" {
			at, err = at.Parse(base)
		}
		var to *url.URL
		if err == nil {
			to, err = at.Parse(column(row, "urlname"))
		}
		if err != nil {
			t.Fatal(err)
		}
		if link := fmt.Sprintf("%s -> %s", column(row, "parentname"), to); !slices.Contains(found, link) {
			found = append(found, link)
		}
	}
	slices.Sort(found)
	return found
}

// What is written is no URL, is one that browsers refuse, or leads in a circle: such links are dead, and told with all their pages.
func TestDeadLinks_ThatNobodyCanFollow(t *testing.T) {
	t.Parallel()
	web := webtest.New(t)
	links := `<a href="http://[bad/">b</a> <a href="http://a.example:99999/">p</a> <a href="loop">l</a> <a href="one">o</a>
		<a href="http://127.0.0.1:9/">d</a> <a href="mailto:a@b">m</a> <a href="javascript:void(0)">j</a> <a href="/p2">2</a>`
	site := web.Site(webtest.Pages{
		"/":     {Body: "<title>Start</title>" + links},
		"/p2":   {Body: "<title>Second</title>" + links},
		"/loop": {Handler: http.RedirectHandler("/loop", http.StatusFound)},
		"/one":  {Handler: http.RedirectHandler("/two", http.StatusFound)},
		"/two":  {Handler: http.RedirectHandler("/one", http.StatusFound)},
	})
	var want []string
	for _, page := range []string{"/", "/p2"} {
		for _, to := range []string{"http://[bad/", "http://a.example:99999/", site.URL + "/loop", site.URL + "/one", "http://127.0.0.1:9/"} {
			want = append(want, site.URL+page+" -> "+to)
		}
	}
	slices.Sort(want)
	if got := ourDeadLinks(t, site.URL); !slices.Equal(got, want) {
		t.Errorf("dead links:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What was out of scope and only checked is crawled when it is in scope, also in the run that checks it once more.
func TestCrawl_WhatWasCheckedOnly(t *testing.T) {
	for name, again := range map[string][]string{"goes on": nil, "again": {"--again=all"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := webtest.New(t)
			other := web.Site(webtest.Pages{
				"/": {Body: `<title>other</title><a href=/p>p</a>`}, "/p": {Body: `<title>p</title><a href=/q>q</a>`}, "/q": {Body: "q"},
			})
			site := web.Site(webtest.Pages{"/": {Body: `<a href="` + other.URL + `/p">p</a>`}})
			job := filepath.Join(t.TempDir(), "job")
			args := []string{"crawl", "--check-links", "--job", job, "--allow-private", "--quiet", "--delay", "1ms", "--delay-factor", "0"}
			mustRun(t, append(args, site.URL+"/")...)
			if n := storedURLs(t, job)[other.URL+"/p"]; n != 0 || other.Hits().Count("/p") != 1 {
				t.Fatalf("/p was stored %d times and asked for %d times, want a check", n, other.Hits().Count("/p"))
			}
			mustRun(t, append(append(args, again...), other.URL+"/")...)
			for _, path := range []string{"/", "/p", "/q"} {
				if storedURLs(t, job)[other.URL+path] != 1 {
					t.Errorf("%s is not stored", path)
				}
			}
			mustRun(t, "verify", "--job", job)
		})
	}
}

// What was checked, and waits to be crawled when the process is killed, is not taken for something that the queue has forgotten.
func TestCrawl_WhatWasCheckedOnlyAndAKill(t *testing.T) {
	t.Parallel()
	web := webtest.New(t)
	other := web.Site(webtest.Pages{
		"/": {Handler: webtest.Delay(time.Second, webtest.Page{Body: "<title>other</title>"})}, "/p": {Body: "<title>p</title>"},
	})
	site := web.Site(webtest.Pages{"/": {Body: `<a href="` + other.URL + `/p">p</a>`}})
	job := filepath.Join(t.TempDir(), "job")
	args := []string{"crawl", "--check-links", "--job", job, "--allow-private", "--quiet", "--delay", "1ms", "--delay-factor", "0"}
	mustRun(t, append(args, site.URL+"/")...)
	cmd := process(t, append(args, other.URL+"/")...)
	mustStart(t, cmd)
	eventually(t, "the seed is asked for", func() bool { return other.Hits().Count("/") > 0 })
	cmd.Process.Kill()
	cmd.Wait()
	mustRun(t, "check", "--job", job)
	mustRun(t, args...)
	if storedURLs(t, job)[other.URL+"/p"] != 1 {
		t.Error("/p is not stored")
	}
	mustRun(t, "verify", "--job", job)
}

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// What pages ask of a robot by its name counts for the robot that the job is of, also when its pages are read once more.
func TestExportLinks_TermsThatNameTheRobot(t *testing.T) {
	site := webtest.New(t).Site(webtest.Pages{
		"/":      {Body: `<title>F</title><meta name="cybermapper" content="nofollow"><a href="/mine">m</a> <a href="/gone1">1</a>`},
		"/mine":  {Body: `<title>M</title><meta name="titlebot" content="nofollow"><a href="/gone2">2</a>`},
		"/gone1": {Status: 404},
	})
	root := t.TempDir()
	conf, dir := filepath.Join(root, "c.yaml"), filepath.Join(root, "job")
	filetest.Write(t, conf, "agent: {product: titlebot}\n")
	crawl := "crawl --quiet --allow-private --delay 1ms --delay-factor 0 --config " + conf + " --job " + dir + " " + site.URL + "/"
	mustRun(t, strings.Fields(crawl)...)
	_, out := runCommand(t.Context(), "export links --format csv --job "+dir)
	for _, want := range []string{"/,%s/mine,a,,true,", "/,%s/gone1,a,,true,", "/mine,%s/gone2,a,,false,"} {
		if want = site.URL + fmt.Sprintf(want, site.URL); !strings.Contains(out, want) {
			t.Errorf("links lack %q:\n%s", want, out)
		}
	}
}

// Entries of a feed, and its next part, are links without a rel, behind those of the pages.
func TestExportLinks_OfFeeds(t *testing.T) {
	site := webtest.New(t).Site(webtest.Pages{
		"/":  {Body: `<title>F</title><link rel=alternate type=application/atom+xml href="/feed">`},
		"/a": {Body: `<title>A</title>`},
		"/feed": {Header: map[string]string{"Content-Type": "application/atom+xml"},
			Body: `<feed><link rel="next" href="/gone"/><entry><link href="/a"/></entry></feed>`},
	})
	dir := t.TempDir()
	mustRun(t, strings.Fields("crawl --quiet --allow-private --delay 1ms --delay-factor 0 --job "+dir+"/job "+site.URL+"/")...)
	want := fmt.Sprintf("from,to,kind,rel,follow,text,place\n%[1]s/,%[1]s/feed,feed,alternate,true,,1\n"+
		"%[1]s/feed,%[1]s/gone,next,,true,,1\n%[1]s/feed,%[1]s/a,entry,,true,,2\n", site.URL)
	if _, out := runCommand(t.Context(), "export links --format csv --job "+dir+"/job"); out != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	mustRun(t, "export", "sqlite", "--job", dir+"/job", dir+"/crawl.db")
	if _, out := runCommand(t.Context(), "export dead-links --format csv --job "+dir+"/job"); !strings.Contains(out, site.URL+"/gone,") {
		t.Errorf("dead links: %s", out)
	}
}

// The text of a link stands with it also when its query is in the charset of the page.
func TestExportLinks_TextsInLegacyCharsets(t *testing.T) {
	site := webtest.New(t).Site(webtest.Pages{
		"/": {Header: map[string]string{"Content-Type": "text/html; charset=windows-1251"},
			Body: "<title>F</title><a href='/q?\xc4\xe0'>\xcd\xe5\xf2</a>"},
	})
	dir := t.TempDir() + "/job"
	mustRun(t, strings.Fields("crawl --quiet --allow-private --delay 1ms --delay-factor 0 --job "+dir+" "+site.URL+"/")...)
	want := site.URL + "/q?%C4%E0,a,,true,Нет,1\n"
	if _, out := runCommand(t.Context(), "export links --format csv --job "+dir); !strings.Contains(out, want) {
		t.Errorf("no %q in %s", want, out)
	}
}

// The text of a link is what a browser shows of it: also of an image that XHTML closes, and of a link within noscript, where links
// are read, but nothing of styles and scripts, nor of a noscript in a link; and words of two blocks are two.
func TestExportLinks_TextsAreWhatIsShown(t *testing.T) {
	site := webtest.New(t).Site(webtest.Pages{
		"/": {Body: `<title>F</title><a href="/a"><img src="/i" alt="Logo"/></a> <a href="/b"><svg><style>.x{}</style></svg>
			<script>f()</script>B</a> <noscript><a href="/c">first</a></noscript> <a href="/c">second</a>
			<a href="/d"><h2>Head</h2><p>one<br>two</p></a>
			<a href="/e"><img data-src="/i" alt="Lazy"><noscript><img src="/i" alt="Lazy"></noscript> image</a>`},
	})
	dir := t.TempDir() + "/job"
	mustRun(t, strings.Fields("crawl --quiet --allow-private --delay 1ms --delay-factor 0 --job "+dir+" "+site.URL+"/")...)
	_, out := runCommand(t.Context(), "export links --format csv --job "+dir)
	for _, want := range []string{"/a,a,,true,Logo,1\n", "/b,a,,true,B,2\n", "/c,a,,true,first,3\n", "/c,a,,true,second,4\n",
		"/d,a,,true,Head one two,5\n", "/e,a,,true,Lazy image,6\n"} {
		if !strings.Contains(out, site.URL+want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
}

// Other programs refuse a text that is no UTF-8, and end it at U+0000.
func TestExport_TextsThatOthersRead(t *testing.T) {
	site := webtest.New(t).Site(webtest.Pages{
		"/": {Header: map[string]string{"Content-Type": "text/html; charset=utf-8"},
			Body: "<title>T\x00\xff</title><p>\xed\xa0\x80 p\x00 <a href=/a>o\x00n\xffe</a>"},
	})
	dir := t.TempDir()
	mustRun(t, strings.Fields("crawl --quiet --allow-private --delay 1ms --delay-factor 0 --job "+dir+"/job "+site.URL+"/")...)
	for _, command := range []string{"export links --format csv", "export pages --text --format csv", "export pages --text"} {
		_, out := runCommand(t.Context(), command+" --job "+dir+"/job")
		if !utf8.ValidString(out) || strings.Contains(out, "\x00") || strings.Contains(out, `\u0000`) {
			t.Errorf("%s: %q", command, out)
		}
	}
	mustRun(t, "export", "sqlite", "--text", "--job", dir+"/job", dir+"/crawl.db")
	if file := mustRead(t, dir+"/crawl.db"); !strings.Contains(file, "\uFFFD p on\uFFFDe") || strings.Contains(file, "o\x00n") {
		t.Error("the database has other texts than browsers show")
	}
}

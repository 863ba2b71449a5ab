package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/browsertest"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// TestExportSite_InBrowser: from the front page of a copy one gets to every page, by links to files that are there; and no link
// leads to the web whose target is in the copy.
func TestExportSite_InBrowser(t *testing.T) {
	t.Parallel()
	russian, err := charmap.Windows1251.NewEncoder().String(`<title>Привет</title><a href="/каталог/">дальше</a>`)
	if err != nil {
		t.Fatal(err)
	}
	site := map[string]string{
		"/": `<title>Start</title><a href=dir/>d</a> <a href=/moved#x>m</a> <a href=/ru.html>r</a>` +
			` <a href="/q?a=1&amp;b=%26">q</a>`,
		"/dir/": `<title>Dir</title><base href=/other/><svg><a xlink:href=page><text>p</text></a></svg><a href="../style.css">s</a>` +
			`<a href=/dir/>self</a>`,
		"/other/page": `<title>No extension</title>` +
			`<meta http-equiv=Content-Security-Policy content="default-src 'none'"><a href=/>up</a>`,
		"/target.php":  `<title>Target</title><a href=/>up</a><p id=x>`,
		"/q?a=1&b=%26": `<title>Query</title><a href='?a=1&b=%26#f'>self</a>`,
		"/ru.html":     russian,
		"/каталог/":    `<title>Каталог</title><a href=../>вверх</a>`,
		"/style.css":   `p { background: url(dir/) }`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.URL.Path
		if r.URL.RawQuery != "" {
			key += "?" + r.URL.RawQuery
		}
		body, ok := site[key]
		switch {
		case key == "/moved":
			http.Redirect(w, r, "/target.php", http.StatusFound)
			return
		case !ok:
			http.NotFound(w, r)
			return
		case key == "/ru.html":
			w.Header().Set("Content-Type", "text/html; charset=windows-1251")
		case strings.HasSuffix(key, ".css"):
			w.Header().Set("Content-Type", "text/css")
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
		}
		io.WriteString(w, body)
	}))
	defer server.Close()
	seen := browse(t, server.URL+"/")
	for _, title := range []string{"Start", "Dir", "No extension", "Target", "Query", "Привет", "Каталог"} {
		if !seen[title] {
			t.Errorf("%q was not reached: %v", title, seen)
		}
	}
}

// TestExportSite_NamesFitTypes: a file of a copy ends in what a browser takes for its type, whatever its URL ends in.
func TestExportSite_NamesFitTypes(t *testing.T) {
	types := map[string]string{
		"/s.css?v=3": "text/css", "/style.php": "text/css", "/logo.svg?v=3": "image/svg+xml", "/notes": "text/plain",
		"/get?file=1": "application/pdf", "/odd?x=1": "application/x-odd", "/plain.css": "text/css", "/i.png?x": "image/png",
		"/?feed/atom": "application/atom+xml",
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mediaType, ok := types[r.URL.RequestURI()]
		switch {
		case ok:
			w.Header().Set("Content-Type", mediaType)
			fmt.Fprint(w, "/* ", r.URL, " */")
		case r.URL.Path == "/":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, `<title>Start</title><link rel=stylesheet href="s.css?v=3"><link rel=stylesheet href=style.php>`+
				`<link rel=stylesheet href=plain.css><img src="logo.svg?v=3"><img src="i.png?x">`+
				`<a href=notes>n</a><a href="get?file=1">g</a><a href="odd?x=1">o</a><a href="?feed/atom">f</a>`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	crawl := "crawl --quiet --allow-private --delay 1ms --delay-factor 0 --requisites --job " + dir + "/job " + server.URL + "/"
	for _, command := range []string{crawl, "export site --job " + dir + "/job " + dir + "/copy"} {
		mustRun(t, strings.Fields(command)...)
	}
	start, err := filepath.Glob(dir + "/copy/*/~index.html")
	if err != nil || len(start) != 1 {
		t.Fatal(start, err)
	}
	body := mustRead(t, start[0])
	endings := map[string]int{}
	for _, m := range regexp.MustCompile(`(?:href|src)="(\./[^"]*)"`).FindAllStringSubmatch(body, -1) {
		endings[filepath.Ext(m[1])]++
		name, err := url.PathUnescape(m[1])
		if err == nil {
			_, err = os.Stat(filepath.Join(filepath.Dir(start[0]), name))
		}
		if err != nil {
			t.Error(err)
		}
	}
	want := map[string]int{".css": 3, ".svg": 1, ".png": 1, ".txt": 1, ".pdf": 1, ".xml": 1, ".bin": 1}
	if !maps.Equal(endings, want) {
		t.Errorf("endings %v, want %v in %s", endings, want, body)
	}
}

// TestExportSite_NamesDoNotClash: a page whose name gets an ending does not take the place of one that has it.
func TestExportSite_NamesDoNotClash(t *testing.T) {
	home := copiedHome(t, map[string]string{
		"/":           `<a href=a.php>1</a><a href=a.php.html>2</a><noscript><a href=a.php.html>3</a></noscript>`,
		"/a.php":      "<title>short</title>",
		"/a.php.html": "<title>long</title>",
	}, nil)
	if got := strings.Join(home, " "); got != "short long long" {
		t.Errorf("the links lead to %s", got)
	}
}

// TestExportSite_RedirectsComeAndGo: links lead where they led when it was asked for last, to the part of the page, too.
func TestExportSite_RedirectsComeAndGo(t *testing.T) {
	links := `<a href=one>1</a><a href=two>2</a><a href=three>3</a><a href=three#own>4</a><a href=four>5</a>`
	before := map[string]string{"/": links, "/one": ">/target", "/two": "<title>two</title>", "/three": ">/target#part",
		"/four": ">/target", "/target": "<title>target</title>"}
	after := map[string]string{"/": links, "/one": "<title>one</title>", "/two": ">/target", "/three": ">/target#part",
		"/target": "<title>target</title>"}
	if got := strings.Join(copiedHome(t, before, nil), " "); got != "target two target#part target#own target" {
		t.Errorf("at first the links lead to %s", got)
	}
	if got := strings.Join(copiedHome(t, before, after), " "); got != "one target target#part target#own" {
		t.Errorf("then the links lead to %s", got)
	}
}

// TestExportSite_NamesStay: pages, and what they need, have the same names in a copy after they have changed.
func TestExportSite_NamesStay(t *testing.T) {
	var version atomic.Int32
	long := "/" + strings.Repeat("long", 25) // the letter behind it is in the name of the first version alone
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mediaType := "text/html; charset=utf-8"
		switch r.URL.Path {
		case "/":
			fmt.Fprintf(w, `<script src=a.js></script><a href=one.html>1</a><a href=/%%D1%%8F>2</a><a href="/q?x=1">3</a><a href=%s%%D1%%8F>4</a>`, long)
		case "/a.js":
			mediaType = "text/javascript"
		case "/one.html", "/я", "/q", long + "я":
		default:
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", mediaType)
		fmt.Fprintf(w, "// %s, version %d", r.URL, version.Load())
	}))
	defer server.Close()
	dir := t.TempDir()
	crawl := "crawl --quiet --allow-private --delay 1ms --delay-factor 0 --requisites --job " + dir + "/job "
	copied := func() (names []string) {
		runSplit(t, "export site --job "+dir+"/job "+dir+"/copy")
		err := filepath.WalkDir(dir+"/copy", func(name string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				names = append(names, strings.TrimPrefix(name, dir))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	runSplit(t, crawl+server.URL+"/")
	before := copied()
	version.Add(1)
	runSplit(t, crawl+"--again=all")
	after := copied()
	if len(before) < 8 || !slices.Equal(before, after) {
		t.Errorf("the files are %q, and were %q", after, before)
	}
	if body := readCopy(t, dir+"/copy", "one.html"); !strings.Contains(body, "version 1") {
		t.Errorf("one.html is %q", body)
	}
}

// copiedHome crawls a site, where ">URL" is a redirect, again after it became another one unless that is nil, and copies it. It
// returns the titles of the copies that the links of its first page lead to, with the fragments.
func copiedHome(t *testing.T, site, after map[string]string) (titles []string) {
	t.Helper()
	var now atomic.Pointer[map[string]string]
	now.Store(&site)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := (*now.Load())[r.URL.Path]
		to, moved := strings.CutPrefix(body, ">")
		switch {
		case !ok:
			http.NotFound(w, r)
		case moved:
			http.Redirect(w, r, to, http.StatusFound)
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, body)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	crawl := "crawl --quiet --allow-private --delay 1ms --delay-factor 0 --job " + dir + "/job "
	runSplit(t, crawl+server.URL+"/")
	if after != nil {
		now.Store(&after)
		runSplit(t, crawl+"--again=all")
	}
	runSplit(t, "export site --job "+dir+"/job "+dir+"/copy")
	home, err := filepath.Glob(dir + "/copy/*/~index.html")
	if err != nil || len(home) != 1 {
		t.Fatal(home, err)
	}
	body := filetest.Read(t, home[0])
	for _, m := range regexp.MustCompile(`href="\./([^"#]*)(#[^"]*)?"`).FindAllStringSubmatch(string(body), -1) {
		target := filetest.Read(t, filepath.Join(filepath.Dir(home[0]), m[1]))
		title := regexp.MustCompile("<title>(.*)</title>").FindSubmatch(target)
		if title == nil {
			t.Fatalf("no title in %s: %s", m[1], target)
		}
		titles = append(titles, string(title[1])+m[2])
	}
	return titles
}

// copyOf crawls a site, whose paths have a media type and a body each, with what its pages need, and copies it. It returns the
// directory of the copy.
func copyOf(t *testing.T, site map[string][2]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, ok := site[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", p[0])
		io.WriteString(w, p[1])
	}))
	defer server.Close()
	dir := t.TempDir()
	runSplit(t, "crawl --quiet --allow-private --delay 1ms --delay-factor 0 --requisites --job "+dir+"/job "+server.URL+"/")
	runSplit(t, "export site --job "+dir+"/job "+dir+"/copy")
	return dir + "/copy"
}

// readCopy returns a file of the only host of a copy.
func readCopy(t *testing.T, dir, name string) string {
	t.Helper()
	found, err := filepath.Glob(dir + "/*/" + name)
	if err != nil || len(found) != 1 {
		t.Fatal(name, found, err)
	}
	body := filetest.Read(t, found[0])
	return string(body)
}

// TestExportSite_XML: references of SVG and XHTML lead to copies, and all else is as it was. Such files end as their types want it.
func TestExportSite_XML(t *testing.T) {
	const xhtml = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title><script src="/a.js"/></head>` +
		`<body><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><clipPath id="c"/><image href="/d/p.png"/></svg>` +
		"<a href='/d/'>up</a></body></html>"
	dir := copyOf(t, map[string][2]string{
		"/": {"text/html", `<img src=/d/i.svg><a href=/d/>d</a><a href=/d/x>x</a><a href=/old.xhtml>o</a>` +
			`<svg><path fill="url(/d/i.svg#g)"></svg><script src=a.js></script>`},
		"/d/": {"text/html", "<title>d</title>d"},
		"/d/i.svg": {"image/svg+xml", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><?xml-stylesheet type='text/css' href='/s.css'?>\n" +
			"<svg viewBox='0 0 9 9' xmlns:xlink='http://www.w3.org/1999/xlink'><!-- \xe9 --><script xlink:href='/a.js'/>" +
			"<style><![CDATA[ a > b { fill: url(/d/p.png) } ]]></style><a xlink:href='/d/' xlink:title='\xe9'>\xe9</a>" +
			"<use xlink:href='#g' fill='url(#g)'/><image xlink:href='p.png?a&amp;b'/></svg>"},
		"/d/p.png":   {"image/png", "\x89PNG"},
		"/d/x":       {"application/xhtml+xml", xhtml},
		"/old.xhtml": {"text/html", "<title>o</title>a < b & <a href=/d/>c</a>"},
		"/a.js":      {"text/javascript", "1"},
		"/s.css":     {"text/css", ""},
	})
	svg := readCopy(t, dir, "d/i.svg")
	server := regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	want := "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><?xml-stylesheet type='text/css' href=\"SERVER/s.css\"?>\n" +
		"<svg viewBox='0 0 9 9' xmlns:xlink='http://www.w3.org/1999/xlink'><!-- \xe9 --><script xlink:href=\"../a.js\"/>" +
		"<style><![CDATA[ a > b { fill: url(\"SERVER/d/p.png\") } ]]></style><a xlink:href=\"./~index.html\" xlink:title='\xe9'>\xe9</a>" +
		"<use xlink:href='#g' fill='url(#g)'/><image xlink:href=\"SERVER/d/p.png?a&amp;b\"/></svg>"
	if svg = server.ReplaceAllString(svg, "SERVER"); svg != want {
		t.Errorf("the image is\n%s\nwant\n%s", svg, want)
	}
	page := server.ReplaceAllString(readCopy(t, dir, "d/x~.xhtml"), "SERVER")
	want = strings.NewReplacer(`"/a.js"`, `"../a.js"`, `"/d/p.png"`, `"SERVER/d/p.png"`, "'/d/'", `"./~index.html"`).Replace(xhtml)
	if page != "\uFEFF"+want {
		t.Errorf("the page is\n%s\nwant\n%s", page, want)
	}
	if home := readCopy(t, dir, "~index.html"); !strings.Contains(home, `href="./old.xhtml~.html"`) ||
		!strings.Contains(home, `fill="url(&#34;./d/i.svg#g&#34;)"`) {
		t.Errorf("the first page is\n%s", home)
	}
}

// TestExportSite_Charsets: pages are in UTF-8, and so is what takes its charset from them, with one mark that says so.
func TestExportSite_Charsets(t *testing.T) {
	const word = "Привет"
	cyrillic, err := charmap.Windows1251.NewEncoder().String(word)
	if err != nil {
		t.Fatal(err)
	}
	koi, err := charmap.KOI8R.NewEncoder().String(word)
	if err != nil {
		t.Fatal(err)
	}
	html, css := "text/html", "text/css"
	site := map[string][2]string{
		"/": {html, `<meta charset=windows-1251><link rel=stylesheet href=a.css><script src=a.js></script>` +
			`<a href=bom.html>` + cyrillic + `</a><a href=a.txt>t</a>`},
		"/a.css":     {css, `@import "b.css"; p:after { content: "` + cyrillic + `" }`},
		"/b.css":     {css, `p:after { content: "` + cyrillic + `" }`},
		"/a.js":      {"application/javascript", `document.title = "` + cyrillic + `"`},
		"/bom.html":  {html, "\uFEFF<!doctype html><link rel=stylesheet href=named.css><link rel=stylesheet href=own.css>" + word},
		"/named.css": {css + "; charset=windows-1251", `p:after { content: "` + cyrillic + `" }`},
		"/own.css":   {css, `@charset "windows-1251"; p:after { content: "` + cyrillic + `" }`},
		"/a.txt":     {"text/plain; charset=koi8-r", koi},
	}
	dir := copyOf(t, site)
	for path := range site {
		name := strings.TrimPrefix(path, "/")
		if name == "" {
			name = "~index.html"
		}
		body := readCopy(t, dir, name)
		if name == "own.css" {
			if body != site[path][1] {
				t.Errorf("%s, which names its charset, was changed: %q", name, body)
			}
			continue
		}
		text, ok := strings.CutPrefix(body, "\uFEFF")
		if !ok || strings.Contains(text, "\uFEFF") || !strings.Contains(text, word) {
			t.Errorf("%s: %q", name, body)
		}
	}
}

// TestExportSite_AddressesInStylesOfOldCharsets: a style sheet leads to its copies whatever charset it is in, and is in UTF-8 then.
func TestExportSite_AddressesInStylesOfOldCharsets(t *testing.T) {
	cyrillic, err := charmap.Windows1251.NewEncoder().String(`a { background: url("/картинка.png") }`)
	if err != nil {
		t.Fatal(err)
	}
	wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(`a { background: url("/картинка.png") }`)
	if err != nil {
		t.Fatal(err)
	}
	dir := copyOf(t, map[string][2]string{
		"/": {"text/html", `<link rel=stylesheet href=own.css><link rel=stylesheet href=named.css>` +
			`<link rel=stylesheet href=wide.css>`},
		"/own.css":      {"text/css", `@charset "windows-1251";` + cyrillic},
		"/named.css":    {"text/css; charset=windows-1251", cyrillic},
		"/wide.css":     {"text/css", wide},
		"/картинка.png": {"image/png", "x"},
	})
	for _, name := range []string{"own.css", "named.css", "wide.css"} {
		body := readCopy(t, dir, name)
		if !utf8.ValidString(body) || !strings.Contains(body, `url("./%D0%BA%D0%B0%D1%80%D1%82%D0%B8%D0%BD%D0%BA%D0%B0.png")`) {
			t.Errorf("%s: %q", name, body)
		}
	}
}

// TestExportSite_QueriesInTheCharsetOfThePage: a query that is not ASCII is encoded in the charset in which the page was, not in
// that of its copy, both for what is in the copy and for what is on the web.
func TestExportSite_QueriesInTheCharsetOfThePage(t *testing.T) {
	page, err := charmap.Windows1251.NewEncoder().String(
		`<title>Start</title><a href="/q?x=Да#Нет">q</a><a href="//a.test/?Да">w</a>`)
	if err != nil {
		t.Fatal(err)
	}
	dir := copyOf(t, map[string][2]string{
		"/":  {"text/html; charset=windows-1251", page},
		"/q": {"text/html", `<title>Query</title>`},
	})
	body := readCopy(t, dir, "~index.html")
	for _, want := range []string{`<a href="./q-x=`, `#Нет">`, `<a href="http://a.test/?%C4%E0">`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in %q", want, body)
		}
	}
}

// TestExportSite_EmptyReferences: an empty link leads to the base of its page, which the copy says no more; an image without a
// name, and a form that goes to its own page, stay as they are.
func TestExportSite_EmptyReferences(t *testing.T) {
	const based = `<title>Deep</title><base href="/"><a href="">home</a><area href=" "><img src=""><form action=""></form>`
	dir := copyOf(t, map[string][2]string{
		"/":     {"text/html", `<title>Start</title><a href="/deep">d</a><a href="">self</a>`},
		"/deep": {"text/html", based},
	})
	const home = `href="./~index.html"`
	want := "\uFEFF<title>Deep</title><base><a " + home + ">home</a><area " + home + `><img src=""><form action=""></form>`
	if body := readCopy(t, dir, "deep~.html"); body != want {
		t.Errorf("got  %q\nwant %q", body, want)
	}
	if body := readCopy(t, dir, "~index.html"); !strings.Contains(body, `<a href="">self</a>`) {
		t.Errorf("%q", body)
	}
}

// TestExportSite_SVGInHTML: in SVG that stands in a page, a tag may be closed where it is opened, no element has raw text, and
// any may have a reference; in HTML a tag that ends in a slash is open all the same (HTML standard, section 13.2.6.5).
func TestExportSite_SVGInHTML(t *testing.T) {
	pieces := []string{
		`<svg><title/><style/><script/><a xlink:href="%s"></a></svg>`, `<svg><feImage href="%s"/></svg>`,
		`<svg><textarea><a href="%s"></a></textarea></svg>`, `<svg><![CDATA[ <p> <title> ]]></svg><a href="%s">`,
		`<svg><desc><style>p { background: url("%s") }</style></desc><title/></svg>`, `<style/>p { background: url("%s") }</style>`,
		`<svg><title><p></title><style> <a href="%s"> </style></svg>`, `<svg><p><script>"<svg>"</script><a href="%s">`,
	}
	for _, piece := range pieces {
		dir := copyOf(t, map[string][2]string{
			"/":  {"text/html", `<title>Start</title><a href="/i">i</a>` + fmt.Sprintf(piece, "/i")},
			"/i": {"text/html", "i"},
		})
		want := fmt.Sprintf(piece, "./i~.html")
		body := strings.ReplaceAll(readCopy(t, dir, "~index.html"), "feimage", "feImage")
		if !strings.HasSuffix(body, want) {
			t.Errorf("got  %q\nwant %q", body, want)
		}
	}
	const script = `<svg></svg><script>"<a href='/i'>"</script>`
	dir := copyOf(t, map[string][2]string{"/": {"text/html", `<a href="/i">i</a>` + script}, "/i": {"text/html", "i"}})
	if body := readCopy(t, dir, "~index.html"); !strings.HasSuffix(body, script) {
		t.Errorf("%q", body)
	}
}

// TestExportSite_FragmentsBesideABase: what SVG and styles take from their own document is there whatever its base is; a link is
// not (CSS Values 4, section 4.5.1).
func TestExportSite_FragmentsBesideABase(t *testing.T) {
	const shown = `<svg><rect fill="url(#g)" style="fill: url('#g')"/><use href="#u"/><use xlink:href="#u"/></svg>`
	dir := copyOf(t, map[string][2]string{
		"/":     {"text/html", `<title>Start</title><a href="/deep">d</a>`},
		"/deep": {"text/html", `<base href="/">` + shown + `<a href="#z">z</a>`},
	})
	if body := readCopy(t, dir, "deep~.html"); !strings.HasSuffix(body, shown+`<a href="./~index.html#z">z</a>`) {
		t.Errorf("%q", body)
	}
}

// TestExportSite_MissingFile: what leads to a page whose file is not there leads to the web.
func TestExportSite_MissingFile(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<title>x</title><a href=/a.html>a</a><a href=/b.html>b</a>")
	}))
	defer server.Close()
	dir := t.TempDir()
	runSplit(t, "crawl --quiet --allow-private --delay 1ms --delay-factor 0 --job "+dir+"/job "+server.URL+"/")
	files, err := filepath.Glob(dir + "/job/pages/*/a.html")
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	filetest.Remove(t, files[0])
	_, out := runCommand(t.Context(), "export site --job "+dir+"/job "+dir+"/copy")
	home, err := filepath.Glob(dir + "/copy/*/b.html")
	if err != nil || len(home) != 1 {
		t.Fatal(home, err)
	}
	body, err := os.ReadFile(home[0])
	if err != nil || !bytes.Contains(body, []byte(`href="`+server.URL+`/a.html"`)) || !bytes.Contains(body, []byte(`href="./b.html"`)) {
		t.Errorf("%v\n%s", err, body)
	}
	if n := strings.Count(out, "is missing"); n != 1 {
		t.Errorf("told %d times that a file is missing: %s", n, out)
	}
}

func runSplit(t *testing.T, command string) {
	t.Helper()
	if code, out := runCommand(t.Context(), command); code != 0 {
		t.Fatalf("%s: exit code %d: %s", command, code, out)
	}
}

// TestExportSite_MarkStays: a run that is cut short while it removes the copy before leaves what the next one takes for a copy, and
// what nobody takes for a whole one: its front page goes first.
func TestExportSite_MarkStays(t *testing.T) {
	dir := t.TempDir()
	copied := filepath.Join(dir, "copy")
	if err := os.Mkdir(copied, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 3000 {
		filetest.Write(t, filepath.Join(copied, fmt.Sprintf("%04d", i)), "")
	}
	const before = "the copy before"
	mark, front := filepath.Join(copied, ".cybermapper-site"), filepath.Join(copied, "index.html")
	for _, name := range []string{mark, front} {
		filetest.Write(t, name, before)
	}
	done := make(chan bool)
	missing, looksWhole := make(chan bool, 1), make(chan bool, 1)
	go func() {
		unmarked, half := false, false
		for {
			select {
			case <-done:
				missing <- unmarked
				looksWhole <- half
				return
			default:
			}
			if _, err := os.Stat(mark); err != nil {
				unmarked = true
			}
			if _, err := os.Stat(filepath.Join(copied, "0000")); err != nil {
				page, err := os.Stat(front)
				half = half || err == nil && page.Size() == int64(len(before))
			}
		}
	}()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<p>x") }))
	defer server.Close()
	runSplit(t, "crawl --quiet --allow-private --delay 1ms --delay-factor 0 --job "+dir+"/job "+server.URL+"/")
	runSplit(t, "export site --job "+dir+"/job "+copied)
	close(done)
	if <-missing {
		t.Error("the mark was away for a time")
	}
	if <-looksWhole {
		t.Error("the front page was there while the copy before was removed")
	}
	if _, err := os.Stat(filepath.Join(copied, "0000")); err == nil {
		t.Error("the copy before was not removed")
	}
}

// realSitesFolder names the environment variable with a folder of sites, one subfolder each.
const realSitesFolder = "CYBERMAPPER_REAL_SITES"

// TestExportSite_RealSites is the same for real documentation, the folder of TestRealSites.
func TestExportSite_RealSites(t *testing.T) {
	folder := os.Getenv(realSitesFolder)
	if folder == "" {
		t.Skip("no folder of sites in " + realSitesFolder)
	}
	dirs, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			start, _ := filepath.Glob(filepath.Join(dir, "usr/share/doc/*"))
			if len(start) == 0 {
				t.Skip("no documentation")
			}
			server := httptest.NewServer(http.FileServer(http.Dir(dir)))
			defer server.Close()
			below, err := filepath.Rel(dir, start[0])
			if err != nil {
				t.Fatal(err)
			}
			if seen := browse(t, server.URL+"/"+filepath.ToSlash(below)+"/"); len(seen) < 2 {
				t.Errorf("seen: %v", seen)
			}
		})
	}
}

// mostBrowsed bounds how many pages are looked at in the browser.
const mostBrowsed = 40

// browse crawls a site, copies it, and goes through the copy in a browser. It returns the titles that were seen.
func browse(t *testing.T, seed string) map[string]bool {
	t.Helper()
	dir := t.TempDir()
	jobDir, copied := filepath.Join(dir, "job"), filepath.Join(dir, "copy of a site")
	u, err := url.Parse(seed)
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "config.yaml")
	filetest.Write(t, config, "hosts:\n  "+u.Host+": {delay: 0s, connections: 4}\n")
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"crawl", "--quiet", "--requisites", "--config", config, "--max-pages", "600", "--allow-private",
		"--job", jobDir, seed}, nil, &stdout, &stderr)
	if code != cli.ExitDone && code != cli.ExitLimit {
		t.Fatalf("crawl: exit code %d\n%s%s", code, &stdout, &stderr)
	}
	t.Log(mustRun(t, "export", "site", "--job", jobDir, copied))
	stored := map[string]bool{}
	for _, l := range linesOf(t, jobDir) {
		stored[l.FinalURL] = true
	}
	b, titles, known, needed := startBrowser(t), map[string]bool{}, map[string]bool{}, map[string]bool{}
	queue := []string{"file://" + (&url.URL{Path: filepath.ToSlash(copied) + "/index.html"}).EscapedPath()}
	for n := 0; len(queue) > 0 && n < mostBrowsed; n++ {
		p := b.Open(t, queue[0], browsertest.View{})
		var page struct {
			Title string
			Links []string
			Needs []string // images and styles
			Whole []bool   // which of them the browser could read
		}
		p.Eval(t, `(() => {
			const images = [...document.images].filter(i => i.complete && i.src)
			const styles = [...document.querySelectorAll("link[rel~=stylesheet]:not([rel~=alternate])")].filter(l => l.media !== "print")
			const links = [...document.querySelectorAll("a:any-link, area[href]")].filter(a => typeof a.href === "string").map(a => a.href)
			const drawn = [...document.querySelectorAll("svg a")].map(a => new URL(a.href.baseVal, document.baseURI).href)
			return {Title: document.title, Links: [...links, ...drawn],
				Needs: [...images.map(i => i.currentSrc || i.src), ...styles.map(l => l.href)],
				Whole: [...images.map(i => i.naturalWidth > 0), ...styles.map(l => !!l.sheet)]}})()`, &page)
		for i, need := range page.Needs {
			needed[need] = true
			if to, err := url.Parse(need); err == nil && to.Scheme == "file" && !page.Whole[i] {
				t.Errorf("%s needs %s, which cannot be read", queue[0], need)
			} else if stored[need] {
				t.Errorf("%s needs %s from the web, which is in the copy", queue[0], need)
			}
		}
		titles[page.Title] = true
		for _, link := range page.Links {
			link, _, _ = strings.Cut(link, "#")
			to, err := url.Parse(link)
			switch {
			case err != nil || known[link]:
			case to.Scheme == "file":
				known[link] = true
				if _, err := os.Stat(filepath.FromSlash(to.Path)); err != nil {
					t.Errorf("%s leads to %s: %v", queue[0], link, err)
				} else if strings.HasSuffix(to.Path, "html") || strings.HasSuffix(to.Path, ".htm") {
					queue = append(queue, link)
				}
			case stored[link]:
				t.Errorf("%s leads to the web for %s, which is in the copy", queue[0], link)
			}
		}
		queue = queue[1:]
	}
	t.Logf("%d pages in the browser, with %d images and styles", len(titles), len(needed))
	return titles
}

package extract_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/crawler/extract"
)

func contentOf(tb testing.TB, mediaType, body string) *extract.Content {
	tb.Helper()
	x := extract.New(extract.Options{})
	c, err := x.Content(context.Background(), extract.Input{Header: http.Header{"Content-Type": {mediaType}}, Body: []byte(body)})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func TestExtractor_Content(t *testing.T) {
	const long = "A paragraph of the main text that is long enough to count as one."
	for _, tt := range []struct{ name, page, body string }{
		{"navigation", "<nav><a href=/>Home</a></nav><p>" + long, long},
		{"role", "<div role=navigation>Home</div><p>" + long, long},
		{"class as a whole", "<div class='x sidebar'>Home</div><p>" + long, long},
		{"class in part", "<div class='wy-grid-for-nav'><p>" + long + "</div>", long},
		{"a box in the text", "<div class=section><p>" + long + "<div class=sidebar><p>Box</div></div>", long + "\nBox"},
		{"class of the body", "<body class=sidebar><p>" + long, long},
		{"all is navigation", "<nav><p>" + long + "</nav>", long},
		{"navigation never ends", "<nav><p>" + long, long},
		{"main", "<div>Banner</div><main><p>" + long + "</main>", long},
		{"tiny main", "<p>" + long + "<main>x</main>", long + "\nx"},
		{"header of the page and of an article", "<header>Site</header><article><header>Own</header>" + long + "</article>",
			"Own\n" + long},
		{"blocks and cells", "<p>a<p>b<table><tr><td>c<td>d<tr><td>e</table>f", "a\nb\nc d\ne\nf"},
		{"links side by side", "<p><a href=1>a</a><a href=2>b</a><pre><a href=3>c</a><a href=4>d</a></pre>", "a b\ncd"},
		{"marks of notes", "<p>word<sup><a href=#a>1</a></sup>, <i>other<a href=#b><sup>2</sup></a></i> x<sup>2</sup> " +
			"1<sup><a href=/s>st</a></sup>", "word 1, other 2 x2 1st"},
		{"scripts", "a<script>b</script><style>c</style><template>d</template><!-- e -->f<svg><text>g</text></svg>", "af"},
		{"entities and controls", "a&amp;b&#27;[2J&#x202e;c\x07d", "a&b[2Jcd"},
		{"composed", "e\u0301", "é"},
		{"unclosed", "<b><i><div>a</b></div></div>b", "a\nb"},
	} {
		if got := contentOf(t, "text/html; charset=utf-8", tt.page); got.Body != tt.body {
			t.Errorf("%s: %q, want %q", tt.name, got.Body, tt.body)
		}
	}
}

// Ensure that a short text is not lost among the links and choices around it, however many they are, and that these count where
// hardly anything else is there.
func TestExtractor_Content_ManyLinksAround(t *testing.T) {
	const short = "A chapter that tells little, but of one thing only."
	names := strings.TrimSpace(strings.Repeat("Another chapter\n", 50))
	links := "<ul>" + strings.Repeat("<li><a href=x>Another chapter</a>", 50) + "</ul>"
	choices := "<select>" + strings.Repeat("<option>Another country", 50) + "</select>"
	prose := strings.TrimSpace(strings.Repeat("Words that lead nowhere. ", 50))
	for _, tt := range []struct{ name, page, body string }{
		{"navigation", "<nav>" + links + "</nav><p>" + short, short},
		{"sidebar", "<div class=sidebar>" + links + "</div><p>" + short, short},
		{"main part", "<nav>" + links + "</nav><p>Path<main><p>" + short + "</main>", short},
		{"choices", choices + "<p>" + short, short},
		{"a table of contents under its heading", "<h1>Map</h1><nav>" + links + "</nav>", "Map\n" + names},
		{"links in the text", "<p>" + short + links, short + "\n" + names},
		{"text that is called navigation", "<nav><p>" + prose + "</nav><p>" + short, prose + "\n" + short},
	} {
		if got := contentOf(t, "text/html; charset=utf-8", tt.page); got.Body != tt.body {
			t.Errorf("%s: %q, want %q", tt.name, got.Body, tt.body)
		}
	}
}

// As VuePress, Docusaurus, nbconvert, rustdoc and icon fonts have them.
func TestExtractor_Content_MarksOfHeadings(t *testing.T) {
	for _, tt := range []struct{ page, heading, body string }{
		{`<h2 id="a"><a href="#a" class="header-anchor">#</a> Install</h2>`, "Install", "Install"},
		{"<h2 id=a>Install<a href=#a class=hash-link translate=no>\u200b</a></h2><p>It.", "Install", "Install\nIt."},
		{`<h2 id="a">Install<a class="anchor-link" href="#a">&#182;</a></h2>`, "Install", "Install"},
		{`<h2 id="a"><a class="doc-anchor" href="#a">§</a>Install</h2>`, "Install", "Install"},
		{"<h2 id=a>Install <a href='#a'>\uf0c1</a></h2>", "Install", "Install"},
		{`<h2 id="a"><a class="header" href="#a">Install</a></h2>`, "Install", "Install"},
		{`<h2 id="a"><a href="#a"><code>==</code></a></h2>`, "==", "=="},
		{`<h2>C<a href="csharp">#</a></h2>`, "C#", "C#"},
		{`<h2>§ 5</h2>`, "§ 5", "§ 5"},
		{"<h2 id=a>Install<a href=#a><span>#</span>\n</a></h2>", "Install", "Install"},
		{`<h2 id="a"><a href="#a">§ <b>5</b></a></h2>`, "§ 5", "§ 5"},
		{`<h2 id="a"><a href="#a">C<b>#</b></a></h2>`, "C#", "C#"},
		{`<h2 id="a"><a href="#a">§<br>5</a></h2>`, "§ 5", "§\n5"},
		{`<p>In <a href="#a"><i>await</i> <i>one</i></a>.<h2>A</h2>`, "A", "In await one.\nA"},
		{`<h2 id="a">One<a href="#a"> </a>two</h2>`, "One two", "One two"},
		{`<h2 id="a"><a href="#a"><i>await</i> <i>one</i></a></h2>`, "await one", "await one"},
	} {
		c := contentOf(t, "text/html; charset=utf-8", tt.page)
		if len(c.Headings) != 1 || c.Headings[0].Text != tt.heading || c.Body != tt.body {
			t.Errorf("%s: %+v, %q, want %q, %q", tt.page, c.Headings, c.Body, tt.heading, tt.body)
		}
	}
}

// White space alone between two tags parts the words of headings, links and paragraphs as it does those of the body.
func TestExtractor_Content_BlanksBetweenTags(t *testing.T) {
	c := contentOf(t, "text/html; charset=utf-8", `<h1><code>git</code> <code>log</code></h1>
<p><a href="x"><b>Open</b> <i>all</i></a> <b>of <u>these</u> <u>very</u></b> <i>many</i> <u>doors</u> <u>at</u> <u>once</u>.`)
	want := &extract.Content{
		Headings: []extract.Heading{{Level: 1, Text: "git log"}},
		Emphasis: "Open\nall\nof these very\nmany", Lead: "Open all of these very many doors at once.",
		Links: []extract.TextLink{{Href: "x", Text: "Open all"}},
		Body:  "git log\nOpen all of these very many doors at once.",
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
}

func TestExtractor_Content_Parts(t *testing.T) {
	c := contentOf(t, "text/html; charset=utf-8", `<base href="/b/"><nav><a href="n">Next</a></nav>
<h1>One <em>more</em> <a class="headerlink" href="#one">¶</a></h1><section id="two"><h2>Two</h2>
<p>A first <b>bold</b> paragraph that is certainly long enough, <a href="x?a=1&amp;b=2">a <i>link</i></a>.</p></section>
<span data-nosnippet>hidden words</span><h3><a name="three"></a>Three</h3><p>Short.</p>`)
	want := &extract.Content{
		Headings: []extract.Heading{
			{Level: 1, Text: "One more"}, {Level: 2, ID: "two", Text: "Two"}, {Level: 3, ID: "three", Text: "Three"},
		},
		Emphasis: "bold\nlink", Lead: "A first bold paragraph that is certainly long enough, a link.",
		Base: "/b/", Links: []extract.TextLink{{Href: "n", Text: "Next"}, {Href: "x?a=1&b=2", Text: "a link"}},
		Body: "One more\nTwo\nA first bold paragraph that is certainly long enough, a link.\nhidden words\nThree\nShort.",
	}
	for i, h := range want.Headings {
		want.Headings[i].At = strings.Index(want.Body, h.Text)
	}
	if len(c.Hidden) != 1 || strings.TrimSpace(c.Body[c.Hidden[0].Start:c.Hidden[0].End]) != "hidden words" {
		t.Errorf("hidden: %v", c.Hidden)
	}
	c.Hidden = nil
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
}

// Ensure that a link behind a heading that leads to it is not text, whatever it says to those who hear the page, and that other
// links there are.
func TestExtractor_Content_LinkToHeading(t *testing.T) {
	const about = `<p>About this section.`
	for _, tt := range []struct{ page, want string }{
		{`<div><h2 id="use">Use</h2><a href="#use"><span aria-hidden="true"><svg></svg></span>
			<span class="sr-only">Section titled “Use”</span></a></div>` + about, "Use\nAbout this section."}, // Starlight
		{`<h2 id="ページ">ページ</h2><a href="#%E3%83%9A%E3%83%BC%E3%82%B8">Section titled</a>` + about, "ページ\nAbout this section."},
		{`<h2 id="use"><a href="#use">Use</a></h2>` + about, "Use\nAbout this section."},
		{`<h2 id="use">Use</h2><a href="#more">More</a>` + about, "Use\nMore\nAbout this section."},
		{`<h2 id="use">Use</h2>` + about + `<p><a href="#use">Up</a>`, "Use\nAbout this section.\nUp"},
		{`<h2 id="use">Use</h2>` + about + `<h2> </h2><a href="#use">Up</a>`, "Use\nAbout this section.\nUp"},
		{`<h2>Use</h2><a href="#">Top</a>` + about, "Use\nTop\nAbout this section."},
		{`<h2 id="use">Use</h2><a href="#use">Here` + about + `<h2>More</h2>`, "Use\nAbout this section.\nMore"}, // no end tag
		{`<h2 id="use">Use</h2><a class="headerlink" href="#use">Here` + about, "Use\nAbout this section."},
		{`<h2 id="use">Use</h2><a href="#use"><div>A card</div></a>` + about, "Use\nA card\nAbout this section."},
	} {
		if c := contentOf(t, "text/html; charset=utf-8", tt.page); c.Body != tt.want {
			t.Errorf("%s\n%q, want %q", tt.page, c.Body, tt.want)
		}
	}
}

func TestExtractor_Content_PlainText(t *testing.T) {
	c := contentOf(t, "text/plain", "\n# Notes #\n\n  two   words\x1b\nna\xefve\n")
	if c.Title != "Notes" || c.Body != "# Notes #\ntwo words\nnaïve" {
		t.Errorf("%q %q", c.Title, c.Body)
	}
}

// Ensure that a page of more text than is read is cut between words, wherever that is.
func TestExtractor_Content_MuchText(t *testing.T) {
	const page = "<div><a href=a>One</a> <a href=b>two</a><h1>Three</h1></div><p>Four <b>five</b><p>six<ul><li>seven<li>eight</ul>"
	const text = "One two\nThree\nFour five\nsix\nseven\neight"
	for most := 1; most <= len(text); most++ {
		x := extract.New(extract.Options{MaxText: most})
		c, err := x.Content(t.Context(), extract.Input{Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(page)})
		if err != nil {
			t.Fatal(err)
		}
		rest, ok := strings.CutPrefix(text, c.Body)
		if next := strings.FieldsFunc(rest, unicode.IsSpace); !ok || len(c.Body) > most ||
			len(next) > 0 && len(c.Body)+len(next[0]) < most || rest != "" && c.Body != "" && !unicode.IsSpace(rune(rest[0])) {
			t.Errorf("%d bytes: %q", most, c.Body)
		}
		if c.Cut != (rest != "") {
			t.Errorf("%d bytes: cut %t, %q is left", most, c.Cut, rest)
		}
	}
}

func FuzzContent(f *testing.F) {
	f.Add([]byte("<nav>a</nav><h1 id=x>b</h1><p data-nosnippet>c<a href=d>e"))
	f.Add([]byte("<p><a href=1><table><td><p><h2><h3></h2>&#8238;\xff"))
	f.Add(bytes.Repeat([]byte("<ul><li><a href=1>a</a> b<a href=2>c d</a>"), 10))
	f.Fuzz(func(t *testing.T, page []byte) {
		for _, most := range []int{1 << 5, 1 << 12} {
			checkContent(t, page, most)
		}
	})
}

func checkContent(t *testing.T, page []byte, most int) {
	x := extract.New(extract.Options{MaxText: most})
	c, err := x.Content(context.Background(), extract.Input{Header: http.Header{"Content-Type": {"text/html"}}, Body: page})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Body) > most || c.Lists > len(c.Body) || strings.ContainsAny(c.Body, "\x00\x0e\x0f\x1b\u202e") {
		t.Fatalf("lists at %d of body: %q", c.Lists, c.Body)
	}
	for _, h := range c.Headings {
		if h.At < 0 || h.At >= len(c.Body) || h.Level < 1 || h.Level > 6 || h.Text == "" {
			t.Fatalf("heading: %+v in %d bytes", h, len(c.Body))
		}
	}
	for _, r := range c.Hidden {
		if r.Start >= r.End || r.End > len(c.Body) {
			t.Fatalf("hidden: %v of %d", r, len(c.Body))
		}
	}
}

package extract

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Extractors that differ in whether they trust tags.
func pair(o Options) (tags, trees *Extractor) {
	tags, trees = New(o), New(o)
	trees.treesOnly = true
	return tags, trees
}

// differ reads in by its tags and as a tree, and returns how the two pages differ. known is false for a page that cannot be a tree.
func differ(t testing.TB, tags, trees *Extractor, in Input) (diff string, known bool) {
	t.Helper()
	want, err := trees.Page(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(want.Notes, NoteTree) || slices.Contains(want.Notes, NoteDepth) {
		return "", false
	}
	got, err := tags.Page(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return cmp.Diff(want, got), true
}

// reasonFor returns why the tags of a page do not decide what it tells.
func reasonFor(in Input) doubt {
	x := New(Options{})
	g := gatherer{opt: &x.opt, page: &Page{}}
	src := x.open(in, g.note)
	if !src.html || src.xml {
		return noDoubt
	}
	return newConstruction().construct(src.text(), g.document)
}

var htmlHeader = http.Header{"Content-Type": {"text/html; charset=utf-8"}}

// broth are the tags that tell something, and text, for the pages that soup makes.
var broth = []string{
	"<a href=@>", "<a href=@>", "<a href=@>x</a>", "</a>", "<a name=x>", "<area href=@>", "<iframe src=@></iframe>", "<frame src=@>",
	"<link rel=canonical href=@>", "<link rel=next href=@>", "<meta name=@ content=x>", "<base href=@>", "<title>@</title>",
	"<html lang=@>", "<body lang=@>", "<head>", "</head>", "<body>", "</body>", "</html>", "<html>", "<noscript>", "</noscript>",
	"<meta http-equiv=refresh content='0;url=@'>", "<svg>", "</svg>", "<svg><a xlink:href=@>", "x", " ", "\n", "&nbsp;", "&#32;",
	"<!DOCTYPE html>", "<!--x-->", "<p>", "<p>", "</p>", "<table>", "<table><tr><td>", "</td></tr></table>", "<b>", "</b>", "<select>", "<option>", "</select>",
	"<dialog>", "</dialog>", "<search>", "<rtc>", "<rb>", "<optgroup>", "<summary>", "<input type=hidden>", "<plaintext>", "<textarea></textarea>",
	"<form>", "</form>", "<button>", "</button>", "<![CDATA[x]]>", "<mi>", "</mi>", "<mglyph>", "<font color=x>", "<source>", "<param>", "<x-y>", "</X-Y>",
}

// stew makes a page of n tags that tell something, or bear on it.
func stew(r *rand.Rand, n int) []byte {
	var b bytes.Buffer
	if r.IntN(2) == 0 {
		b.WriteString("<!DOCTYPE html>")
	}
	menu := make([]string, 3+r.IntN(20))
	for i := range menu {
		menu[i] = ingredient(r.IntN(1 << 16))
	}
	for i := range n {
		tag := menu[r.IntN(len(menu))]
		if r.IntN(6) == 0 {
			tag = ingredient(r.IntN(1 << 16))
		}
		b.WriteString(strings.ReplaceAll(tag, "@", string(rune('a'+i%26))+string(rune('a'+i/26%26))))
	}
	return b.Bytes()
}

// ingredient returns one of soup and broth.
func ingredient(i int) string {
	if i %= len(soup) + 2*len(broth); i < len(soup) {
		return strings.ReplaceAll(soup[i], ".", " ")
	}
	return broth[(i-len(soup))%len(broth)]
}

// TestConstruct_AgreesWithTree reads pages cooked from all tags that have rules of their own.
func TestConstruct_AgreesWithTree(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	r := rand.New(rand.NewPCG(5, 6))
	tags, trees := pair(Options{})
	reasons := map[doubt]int{}
	for range 6000 {
		in := Input{Header: htmlHeader, Body: stew(r, 2+r.IntN(30))}
		if diff, _ := differ(t, tags, trees, in); diff != "" {
			t.Fatalf("page %q: (-tree +tags)\n%s", in.Body, diff)
		}
		reasons[reasonFor(in)]++
	}
	t.Log(reasons)
}

// TestConstruct_Doubts: the tree decides where a rule is called for that tags do not follow, and nowhere else.
func TestConstruct_Doubts(t *testing.T) {
	deep := func(tag string, n int) string { return strings.Repeat(tag, n) }
	tests := []struct {
		page string
		want doubt
	}{
		{"<!DOCTYPE html><html lang=en><head><title>x</title></head><body><p>x<p><a href=1>y</a></body></html>\n", noDoubt},
		{"<title>x</title>y<ul><li>z<li><b>y<i>x</b></i></ul>", noDoubt},
		{"<table><caption>x</caption><col><tr><th>y<td><table><form><td><input></form></table></table>", noDoubt},
		{"<p><table><tr><td>quirks</table>", noDoubt},
		{"<a href=1><p>x</p></a><p><a href=2>x</p>y", noDoubt},
		{"<b><p>x</b>y</p><font><div>z</font></div>", noDoubt},
		{"<select><option>x<optgroup><option><div>y</select>", noDoubt},
		{"<svg viewBox='0 0 1 1'><title>x</title><style>a</style><path d=x /><g><path></g></svg><math><mi>x</mi></math>", noDoubt},
		{"<noscript><img src=x></noscript><iframe>x</iframe><textarea><a></textarea>", noDoubt},
		{"<body></body></html>x<a href=x>", noDoubt},
		{"x\x00", doubtNUL},
		{deep("<div>", 511), doubtDepth},
		{"<p><object>" + deep("<span>", 300) + deep("</div>", 5000), doubtSteps},
		{"<head>&#32;<title>", doubtReference},
		{"<!DOCTYPE html PUBLIC '" + deep("x", 2000) + "'><p><table>", doubtDoctype},
		{"<html><p><html lang=x>", doubtRoot},
		{"<title>" + deep("x", maxRawTitle+1) + "</title>", doubtTitle},
		{"<frameset><frame src=x></frameset>", doubtFrame},
		{"<p><template><a href=x></template>", doubtTemplate},
		{"<table>x<tr><td>", doubtFoster},
		{"<table><tr><a href=x></table>", doubtFoster},
		{"<svg><desc><a href=x>", doubtForeign},
		{"<svg><p>", doubtForeign},
		{"<div><svg></div>", doubtForeign},
		{"<a href=1><p>x</a>", doubtLink},
		{"<b><b><b><b>", doubtFormatting},
	}
	for _, test := range tests {
		if got := reasonFor(Input{Header: htmlHeader, Body: []byte(test.page)}); got != test.want {
			t.Errorf("%.100q: %v, want %v", test.page, got, test.want)
		}
	}
}

// TestConstruct_LargePages: a page whose pruned tree has been gathered in parts is read as one, also when the tags turn out to be
// in doubt after that.
func TestConstruct_LargePages(t *testing.T) {
	links := strings.Repeat("<a href=x>y</a><link rel=canonical href=z>", 2*prunedElements)
	tags, trees := pair(Options{})
	for _, page := range []string{
		links, links + "<template>", "<head><noscript>" + links + "</noscript>" + links, "<html lang=x>" + links + "<meta http-equiv=content-language content=y>",
		"<meta name=a content='" + strings.Repeat("x", 2*prunedBytes) + "'><title>x</title>" + links,
		strings.Repeat("<meta name=a content=b http-equiv=refresh>", 2*prunedElements) + links,
	} {
		if diff, known := differ(t, tags, trees, Input{Header: htmlHeader, Body: []byte(page)}); diff != "" || !known {
			t.Errorf("%.100q ...: (-tree +tags)\n%s", page, diff)
		}
	}
}

// FuzzConstruct looks for pages of which tags and tree tell different things. A recipe is a list of ingredients; a page is what it
// makes, and what follows it.
func FuzzConstruct(f *testing.F) {
	f.Add([]byte{1, 2, 3}, []byte("<a href=1><p>x"))
	f.Add([]byte{100, 120, 130, 140}, []byte("<table><tr><td><a href=x>y</table>z"))
	tags, trees := pair(Options{MaxLinks: 20, MaxLinkBytes: 300, MaxHref: 100, MaxMetas: 5, MaxMetaBytes: 200, MaxTitle: 20})
	f.Fuzz(func(t *testing.T, recipe, more []byte) {
		var page bytes.Buffer
		for i, c := range recipe[:min(len(recipe), 300)] {
			page.WriteString(strings.ReplaceAll(ingredient(int(c)), "@", string(rune('a'+i%26))))
		}
		page.Write(more)
		if diff, _ := differ(t, tags, trees, Input{Header: htmlHeader, Body: page.Bytes()}); diff != "" {
			t.Fatalf("page %q: (-tree +tags)\n%s", page.Bytes(), diff)
		}
	})
}

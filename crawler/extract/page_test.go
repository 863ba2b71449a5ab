package extract_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/crawler/extract"
)

// htmlUTF8 is the header of most pages here.
var htmlUTF8 = http.Header{"Content-Type": {"text/html; charset=utf-8"}}

// read reads an HTML page with the default limits.
func read(t *testing.T, html string) *extract.Page {
	t.Helper()
	return readWith(t, extract.Options{}, extract.Input{Header: htmlUTF8, Body: []byte(html)})
}

// needsTree, put before a page, leaves the tags in doubt.
const needsTree = "<!--\x00-->"

// readRoughly reads an HTML page that would need a tree which is too large.
func readRoughly(t *testing.T, html string) *extract.Page {
	t.Helper()
	page := readWith(t, extract.Options{MaxTree: 1}, extract.Input{Header: htmlUTF8, Body: []byte(needsTree + html)})
	if !slices.Contains(page.Notes, extract.NoteTree) {
		t.Errorf("notes = %q, want %q among them", page.Notes, extract.NoteTree)
	}
	return page
}

func readWith(t *testing.T, o extract.Options, in extract.Input) *extract.Page {
	t.Helper()
	page, err := extract.New(o).Page(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// list shows links as "kind:href", with " (rel)" if there is one.
func list(links []extract.Link) string {
	var all []string
	for _, l := range links {
		s := l.Kind.String() + ":" + l.Href
		if l.Rel != "" {
			s += " (" + l.Rel + ")"
		}
		all = append(all, s)
	}
	return strings.Join(all, " ")
}

// linkTests are read alike by their tags, as a tree, and roughly.
var linkTests = []struct {
	name, html, want string
}{
	{"document order", `<a href=1></a><iframe src=2></iframe><area href=3><a href=4>`, "a:1 iframe:2 area:3 a:4"},
	{"attribute and tag case", `<A HREF="1"></A><AREA Href='2'><IFRAME SRC=3></IFRAME>`, "a:1 area:2 iframe:3"},
	{"entities", `<a href="/?a=1&amp;b=2&copy=3&lt;&#x41;">`, "a:/?a=1&b=2&copy=3<A"},
	{"first of two attributes", `<a href=1 HREF=2>`, "a:1"},
	{"unquoted with slash", `<a href=/dir/>x</a>`, "a:/dir/"},
	{"no white space between attributes", `<a class="x"href="1"id=y>`, "a:1"},
	{"white space around", "<a href=' \n\t1\f '>", "a:1"},
	{"white space inside is the resolver's", "<a href='/a\n\tb'>", "a:/a\n\tb"},
	{"empty leads to the base", `<a href=""><a href>`, "a: a:"},
	{"no href", `<a name=x><a id=y href=1>`, "a:1"},
	{"any scheme", `<a href="javascript:x()"><a href=mailto:x>`, "a:javascript:x() a:mailto:x"},
	{"empty frame is about:blank", `<iframe src=""></iframe><iframe src=" "></iframe><iframe></iframe>`, ""},
	{"srcdoc holds a document", `<iframe src=0 srcdoc="<base href=/b/><link rel=next href=n><a href=1 rel=x>x</a>"></iframe><a href=2>`,
		"iframe:0 a:1 (x) a:2"},
	{"srcdoc in srcdoc", `<iframe srcdoc="<iframe srcdoc='<area href=1&amp;amp;>'></iframe><a href=2>"></iframe>`, "area:1& a:2"},
	{"srcdoc elsewhere", `<frame srcdoc="<a href=1>"><p srcdoc="<a href=2>"><a href=3>`, "a:3"},
	{"rel", `<a href=1 rel="nofollow UGC">`, "a:1 (nofollow UGC)"},
	{"rel of a link element", `<link rel=next href=2><link rel=prev href=0><link rel="alternate" href=f><link rel="alternate stylesheet" href=s><link rel=icon href=i>`,
		"next:2 (next) prev:0 (prev) alternate:f (alternate)"},
	{"parts of a document", `<link rel=contents href=1><link rel="Up" href=2><link rel=search href=3><link rel=copyright href=""><link rel="help next" href=4>
		<link rel=search type="application/opensearchdescription+xml" href=5><link rel="index nofollow" href=6><link rel=section.x href=7>`,
		"related:1 (contents) related:2 (Up) related:3 (search) next:4 (help next) related:4 (help next) related:6 (index nofollow)"},
	{"alternates for machines", `<link rel=alternate type="application/json+oembed" href=1><link rel=alternate type="text/xml+oembed" href=2>
		<link rel=alternate type="application/json" href=3><link rel=alternate type="text/calendar" href=4>
		<link rel=alternate type="application/x-wiki" href="?action=edit"><link rel=alternate type="Text/HTML; charset=utf-8" href=5>
		<link rel="alternate next" type="application/json" href=6><link rel=alternate type="application/rss+xml" href=7>
		<link rel=alternate type=rss href=8><link rel=alternate hreflang=de type="" href=9>`,
		"alternate:5 (alternate) next:6 (alternate next) feed:7 (alternate) alternate:8 (alternate) alternate:9 (alternate)"},
	{"refresh", `<meta http-equiv=Refresh content="0; URL='next'">`, "refresh:next"},
	{"comment", `<!-- <a href=1> --><a href=2><!--> <a href=3> <!-- --!><a href=4>`, "a:2 a:3 a:4"},
	{"bogus comment", `<!a href=1><?a href=2?></ a href=3><a href=4>`, "a:4"},
	{"script", `<script>"<a href=1>"; "<!-- <script> </script> <a href=2> -->"</script><a href=3>`, "a:3"},
	{"style, textarea, title, xmp", `<title><a href=1></title><style><a href=2></style><textarea><a href=3></textarea><xmp><a href=4></xmp><a href=5>`, "a:5"},
	{"iframe and noembed hold text", `<iframe><a href=1></iframe><noembed><a href=2></noembed><a href=3>`, "a:3"},
	{"noscript is markup", `<head><noscript><meta http-equiv=refresh content="0;url=1"></noscript></head><noscript><a href=2></a></noscript><a href=3>`, "refresh:1 a:2 a:3"},
	{"plaintext", `<a href=1></a><plaintext><a href=2></plaintext><a href=3>`, "a:1"},
	{"template is inert", `<template><a href=1></a><template></template><a href=2></a></template><a href=3>`, "a:3"},
	{"template of SVG is none", `<template><svg><template></template></svg><a href=1></a></template><svg><template><a href=2></template></svg><a href=3>`, "a:2 a:3"},
	{"template in HTML in SVG", `<svg><desc><template><a href=1></a></template></desc></svg><a href=2>`, "a:2"},
	{"shadow tree is shown", `<div><template shadowrootmode=open><a href=1></a></template></div><a href=2>`, "a:1 a:2"},
	{"shadow trees and templates in each other", `<div><template shadowrootmode=open><a href=1></a><template><a href=2></template></template></div>
		<template><template shadowrootmode=open></template><a href=3></a></template><a href=4>`, "a:1 a:4"},
	{"CDATA in HTML is a comment", `<![CDATA[ <a href=1> ]]><a href=2>`, "a:2"},
	{"CDATA in SVG is text", `<svg><![CDATA[ > <a href=1> ]]></svg><a href=2>`, "a:2"},
	{"svg title is markup", `<svg><title><a href=1>x</a></title></svg><a href=2>`, "a:1 a:2"},
	{"svg links", `<svg><a href=1></a><a xlink:href=2></a></svg><a xlink:href=3></a>`, "a:1 a:2"},
	{"svg has no frames", `<svg><iframe src=1></iframe><area href=2></area></svg><a href=3>`, "a:3"},
	{"math links", `<math><a href=1></a></math><a href=2>`, "a:1 a:2"},
	{"cut off", `<a href=1></a><a href="2`, "a:1"},
	{"unclosed quote", `<a href="1></a><a href="2">`, `a:1></a><a href=`},
	{"nested links", `<a href=1><a href=2></a></a>`, "a:1 a:2"},
	{"table rescued", `<table><a href=1></a><tr><td><a href=2></table>`, "a:1 a:2"},
	{"after the end", `<body></body></html><a href=1>`, "a:1"},
	{"invalid UTF-8", "<a href='/\xff\xe2\x82x'>", "a:/\ufffd\ufffdx"},
	{"NUL", "<a href='/\x00'>", "a:/\ufffd"},
}

// threeWays reads a page by its tags if they decide, as a tree, and roughly.
func threeWays(t *testing.T, html string) map[string]*extract.Page {
	t.Helper()
	return map[string]*extract.Page{"tags": read(t, html), "tree": read(t, needsTree+html), "roughly": readRoughly(t, html)}
}

func TestPage_Links(t *testing.T) {
	for _, test := range linkTests {
		t.Run(test.name, func(t *testing.T) {
			for how, page := range threeWays(t, test.html) {
				if got := list(page.Links); got != test.want {
					t.Errorf("%s: links = %q, want %q", how, got, test.want)
				}
			}
		})
	}
}

func TestPage_Frameset(t *testing.T) {
	page := read(t, `<frameset cols=2><frame src=1><frame src=2><noframes><a href=3></a></noframes></frameset><a href=4>`)
	if got, want := list(page.Links), "frame:1 frame:2"; got != want {
		t.Errorf("links = %q, want %q", got, want)
	}
}

func TestPage_Head(t *testing.T) {
	tests := []struct {
		name, html string
		want       extract.Page // Base, Title, Lang, Canonical and Metas are compared
	}{
		{"all of it", `<html lang=" en "><head><base target=x><base href=/b><base href=/c><title> A
			<b>&amp; </title><link rel="x CANONICAL" href=" c "><meta name=Robots content=NoIndex></head>`,
			extract.Page{Base: "/b", Title: "A <b>&", Lang: "en", Canonical: "c", Metas: []extract.Meta{{"Robots", "NoIndex"}}}},
		{"base late and empty", `<body><a href=x></a><base href=""><base href=/c>`, extract.Page{}},
		{"base in body", `<body><div><base href=/b></div>`, extract.Page{Base: "/b"}},
		{"base elsewhere", `<!--<base href=1>--><svg><base href=2></base></svg><template><base href=3></template>`, extract.Page{}},
		{"no-break spaces in a title", "<title>\t a&nbsp;\n b\u00a0 \u3000c\f\vd </title>", extract.Page{Title: "a\u00a0 b\u00a0 \u3000c \vd"}},
		{"first title", `<svg><title>no</title></svg><title>one</title><title>two</title>`, extract.Page{Title: "one"}},
		{"empty title", `<title></title><title>two</title>`, extract.Page{}},
		{"unclosed title", `<title>one<a href=x>`, extract.Page{Title: "one<a href=x>"}},
		{"first canonical", `<link rel=canonical href=""><link rel=canonical href=1><link rel=canonical href=2>`, extract.Page{Canonical: "1"}},
		{"canonical in the body", `<p>x</p><link rel=canonical href=1>`, extract.Page{}},
		{"canonical after the head", `<head></head><link rel=canonical href=1><body>`, extract.Page{Canonical: "1"}},
		{"canonical after stray end tags", `</p><head></div><link rel=canonical href=1>`, extract.Page{Canonical: "1"}},
		{"canonical after body tag", `<body><link rel=canonical href=1>`, extract.Page{}},
		{"canonical after script", `<script>x</script><noscript><link rel=canonical href=1></noscript>`, extract.Page{Canonical: "1"}},
		{"lang of XHTML", `<html xml:lang=de>`, extract.Page{Lang: "de"}},
		{"lang of a second html", `<html><p><html lang=de>`, extract.Page{Lang: "de"}},
		{"lang by meta", `<meta http-equiv=content-language content=fr>`, extract.Page{Lang: "fr"}},
		{"lang by meta is no list", `<meta http-equiv=content-language content="fr, de">`, extract.Page{}},
		{"empty lang means unknown", `<html lang=""><meta http-equiv=content-language content=fr>`, extract.Page{}},
		{"metas", `<meta name=" a " content=1><body><meta content=2 name=b><meta name=c><meta content=3><meta name="" content=4><meta property=d content=5>`,
			extract.Page{Metas: []extract.Meta{{"a", "1"}, {"b", "2"}}}},
		{"metas of robots", `<meta property=" Robots " content=1><meta property=robots name=c content=2><meta http-equiv=x-robots-tag content=3>`,
			extract.Page{Metas: []extract.Meta{{"robots", "1"}, {"c", "2"}, {"X-Robots-Tag", "3"}}}},
		{"metas elsewhere", `<!--<meta name=a content=1>--><template><meta name=a content=2></template><script>"<meta name=a content=3>"</script><noscript><meta name=a content=4></noscript>`,
			extract.Page{Metas: []extract.Meta{{"a", "4"}}}},
	}
	for _, test := range tests {
		for how, page := range threeWays(t, test.html) {
			got := extract.Page{Base: page.Base, Title: page.Title, Lang: page.Lang, Canonical: page.Canonical, Metas: page.Metas}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s, %s: (-want +got)\n%s", test.name, how, diff)
			}
		}
	}
}

func TestPage_XHTML(t *testing.T) {
	const body = `<?xml version="1.0" encoding="windows-1251"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml" xml:lang="ru">
<head><title/><script src="x"/><meta name="robots" content="noindex"/></head><body><![CDATA[<a href="no">]]><textarea/><a href="1"/></body></html>`
	for _, header := range []http.Header{nil, {"Content-Type": {"application/xhtml+xml"}}} {
		page := readWith(t, extract.Options{}, extract.Input{Header: header, Body: []byte(body)})
		want := &extract.Page{HTML: true, Type: "application/xhtml+xml", Charset: "windows-1251", CharsetSource: extract.SourceXML, Lang: "ru",
			Metas: []extract.Meta{{"robots", "noindex"}}, Links: []extract.Link{{Href: "1"}}}
		if diff := cmp.Diff(want, page); diff != "" {
			t.Errorf("header %v: (-want +got)\n%s", header, diff)
		}
	}
}

func TestPage_MediaType(t *testing.T) {
	tests := []struct {
		contentType, body string
		html              bool
		want              string
	}{
		{"text/html", "", true, "text/html"},
		{"Text/HTML ;charset=x", "", true, "text/html"},
		{"text/html, text/html", "", true, "text/html"},
		{"text/html charset=utf-8", "", true, "text/html"},
		{"text/plain", "<html>", false, "text/plain"},
		{"application/rss+xml", "<html>", false, "application/rss+xml"},
		{"", "<!doctype HTML><p>", true, "text/html"},
		{"", " \n<html>", true, "text/html"},
		{"*/*", "<html>", true, "text/html"},
		{"", "text first <a href=x>", true, "text/html"},
		{"", "<meta name=robots content=none>", true, "text/html"},
		{"", "<?xml version='1.0'?><!-- x --><rss><a></a></rss>", false, "text/xml"},
		{"", "just text", false, "text/plain"},
		{"", "GIF89a<a href=x>", false, "image/gif"},
		{"", "", false, "text/plain"},
	}
	for _, test := range tests {
		h := http.Header{}
		if test.contentType != "" {
			h.Set("Content-Type", test.contentType)
		}
		page := readWith(t, extract.Options{}, extract.Input{Header: h, Body: []byte(test.body)})
		if page.HTML != test.html || page.Type != test.want {
			t.Errorf("type %q, body %q: HTML = %t, Type = %q, want %t, %q", test.contentType, test.body, page.HTML, page.Type, test.html, test.want)
		}
	}
}

func TestPage_Header(t *testing.T) {
	const url = "http://pages.example/dir/page"
	tests := []struct {
		name   string
		header http.Header
		want   string // links, then canonical
	}{
		{"next", http.Header{"Link": {`<p2>; rel=next`}}, "header-next:p2 (next)"},
		{"contents", http.Header{"Link": {`<1>; rel=contents, <2>; rel=license`}}, "header-related:1 (contents)"},
		{"for machines", http.Header{"Link": {`<1>; rel="alternate"; title="JSON"; type="application/json", <2>; rel=alternate; type="text/html"`}},
			"header-alternate:2 (alternate)"},
		{"several", http.Header{"Link": {`<1>; rel="next", <2>;rel="prev" , <3>; rel=alternate; type="application/rss+xml"`, `<4>;REL=Canonical`}},
			"header-next:1 (next) header-prev:2 (prev) header-feed:3 (alternate) canonical:4"},
		{"quoted comma", http.Header{"Link": {`<1>; title="a, <b>; \"c"; rel=next, <2,3>; rel=prev`}}, "header-next:1 (next) header-prev:2,3 (prev)"},
		{"several relations", http.Header{"Link": {`<1>; rel="canonical next"`}}, "header-next:1 (canonical next) canonical:1"},
		{"first rel counts", http.Header{"Link": {`<1>; rel=icon; rel=next, <2>; rel=next; rel=icon`}}, "header-next:2 (next)"},
		{"foreign anchor", http.Header{"Link": {`<1>; rel=canonical; anchor="/other"`}}, ""},
		{"own anchors", http.Header{"Link": {`<1>; rel=canonical; anchor="` + url + `", <2>; rel=next; anchor="#x"`}}, "header-next:2 (next) canonical:1"},
		{"rubbish", http.Header{"Link": {`, ,x; rel=next, <1; rel=next`, `<2>; =; rel; rel=next`, `<3>;rel="next`, `<4> rel=next`}}, "header-next:3 (next)"},
		{"refresh", http.Header{"Refresh": {"3;url=there"}}, "header-refresh:there"},
	}
	for _, test := range tests {
		page := readWith(t, extract.Options{}, extract.Input{URL: url, Header: test.header, Body: []byte("%PDF-1.4")})
		got := list(page.Links)
		if page.CanonicalHeader {
			got = strings.TrimSpace(got + " canonical:" + page.Canonical)
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		for _, l := range page.Links {
			if !l.Kind.Header() {
				t.Errorf("%s: %s is no header kind", test.name, l.Kind)
			}
		}
	}
}

func TestPage_HeaderGoesFirst(t *testing.T) {
	page := readWith(t, extract.Options{}, extract.Input{
		Header: http.Header{"Content-Type": {"text/html"}, "Link": {"<h>; rel=canonical, <n>; rel=next"}, "Content-Language": {"de"}},
		Body:   []byte(`<link rel=canonical href=c><a href=1>`),
	})
	if page.Canonical != "h" || !page.CanonicalHeader || list(page.Links) != "header-next:n (next) a:1" || page.Lang != "de" {
		t.Errorf("page = %+v", page)
	}
}

func TestPage_ContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := extract.New(extract.Options{}).Page(ctx, extract.Input{Body: []byte("<html>")}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want %v", err, context.Canceled)
	}
}

func TestKind_String(t *testing.T) {
	for kind, want := range map[extract.Kind]string{extract.KindA: "a", extract.KindHeaderAlternate: "header-alternate", 99: "unknown"} {
		if got := kind.String(); got != want {
			t.Errorf("Kind(%d) = %q, want %q", kind, got, want)
		}
	}
}

package extract_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	japaneseenc "golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"github.com/cybermapper/cybermapper/crawler/extract"
)

func TestStyleReferences(t *testing.T) {
	for _, test := range []struct{ css, want string }{
		{`a { background: url(x.png) }`, "image x.png"},
		{`a { background: URL( "x y.png" ) no-repeat }`, "image x y.png"},
		{`@import "a.css"; @import url(b.css) screen; @import url('c.css');`, "style a.css,style b.css,style c.css"},
		{`@import "a.css" layer(base) supports(display: grid);`, "style a.css"},
		{`@font-face { font-family: "X"; src: url(x.woff2) format("woff2"), url("x.ttf") } b { background: url(y.gif) }`,
			"font x.woff2,font x.ttf,image y.gif"},
		{`@namespace svg url(http://www.w3.org/2000/svg); a { cursor: url(c.cur), auto }`, "image c.cur"},
		{`/* url(no.png) */ a { content: "url(no.png)"; background: url(a\)b.png) }`, "image a)b.png"},
		{`a { background: image-set("a.png" 1x, url(b.png) 2x, 'c.png' type("image/png") 3x) }`,
			"image a.png,image b.png,image c.png"},
		{`@media print { @font-face { src: url(p.woff) } a { background: url(q.png) } } c { background: url(r.png) }`,
			"font p.woff,image q.png,image r.png"},
		{`a { background: url(\000041 b.png) }`, "image Ab.png"},
		{`a { x: url(/* A COMMENT */); x: url(two words.png); x: url(a(b.png); x: url(it's.png); x: url(  good\20 one.png  ) }`,
			"image good one.png"},
		{`a { background: url("unclosed`, "image unclosed"},
		{`a { background: url(unclosed`, "image unclosed"},
		{`a { background: url() } /* open`, ""},
		{`@import 'x.css`, "style x.css"},
		{`@import "\`, "style "},
		{`} ) } a { x: url(1) } ) b { x: url(2) }`, "image 1,image 2"},
		{"a { content: 'x\\\r\n'; x: url(1); x: url('2\\\r\n3'); x: url('\\34\r\n5'); x: url(\\36\r\n7) }",
			"image 1,image 23,image 45,image 67"},
		{"a { content: 'x\\\f'; x: url(1\\\r\n2); x: url(3\\\f4); x: url('5\\\r6') }", "image 56"},
		{"@import 'x\n; a { x: url('1\n2'); x: url(\"3\r4\"); x: image-set('5\f 1x); x: url(7) }", "image 7"},
		{`@\69mport 'x'; a { x: \75rl(1); x: ur\l("2"); x: image-s\65 t('3' 1x); b\url(4): 0; x: url\(5) }`,
			"style x,image 1,image 2,image 3"},
		{`a { x: url(\0 1); x: url('\d800 2') }`, "image \uFFFD1,image \uFFFD2"},
	} {
		var got []string
		extract.StyleReferences(test.css, func(r extract.StyleReference) bool {
			got = append(got, r.Kind.String()+" "+r.URL)
			return true
		})
		if g := strings.Join(got, ","); g != test.want {
			t.Errorf("%s\n got %q\nwant %q", test.css, g, test.want)
		}
	}
}

func TestRequisites(t *testing.T) {
	page := `<!doctype html><base href=/b/><base href=/c/><link rel="Shortcut Icon" href=i.ico><link rel=stylesheet href=s.css>
<link rel=preload as=font href=f.woff2><link rel=preload as=fetch href=data.json><link rel=alternate href=feed.xml>
<style>@import "t.css"; a{background:url(u.png)}</style><script src=j.js></script><script>"<img src=no.png>"</script>
<body background=bg.gif><p style="background:url(&quot;v.png&quot;)"><img src=" 1.png " srcset="2.png 2x, 3.png 3x,4.png"><a href=page>
<picture><source srcset="5.webp"><img src=data:image/png,x></picture><video src=m.mp4 poster=p.jpg><track src=s.vtt></video>
<input type=IMAGE src=in.png><input src=no2.png><template><img src=no3.png></template><noscript><img src=6.png></noscript>
<svg><image xlink:href=7.png /><use href=#here /><use href="sprite.svg#x"/></svg><object data=o.svg></object><embed src=e.swf>
<iframe src=frame.html></iframe><iframe srcdoc="<base href=/no/><img src=8.png>"></iframe><!-- <img src=no4.png> --><img src=1.png>`
	x := extract.New(extract.Options{})
	got, err := x.Requisites(t.Context(), extract.Input{Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: []byte(page)})
	if err != nil {
		t.Fatal(err)
	}
	want := "icon i.ico,style s.css,font f.woff2,style t.css,image u.png,script j.js,image bg.gif,image v.png,image 1.png,image 2.png," +
		"image 3.png,image 4.png,image 5.webp,image p.jpg,media m.mp4,media s.vtt,image in.png,image 6.png,image 7.png," +
		"image sprite.svg#x,object o.svg,object e.swf,image 8.png"
	var all []string
	for _, r := range got.List {
		all = append(all, r.Kind.String()+" "+r.Href)
	}
	if got.Base != "/b/" || strings.Join(all, ",") != want || got.Cut {
		t.Errorf("base %q, cut %v\n got %s\nwant %s", got.Base, got.Cut, strings.Join(all, ","), want)
	}
	bounded, err := extract.New(extract.Options{MaxLinks: 3}).Requisites(t.Context(), extract.Input{Body: []byte(page)})
	if err != nil || len(bounded.List) != 3 || !bounded.Cut {
		t.Errorf("with a bound of 3: %v, %v", bounded, err)
	}
	css, err := x.Requisites(t.Context(), extract.Input{Header: http.Header{"Content-Type": {"text/css"}}, Body: []byte(`a{background:url(x.png)}`)})
	if err != nil || !slices.Equal(css.List, []extract.Requisite{{Href: "x.png", Kind: extract.RequisiteImage}}) {
		t.Errorf("of a style sheet: %v, %v", css, err)
	}
}

// TestRequisites_StyleCharsets: the addresses in a style sheet are read in its charset (CSS Syntax Level 3, section 3.2). In
// Shift_JIS, the last byte of "本" is that of a brace.
func TestRequisites_StyleCharsets(t *testing.T) {
	encoded := func(e encoding.Encoding, s string) string {
		t.Helper()
		out, err := e.NewEncoder().String(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	utf16 := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	const russian, japanese = `a { x: url(картинка.png) }`, `@import "日本.css"; a { x: url(1.png) }`
	for _, test := range []struct{ mediaType, sheet, want string }{
		{"text/css", russian, "image картинка.png"},
		{"text/css; charset=windows-1251", encoded(charmap.Windows1251, russian), "image картинка.png"},
		{"text/css", `@charset "windows-1251";` + encoded(charmap.Windows1251, russian), "image картинка.png"},
		{"text/css; charset=koi8-r", `@charset "windows-1251";` + encoded(charmap.KOI8R, russian), "image картинка.png"},
		{"text/css", `@charset "windows-1251";` + russian, "image картинка.png"}, // the bytes are UTF-8
		{"text/css; charset=shift_jis", encoded(japaneseenc.ShiftJIS, japanese), "style 日本.css,image 1.png"},
		{"text/css; charset=koi8-r", encoded(utf16, japanese), "style 日本.css,image 1.png"},
	} {
		h := http.Header{"Content-Type": {test.mediaType}}
		found, err := extract.New(extract.Options{}).Requisites(t.Context(), extract.Input{Header: h, Body: []byte(test.sheet)})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range found.List {
			got = append(got, r.Kind.String()+" "+r.Href)
		}
		if g := strings.Join(got, ","); g != test.want {
			t.Errorf("%s %q: got %q, want %q", test.mediaType, test.sheet, g, test.want)
		}
	}
}

// What scripts show once it is scrolled to is needed, too; templates, numbers, colours and what waits for a consent are not.
func TestRequisites_Lazy(t *testing.T) {
	page := `<img src="data:image/gif;base64,R0" data-src=1.jpg data-srcset="2.jpg 1x, /3 2x"><IMG DATA-ORIGINAL=/4 data-original-set="5.png 9w">
<img data-src="c (1).jpg" data-srcset="d(2).png 1x"><p data-bg="e (3).png"></p><p data-bg="rgba(0,0,0,.5)"></p>
<img data-src="p-{width}.jpg" data-lazy=0.5 data-original=12><video data-poster=6.png data-src=7.mp4><source data-src=8.webm></video>
<section data-bg=9.png data-background="#fff"></section><x-slide data-background-image="url(no.png)"></x-slide><p data-src=no.png>
<script type=text/plain data-src=no.js></script><iframe data-src=no.html></iframe><img data-lazy-src=a.png data-lazy-srcset=" b.png, {c}.png">`
	got, err := extract.New(extract.Options{}).Requisites(t.Context(), extract.Input{Body: []byte(page)})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range got.List {
		all = append(all, r.Kind.String()+" "+r.Href)
	}
	want := "image 1.jpg,image 2.jpg,image /3,image /4,image 5.png,image 6.png,media 7.mp4,media 8.webm,image 9.png,image a.png," +
		"image c (1).jpg,image d(2).png,image e (3).png"
	slices.Sort(all)
	wanted := strings.Split(want, ",")
	slices.Sort(wanted)
	if !slices.Equal(all, wanted) {
		t.Errorf("got  %v\nwant %v", all, wanted)
	}
}

// Ensure that pictures which are declared to be small are told from others.
func TestExtractor_RequisitesSmall(t *testing.T) {
	const page = `<style>p{background:url(0)}</style><img src=1><img src=2 width=1 height="1"><img src=3 width=400 height=60px>` +
		`<img src=4 width=128 height=300><img src=5 width="50%"><p style="background:url(6)"><img width=90 src=7 srcset="8 2x"><embed src=9>`
	got, err := extract.New(extract.Options{}).Requisites(t.Context(), extract.Input{Body: []byte(page)})
	if err != nil {
		t.Fatal(err)
	}
	small := ""
	for _, r := range got.List {
		if r.Small {
			small += r.Href
		}
	}
	if small != "2378" || len(got.List) != 10 {
		t.Errorf("small are %s of %v, want 2378", small, got.List)
	}
}

// FuzzStyleReferences: every reference stands where it is said to stand, and they come in their order.
func FuzzStyleReferences(f *testing.F) {
	f.Add(`@import "a"; @font-face{src:url(b)} c{d:url("e\29") image-set('f' 1x)}/*`)
	f.Fuzz(func(t *testing.T, css string) {
		at := 0
		extract.StyleReferences(css, func(r extract.StyleReference) bool {
			if r.Start < at || r.End <= r.Start || r.End > len(css) {
				t.Fatalf("%q: %+v after %d", css, r, at)
			}
			if c := css[r.Start]; r.Text != (c == '"' || c == '\'') {
				t.Fatalf("%q: %+v does not begin as one", css, r)
			}
			at = r.End
			return true
		})
	})
}

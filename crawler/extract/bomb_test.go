package extract_test

import (
	"fmt"
	"net/http"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/extract"
)

const mib = 1 << 20

// fill repeats what item gives, for 0, 1, 2 ..., up to size bytes.
func fill(size int, item func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString(item(i))
	}
	return b.String()
}

// always repeats s.
func always(s string) func(int) string { return func(int) string { return s } }

// numbered repeats a format with the number of the repetition.
func numbered(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}

// formatting opens 400 different formatting elements, and rebuild makes a parser rebuild all of them again and again.
var (
	formatting = fill(5000, numbered("<b id=%d>"))
	rebuild    = "<p>x"
)

// bombs are pages made to take much more memory or time than their size, of a given size.
var bombs = []struct {
	name string
	page func(size int) string
	open bool // what follows the page is inside it
}{
	{"tiny tags", func(n int) string { return fill(n, always("<p>")) }, false},
	{"end tags", func(n int) string { return fill(n, always("</p>")) }, false},
	{"less-than signs", func(n int) string { return fill(n, always("<")) + ">" }, false},
	{"deep", func(n int) string { return fill(n, always("<div>")) }, false},
	{"deep and unknown", func(n int) string { return fill(5000, always("<x>")) + fill(n, always("</y>")) }, false},
	{"rebuilt", func(n int) string { return "<p>" + formatting + "</p>" + fill(n, always(rebuild)) }, false},
	{"rebuilt with attributes", func(n int) string {
		return "<p>" + fill(9000, func(i int) string { return fmt.Sprintf("<b %s>", fill(90, numbered(fmt.Sprintf(" a%d%%d", i)))) }) + "</p>" + fill(n, always(rebuild))
	}, false},
	{"rebuilt links", func(n int) string {
		return fill(50_000, numbered("<a id=%d>"+strings.Repeat("<div>", 9)+"</a>"+strings.Repeat("</div>", 9))) + fill(n, always(rebuild))
	}, false},
	{"rebuilt behind forms", func(n int) string {
		forms := strings.Repeat("<form><table></form></table></form>", 9)
		return fill(150_000, numbered("<b id=%d>"+forms+"</b>")) + fill(n, always(rebuild))
	}, false},
	{"rebuilt behind tables", func(n int) string {
		return "<p>" + formatting + "<table>" + strings.Repeat("</b>", 500) + "</table></p>" + fill(n, always(rebuild))
	}, false},
	{"rebuilt behind objects", func(n int) string {
		return "<p>" + formatting + "<object>" + strings.Repeat("</b>", 500) + "</object></p>" + fill(n, always(rebuild))
	}, false},
	{"rebuilt in what is no title", func(n int) string {
		return "<svg><desc></svg></desc><title><p>" + formatting + "</p>" + fill(n, always(rebuild)) + "</title>"
	}, false},
	{"rebuilt behind what is no comment", func(n int) string {
		return "<svg><desc></svg></desc><![CDATA[><!--]]><p>" + formatting + "</p>" + fill(n, always(rebuild)) + "-->"
	}, false},
	{"rebuilt in quotes", func(n int) string {
		return `<!--<b a="-->` + "<p>" + formatting + "</p>" + fill(n, always(rebuild)) + `">x</b>`
	}, false},
	{"attributes of html", func(n int) string { return fill(n, numbered("<html a%d>")) }, false},
	{"attributes", func(n int) string { return "<p " + fill(n, numbered("a%d ")) + ">" }, false},
	{"attributes, then tags", func(n int) string { return "<p " + fill(n/2, numbered("a%d ")) + ">" + fill(n/2, always("<p a>")) }, false},
	{"attribute", func(n int) string { return "<p a='" + fill(n, always("x")) + "'>" }, false},
	{"href", func(n int) string { return "<a href='" + fill(n, always("x")) + "'></a>" }, false},
	{"entities", func(n int) string { return "<a href='" + fill(n, always("&a")) + "'></a>" }, false},
	{"name", func(n int) string { return "<" + fill(n, always("a")) + ">" }, false},
	{"starts of tags", func(n int) string { return strings.Repeat("<b ", 4000) + fill(n, always("x")) + ">" }, false},
	{"text", func(n int) string { return fill(n, always("x")) }, false},
	{"tables", func(n int) string { return fill(n, always("<table><tr><td>")) }, false},
	{"cells", func(n int) string { return "<table>" + fill(n, always("<td></tbody>")) }, false},
	{"svg", func(n int) string { return "<svg>" + fill(n, always("<g>")) + "</svg>" }, false},
	{"selects", func(n int) string { return fill(n, always("<select><option>")) }, false},
	{"templates", func(n int) string { return fill(n, always("<template>")) }, true},
	{"links", func(n int) string { return fill(n, numbered("<a href=%d>")) }, false},
	{"metas", func(n int) string { return fill(n, numbered("<meta name=%d content=x>")) }, false},
	{"canonicals", func(n int) string { return fill(n, numbered("<link rel='canonical next' href=%d>")) }, false},
	{"bases", func(n int) string { return fill(n, numbered("<base href=%d>")) }, false},
	{"titles", func(n int) string { return fill(n, numbered("<title>%d</title>")) }, false},
	{"comment", func(n int) string { return "<!--" + fill(n, always("--!-")) }, true},
	{"title", func(n int) string { return "<title>" + fill(n, always("&amp;")) }, true},
	{"script", func(n int) string { return "<script>" + fill(n, always("<!--<script>")) }, true},
	{"plaintext", func(n int) string { return "<plaintext>" + fill(n, always("<p>")) }, true},
	{"quote", func(n int) string { return "<a href='" + fill(n, always("<p>")) }, true},
}

// tail is the end of each bomb. It must not be missed.
const tail = `<meta name=robots content=noindex><a href=tail></a>`

// TestPage_Bombs: no page takes more memory than the limits say, and none hides what stands behind it. What is allocated is
// more than what is held at any time, and does not depend on the garbage collector.
func TestPage_Bombs(t *testing.T) {
	if testing.Short() {
		t.Skip("reads one page after the other")
	}
	x := extract.New(extract.Options{MaxLinks: 1e9, MaxLinkBytes: 2 * mib, MaxMetas: 1e9})
	for _, bomb := range bombs {
		for _, size := range []int{20_000, mib} {
			body := []byte(bomb.page(size) + tail)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			page, err := x.Page(t.Context(), extract.Input{Header: htmlUTF8, Body: body})
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > 48*mib {
				t.Errorf("%s, %d bytes: %d MiB allocated", bomb.name, size, got/mib)
			}
			found := page.LinksCut || slices.ContainsFunc(page.Links, func(l extract.Link) bool { return l.Href == "tail" })
			refused := slices.ContainsFunc(page.Metas, func(m extract.Meta) bool { return m.Name == "robots" })
			if !bomb.open && (!found || !refused) {
				t.Errorf("%s, %d bytes: link found %t, directive found %t, notes %q", bomb.name, size, found, refused, page.Notes)
			}
		}
	}
}

// TestPage_Budget reads the dearest pages in many workers at once.
func TestPage_Budget(t *testing.T) {
	tree := []byte(needsTree + fill(400_000, numbered("<p>%d"))) // just within MaxTree
	legacy := []byte(fill(2*mib, always(strings.Repeat("\xe4", 100)+"<p>")))
	x := extract.New(extract.Options{})
	done := make(chan struct{})
	peak := make(chan uint64)
	go func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		most := uint64(0)
		for {
			select {
			case <-done:
				peak <- most
				return
			default:
				metrics.Read(sample)
				most = max(most, sample[0].Value.Uint64())
				runtime.Gosched()
			}
		}
	}()
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			in := extract.Input{Header: htmlUTF8, Body: tree}
			if i%4 == 0 {
				in = extract.Input{Header: http.Header{"Content-Type": {"text/html; charset=iso-8859-1"}}, Body: legacy}
			}
			if page, err := x.Page(t.Context(), in); err != nil || len(page.Notes) > 0 {
				t.Errorf("Page = %+v, %v", page, err)
			}
		})
	}
	wg.Wait()
	close(done)
	if got := <-peak; got > 250*mib {
		t.Errorf("peak of the heap: %d MiB", got/mib)
	}
}

func TestPage_Limits(t *testing.T) {
	links := fill(100, numbered("<a href=%d>"))
	tests := []struct {
		name  string
		opt   extract.Options
		html  string
		notes []string
		links int
		cut   bool
	}{
		{"within", extract.Options{}, links, nil, 10, false},
		{"bytes", extract.Options{MaxBytes: 50}, links, []string{extract.NoteBytes}, 5, false},
		{"links", extract.Options{MaxLinks: 3}, links, []string{extract.NoteLinks}, 3, true},
		{"exactly links", extract.Options{MaxLinks: 10}, links, nil, 10, false},
		{"link bytes", extract.Options{MaxLinkBytes: 5}, links, []string{extract.NoteLinks}, 5, true},
		{"exactly links, and what is none", extract.Options{MaxLinks: 10}, links + "<a name=x><iframe></iframe>", nil, 10, false},
		{"href", extract.Options{MaxHref: 3}, "<a href=1><a href=1234><a href='  12 '>", []string{extract.NoteHref}, 2, false},
		{"tree", extract.Options{MaxTree: 9000}, needsTree + links, []string{extract.NoteTree}, 10, false},
		{"no tree is needed", extract.Options{MaxTree: 9000}, links, nil, 10, false},
		{"depth", extract.Options{}, strings.Repeat("<div>", 600) + links, []string{extract.NoteDepth}, 10, false},
	}
	for _, test := range tests {
		page := readWith(t, test.opt, extract.Input{Header: htmlUTF8, Body: []byte(test.html)})
		if !slices.Equal(page.Notes, test.notes) || len(page.Links) != test.links || page.LinksCut != test.cut {
			t.Errorf("%s: notes %q, %d links, cut %t, want %q, %d, %t",
				test.name, page.Notes, len(page.Links), page.LinksCut, test.notes, test.links, test.cut)
		}
	}
}

// TestPage_MetasCut: what was not read may have been a restriction.
func TestPage_MetasCut(t *testing.T) {
	const html = "<meta name=a content=1><meta name=b content=2><meta name=robots content=nofollow><meta name=c content=3>"
	for _, o := range []extract.Options{{MaxMetas: 2}, {MaxMetaBytes: 5}} {
		page := readWith(t, o, extract.Input{Header: htmlUTF8, Body: []byte(html)})
		want := []extract.Meta{{Name: "a", Content: "1"}, {Name: "b", Content: "2"}, {Name: "robots", Content: "none"}}
		if !slices.Equal(page.Metas, want) || !slices.Contains(page.Notes, extract.NoteMetas) {
			t.Errorf("%+v: metas %q, notes %q, want %q", o, page.Metas, page.Notes, want)
		}
	}
}

func TestPage_TitleCut(t *testing.T) {
	for title, want := range map[string]string{"abc def": "abc", "ab cdef": "ab c", "abcdef": "abcd", "abcéf": "abc", "  a  b  ": "a b", "日本": "日"} {
		page := readWith(t, extract.Options{MaxTitle: 4}, extract.Input{Header: htmlUTF8, Body: []byte("<title>" + title + "</title>")})
		if page.Title != want {
			t.Errorf("title %q: %q, want %q", title, page.Title, want)
		}
	}
}

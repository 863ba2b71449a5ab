package extract_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/crawler/extract"
)

// FuzzPage reads any bytes under any content type and Link header. What comes out is clean and bounded, and where tree
// construction moves or drops nothing, a page tells the same by its tree and by its tags.
func FuzzPage(f *testing.F) {
	for _, test := range linkTests {
		f.Add([]byte(test.html), "text/html; charset=utf-8", `<a>; rel="next"`)
	}
	f.Add([]byte("<meta charset=koi8-r><title>\xf0</title><a href='?\xf0'>"), "", "")
	f.Add(bytes.Repeat([]byte("\xcf\xf0\xe8\xe2\xe5\xf2 "), 5), "text/html", "") // its charset is guessed
	f.Add([]byte("\xff\xfe<\x00a\x00"), "text/html;charset=shift_jis", "<,>;=\"\\")
	f.Add([]byte("<?xml version='1.0'?><html><![CDATA[<a>]]><a href=''/></html>"), "application/xhtml+xml", "")
	opt := extract.Options{MaxLinks: 20, MaxLinkBytes: 300, MaxHref: 100, MaxMetas: 5, MaxMetaBytes: 200, MaxTitle: 20, MaxText: 50}
	byTags := opt
	byTags.MaxTree = 1
	f.Fuzz(func(t *testing.T, body []byte, contentType, link string) {
		before := bytes.Clone(body)
		in := extract.Input{Header: http.Header{"Content-Type": {contentType}, "Link": {link}}, Body: body}
		page := readWith(t, opt, in)
		tags := readWith(t, byTags, in)
		if !bytes.Equal(body, before) {
			t.Fatal("the body was changed")
		}
		checkClean(t, page, opt)
		checkClean(t, tags, opt)
		if text, err := extract.New(opt).Text(t.Context(), in); err != nil || len(text) > opt.MaxText {
			t.Errorf("Text = %q, %v", text, err)
		}
		if isSimple(body, page, tags) {
			if diff := cmp.Diff(gist(page), gist(tags)); diff != "" {
				t.Errorf("page %q: (-tree +tags)\n%s", body, diff)
			}
		}
	})
}

func checkClean(t *testing.T, page *extract.Page, opt extract.Options) {
	t.Helper()
	size := 0
	for _, l := range page.Links {
		size += len(l.Href)
		if !utf8.ValidString(l.Href+l.Rel) || strings.Trim(l.Href, " \t\n\f\r") != l.Href {
			t.Errorf("link %+q is not clean", l)
		}
	}
	if len(page.Links) > opt.MaxLinks || size > 3*opt.MaxLinkBytes || len(page.Metas) > opt.MaxMetas+1 || len(page.Title) > opt.MaxTitle {
		t.Errorf("page exceeds the limits: %+v", page)
	}
	if !utf8.ValidString(page.Title + page.Base + page.Canonical + page.Lang) {
		t.Errorf("page is not clean: %+v", page)
	}
}

// isSimple reports whether a page's tree has all elements that its tags name, and no limit struck.
func isSimple(body []byte, pages ...*extract.Page) bool {
	for _, name := range []string{"frame", "template", "svg", "math"} {
		if bytes.Contains(bytes.ToLower(body), []byte("<"+name)) {
			return false
		}
	}
	return !slices.ContainsFunc(pages, func(p *extract.Page) bool {
		return slices.ContainsFunc(p.Notes, func(note string) bool { return note != extract.NoteTree && note != extract.NoteDepth })
	})
}

// gist is what a page tells, without what tree construction repeats and reorders.
func gist(page *extract.Page) extract.Page {
	g := *page
	g.Notes, g.Canonical, g.Base, g.Lang, g.Title = nil, "", "", "", ""
	g.Links = slices.Clone(g.Links)
	slices.SortFunc(g.Links, func(a, b extract.Link) int {
		return strings.Compare(a.Kind.String()+a.Href+a.Rel, b.Kind.String()+b.Href+b.Rel)
	})
	g.Links = slices.Compact(g.Links)
	g.Metas = slices.Clone(g.Metas)
	slices.SortFunc(g.Metas, func(a, b extract.Meta) int { return strings.Compare(a.Name+a.Content, b.Name+b.Content) })
	return g
}

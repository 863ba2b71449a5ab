package extract_test

import (
	"context"
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/crawler/extract"
)

// described are the fields of a page that authors describe it with.
type described struct {
	Description string
	Keywords    []string
	State, URL  string
	Notes       []string
}

func describe(t testing.TB, x *extract.Extractor, body string) described {
	t.Helper()
	p, err := x.Page(context.Background(), extract.Input{URL: "http://a.example/", Header: nil, Body: []byte("<html>" + body)})
	if err != nil {
		t.Fatal(err)
	}
	return described{p.Description, p.Keywords, p.DocumentState, p.MetaURL, p.Notes}
}

func TestDescribe(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       described
	}{
		{"nothing", "<title>x</title>", described{}},
		{"all", `<META NAME="DESCRIPTION" CONTENT=" Two
			lines "><META NAME="KEYWORDS" CONTENT="web Robots, WEB ROBOTS,, crawl"><META NAME="DOCUMENT-STATE" CONTENT="DYNAMIC"><META NAME="URL" CONTENT=" http://master.example/ ">`,
			described{"Two lines", []string{"web robots", "crawl"}, "dynamic", "http://master.example/", nil}},
		{"markup", `<meta name=description content="a &lt;b&gt;bold&lt;/b&gt;&lt;br&gt;claim &lt;script">`, described{Description: "a bold claim"}},
		{"the first description, all keywords", `<meta name=description content=one><meta name=description content=two><meta name=keywords content=a><meta name=keywords content=b,a>`,
			described{Description: "one", Keywords: []string{"a", "b"}}},
		{"static", `<meta name=document-state content=Static>`, described{State: "static"}},
		{"contradiction", `<meta name=document-state content=dynamic><meta name=document-state content=static>`, described{State: "dynamic"}},
		{"unknown state", `<meta name=document-state content=liquid>`, described{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, describe(t, extract.New(extract.Options{}), tt.body)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDescribe_IsBounded(t *testing.T) {
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, "phrase %d, ", i)
	}
	x := extract.New(extract.Options{MaxDescription: 10, MaxKeywords: 3, MaxKeyword: 7})
	got := describe(t, x, `<meta name=description content="`+strings.Repeat("word ", 1000)+`"><meta name=keywords content="`+many.String()+`">`)
	want := described{Description: "word word", Keywords: []string{"phrase"}}
	if got.Description != want.Description || len(got.Keywords) > 3 || len(got.Keywords[0]) > 7 {
		t.Errorf("described %+v", got)
	}
	got = describe(t, extract.New(extract.Options{}), `<meta name=keywords content="`+many.String()+`">`)
	if len(got.Keywords) != 100 || cmp.Diff(got.Notes, []string{extract.NoteKeywords}) != "" {
		t.Errorf("%d keywords, notes %v", len(got.Keywords), got.Notes)
	}
}

// Whatever META elements hold, what is made of them is UTF-8, bounded, and without markup.
func FuzzDescribe(f *testing.F) {
	f.Add("a <b>c</b>", "x, y,\x00z,X", "dynamic", "http://h/")
	f.Add("&lt;<!--", ",,", " STATIC ", "\xff")
	x := extract.New(extract.Options{MaxDescription: 30, MaxKeywords: 5, MaxKeyword: 10, MaxHref: 50})
	f.Fuzz(func(t *testing.T, description, keywords, state, url string) {
		body := ""
		for name, content := range map[string]string{"description": description, "keywords": keywords, "document-state": state, "url": url} {
			body += `<meta name="` + name + `" content="` + html.EscapeString(content) + `">`
		}
		d := describe(t, x, body)
		if len(d.Description) > 30 || len(d.Keywords) > 5 || len(d.URL) > 200 || !utf8.ValidString(d.Description+d.URL) {
			t.Fatalf("described %+v", d)
		}
		for i, k := range d.Keywords {
			if k == "" || len(k) > 10 || !utf8.ValidString(k) || slices.Contains(d.Keywords[:i], k) {
				t.Fatalf("keywords %q", d.Keywords)
			}
		}
		if d.State != "" && d.State != extract.StateStatic && d.State != extract.StateDynamic {
			t.Fatalf("state %q", d.State)
		}
	})
}

package extract_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/cybermapper/cybermapper/crawler/extract"
)

// typicalPage is a page of 20 KB with 40 links.
func typicalPage() []byte {
	var b strings.Builder
	b.WriteString(`<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A page of the mill</title>
<meta name="viewport" content="width=device-width"><meta name="description" content="What a page of the web looks like.">
<link rel="stylesheet" href="/style.css"><link rel="canonical" href="/page/1"><script src="/app.js"></script></head><body>
<nav class="top"><ul>`)
	for i := range 15 {
		fmt.Fprintf(&b, `<li class="item"><a href="/section/%d" class="nav-link"><span>Section %d</span></a></li>`, i, i)
	}
	b.WriteString(`</ul></nav><main id="content"><h1>Heading</h1>`)
	for i := range 25 {
		fmt.Fprintf(&b, `<div class="card"><h2>Story %d</h2><p>%s <em>and</em> so on, <a href="/story/%d?from=home&amp;n=%d" rel="bookmark">read
more</a>.</p><img src="/img/%d.jpg" alt="picture"><p class="meta">By <b>somebody</b> on <time datetime="2024-01-01">a day</time></p></div>
`, i, strings.Repeat("The quick brown fox jumps over the lazy dog & runs. ", 9), i, i, i)
	}
	b.WriteString(`</main><script>var x = "<a href='/no'>" + 1 < 2;</script></body></html>`)
	return []byte(b.String())
}

// BenchmarkPage compares reading a page, by its tags and as a tree, with what the bare goquery loop takes for its links alone.
func BenchmarkPage(b *testing.B) {
	body := typicalPage()
	b.Run("goquery", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			doc, err := goquery.NewDocumentFromReader(bytes.NewReader(body))
			if err != nil {
				b.Fatal(err)
			}
			var links []string
			doc.Find("a[href]").Each(func(_ int, s *goquery.Selection) { links = append(links, s.AttrOr("href", "")) })
			if len(links) != 40 {
				b.Fatalf("%d links", len(links))
			}
		}
	})
	x := extract.New(extract.Options{})
	in := extract.Input{Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: body}
	b.Run("tags", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			page, err := x.Page(b.Context(), in)
			if err != nil || len(page.Links) != 40 {
				b.Fatalf("%v, %d links", err, len(page.Links))
			}
		}
	})
	in.Body = append([]byte(needsTree), body...)
	b.Run("tree", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			page, err := x.Page(b.Context(), in)
			if err != nil || len(page.Links) != 40 {
				b.Fatalf("%v, %d links", err, len(page.Links))
			}
		}
	})
}

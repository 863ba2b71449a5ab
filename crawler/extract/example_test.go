package extract_test

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"github.com/cybermapper/cybermapper/crawler/extract"
)

func Example() {
	x := extract.New(extract.Options{})
	page, err := x.Page(context.Background(), extract.Input{
		URL:    "http://pages.example/dir/page",
		Header: http.Header{"Content-Type": {"text/html"}, "Link": {`<page?p=2>; rel="next"`}},
		Body: []byte(`<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Two links</title><base href="/other/">
<meta name="robots" content="noindex"><!-- <a href="not-this">one</a> -->
<a href="this?a=1&amp;b=2">one</a> <a href="that" rel="nofollow">another</a>`),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q in %s (%s by %s), base %q\n", page.Title, page.Lang, page.Charset, page.CharsetSource, page.Base)
	for _, m := range page.Metas {
		fmt.Printf("%s: %s\n", m.Name, m.Content)
	}
	for _, l := range page.Links {
		fmt.Printf("%s %s %q\n", l.Kind, l.Href, l.Rel)
	}
	// Output:
	// "Two links" in en (utf-8 by meta), base "/other/"
	// robots: noindex
	// header-next page?p=2 "next"
	// a this?a=1&b=2 ""
	// a that "nofollow"
}

func ExampleExtractor_Text() {
	x := extract.New(extract.Options{})
	text, err := x.Text(context.Background(), extract.Input{
		Header: http.Header{"Content-Type": {"text/html"}},
		Body:   []byte("<title>No</title><h1>Maps</h1><p>of the\n  <b>net</b>.<script>no()</script>"),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
	// Output:
	// Maps
	// of the net.
}

package pages_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/pages"
)

func Example() {
	dir, err := os.MkdirTemp("", "pages")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	s, err := pages.Open(dir, pages.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, url := range []string{"https://example.org/", "https://example.org/docs/intro", "https://example.org/docs/intro/"} {
		body := []byte("<title>Welcome</title>")
		p := &storage.Page{URL: url, FinalURL: url, Fetched: time.Now(), Status: 200, Type: "text/html", Title: "Welcome", Body: body}
		if err := s.Put(context.Background(), p); err != nil {
			log.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		log.Fatal(err)
	}

	for l, err := range pages.Read(dir) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s is in %s, the same as %q\n", l.URL, l.File, l.SameAs)
	}
	// Output:
	// https://example.org/ is in example.org/~index.html, the same as ""
	// https://example.org/docs/intro is in example.org/docs/intro~.html, the same as "example.org/~index.html"
	// https://example.org/docs/intro/ is in example.org/docs/intro/~index.html, the same as "example.org/~index.html"
}

func ExampleFileName() {
	for _, url := range []string{
		"https://example.org/docs/intro.html",
		"https://example.org/docs/intro",
		"https://example.org/docs/",
		"http://example.org:8080/~ann/",
		"https://example.org/docs/?page=2",
	} {
		fmt.Println(pages.FileName(url))
	}
	// Output:
	// example.org/docs/intro.html
	// example.org/docs/intro~.html
	// example.org/docs/~index.html
	// example.org~8080/~~ann/~index.html
	// example.org/docs/page=2~iwuxh5rdd46g5h4dabcsuvspaq.html
}

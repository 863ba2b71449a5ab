package index_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cybermapper/cybermapper/storage/index"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	x, err := index.Open(filepath.Join(dir, "index.db"), index.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	ctx := context.Background()
	err = x.Apply(ctx, index.Change{
		Documents: []index.Document{
			{URL: "https://example.org/fox", Lang: "en", MaxSnippet: -1, Text: index.Text{Title: "Foxes",
				Body: "The quick brown fox jumps."}},
			{URL: "https://example.org/haus", Lang: "de", MaxSnippet: -1, Text: index.Text{Title: "Häuser",
				Body: "Ein Haus am Fluss."}},
		},
		Refusals: []index.Refusal{{URL: "https://example.org/secret", Reason: index.NoIndex, Rule: "noindex"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	r, err := x.Search(ctx, index.Query{Text: "jumping foxes"})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range r.Hits {
		fmt.Println(h.Rank, h.URL, h.Title)
		for _, f := range h.Snippet {
			fmt.Printf("%q %t\n", f.Text, f.Match)
		}
	}
	why, err := x.Why(ctx, "https://example.org/secret")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(why.State, why.Refusal.Reason)
	// Output:
	// 1 https://example.org/fox Foxes
	// "The quick brown " false
	// "fox" true
	// " " false
	// "jumps" true
	// "." false
	// refused noindex
}

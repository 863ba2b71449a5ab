package index_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/storage/index"
)

// generated returns a page of about 6 kB, with words as frequent as in a language.
func generated(n int) index.Document {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	words := rand.NewZipf(r, 1.1, 4, 50_000)
	text := func(count int) string {
		var b strings.Builder
		for range count {
			fmt.Fprintf(&b, "w%dx ", words.Uint64())
		}
		return b.String()
	}
	d := document(fmt.Sprint("/", n), "en", text(5), text(950))
	d.Text.Headings = []index.Heading{{Level: 2, ID: "a", Text: text(3)}}
	d.Text.Lead = d.Text.Body[:300]
	d.Links = []index.Link{{URL: fmt.Sprint("https://example.org/", n+1), Text: text(3)}}
	d.Words, d.Near, d.Exact = 950, r.Uint64(), r.Uint64()
	return d
}

// BenchmarkApply puts pages in, 256 at once: 1,000 pages of 6 kB in a second of one processor are the aim.
func BenchmarkApply(b *testing.B) {
	x := open(b, index.Options{})
	pages := make([]index.Document, 256)
	n := 0
	b.ResetTimer()
	for b.Loop() {
		b.StopTimer()
		for i := range pages {
			n++
			pages[i] = generated(n)
		}
		b.StartTimer()
		apply(b, x, index.Change{Documents: pages})
	}
	b.ReportMetric(float64(256*b.N)/b.Elapsed().Seconds(), "pages/s")
}

// BenchmarkSearch asks an index of 5,000 pages.
func BenchmarkSearch(b *testing.B) {
	x := open(b, index.Options{})
	for n := 0; n < 5000; {
		var c index.Change
		for range 256 {
			n++
			c.Documents = append(c.Documents, generated(n))
		}
		apply(b, x, c)
	}
	for _, query := range []struct{ name, text string }{{"title", generated(77).Text.Title}, {"rare", "w40007x"}, {"common",
		"w0x w1x"}} {
		b.Run(query.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := x.Search(context.Background(), index.Query{Text: query.text}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

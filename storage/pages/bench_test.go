package pages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/storage"
)

// BenchmarkPut stores pages of 20 KB. Creating a file is most of it; a file system that has just removed many is slow at that.
func BenchmarkPut(b *testing.B) {
	for name, digest := range map[string]func(i int) storage.Digest{
		"new":  func(i int) storage.Digest { return storage.DigestOf(fmt.Append(nil, i)) },
		"same": func(int) storage.Digest { return storage.DigestOf(nil) },
	} {
		b.Run(name, func(b *testing.B) {
			s := open(b, b.TempDir())
			body := strings.Repeat("<p>body", 3000)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				put(b, s, numberedPage(i, body, digest(i)))
			}
		})
	}
}

// BenchmarkSync stores pages of 20 KB, so many at a time, and syncs.
func BenchmarkSync(b *testing.B) {
	for _, n := range []int{0, 1, 10, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := open(b, b.TempDir())
			body := strings.Repeat("<p>body", 3000)
			i := 0
			for b.Loop() {
				for range n {
					i++
					put(b, s, numberedPage(i, body, storage.DigestOf(fmt.Append(nil, i))))
				}
				if err := s.Sync(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// numberedPage returns the ith of many pages of many sites. Its digest need not be true.
func numberedPage(i int, body string, d storage.Digest) *storage.Page {
	p := page(fmt.Sprintf("https://host%d.example.org/section%d/page%d.html", i%200, i%5, i), body)
	p.Digest = d
	return p
}

package sitemap_test

import (
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/sitemap"
)

func BenchmarkRead(b *testing.B) {
	item := "<url><loc>https://www.example.com/some/where/page.html</loc><lastmod>2026-11-20T10:00:00+00:00</lastmod><changefreq>weekly</changefreq></url>\n"
	body := "<urlset" + ns + ">" + strings.Repeat(item, 50_000) + "</urlset>"
	for _, kind := range []struct{ name, body string }{{"xml", body}, {"gzip", zipped(body)}, {"text", strings.Repeat("https://www.example.com/some/where/page.html\n", 50_000)}} {
		b.Run(kind.name, func(b *testing.B) {
			b.SetBytes(int64(len(kind.body)))
			b.ReportAllocs()
			for b.Loop() {
				s, err := sitemap.Read(strings.NewReader(kind.body), sitemap.Options{}, func(sitemap.Entry) error { return nil })
				if err != nil || s.Entries != 50_000 {
					b.Fatal(s, err)
				}
			}
		})
	}
}

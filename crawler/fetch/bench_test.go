package fetch_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// BenchmarkGet compares an exchange with a bare net/http GET and io.ReadAll of the same pages, one after the other in the same
// run, server included:
//
//	go test -run=^$ -bench=Get -benchmem ./crawler/fetch
func BenchmarkGet(b *testing.B) {
	w := webtest.New(b)
	text := strings.Repeat("<p>The quick brown fox <a href=/jumps>jumps</a> over the lazy dog.</p>\n", 280) // 20 KB
	sites := map[string][]string{
		"plain": slices.Collect(w.Bench(webtest.BenchShape{Hosts: 20, Pages: 100}).URLs()),
		"gzip":  {w.Site(webtest.Quiet(webtest.Encoded("gzip", text))).URL},
	}
	for _, name := range []string{"plain", "gzip"} {
		urls := sites[name]
		b.Run(name+"/bare", func(b *testing.B) {
			tr := http.DefaultTransport.(*http.Transport).Clone()
			defer tr.CloseIdleConnections()
			c := &http.Client{Transport: tr}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				resp, err := c.Get(urls[i%len(urls)])
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.ReadAll(resp.Body); err != nil {
					b.Fatal(err)
				}
				resp.Body.Close()
			}
		})
		b.Run(name+"/fetch", func(b *testing.B) {
			c := fetch.New(fetch.Options{AllowPrivate: true})
			defer c.Close()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				resp, err := c.Get(b.Context(), fetch.Request{URL: urls[i%len(urls)]})
				if err != nil || resp.Truncated != "" {
					b.Fatal(resp, err)
				}
				resp.Release()
			}
		})
	}
}

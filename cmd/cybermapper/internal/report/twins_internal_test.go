package report

import (
	"testing"

	"github.com/cybermapper/cybermapper/storage/pages"
)

func TestTwinOf(t *testing.T) {
	for _, tt := range []struct {
		line       pages.Line
		keep, rule string
	}{
		{pages.Line{FinalURL: "https://www.a.example/x.html", SameAs: "a.example/x.html"}, "https://a.example", `--exclude '^https://www\.a\.example/'`},
		{pages.Line{FinalURL: "https://a.example/x.html", SameAs: "a.example~80/x.html"}, "https://a.example", `--exclude '^http://a\.example/'`},
		{pages.Line{FinalURL: "http://a.example/", SameAs: "www.a.example/~index.html"}, "https://www.a.example", `--exclude '^http://a\.example/'`},
		{pages.Line{FinalURL: "https://a.example/x?y", Near: "https://www.a.example/x?y"}, "https://a.example", `--exclude '^https://www\.a\.example/'`},
		{line: pages.Line{FinalURL: "https://www.a.example/x.html", SameAs: "a.example/y.html"}},
		{line: pages.Line{FinalURL: "https://www.a.example/x.html", SameAs: "b.example/x.html"}},
		{line: pages.Line{FinalURL: "https://a.example/x.html", SameAs: "a.example~https~8443/x.html"}},
		{line: pages.Line{FinalURL: "https://a.example/x.html", Near: "https://www.a.example/y.html"}},
		{line: pages.Line{FinalURL: "https://a.example/x.html"}},
		{line: pages.Line{FinalURL: "::", SameAs: "a.example/x.html"}},
	} {
		row, ok := twinOf(&tt.line)
		if ok != (tt.keep != "") || row.Group != tt.keep || row.Rule != tt.rule {
			t.Errorf("%+v: %t, %+v", tt.line, ok, row)
		}
	}
}

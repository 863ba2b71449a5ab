package lint

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/cybermapper/cybermapper/robots"
)

// A group has the lines that package robots counts to it, and no others.
func TestGroups_HaveTheirLines(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"User-agent: a", "User-agent: *", "Disallow: /", "Allow: /b", "Sitemap: http://a.example/", "# c", "", " ", "x", "\x00", "Crawl-delay: 1",
	})
	end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"})
	rapid.Check(t, func(t *rapid.T) {
		body := ""
		for range rapid.IntRange(0, 20).Draw(t, "lines") {
			body += piece.Draw(t, "piece") + end.Draw(t, "end")
		}
		in := map[int]int{} // group by line
		for _, g := range newSource([]byte(body)).groups() {
			for _, l := range g.lines {
				in[l.Number] = g.number
			}
		}
		for _, l := range robots.Parse([]byte(body), robots.Cautious).Lines() {
			if in[l.Number] != l.Group {
				t.Errorf("line %d of %q is in group %d, want %d", l.Number, body, in[l.Number], l.Group)
			}
		}
	})
}

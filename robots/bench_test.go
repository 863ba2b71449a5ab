package robots_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
)

// usualFile is 100 KB of what robots.txt files hold: groups, comments, prefixes, some wildcards.
func usualFile() []byte {
	var b strings.Builder
	for i := 0; b.Len() < 100_000; i++ {
		if i%40 == 0 {
			fmt.Fprintf(&b, "\n# group %d\nUser-agent: Robot-%c\nCrawl-delay: 2\n", i, 'a'+rune(i/40%26))
		}
		switch i % 8 {
		case 6:
			fmt.Fprintf(&b, "Disallow: /*?sort%d=\n", i)
		case 7:
			fmt.Fprintf(&b, "Allow: /section-%d/public/\n", i)
		default:
			fmt.Fprintf(&b, "Disallow: /section-%d/private/\n", i)
		}
	}
	return []byte(b.String())
}

// BenchmarkParse takes files of 100 KB in.
func BenchmarkParse(b *testing.B) {
	body := usualFile()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		robots.Parse(body, robots.Cautious)
	}
}

// BenchmarkParseAndRules is the whole way from the bytes of a file of 100 KB to the rules for one product: of one group
// among many, with leniencies, and when all rules are for us.
func BenchmarkParseAndRules(b *testing.B) {
	for _, bm := range []struct {
		name    string
		body    []byte
		dialect robots.Dialect
	}{
		{"many-groups/cautious", usualFile(), robots.Cautious},
		{"many-groups/rfc9309", usualFile(), robots.RFC9309},
		{"many-groups/std1994", usualFile(), robots.Std1994},
		{"lenient/cautious", append(usualFile(), "Disalow: /tmp /var\n"...), robots.Cautious},
		{"one-group/cautious", bytes.ReplaceAll(usualFile(), []byte("User-agent"), []byte("X-agent")), robots.Cautious},
	} {
		body := append([]byte("User-agent: *\nDisallow: /first\n"), bm.body...)
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				robots.Parse(body, bm.dialect).Rules("robot-c")
			}
		})
	}
}

// group returns one group of n rules, each written by format from its number.
func group(n int, format string) *robots.Rules {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return robots.Parse([]byte(b.String()), robots.Cautious).Rules("cybermapper")
}

func BenchmarkTest(b *testing.B) {
	deep := strings.Repeat("/a", 1000)
	for _, bm := range []struct {
		name  string
		rules *robots.Rules
		path  string
	}{
		{"10-rules", group(10, "Disallow: /section-%d/private/\n"), "/section-7/private/page.html?q=1"},
		{"4000-prefixes", group(4000, "Disallow: /section-%d/private/\n"), "/section-3777/private/page.html?q=1"},
		{"4000-wildcards", group(4000, "Disallow: /*?param%d=\n"), "/shop/shoes/red-ones.html?color=red&size=44&page=7"},
		{"4000-anchored", group(4000, "Disallow: /*/item-%d.html$\n"), "/shop/shoes/item-3999.html"},
		{"encoded", group(4000, "Disallow: /caf%%C3%%A9-%d/\n"), "/café-3999/menu"},
		{"no-rule", group(4000, "Disallow: /section-%d/private/\n"), "/index.html"},
		{"hostile-nested", robots.Parse([]byte("User-agent: *\n"+nested(900)), robots.Cautious).Rules("x"), strings.Repeat("a", 1500)},
		{"hostile-stars", group(1, "Disallow: /"+strings.Repeat("*a", 200)+"*b%d$\n"), deep},
		{"hostile-4000-stars", group(4000, "Disallow: /*a*a*a*a*a*b%d$\n"), "/" + strings.Repeat("a", 200)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bm.rules.Test(bm.path)
			}
		})
	}
}

// nested is n rules each of which is a prefix of the next.
func nested(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "Disallow: /%s\n", strings.Repeat("a", i))
	}
	return b.String()
}

func BenchmarkHeaderDirectives(b *testing.B) {
	values := []string{"noindex, max-snippet: 20", "otherbot: none, cybermapper: nofollow"}
	b.ReportAllocs()
	for b.Loop() {
		robots.HeaderDirectives(values, "cybermapper")
	}
}

// TestAllocations holds the promises of Test and Parse about memory.
func TestAllocations(t *testing.T) {
	rules := group(4000, "Disallow: /section-%d/private/\nDisallow: /*?a%d=\n")
	path := "/section-3777/private/page.html?q=1&x=%41é"
	if n := testing.AllocsPerRun(100, func() { rules.Test(path) }); n != 0 {
		t.Errorf("Test allocates %v times, want 0", n)
	}
	body := usualFile()
	if n := testing.AllocsPerRun(10, func() { robots.Parse(body, robots.Cautious).Rules("robot-c") }); n > 100 {
		t.Errorf("Parse and Rules of 100 KB allocate %v times, want at most 100", n)
	}
}

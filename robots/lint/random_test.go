package lint_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots/lint"
)

// pieces are lines as they occur, right and wrong, about few names and paths so that they get in each other's way.
var pieces = strings.Split(`User-agent: *|User-agent: a|User-agent: b|User-agent: a b|User-agent: a, b|User-agent: b/1.0|User-agent: a*|User-agent:|Useragent: b|User agent: a
user-agentx: b|Agente de usuario: a|User-agent a|User-agent: * Disallow: /x|User-agent: a Allow: /x|User-agent: *, a|User-agent: Bingbot Slurp|User-agent: b Crawl-delay: 9|||||# remark|  # more
Disallow: /|Disallow:|Disallow: /x|Disallow: /x/y|Disallow: x|Disallow: / x /|Disallow: /x y|Disallow: /x /y|Disallow: /x, /y|Disallow: *x|Disallow: /x$|Disallow: /*y$ # end|Disallow: /%78
Disallow: http://h/x|Disallow: https://h/|Disallow: /x Allow: /x/y|Disallow: /x Disallow: /y|Disalow: /x|Disllow: y|Disallow /x|Disallow x y|Запретить: /y|Disallow：/x|Disallow: “/x”|Disallow: /x\x00
Allow: /|Allow: /x|Allow: /x/y|Allow: /x%20|Allow: x|Allow: /x /y|Allow: /*y|Alow: /x|Allow /x|Allow: /index.html|Allow:|Allow: /x Disallow: /y
Crawl-delay: 5|Crawldelay: 7|Request-rate: 1/2|Sitemap: http://h/s|Colour: blue|prose and more|allowance: /x|1 Disallow: /y`, "|")

// TestFix_random puts files together from pieces and holds Fix to its promises. LINT_FILES says how many, 300 otherwise.
func TestFix_random(t *testing.T) {
	n := 300
	if s := os.Getenv("LINT_FILES"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	r := rand.New(rand.NewPCG(1, uint64(n)))
	var lines []string
	for _, piece := range pieces {
		lines = append(lines, strings.Split(strings.ReplaceAll(piece, `\x00`, "\x00"), "\n")...)
	}
	for range n {
		var b strings.Builder
		for range 1 + r.IntN(12) {
			b.WriteString(lines[r.IntN(len(lines))] + []string{"\n", "\n", "\n", "\r\n"}[r.IntN(4)])
		}
		body := []byte(b.String())
		fixed := lint.Fix(body, lint.Options{})
		if again := lint.Fix(fixed, lint.Options{}); !bytes.Equal(again, fixed) {
			t.Fatalf("Fix is not idempotent:\n%q\n%q\n%q", body, fixed, again)
		}
		for _, remark := range []string{"# remark", "# more", "# end"} {
			if strings.Contains(b.String(), remark) && !bytes.Contains(fixed, []byte(remark)) {
				t.Fatalf("Fix loses %q:\n%q\n%q", remark, body, fixed)
			}
		}
		checkFixed(t, body, fixed, "/x/y", "b")
		checkReport(t, body, lint.File(body, lint.Options{URLs: []lint.URL{{Path: "/x"}}}))
	}
}

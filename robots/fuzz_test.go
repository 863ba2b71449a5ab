package robots_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
)

// seedFiles adds files and what to ask them to the corpus.
func seedFiles(f *testing.F, add func(body []byte, agent, path string)) {
	for _, c := range readLines[testCase](f, "testdata/robots.jsonl") {
		if body := c.body(); len(body) < 10_000 {
			add(body, c.Agent, pathQuery(c.URL))
		}
	}
	add([]byte("User agent: a b\nDisallow /x\nDisalow: y z\nUser-agent: * Disallow: http://h/p Allow: /q\n"), "b", "/x")
}

// FuzzParse: every byte up to the limit is in one line, and a file that is written again from its lines says the same.
func FuzzParse(f *testing.F) {
	seedFiles(f, func(body []byte, agent, path string) { f.Add(body, agent, path) })
	f.Fuzz(func(t *testing.T, body []byte, agent, path string) {
		for _, d := range []robots.Dialect{robots.Cautious, robots.RFC9309, robots.Std1994} {
			file := robots.Parse(body, d)
			lines := file.Lines()
			for i, l := range lines {
				if l.Number != i+1 {
					t.Fatalf("line %d has number %d", i+1, l.Number)
				}
			}
			v := file.Rules(agent).Test(path)
			if v.Line < 0 || v.Line > len(lines) || (v.Line > 0) != (v.Reason == robots.ReasonRule) || v.Digest != file.Digest() {
				t.Fatalf("verdict out of range: %+v of %d lines", v, len(lines))
			}
			if bytes.HasPrefix(body, []byte{0xff, 0xfe}) || bytes.HasPrefix(body, []byte{0xfe, 0xff}) || len(body) > robots.MaxBytes {
				continue
			}
			if want := countLines(body); len(lines) != want {
				t.Fatalf("%v: %d lines, want %d", d, len(lines), want)
			}
			if d == robots.Cautious {
				continue // it reads lines without a colon too, which Lines gives no value
			}
			again := robots.Parse(write(lines), d).Rules(agent).Test(path)
			if again.Allowed != v.Allowed || again.Line != v.Line || again.Reason != v.Reason {
				t.Fatalf("%v: %+v, and when written again %+v", d, v, again)
			}
		}
	})
}

// countLines counts line ends, and the line that has none.
func countLines(body []byte) int {
	for _, mark := range []string{"\xef\xbb\xbf", "\xef\xbb", "\xef"} {
		if rest, ok := bytes.CutPrefix(body, []byte(mark)); ok {
			body = rest
			break
		}
	}
	body = bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	body = bytes.ReplaceAll(body, []byte("\r"), []byte("\n"))
	n := bytes.Count(body, []byte("\n"))
	if len(body) > 0 && body[len(body)-1] != '\n' {
		n++
	}
	return n
}

func write(lines []robots.Line) []byte {
	var b bytes.Buffer
	for _, l := range lines {
		switch {
		case l.Role == robots.RoleBlank:
			fmt.Fprintf(&b, "\n")
		case l.Key == "" && l.Value == "":
			fmt.Fprintf(&b, "#\n")
		default:
			fmt.Fprintf(&b, "%s: %s\n", l.Key, l.Value)
		}
	}
	return b.Bytes()
}

// Promise 7: Cautious never allows what RFC 9309 forbids, is never faster, and names a leniency when it forbids more.
func FuzzDialects(f *testing.F) {
	seedFiles(f, func(body []byte, agent, path string) { f.Add(body, agent, path) })
	f.Fuzz(func(t *testing.T, body []byte, agent, path string) { checkDialects(t, body, agent, path) })
}

func checkDialects(t *testing.T, body []byte, agent string, paths ...string) {
	t.Helper()
	cautious := robots.Parse(body, robots.Cautious).Rules(agent)
	rfc := robots.Parse(body, robots.RFC9309).Rules(agent)
	for _, path := range paths {
		c, r := cautious.Test(path), rfc.Test(path)
		if c.Allowed && !r.Allowed {
			t.Fatalf("Test(%q) for %q: cautious %+v, RFC 9309 %+v", path, agent, c, r)
		}
		if !c.Allowed && r.Allowed && c.Leniency == "" && r.Reason != robots.ReasonRule {
			t.Fatalf("Test(%q) for %q: forbidden by no leniency: %+v, RFC 9309 %+v", path, agent, c, r)
		}
	}
	c, _ := cautious.Delay()
	if r, _ := rfc.Delay(); c < r {
		t.Fatalf("Delay(): cautious %v, RFC 9309 %v", c, r)
	}
}

// FuzzMatch compares the index with a slow reading of RFC 9309 section 2.2.2: patterns between line feeds, every second
// an Allow.
func FuzzMatch(f *testing.F) {
	f.Add("/a*b$\n/a\n*.gif\n/%7ex\n/$", "/axb?q=%61*$")
	f.Add("/\n/a/\n/a/*\n/a/b*c*d$", "/a/bccd")
	f.Add("/%c3%a9\n/é\n/%\n/%2\n/$$", "/é%2")
	f.Fuzz(func(t *testing.T, patterns, path string) {
		file := "User-agent: *\n"
		best, allowed := -1, true
		for i, p := range strings.Split(patterns, "\n") {
			if p == "" || p[0] != '/' && p[0] != '*' || strings.ContainsFunc(p, func(c rune) bool { return c <= ' ' || c == '#' }) {
				continue
			}
			field := []string{"Disallow", "Allow"}[i%2]
			file += field + ": " + p + "\n"
			units := slowPattern(p)
			if n := len(units); slowMatch(units, slowPath(path)) && (n > best || n == best && field == "Allow") {
				best, allowed = n, field == "Allow"
			}
		}
		if slices.Equal(slowPath(path), slowPath("/robots.txt")) {
			best, allowed = -1, true
		}
		v := robots.Parse([]byte(file), robots.RFC9309).Rules("x").Test(path)
		if v.Allowed != allowed || (v.Reason == robots.ReasonRule) != (best >= 0) {
			t.Fatalf("Test(%q) = %+v, want allowed %v\n%s", path, v, allowed, file)
		}
	})
}

// slowUnits encodes s and takes it apart into octets.
func slowUnits(s string) (units []string) {
	const mustEncode = "\x7f \"<>\\^{|}`*$"
	for len(s) > 0 {
		var b byte
		n, err := fmt.Sscanf(s[:min(3, len(s))], "%%%02x", &b)
		escaped := n == 1 && err == nil && len(s) >= 3 && strings.Trim(s[1:3], "0123456789abcdefABCDEF") == ""
		if escaped {
			s = s[3:]
		} else {
			b, s = s[0], s[1:]
		}
		unreserved := strings.IndexByte("-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", b) >= 0
		if !unreserved && (escaped || b < ' ' || b >= 0x80 || strings.IndexByte(mustEncode, b) >= 0) {
			units = append(units, strings.Split(fmt.Sprintf("%%%02X", b), "")...)
		} else {
			units = append(units, string(rune(b)))
		}
	}
	return units
}

func slowPath(path string) []string {
	path, _, _ = strings.Cut(path, "#")
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return slowUnits(path)
}

func slowPattern(p string) (units []string) {
	p, anchored := strings.CutSuffix(p, "$")
	for i, part := range strings.Split(p, "*") {
		if i > 0 {
			units = append(units, "star")
		}
		units = append(units, slowUnits(part)...)
	}
	if anchored {
		units = append(units, "end")
	}
	return units
}

// slowMatch keeps the set of all places in path where the pattern may have come to.
func slowMatch(pattern, path []string) bool {
	at := map[int]bool{0: true}
	for _, unit := range pattern {
		next := map[int]bool{}
		for i := range len(path) + 1 {
			switch {
			case !at[i]:
			case unit == "star":
				for j := i; j <= len(path); j++ {
					next[j] = true
				}
			case unit == "end":
				next[i] = i == len(path)
			case i < len(path) && path[i] == unit:
				next[i+1] = true
			}
		}
		at = next
	}
	for _, ok := range at {
		if ok {
			return true
		}
	}
	return false
}

// FuzzDirectives: neither letter case nor order matters, each header stands for itself, and nothing that is added lifts anything.
func FuzzDirectives(f *testing.F) {
	f.Add("noindex, cybermapper: nofollow", "unavailable_after: Fri, 25 Jun 2010 15:00:00 PST, none")
	f.Add("max-snippet: 20, max-image-preview:none", "otherbot: noindex, cybermapper: max-snippet:0, ALL")
	f.Add("noindex nofollow", "*: noarchive,,:,a:b:c")
	f.Add("max-snippet:9, max-video-preview:5, max-image-preview:large", "max-snippet:7, max-video-preview:2, max-image-preview:none")
	f.Fuzz(func(t *testing.T, a, b string) {
		const product = "cybermapper"
		one, two := robots.HeaderDirectives([]string{a}, product), robots.HeaderDirectives([]string{b}, product)
		both := robots.HeaderDirectives([]string{a, b}, product)
		if got := one.Merge(two); !slices.Equal(got.Strings(), both.Strings()) {
			t.Fatalf("merged %q, at once %q", got.Strings(), both.Strings())
		}
		if got := two.Merge(one); !slices.Equal(got.Strings(), both.Strings()) {
			t.Fatalf("merged the other way round %q, at once %q", got.Strings(), both.Strings())
		}
		for _, term := range one.Strings() {
			if name, _, _ := strings.Cut(term, ":"); !slices.ContainsFunc(both.Strings(), func(s string) bool { return strings.HasPrefix(s, name) }) {
				t.Fatalf("%q lifted %q", b, term)
			}
		}
		if upper := robots.HeaderDirectives([]string{upperASCII(a)}, product); !slices.Equal(upper.Strings(), one.Strings()) {
			t.Fatalf("in capitals %q, else %q", upper.Strings(), one.Strings())
		}
		metas := []robots.Meta{{Name: "robots", Content: a}, {Name: product, Content: b}, {Name: "other", Content: b}}
		if d := robots.MetaDirectives(metas, product); len(d.Terms) > robots.MaxTerms || (d.NoIndex || d.NoFollow) && d.Strings() == nil {
			t.Fatalf("%+v", d)
		}
		robots.LinkRel(a)
	})
}

func upperASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}

package lint_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/lint"
)

func seedFiles(f *testing.F) {
	for _, s := range []string{
		v7,
		"",
		"\ufeffUser-agent: *\r\nDisallow: / tmp /\r\n",
		"Disallow: /a\nUser-agent: * Disallow: /b Allow: /c\nUseragent: x, y\n\nDisallow /d\n",
		"User-agent: a b\nDisallow: /x /y\n\nUser-agent: *\nDisallow: http://h/z\nAllow: /x y\n",
		"User-agent: *\nDisallow: /\n\nUser-agent: *\nDisallow: /*.gif$ # g\nAllow: /index.html\n\nUser-agent: Foo/2.0\nCrawl-delay: 5\n",
		"Запрещать: /t\nUser-agent: *\nDisalow: \xe9\nUser-agent: b\n",
		"1 User-agent: *\n2 Disallow: /\n<b>\nUser-agent*: /\n",
		"User-agent: *\nDisallow: /a\x00b\nDisallow:\nDisallow: /a\nDisallow: /a\n",
	} {
		f.Add([]byte(s), "/tmp/x", "foo")
	}
}

// FuzzFix holds Fix to its promises: it is idempotent, keeps comments, and opens nothing. The verdicts are those of
// package robots, and for Google's reading those of a second writing of its parser.
func FuzzFix(f *testing.F) {
	seedFiles(f)
	f.Fuzz(func(t *testing.T, body []byte, path, product string) {
		fixed := lint.Fix(body, lint.Options{})
		if again := lint.Fix(fixed, lint.Options{}); !bytes.Equal(again, fixed) {
			t.Fatalf("Fix is not idempotent:\n%q\n%q\n%q", body, fixed, again)
		}
		checkFixed(t, body, fixed, path, product)
	})
}

// checkFixed fails the test if a robot may visit more by fixed than by body.
func checkFixed(t *testing.T, body, fixed []byte, path, product string) {
	t.Helper()
	paths := append(samplePaths(body), path)
	for _, name := range append(names(body), product, "cybermapper", "") {
		for _, d := range []robots.Dialect{robots.Cautious, robots.RFC9309} {
			before, after := robots.Parse(body, d).Rules(name), robots.Parse(fixed, d).Rules(name)
			for _, p := range paths {
				if v := after.Test(p); v.Allowed && !before.Test(p).Allowed {
					t.Fatalf("Fix opens %q to %q in %s: %+v\n%q\n%q", p, name, d, v, body, fixed)
				}
			}
		}
		before, after := parseGoogle(body, name), parseGoogle(fixed, name)
		for _, p := range paths {
			if after.allows(p) && !before.allows(p) {
				t.Fatalf("Fix opens %q to %q in Google's reading\n%q\n%q", p, name, body, fixed)
			}
		}
	}
}

// FuzzFile checks that findings name lines that exist, with text of them, and codes that are documented.
func FuzzFile(f *testing.F) {
	seedFiles(f)
	f.Fuzz(func(t *testing.T, body []byte, path, _ string) {
		checkReport(t, body, lint.File(body, lint.Options{Host: "site.example", URLs: []lint.URL{{Path: path, NoIndex: true}}}))
	})
}

func checkReport(t *testing.T, body []byte, r lint.Report) {
	t.Helper()
	if r.Bytes != len(body) || r.Lines != len(robots.Parse(body, robots.Cautious).Lines()) {
		t.Fatalf("%d bytes, %d lines; want %d, %d", r.Bytes, r.Lines, len(body), len(robots.Parse(body, robots.Cautious).Lines()))
	}
	for _, finding := range r.Findings {
		known := slices.ContainsFunc(lint.Codes(), func(c lint.CodeInfo) bool { return c.Code == finding.Code })
		if !known || finding.Line < 0 || finding.Line > r.Lines || finding.Message == "" {
			t.Fatalf("strange finding %+v in a file of %d lines", finding, r.Lines)
		}
		if len(finding.Text) > lint.MaxText {
			t.Fatalf("%s quotes %d bytes", finding.Code, len(finding.Text))
		}
	}
}

// names returns what could be the name of a robot in a file.
func names(body []byte) []string {
	words := strings.FieldsFunc(string(body), func(c rune) bool { return !(c == '-' || c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z') })
	slices.Sort(words)
	words = slices.Compact(words)
	return words[:min(len(words), 40)]
}

// samplePaths returns paths that the rules of a file could be about.
func samplePaths(body []byte) []string {
	paths := []string{"/", "/a", "/robots.txt"}
	for _, l := range robots.Parse(body, robots.Cautious).Lines() {
		for _, value := range []string{l.Value, strings.ReplaceAll(l.Value, " ", "")} {
			path := strings.NewReplacer("*", "x/y", "$", "").Replace(value)
			if path == "" || path[0] != '/' {
				path = "/" + path
			}
			paths = append(paths, path, path+"x", strings.TrimRight(path, "/"))
		}
		if len(paths) > 300 {
			break
		}
	}
	return paths
}

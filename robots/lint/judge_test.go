package lint_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/lint"
	"github.com/cybermapper/cybermapper/robots/robotstest"
)

var dialects = []robots.Dialect{robots.Cautious, robots.RFC9309, robots.Std1994}

// judgeFix holds a fixed file to what the file said before, for all that could be a name and all that could be a path, in all
// dialects and in a second writing of Google's parser.
func judgeFix(t *testing.T, id string, body, fixed []byte) (asked int) {
	t.Helper()
	if bytes.Equal(body, fixed) {
		return 0
	}
	const google = "Google's reading"
	isMeant := meant(body)
	paths := robotstest.Paths(200, body, fixed)
	for _, name := range robotstest.Names(append(slices.Concat(body, []byte("\n")), fixed...), 50) {
		cautious := robots.Parse(body, robots.Cautious).Rules(name)
		strict := robots.Parse(body, robots.RFC9309).Rules(name)
		judge := func(reading string, before, after func(path string) bool) {
			for _, path := range paths {
				if strings.ContainsFunc(path, unicode.IsControl) {
					continue // no URL has such a path, and Google would not find a rule that has
				}
				was, is := before(path), after(path)
				asked++
				switch {
				case !was && is:
					t.Errorf("%s: opens %s to %q in %s\n%.600q\n%.600q", id, path, name, reading, body, fixed)
					return
				case was && !is && path == "/" && (reading != google || strict.Test("/").Allowed):
					t.Errorf("%s: closes the front page to %q in %s\n%.600q\n%.600q", id, name, reading, body, fixed)
					return
				case was && !is && cautious.Test(path).Allowed && !isMeant(name):
					t.Errorf("%s: closes %s to %q in %s, which no line meant\n%.600q\n%.600q", id, path, name, reading, body, fixed)
					return
				}
			}
		}
		for _, d := range dialects {
			before, after := robots.Parse(body, d).Rules(name), robots.Parse(fixed, d).Rules(name)
			judge(d.String(), func(p string) bool { return before.Test(p).Allowed }, func(p string) bool { return after.Test(p).Allowed })
			x, _ := before.Delay()
			if y, _ := after.Delay(); y < x {
				t.Errorf("%s: pause of %q in %v was %v, is %v\n%.600q\n%.600q", id, name, d, x, y, body, fixed)
			}
		}
		seen, after := parseGoogle(body, name), parseGoogle(fixed, name)
		judge(google, seen.allows, after.allows)
	}
	return asked
}

// meant returns who may be closed out by repairs of a file: whoever is named on something like a User-agent line, or has such a
// name for a part of its own; everybody if there is a star on one of them, or if a rule stands above them all.
func meant(body []byte) func(name string) bool {
	var names []string
	ruled := false
	for line := range strings.Lines(strings.ReplaceAll(strings.ToLower(string(body)), "\r", "\n")) {
		code, _, _ := strings.Cut(line, "#")
		if key, _, _ := strings.Cut(code, ":"); strings.Contains(key, "agent") {
			words := strings.FieldsFunc(code, func(c rune) bool { return c != '*' && c != '-' && c != '_' && (c < 'a' || c > 'z') })
			for _, word := range words {
				if word != "user-agent" && word != "user" && word != "agent" && word != "useragent" {
					names = append(names, word)
				}
			}
			ruled = true
		} else if !ruled && strings.Contains(code, "/") {
			return func(string) bool { return true }
		}
	}
	return func(name string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, "*") || strings.Contains(strings.ToLower(name), n) })
	}
}

// judgeReport holds a report and a fix to each other: what is marked fixable is gone afterwards, and Fix is idempotent.
func judgeReport(t *testing.T, f robotstest.File) (asked int) {
	t.Helper()
	fixed := lint.Fix(f.Body, lint.Options{})
	if again := lint.Fix(fixed, lint.Options{}); !bytes.Equal(again, fixed) {
		t.Errorf("%s: Fix is not idempotent\n%.500q\n%.500q\n%.500q", f.ID, f.Body, fixed, again)
	}
	checkReport(t, f.Body, lint.File(f.Body, lint.Options{Fixable: true}))
	for _, finding := range lint.File(fixed, lint.Options{Fixable: true}).Findings {
		if finding.Fixable {
			t.Errorf("%s: %s of line %d is left, and marked fixable\n%.500q\n%.500q", f.ID, finding.Code, finding.Line, f.Body, fixed)
		}
	}
	for _, finding := range lint.File(f.Body, lint.Options{}).Findings {
		if finding.Fixable {
			t.Errorf("%s: %s is marked fixable though nobody asked", f.ID, finding.Code)
		}
	}
	return judgeFix(t, f.ID, f.Body, fixed)
}

func TestJudgeFix(t *testing.T) {
	asked := 0
	for _, f := range robotstest.Generated(1, 7) {
		asked += judgeReport(t, f)
	}
	t.Logf("%d verdicts", asked)
}

func TestJudgeFix_real(t *testing.T) {
	asked, changed := 0, 0
	for _, f := range robotstest.Real(t) {
		n := judgeReport(t, f)
		if asked += n; n > 0 {
			changed++
		}
	}
	t.Logf("%d verdicts, %d files changed", asked, changed)
}

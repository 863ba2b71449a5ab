package robots_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
)

// checkRegister holds a Register to what File.Rules says, and its audiences to have the same rules.
func checkRegister(tb testing.TB, body []byte, products ...string) {
	tb.Helper()
	for _, d := range []robots.Dialect{robots.Cautious, robots.RFC9309, robots.Std1994} {
		file := robots.Parse(body, d)
		register := file.Register()
		byAudience := map[string]*robots.Rules{}
		names := register.Names()
		for _, product := range slices.Concat(names[:min(len(names), 60)], products) {
			got, want := register.Rules(product), file.Rules(product)
			if !reflect.DeepEqual(got.List(), want.List()) || !reflect.DeepEqual(got.VisitTimes(), want.VisitTimes()) {
				tb.Fatalf("%v: %q hears %+v from the register, %+v from the file\n%q", d, product, got.List(), want.List(), body)
			}
			delay, line := got.Delay()
			if wantDelay, wantLine := want.Delay(); delay != wantDelay || line != wantLine {
				tb.Fatalf("%v: %q: pace %v of line %d, want %v of line %d\n%q", d, product, delay, line, wantDelay, wantLine, body)
			}
			said := register.Said(product)
			if !reflect.DeepEqual(patternsOf(said.Rules), patternsOf(want.List())) || said.Delay != delay || said.DelayLine != line {
				tb.Fatalf("%v: %q is said %+v, and hears %+v\n%q", d, product, said, want.List(), body)
			}
			if d, line := register.Delay(product); d != said.Delay || line != said.DelayLine {
				tb.Fatalf("%q: pause %v of line %d, want %v of line %d\n%q", product, d, line, said.Delay, said.DelayLine, body)
			}
			key := register.Audience(product)
			if other, known := byAudience[key]; known && !reflect.DeepEqual(other.List(), want.List()) {
				tb.Fatalf("%v: %q has other rules than its audience %q\n%q", d, product, key, body)
			}
			byAudience[key] = want
		}
	}
}

// patternsOf returns what decides of rules: of those with the same pattern Allow.
func patternsOf(rules []robots.Rule) map[string]bool {
	allows := map[string]bool{}
	for _, r := range rules {
		if d, known := allows[r.Pattern]; !known || !d {
			allows[r.Pattern] = r.Allow
		}
	}
	return allows
}

func TestRegister(t *testing.T) {
	for _, c := range readLines[testCase](t, "testdata/robots.jsonl") {
		if body := c.body(); len(body) < 50_000 {
			checkRegister(t, body, c.Agent, "cybermapper", "*", "", "Foo/1.0 (x)")
		}
	}
	names := strings.Join(robots.Parse([]byte("User-agent: b A1 *\nUser-agent: c/2\nUser-agent: B\nUseragent: d\n"), robots.Cautious).Register().Names(), " ")
	if names != "A1 b c d" {
		t.Errorf("Names() = %q, want A1 b c d", names)
	}
	var none *robots.File
	if r := none.Register(); len(r.Names()) > 0 || r.Rules("x").Test("/").Allowed {
		t.Errorf("a nil File has a Register with %q in it", r.Names())
	}
}

func FuzzRegister(f *testing.F) {
	f.Add([]byte("User-agent: ab\nCrawl-delay: 2\n\nUser-agent: abc x\nDisallow: /x\nAllow: /\nUseragent: *\nDisallow /y\nVisit-time: 0100-0200\n"), "abcd")
	f.Add([]byte("Crawl-delay: 1\nUser-agent: a, *\nUser-agent: "+strings.Repeat("long", 30)+"\n\nDisallow: /\n"), strings.Repeat("long", 40))
	f.Fuzz(func(t *testing.T, body []byte, product string) { checkRegister(t, body, product, "", "*") })
}

// TestSaidToPart ensures that what a robot is told of whose name several are parts can be put together from what each part says.
func TestSaidToPart(t *testing.T) {
	const text = "User-agent: *\nDisallow: /s\nAllow: /s/t\n\nUser-agent: rex\nDisallow: /a\nAllow: /c\n\nUser-agent: xbi\nDisallow: /b\n"
	x := robots.Parse([]byte(text), robots.Cautious).Register()
	patterns := func(said robots.Said) (all []string) {
		for _, r := range said.Rules {
			all = append(all, r.Pattern)
		}
		return all
	}
	for name, want := range map[string][]string{"Rex": {"/s", "/s/t", "/a"}, "xbi": {"/s", "/s/t", "/b"}, "none": {"/s", "/s/t"}} {
		if got := patterns(x.SaidToPart(name)); !slices.Equal(got, want) {
			t.Errorf("SaidToPart(%q) = %q, want %q", name, got, want)
		}
	}
	if got, want := patterns(x.Said("trexbird")), []string{"/s", "/s/t", "/a", "/b"}; !slices.Equal(got, want) {
		t.Errorf("Said() of who has both for parts = %q, want %q", got, want)
	}
	if a, b := x.SaidToPart("none"), x.Said(""); !a.Alike(b) || a.Alike(x.Said("rex")) {
		t.Error("Alike() does not tell robots apart by their rules")
	}
}

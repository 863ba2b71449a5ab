package compose

import (
	"maps"
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
)

// maxSamplePatterns bounds the patterns from which sample paths are made.
const maxSamplePatterns = 5000

// Samples returns paths on which the rules of some files differ if they differ at all, as far as one can guess: around
// each pattern, inside it and just outside. They are in canonical form, sorted, each once, and always hold "/".
func Samples(bodies ...[]byte) []string {
	patterns := map[string]bool{}
	for _, body := range bodies {
		for _, d := range allDialects {
			c := newComparison(body, nil, d)
			said := maxSaid
			for _, products := range c.named() {
				for _, r := range c.before.Said(products[0]).Rules {
					if len(patterns) < maxSamplePatterns {
						patterns[r.Pattern] = true
					}
					said--
				}
				if said < 0 {
					break
				}
			}
		}
	}
	return samplesOf(slices.Sorted(maps.Keys(patterns)))
}

func samplesOf(patterns []string) []string {
	paths := []string{"/", "/index.html", "/robots.txt", "/x"}
	for _, p := range patterns {
		paths = appendSamples(paths, p)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// witnesses returns paths on which two lists of rules are likely to differ if they do: around the patterns that are in one of
// them only, where those meet others, and around the others.
func (p *proof) witnesses(a, b []robots.Rule) []string {
	x, y := rulesOf(a), rulesOf(b)
	var only []rule
	for _, r := range slices.Concat(x, y) {
		_, inX := slices.BinarySearchFunc(x, r, rule.compare)
		_, inY := slices.BinarySearchFunc(y, r, rule.compare)
		if inX != inY {
			only = append(only, r)
		}
	}
	var patterns []string
	for _, r := range slices.Concat(only, x, y) {
		if len(patterns) < maxSamplePatterns {
			patterns = append(patterns, r.pattern)
		}
	}
	slices.Sort(patterns)
	paths := samplesOf(slices.Compact(patterns))
	both := slices.Concat(x, y)
	slices.SortFunc(both, rule.compare)
	set := newRuleSet(slices.Compact(both))
	for _, r := range only {
		for o := range set.near(r) {
			if p.steps--; p.steps < 0 || len(paths) > 10*maxSamplePatterns {
				return paths
			}
			if r.literal() && o.literal() {
				continue
			}
			path, ok, steps := meetSteps(r.pattern, o.pattern)
			p.steps -= steps
			if ok && path != "" {
				paths = append(paths, path, path+"x")
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// allDialects are those in which Minimize proves, unless it is told otherwise.
var allDialects = []robots.Dialect{robots.RFC9309, robots.Cautious, robots.Std1994}

// appendSamples appends paths around a pattern.
func appendSamples(paths []string, pattern string) []string {
	body, _ := strings.CutSuffix(pattern, "$")
	for _, fill := range []string{"", "x", "x/y"} {
		at := strings.ReplaceAll(body, "*", fill)
		if !strings.HasPrefix(at, "/") {
			at = "/" + at
		}
		paths = append(paths, at, at+"x")
		if fill == "" {
			paths = append(paths, strings.TrimSuffix(at, "/")+"/x", at+"/x.html?q=1", "/x"+at)
			if len(at) > 1 && at[len(at)-1] != '%' && (len(at) < 3 || at[len(at)-3] != '%') {
				paths = append(paths, at[:len(at)-1])
			}
		}
		if !strings.Contains(body, "*") {
			break
		}
	}
	return paths
}

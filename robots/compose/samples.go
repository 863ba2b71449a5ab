package compose

import (
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
		names := firsts(audiences(body))
		for _, d := range proofDialects {
			file := robots.Parse(body, d)
			for _, name := range names {
				for _, r := range file.Rules(name).List() {
					if len(patterns) < maxSamplePatterns {
						patterns[r.Pattern] = true
					}
				}
			}
		}
	}
	paths := []string{"/", "/index.html", "/robots.txt", "/x"}
	for p := range patterns {
		paths = appendSamples(paths, p)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// proofDialects are those in which two files must say the same to be called equal.
var proofDialects = [...]robots.Dialect{robots.RFC9309, robots.Cautious}

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

package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
)

// maxURLTests bounds how often a pattern with wildcards is held against a URL.
const maxURLTests = 5_000_000

// knownURLs are the URLs of a site, ready to be asked.
type knownURLs struct {
	paths  []string // canonical, sorted
	folded []string // the same in lower case, sorted
	tests  int      // that may still be made
}

// checkURLs looks at the rules with the site's URLs in hand.
func (l *linter) checkURLs() {
	if len(l.URLs) == 0 {
		return
	}
	known := newKnownURLs(l.URLs)
	for _, g := range l.groups {
		for _, r := range g.placed() {
			l.checkUse(r, known)
		}
	}
	l.checkHidden()
}

func newKnownURLs(urls []URL) *knownURLs {
	k := &knownURLs{tests: maxURLTests}
	special := strings.NewReplacer("*", "%2A", "$", "%24")
	for _, u := range urls {
		path := robots.CanonicalPattern(special.Replace(u.Path))
		k.paths = append(k.paths, path)
		k.folded = append(k.folded, strings.ToLower(path))
	}
	slices.Sort(k.paths)
	slices.Sort(k.folded)
	return k
}

// checkUse looks whether a rule matches anything.
func (l *linter) checkUse(r placedRule, known *knownURLs) {
	if r.pattern == "/" || known.match(known.paths, r.pattern) {
		return
	}
	if known.match(known.folded, strings.ToLower(r.pattern)) {
		l.add("wrong-case", r.line, "Letter case counts in paths: it matches no known URL, but would in other letter case.",
			"Write the path as it stands in the site's URLs.")
		return
	}
	l.add("matches-nothing", r.line, fmt.Sprintf("It matches none of the %d known URLs.", len(known.paths)),
		"If the path is gone or was misspelt, correct or delete the line.")
}

// match reports whether a canonical pattern matches one of the sorted paths; true when it would take too long to know.
func (k *knownURLs) match(paths []string, pattern string) bool {
	start := strings.TrimSuffix(pattern, "$")
	if i := strings.IndexByte(start, '*'); i >= 0 {
		start = start[:i]
	}
	i, _ := slices.BinarySearch(paths, start)
	if isLiteral(pattern) {
		return i < len(paths) && strings.HasPrefix(paths[i], start)
	}
	rules := robots.Parse([]byte("User-agent: *\nDisallow: "+pattern+"\n"), robots.RFC9309).Rules("")
	for ; i < len(paths) && strings.HasPrefix(paths[i], start); i++ {
		if k.tests--; k.tests < 0 || !rules.Test(paths[i]).Allowed {
			return true
		}
	}
	return false
}

// checkHidden looks for pages whose noindex nobody sees.
func (l *linter) checkHidden() {
	rules := robots.Parse([]byte(l.text), robots.RFC9309).Rules("")
	hidden := map[int][]string{} // by line
	for _, u := range l.URLs {
		if v := rules.Test(u.Path); u.NoIndex && !v.Allowed {
			hidden[v.Line] = append(hidden[v.Line], u.Path)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(hidden)) {
		paths := hidden[number]
		l.add("hides-noindex", l.lines[number-1],
			fmt.Sprintf("%s asks not to be indexed, but robots may not look: search engines can list its address all the same.",
				list(paths)), "Let robots visit pages that say noindex, or take the noindex off.")
	}
}

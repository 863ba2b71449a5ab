package trap

import (
	"fmt"
	"slices"
	"strings"
)

// A comparison shows two revisions of one thing side by side: /file?r1=17&r2=18. A thousand revisions have a million of them, and
// some programs link them all: what each revision changed, and how it differs from any other. Each has a text of its own, but what
// it shows is in the revisions. So a comparison of two that were compared with others often enough is a guise of these.

// leastCompared is in how many comparisons both of two revisions must have been shown.
func (d *Detector) leastCompared() int { return max(d.o.Guises/4, 1) }

// suspectComparisonLocked suspects a comparison of two revisions both of which were compared enough.
func (d *Detector) suspectComparisonLocked(u URL) (Finding, bool) {
	place, revisions, ok := comparisonOf(u.PathQuery)
	if !ok || d.o.Guises < 0 {
		return Finding{}, false
	}
	for _, r := range revisions {
		if n, _ := d.compared.Get(siteOf(u), hashOf(u.Origin, place+"&"+r)); n < d.leastCompared() {
			return Finding{}, false
		}
	}
	const evidence = "each of both revisions was compared with others on %d pages"
	return Finding{Guises, u.Origin + place, fmt.Sprintf(evidence, d.leastCompared())}, true
}

// comparisonLocked takes in a page.
func (d *Detector) comparisonLocked(p Page) {
	place, revisions, ok := comparisonOf(p.URL.PathQuery)
	if !ok || d.o.Guises < 0 {
		return
	}
	for _, r := range revisions {
		site, h := siteOf(p.URL), hashOf(p.URL.Origin, place+"&"+r)
		n, _ := d.compared.Get(site, h)
		d.compared.Put(site, h, n+1)
	}
}

// comparisonOf returns the place of a comparison, which is that of others on its path by the same parameters, and the revisions.
// What ViewVC shows of a path as it was in one revision, or compares with one, it shows as seen from any later one, too (pathrev=).
func comparisonOf(pathQuery string) (place string, revisions [2]string, ok bool) {
	path, query, has := strings.Cut(pathQuery, "?")
	if !has {
		return "", revisions, false
	}
	var numbered, others []string // parameters
	for p := range strings.FieldsFuncSeq(query, endsParameter) {
		switch name, value, _ := strings.Cut(p, "="); {
		case value == "":
		case namesRevision(name):
			numbered = append(numbered, p)
		case name == "pathrev", name == "revision":
			others = append(others, p)
		}
	}
	slices.Sort(numbered)
	slices.Sort(others)
	switch {
	case len(numbered) == 2:
		a, one, _ := strings.Cut(numbered[0], "=")
		b, two, _ := strings.Cut(numbered[1], "=")
		if a == b || plainName(a) != plainName(b) {
			return "", revisions, false
		}
		return path + "?" + a + ".." + b, [2]string{one, two}, true
	case len(numbered)+len(others) == 2 && strings.HasPrefix(others[0], "pathrev"):
		other := append(numbered, others[1:]...)[0]
		name, _, _ := strings.Cut(other, "=")
		return path + "?pathrev.." + name, [2]string{others[0], other}, name != "pathrev"
	}
	return "", revisions, false
}

// namesRevision reports whether a parameter may name one of several revisions, by its number: r1, rev2.
func namesRevision(name string) bool {
	if !strings.ContainsAny(name, "012") {
		return false
	}
	switch plainName(name) {
	case "r", "rev", "revs", "revision", "revisions", "v", "ver", "version", "versions", "commit":
		return true
	}
	return false
}

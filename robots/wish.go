package robots

import "bytes"

// MaxWishes is how many lines of one group with wishes are kept: Visit-time, Clean-param, Content-Usage and Content-Signal.
const MaxWishes = 1000

// A wish is a line that neither opens nor closes anything and is no pace: when to come, what to compare, what for.
type wish struct {
	line  int
	field field
	value string
	text  string // the line, as written
}

// readWish keeps a wish with the group it stands in, as readPace does.
func (r *reader) readWish(l line) {
	switch l.field {
	case fieldVisit, fieldClean, fieldUsage, fieldSignal:
	default:
		return
	}
	w := wish{line: l.number, field: l.field, value: l.value, text: l.ruleText()}
	switch {
	case r.group == 0:
		addWish(&r.global.wishes, w)
	case !r.ended:
		addWish(&r.section.wishes, w)
	}
}

func addWish(list *[]wish, w wish) {
	if len(*list) < MaxWishes {
		*list = append(*list, w)
	}
}

// wishes are what a file wishes of one robot, ready to be asked.
type wishes struct {
	windows []Window
	cleans  []cleanParam
	uses    []useLine
}

// readWishes reads the values of the lines that the first reading heard; a field of which it heard nothing is that of the next.
func readWishes(hearings []hearing) (w wishes) {
	lines := func(f field) []wish {
		for i := range hearings {
			if heard := hearings[i].wished(f); heard != nil {
				return heard
			}
		}
		return nil
	}
	for _, l := range lines(fieldVisit) {
		if window, ok := parseWindow(l.value); ok {
			window.Line, window.Text = l.line, l.text
			w.windows = append(w.windows, window)
		}
	}
	for _, l := range lines(fieldClean) {
		if c, ok := parseClean(l); ok {
			w.cleans = append(w.cleans, c)
		}
	}
	for _, f := range [...]field{fieldUsage, fieldSignal} {
		for _, l := range lines(f) {
			w.uses = append(w.uses, parseUse(l))
		}
	}
	return w
}

func (w *wishes) count() int { return len(w.windows) + len(w.cleans) + len(w.uses) }

// newGlob makes a pattern without a rule of a path as written, for lines that are no rules.
func newGlob(path string) pattern {
	if path == "" || path[0] != '/' && path[0] != '*' {
		path = "/" + path
	}
	return newPattern(appendPattern(nil, path, false), nil)
}

// matches reports whether the pattern matches a canonical path.
func (p *pattern) matches(path []byte) bool {
	rest, ok := bytes.CutPrefix(path, p.prefix)
	return ok && matchTail(p.tail, rest, p.anchored)
}

// A Glob is a pattern as in an Allow or Disallow line, for others who write paths that way. It is safe for concurrent use.
type Glob struct{ pattern pattern }

// NewGlob returns the glob of a pattern: "*" is any run of octets, a "$" at the end is the end (RFC 9309 section 2.2.3). A
// pattern that starts with neither "/" nor "*" counts as if a "/" stood before it.
func NewGlob(p string) Glob { return Glob{newGlob(p)} }

// Match reports whether the glob matches the path and query of a URL.
func (g Glob) Match(pathQuery string) bool { return g.pattern.matches(appendPath(nil, pathQuery)) }

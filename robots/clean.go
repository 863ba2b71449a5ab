package robots

import (
	"slices"
	"strings"
)

// A cleanParam is a Clean-param line: parameters that do not change what is shown, below a path.
type cleanParam struct {
	wish
	names []string
	path  pattern
}

// A Cleaned is the path and query of a URL without the parameters that the site says make no difference.
type Cleaned struct {
	PathQuery string
	Line      int    // of the first line that took a parameter out; 0 when none did
	Rule      string // that line as written, as in a Verdict
}

// HasCleanParams reports whether Clean can ever take anything out.
func (r *Rules) HasCleanParams() bool { return r != nil && len(r.wishes.cleans) > 0 }

// Clean takes the parameters that Clean-param lines name out of pathQuery, and the question mark if nothing is left behind
// it. It is meant for comparing URLs: what the site never linked is not to be asked for, and Test judges the URL as it is
// asked for. Which groups count is as with VisitTimes; lines add up. Names of parameters are compared as they are written.
func (r *Rules) Clean(pathQuery string) Cleaned {
	c := Cleaned{PathQuery: pathQuery}
	path, query, ok := strings.Cut(pathQuery, "?")
	if !ok || !r.HasCleanParams() {
		return c
	}
	canonical := appendPath(nil, pathQuery)
	params := strings.Split(query, "&")
	for i := range r.wishes.cleans {
		rule := &r.wishes.cleans[i]
		if !rule.path.matches(canonical) {
			continue
		}
		before := len(params)
		params = slices.DeleteFunc(params, rule.takes)
		if len(params) < before && c.Line == 0 {
			c.Line, c.Rule = rule.line, rule.text
		}
	}
	c.PathQuery = path
	if len(params) > 0 {
		c.PathQuery += "?" + strings.Join(params, "&")
	}
	return c
}

// takes reports whether the line names a parameter, given as "name=value".
func (c *cleanParam) takes(param string) bool {
	name, _, _ := strings.Cut(param, "=")
	return slices.Contains(c.names, name)
}

// parseClean reads "name&name [path]", where the path is a pattern; without one it is the whole site (Yandex).
func parseClean(l wish) (c cleanParam, ok bool) {
	list, path := l.value, ""
	if end := strings.IndexAny(list, " \t"); end >= 0 {
		list, path = list[:end], trimBlanks(list[end:])
	}
	c.wish, c.path = l, parsePattern(path)
	for name := range strings.SplitSeq(list, "&") {
		if name != "" {
			c.names = append(c.names, name)
		}
	}
	return c, len(c.names) > 0
}

package robots

// A Glob is a pattern as in an Allow or Disallow line, for others who write paths that way. It is safe for concurrent use.
type Glob struct{ pattern pattern }

// NewGlob returns the glob of a pattern: "*" is any run of octets, a "$" at the end is the end (RFC 9309 section 2.2.3). A
// pattern that starts with neither "/" nor "*" counts as if a "/" stood before it.
func NewGlob(p string) Glob { return Glob{parsePattern(p)} }

// Match reports whether the glob matches the path and query of a URL.
func (g Glob) Match(pathQuery string) bool { return g.pattern.matches(appendPath(nil, pathQuery)) }

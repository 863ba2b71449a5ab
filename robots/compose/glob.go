package compose

import "strings"

// maxMeeting bounds the work of meet: the product of the lengths of two patterns.
const maxMeeting = 1 << 20

// covers reports whether p matches every path that q matches. It may overlook that, for patterns whose stars could share a
// path in several ways, but never claims it wrongly: the text of q itself is matched against p, so that only a star of p
// can take in a star of q. Both are in the canonical form of robots.Rule.
func covers(p, q string) bool { return fits(open(p), open(q)) }

// open writes a pattern so that its end is the end of the path.
func open(p string) string {
	if body, anchored := strings.CutSuffix(p, "$"); anchored {
		return body
	}
	return p + "*"
}

// fits reports whether the opened pattern p takes in the whole text.
func fits(p, text string) bool {
	first, rest, star := strings.Cut(p, "*")
	text, ok := strings.CutPrefix(text, first)
	if !ok || !star {
		return ok && text == ""
	}
	for {
		part, next, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(text, part)
		}
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text, rest = text[at+len(part):], next
	}
}

// meet returns a path that both patterns match. ok is false when there is none; a path that is empty all the same was too
// dear to find, and there may be one.
func meet(p, q string) (path string, ok bool) {
	path, ok, _ = meetSteps(p, q)
	return path, ok
}

// meetSteps is meet; steps is how much work that was.
func meetSteps(p, q string) (path string, ok bool, steps int) {
	if !compatible(literalStart(p), literalStart(q)) {
		return "", false, 1
	}
	m := meeting{p: open(p), q: open(q)}
	cells := (len(m.p) + 1) * (len(m.q) + 1)
	if cells > maxMeeting {
		return "", true, 1
	}
	m.dead = make([]bool, cells)
	if !m.from(0, 0) {
		return "", false, cells/256 + m.steps
	}
	path = string(m.path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // both begin with a star, which takes it in
	}
	return path, true, cells/256 + m.steps
}

// literalStart returns what stands before the first special character.
func literalStart(p string) string {
	if i := strings.IndexAny(p, "*$"); i >= 0 {
		return p[:i]
	}
	return p
}

// compatible reports whether one is a prefix of the other.
func compatible(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// A meeting looks for a text that two opened patterns take in.
type meeting struct {
	p, q  string
	dead  []bool // by place in p and q: leads nowhere
	path  []byte
	steps int
}

// from goes on at p[i:] and q[j:] and reports whether both ends were reached.
func (m *meeting) from(i, j int) bool {
	if i == len(m.p) && j == len(m.q) {
		return true
	}
	cell := i*(len(m.q)+1) + j
	if m.dead[cell] {
		return false
	}
	m.steps++
	m.dead[cell] = true // should it lead to the end, nobody comes here again
	starP, starQ := i < len(m.p) && m.p[i] == '*', j < len(m.q) && m.q[j] == '*'
	switch {
	case starP && (m.from(i+1, j) || j < len(m.q) && m.take(m.q[j], i, j+1)):
		return true
	case starQ && (m.from(i, j+1) || i < len(m.p) && m.take(m.p[i], i+1, j)):
		return true
	case !starP && !starQ && i < len(m.p) && j < len(m.q) && m.p[i] == m.q[j]:
		return m.take(m.p[i], i+1, j+1)
	}
	return false
}

// take adds c to the path, unless it is a star, and goes on.
func (m *meeting) take(c byte, i, j int) bool {
	if c != '*' {
		m.path = append(m.path, c)
	}
	if m.from(i, j) {
		return true
	}
	if c != '*' {
		m.path = m.path[:len(m.path)-1]
	}
	return false
}

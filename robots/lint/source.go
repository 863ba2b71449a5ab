package lint

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/cybermapper/cybermapper/robots"
)

// A source is a file taken apart, with the bytes of each line and what package robots makes of it.
type source struct {
	text  string // UTF-8 as far as possible, without byte order mark, up to robots.MaxBytes
	bom   string // what was in front
	lines []line
	file  *robots.File // Cautious
}

// A line is a line of the file.
type line struct {
	robots.Line
	raw     string // without its end
	code    string // raw without comment and blanks around
	comment string // from "#" on; empty when there is none
	end     string // "\n", "\r\n", "\r", or nothing at the end of the file
}

func newSource(body []byte) *source {
	s := &source{file: robots.Parse(body, robots.Cautious), bom: orderMark(body)}
	s.text = s.file.Text()
	s.lines = splitLines(s.text)
	read := s.file.Lines()
	for i := range min(len(read), len(s.lines)) {
		s.lines[i].Line = read[i]
	}
	return s
}

// textOf returns what package robots reads of a file.
func textOf(body []byte) string { return robots.Parse(body, robots.Cautious).Text() }

// orderMark returns the byte order mark that a file begins with, or the beginning of one, which package robots takes off.
func orderMark(body []byte) string {
	for _, mark := range [...]string{"\xfe\xff", "\xff\xfe", "\xef\xbb\xbf", "\xef\xbb", "\xef"} {
		if bytes.HasPrefix(body, []byte(mark)) {
			return mark
		}
	}
	return ""
}

// splitLines cuts text at LF, CRLF and CR, as package robots does. What follows the last line end is a line if it is not
// empty.
func splitLines(text string) []line {
	lines := make([]line, 0, strings.Count(text, "\n")+1)
	for text != "" {
		end, next := len(text), len(text)
		if i := strings.IndexAny(text, "\r\n"); i >= 0 {
			end, next = i, i+1
			if strings.HasPrefix(text[i:], "\r\n") {
				next++
			}
		}
		l := newLine(text[:end])
		l.end = text[end:next]
		lines = append(lines, l)
		text = text[next:]
	}
	return lines
}

func newLine(raw string) line {
	l := line{raw: raw, code: raw}
	if i := strings.IndexByte(raw, '#'); i >= 0 {
		l.code, l.comment = raw[:i], raw[i:]
	}
	l.code = strings.Trim(l.code, " \t")
	return l
}

func (l line) isBlank() bool { return l.code == "" && l.comment == "" }

// indexOfControl returns where the first control character stands that spoils a line, or -1.
func indexOfControl(s string) int {
	return strings.IndexFunc(s, func(c rune) bool { return c < ' ' && c != '\t' })
}

// A group is a group of RFC 9309: names, then rules.
type group struct {
	number int
	agents []line // the User-agent lines
	rules  []line // Allow and Disallow lines, those that hold no path too
	lines  []line // all, comments and blank ones too
}

// groups returns the groups in order.
func (s *source) groups() []group {
	var groups []group
	for i, l := range s.lines {
		if l.Group == 0 {
			continue
		}
		if len(groups) == 0 || groups[len(groups)-1].number != l.Group {
			groups = append(groups, group{number: l.Group, lines: s.lines[i:i]})
		}
		g := &groups[len(groups)-1]
		g.lines = g.lines[:len(g.lines)+1] // they stand together
		switch l.Role {
		case robots.RoleAgent:
			g.agents = append(g.agents, l)
		case robots.RoleAllow, robots.RoleDisallow:
			g.rules = append(g.rules, l)
		}
	}
	return groups
}

// names returns the names of a group as written, without what robots ignore, each once.
func (g group) names() []string {
	var names []string
	seen := map[string]bool{}
	for _, l := range g.agents {
		if name := token(l.Value); name != "" && !seen[strings.ToLower(name)] {
			seen[strings.ToLower(name)] = true
			names = append(names, name)
		}
	}
	return names
}

// keys returns the names in lower case.
func (g group) keys() []string {
	keys := g.names()
	for i, name := range keys {
		keys[i] = strings.ToLower(name)
	}
	return keys
}

// token returns what a robot of RFC 9309 sees of a User-agent value: "*", a name, or nothing.
func token(value string) string {
	if value == "*" || strings.HasPrefix(value, "* ") || strings.HasPrefix(value, "*\t") {
		return "*"
	}
	name := value[:tokenLen(value)]
	if rest := value[len(name):]; rest != "" && !strings.ContainsRune(" \t/*,", rune(rest[0])) {
		return ""
	}
	return name
}

// tokenLen returns the length of the run of characters at the start of s that a name may have.
func tokenLen(s string) int {
	n := 0
	for n < len(s) && isTokenByte(s[n]) {
		n++
	}
	return n
}

func isTokenByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '-' || c == '_'
}

// quote shortens a line for a Finding and makes it text.
func quote(raw string) string {
	raw = strings.ToValidUTF8(strings.Trim(raw, " \t"), "\ufffd")
	if len(raw) <= MaxText {
		return raw
	}
	cut := MaxText - len("…")
	for !utf8.RuneStart(raw[cut]) {
		cut--
	}
	return raw[:cut] + "…"
}

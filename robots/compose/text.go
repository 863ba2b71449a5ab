package compose

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/cybermapper/cybermapper/robots"
)

// A textLine is a line of a file with what robots.Line leaves out.
type textLine struct {
	robots.Line
	text      string // without comment and blanks around
	comment   string // what follows "#"
	commented bool
	pattern   string // of a rule in a fragment: its path in canonical form, from the top of the site
}

// readText reads the lines of a file as Cautious does, which notes everything that is not plain.
func readText(body []byte) []textLine {
	lines := robots.Parse(body, robots.Cautious).Lines()
	all := make([]textLine, len(lines))
	rest := plainText(body)
	for i, l := range lines {
		var raw string
		raw, rest = cutLine(rest)
		text, comment, commented := strings.Cut(raw, "#")
		all[i] = textLine{Line: l, text: strings.Trim(text, " \t"), comment: strings.TrimRight(comment, " \t"), commented: commented}
	}
	return all
}

// cutLine cuts the first line off a text. Lines end with CR, LF or CRLF.
func cutLine(text string) (line, rest string) {
	i := strings.IndexAny(text, "\r\n")
	if i < 0 {
		return text, ""
	}
	line, rest = text[:i], text[i+1:]
	if text[i] == '\r' {
		rest = strings.TrimPrefix(rest, "\n")
	}
	return line, rest
}

// plainText returns what robots reads of a file, as UTF-8 without byte order mark.
func plainText(body []byte) string {
	body = body[:min(len(body), robots.MaxBytes)]
	switch {
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return fromUTF16(body[2:], binary.BigEndian)
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return fromUTF16(body[2:], binary.LittleEndian)
	}
	for _, mark := range []string{"\xef\xbb\xbf", "\xef\xbb", "\xef"} {
		if rest, ok := bytes.CutPrefix(body, []byte(mark)); ok {
			return string(rest)
		}
	}
	return string(body)
}

func fromUTF16(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// mended reports whether a leniency makes something of the line that RFC 9309 does not see.
func (l textLine) mended() bool {
	switch l.Note {
	case "", robots.ProblemNoColon, robots.ProblemControl, robots.ProblemOrphan, robots.ProblemPath, robots.ProblemLongLine, robots.ProblemAgent:
		return false
	}
	return true
}

// isRule reports whether the line is an Allow or a Disallow, good or bad.
func (l textLine) isRule() bool { return l.Role == robots.RoleAllow || l.Role == robots.RoleDisallow }

// Products returns the names of the robots that the groups of some files speak to, in whatever dialect, each once and
// sorted, without "*". Letter case is that of the first place. A name that is no product token, such as "360bot", is not
// among them: RFC 9309 section 2.2.1 knows none of that form.
func Products(bodies ...[]byte) []string {
	var names []string
	known := map[string]bool{}
	for _, body := range bodies {
		for _, l := range readText(body) {
			for _, name := range l.names() {
				if key := strings.ToLower(name); !known[key] {
					known[key] = true
					names = append(names, name)
				}
			}
		}
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return names
}

// names returns the product tokens on a line that names robots, by whatever leniency.
func (l textLine) names() (names []string) {
	list := l.Value
	switch {
	case l.Role == robots.RoleAgent && l.Note == "": // nearly all
	case l.Role != robots.RoleAgent && !strings.Contains(strings.ToLower(l.text), "agent"):
		return nil
	case l.Role == robots.RoleAgent || l.mended():
		list = l.text
	}
	for _, word := range strings.FieldsFunc(list, func(c rune) bool { return strings.ContainsRune(" \t,:\u00a0\u200b\u200c\u200d\u2060\ufeff", c) }) {
		end := strings.IndexFunc(word, notToken)
		if end < 0 {
			end = len(word)
		}
		if name := word[:end]; name != "" && !isField(name) && (end == len(word) || strings.ContainsRune("/*", rune(word[end]))) {
			names = append(names, name)
		}
	}
	return names
}

// isField reports whether a word on a line that names robots is more likely a field.
func isField(word string) bool {
	switch strings.ToLower(word) {
	case "user-agent", "useragent", "user", "agent", "allow", "disallow":
		return true
	}
	return false
}

func notToken(c rune) bool {
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' && c != '_'
}

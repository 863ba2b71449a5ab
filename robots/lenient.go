package robots

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What Cautious adds to RFC 9309. Each name is the Verdict.Leniency of a rule that exists only because of it, and the
// Line.Note of its line.
const (
	LenientNamePart   = "name-part"       // a part of the robot's name: "User-agent: cyber" (1994)
	LenientNameList   = "name-list"       // the robot is named, but not as the first word: "User-agent: a b", "User-agent: *;"
	LenientPathList   = "path-list"       // several paths: "Disallow: /a /b"
	LenientSpaces     = "spaces-in-path"  // blanks taken out: "Disallow: / tmp /"
	LenientSlash      = "missing-slash"   // "Disallow: tmp"
	LenientFullURL    = "full-url"        // "Disallow: http://host/tmp", if it is the file's own host, up to "www."
	LenientLongLine   = "long-line"       // a Disallow longer than MaxLine, cut to it
	LenientTypo       = "misspelt-field"  // "Dissallow: /", "Disallowed: /", "Useragent: *"
	LenientColon      = "missing-colon"   // "Disallow /tmp": two words, the first a field name; "Disallow http://host/tmp"
	LenientTwoFields  = "two-fields"      // "User-agent: * Disallow: /tmp"
	LenientInvisibles = "invisible-space" // characters that nobody sees around a field or value, or control characters in the line
	LenientMarkup     = "markup"          // tags around a field: "<pre>User-agent: *", "Disallow: /tmp<br>"
)

// MaxLine is the length of the longest line, without comment and blanks around, that Cautious takes at its word. It is
// eight times the length of a URL that every browser takes.
const MaxLine = 8 * 2083

// plain reports whether the lenient reading of l cannot differ from that of RFC 9309.
func (l line) plain() bool {
	switch {
	case hasMarkup(l.text):
		return false
	case l.kind == kindNoColon || l.kind == kindControl:
		return false
	case l.kind != kindField:
		return true
	case l.field == fieldAgent:
		return l.value == "*" || len(leadingToken(l.value)) == len(l.value)
	case l.field == fieldAllow:
		return !strings.ContainsAny(l.value, " \t")
	case l.field == fieldDisallow:
		return len(l.text) <= MaxLine && plainPath(l.value)
	case l.field == fieldOther:
		return field9309(TrimInvisible(l.key)) == fieldOther
	}
	return true
}

// plainPath reports whether a path is written in visible ASCII and starts as it should.
func plainPath(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return s == "" || s[0] == '/' || s[0] == '*'
}

// readLenient reads one line as its author may have meant it and returns the leniencies it took. Only the names, the Disallow
// rules and the wishes of this reading are ever used, next to those of RFC 9309; so it may add restrictions, and nothing else.
func (r *reader) readLenient(l line) (note string) {
	if l.plain() {
		r.readRFC(l)
		return ""
	}
	spoilt := l.kind == kindControl
	if spoilt {
		number := l.number
		l = lex(withoutControls(l.text))
		l.number = number
	}
	f, value, why := repair(l)
	if spoilt && f != fieldOther {
		why = join(LenientInvisibles, why)
	}
	if bare := lex(withoutMarkup(l.text)); f == fieldOther && bare.field > fieldSitemap && hasMarkup(l.text) {
		bare.number = l.number
		r.readPace(bare)
		r.readWish(bare)
		return LenientMarkup
	}
	note = why
	for f != fieldOther {
		part, next, rest := cutField(value)
		if next != fieldOther && f == fieldDisallow {
			why = join(why, LenientTwoFields) // RFC 9309 takes all of it for one path
		}
		note = join(note, r.readLenientField(l, f, part, why))
		if next != fieldOther {
			why = LenientTwoFields
			note = join(note, why)
		}
		f, value = next, rest
	}
	return note
}

// withoutControls leaves out the control characters of a line, which nobody sees: form feeds, what an editor of old put behind
// the last line, the zeros of UTF-16 that does not announce itself. Zeros in the place of a part that was lost, when a write
// never came, end the line.
func withoutControls(s string) string {
	s, _, _ = strings.Cut(strings.TrimLeft(s, "\x00"), "\x00\x00")
	return strings.Join(strings.FieldsFunc(s, func(c rune) bool { return c < ' ' && c != '\t' }), "")
}

// repair finds the field of a line in spite of invisible characters, misspelling and a missing colon.
func repair(l line) (f field, value, note string) {
	if text := withoutMarkup(l.text); text != l.text && l.kind != kindControl && l.kind != kindCut {
		l, note = lex(text), LenientMarkup
	}
	key, value := l.key, l.value
	switch l.kind {
	case kindNoColon:
		two := slices.Collect(words(l.text))
		if len(two) != 2 {
			return fieldOther, "", ""
		}
		key, value, note = two[0], two[1], join(note, LenientColon)
	case kindField:
		if name, scheme, two := strings.Cut(key, " "); two && strings.HasPrefix(value, "//") && isWeb(scheme) {
			key, value, note = name, scheme+":"+value, join(note, LenientColon) // "Disallow https://host/tmp"
		}
	default:
		return fieldOther, "", ""
	}
	visibleKey, visibleValue := TrimInvisible(key), TrimInvisible(value)
	f = field9309(visibleKey)
	switch {
	case f == fieldOther || f == fieldAllow && l.field != fieldAllow:
		return fieldOther, "", "" // an Allow is never mended
	case f != fieldOf(visibleKey):
		note = join(note, LenientTypo)
	}
	if len(visibleKey) != len(key) || len(visibleValue) != len(value) {
		note = join(note, LenientInvisibles)
	}
	return f, visibleValue, note
}

// markup are the tags of those who save robots.txt as a browser shows it, or write it as a page, and comments of HTML.
var markup = regexp.MustCompile(`(?i)<!--.*?-->|<(?:/?(?:html|head|body|pre|code|xmp|p|div|span|br)|!doctype html)\b[^<>]*>`)

// hasMarkup reports whether there may be tags in s.
func hasMarkup(s string) bool {
	return strings.IndexByte(s, '<') >= 0 && strings.IndexByte(s, '>') > 0 && markup.MatchString(s)
}

// withoutMarkup takes the tags out of s: each is a blank, as where lines are parted by <br> alone.
func withoutMarkup(s string) string {
	if !hasMarkup(s) {
		return s
	}
	return trimBlanks(markup.ReplaceAllLiteralString(s, " "))
}

// field9309 recognises the fields of RFC 9309, the ways in which people misspell two of them, and what begins with one of these, as
// Google does: "Disallowed", "Disallow;", "User-agents".
func field9309(key string) field {
	switch f := fieldOf(key); f {
	case fieldAgent, fieldAllow, fieldDisallow:
		return f
	}
	for _, start := range [...]string{"user-agent", "useragent", "user agent"} {
		if hasPrefixFold(key, start) {
			return fieldAgent
		}
	}
	for _, start := range [...]string{"disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"} {
		if hasPrefixFold(key, start) {
			return fieldDisallow
		}
	}
	return fieldOther
}

// cutField cuts value before the first field that is written into it, as in "/a Disallow: /b".
func cutField(value string) (part string, next field, rest string) {
	for i := range len(value) {
		if i > 0 && !isBlank(value[i-1]) {
			continue
		}
		for _, known := range [...]struct {
			name string
			field
		}{{"disallow:", fieldDisallow}, {"allow:", fieldAllow}, {"user-agent:", fieldAgent}} {
			if end := i + len(known.name); end <= len(value) && equalFold(value[i:end], known.name) {
				return trimBlanks(value[:i]), known.field, trimBlanks(value[end:])
			}
		}
	}
	return value, fieldOther, ""
}

func (r *reader) readLenientField(l line, f field, value, note string) (taken string) {
	switch f {
	case fieldAgent:
		return r.readNameList(value, note)
	case fieldAllow:
		r.endNames()
	case fieldDisallow:
		if r.endNames() {
			return r.readPathList(l, value, note)
		}
	}
	return ""
}

// readNameList takes every word of a user-agent value for a name.
func (r *reader) readNameList(value, note string) (taken string) {
	r.startNames()
	first := agentName(value) // which is all that RFC 9309 sees
	for word := range strings.FieldsFuncSeq(value, func(c rune) bool { return c == ' ' || c == '\t' || c == ',' }) {
		if token := agentName(word); token == first {
			r.addName(token, note)
		} else {
			taken = LenientNameList
			r.addName(token, join(note, LenientNameList))
		}
		if bare := agentName(strings.TrimFunc(word, isStrayMark)); bare != "" && bare != agentName(word) {
			taken = LenientNameList
			r.addName(bare, join(note, LenientNameList))
		}
	}
	return taken
}

// isStrayMark reports whether a character around a name is none of it: quotes, what ends lines elsewhere, and the no-break space of
// another encoding.
func isStrayMark(c rune) bool {
	return strings.ContainsRune(";:.\"'`\u201c\u201d\u2018\u2019<>()[]", c) || c == utf8.RuneError
}

// readPathList takes a Disallow value for one path or a list of paths.
func (r *reader) readPathList(l line, value, why string) (taken string) {
	if over := len(l.text) - MaxLine; over > 0 && over < len(value) {
		value, taken = value[:len(value)-over], LenientLongLine
	}
	switch {
	case value == "":
	case !strings.ContainsAny(value, " \t"):
		taken = join(taken, r.readPath(l, value, join(why, taken)))
	case allPaths(value):
		taken = join(taken, LenientPathList)
		for word := range words(value) {
			r.readPath(l, strings.TrimRight(word, ","), join(why, taken))
		}
	default:
		taken = join(taken, LenientSpaces)
		joined := strings.Join(slices.Collect(words(value)), "")
		taken = join(taken, r.readPath(l, joined, join(why, taken)))
	}
	return taken
}

// readPath adds a Disallow rule and returns what it took to make a pattern of s.
func (r *reader) readPath(l line, s, why string) (taken string) {
	path, host, taken := mendPath(s)
	if host == "" || r.host == "" || withoutWWW(host) == withoutWWW(r.host) {
		r.addRule(ruleLine{line: l.number, path: path, text: l.ruleText(), leniency: join(why, taken)})
	}
	return taken
}

func allPaths(list string) bool {
	for word := range words(list) {
		if word[0] != '/' && word[0] != '*' {
			return false
		}
	}
	return true
}

// mendPath makes a pattern that starts with "/" or "*" of a path that does not.
func mendPath(s string) (path, host, why string) {
	if s[0] == '/' || s[0] == '*' {
		return s, "", ""
	}
	if scheme, rest, ok := strings.Cut(s, "://"); ok && isWeb(scheme) {
		host, _, _ = strings.Cut(rest, "/")
		return "/" + strings.TrimPrefix(rest[len(host):], "/"), canonicalHost(host), LenientFullURL
	}
	return "/" + s, "", LenientSlash
}

func isWeb(scheme string) bool { return equalFold(scheme, "http") || equalFold(scheme, "https") }

// canonicalHost returns host[:port] in lower case, without user-info and without a port that is some scheme's default.
func canonicalHost(host string) string {
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	host = strings.ToLower(host)
	return strings.TrimSuffix(strings.TrimSuffix(host, ":80"), ":443")
}

// withoutWWW returns what a host and its twin have in common.
func withoutWWW(host string) string { return strings.TrimPrefix(host, "www.") }

// TrimInvisible takes what nobody sees off both ends: blanks, control and format characters of Unicode, the no-break space of
// Latin-1, and a byte order mark that was read as Latin-1.
func TrimInvisible(s string) string {
	s = strings.TrimPrefix(s, "ï»¿")
	for s != "" {
		if c, n := utf8.DecodeRuneInString(s); isInvisible(c, s[0]) {
			s = s[n:]
		} else if c, n := utf8.DecodeLastRuneInString(s); isInvisible(c, s[len(s)-1]) {
			s = s[:len(s)-n]
		} else {
			break
		}
	}
	return s
}

// isInvisible reports whether nobody sees a character, which is the byte raw where it is not UTF-8.
func isInvisible(c rune, raw byte) bool {
	return c == utf8.RuneError && raw == 0xa0 || unicode.In(c, unicode.Z, unicode.Cc, unicode.Cf)
}

// join adds the leniencies of b that a lacks.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	for part := range strings.SplitSeq(b, "+") {
		if !strings.Contains(a, part) {
			a += "+" + part
		}
	}
	return a
}

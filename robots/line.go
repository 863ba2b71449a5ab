package robots

import (
	"iter"
	"strings"
)

// A Line is one line of a file, as it was read.
type Line struct {
	Number int    // 1 for the first
	Role   Role   // what the dialect takes it for
	Key    string // field name as written, also of a line to which a leniency adds the colon; empty when there is none
	Value  string // without blanks around and without comment; where the Note is LenientMarkup, both are without tags
	Group  int    // the group it stands in, counted from 1; 0 before the first user-agent line
	Note   string // a leniency (Lenient...) or a problem (Problem...); empty when the line is fine
}

// A Role says what a line is for.
type Role string

// The roles of lines.
const (
	RoleBlank      Role = "blank"
	RoleComment    Role = "comment"
	RoleAgent      Role = "user-agent"
	RoleAllow      Role = "allow"
	RoleDisallow   Role = "disallow"
	RoleSitemap    Role = "sitemap"
	RolePace       Role = "pace"       // Crawl-delay, Request-rate, Visit-time, Cache-delay: when, not what
	RolePreference Role = "preference" // Content-Usage, Content-Signal, License: what for, not whether
	RoleOther      Role = "other"      // any other field, Clean-param too; RFC 9309 section 2.2.4 skips it
	RoleInvalid    Role = "invalid"    // not a field at all; Note says why
	RoleCut        Role = "cut"        // ended beyond MaxBytes and is not used
)

// Problems of lines that no leniency mends.
const (
	ProblemNoColon  = "no-colon"          // neither blank nor comment, and no field
	ProblemControl  = "control-character" // RFC 9309 section 2.2 excludes them; not used, but for what Cautious closes
	ProblemOrphan   = "orphan"            // a rule before the first user-agent line (RFC 9309 section 2.2.1)
	ProblemPath     = "bad-path"          // starts with neither "/" nor "*" (erratum 7995), or an Allow with blanks
	ProblemLongLine = "long-allow"        // an Allow longer than MaxLine; Cautious does not use it
	ProblemAgent    = "no-name"           // a user-agent line without a name
)

// MaxRuleText is how much of a line a Verdict quotes.
const MaxRuleText = 1024

// line is what the lexer makes of a line. All strings are parts of the file's text.
type line struct {
	number int
	kind   kind
	field  field  // of key, spelt exactly; fieldOther unless kind is kindField
	text   string // without comment and blanks around
	key    string
	value  string
}

type kind uint8

const (
	kindBlank kind = iota
	kindComment
	kindField
	kindNoColon
	kindControl
	kindCut
)

type field uint8

const (
	fieldOther field = iota
	fieldAgent
	fieldAllow
	fieldDisallow
	fieldSitemap
	fieldDelay
	fieldRate
	fieldVisit
	fieldCache
	fieldUsage
	fieldSignal
	fieldLicense
	fieldClean
)

// scan yields the lines of text, which end with CR, LF or CRLF. When partial is set, a last line without an end was cut
// off by MaxBytes.
func scan(text string, partial bool) iter.Seq[line] {
	return func(yield func(line) bool) {
		lf := -1 // the first LF from pos on; len(text) if there is none
		for pos, number := 0, 1; pos < len(text); number++ {
			if lf < pos {
				lf = len(text)
				if i := strings.IndexByte(text[pos:], '\n'); i >= 0 {
					lf = pos + i
				}
			}
			end, next := lf, lf+1
			if i := strings.IndexByte(text[pos:lf], '\r'); i >= 0 {
				end, next = pos+i, pos+i+1
				if next == lf {
					next++
				}
			}
			l := lex(text[pos:end])
			if partial && end == len(text) {
				l = line{kind: kindCut, text: l.text}
			}
			l.number = number
			if !yield(l) {
				return
			}
			pos = next
		}
	}
}

// lex takes one line apart: comment off, blanks off, split at the first colon (RFC 9309 section 2.2).
func lex(raw string) line {
	text, _, commented := strings.Cut(raw, "#")
	l := line{text: trimBlanks(text)}
	switch {
	case l.text == "" && commented:
		l.kind = kindComment
	case l.text == "":
		l.kind = kindBlank
	case hasControl(l.text):
		l.kind = kindControl
	default:
		key, value, colon := strings.Cut(l.text, ":")
		if !colon {
			l.kind = kindNoColon
			break
		}
		l.kind, l.key, l.value = kindField, trimBlanks(key), trimBlanks(value)
		l.field = fieldOf(l.key)
	}
	return l
}

// knownFields are the fields with a meaning, and the roles of their lines.
var knownFields = [...]struct {
	name string
	role Role
}{
	fieldAgent:    {"user-agent", RoleAgent},
	fieldAllow:    {"allow", RoleAllow},
	fieldDisallow: {"disallow", RoleDisallow},
	fieldSitemap:  {"sitemap", RoleSitemap},
	fieldDelay:    {"crawl-delay", RolePace},
	fieldRate:     {"request-rate", RolePace},
	fieldVisit:    {"visit-time", RolePace},
	fieldCache:    {"cache-delay", RolePace},
	fieldUsage:    {"content-usage", RolePreference},
	fieldSignal:   {"content-signal", RolePreference},
	fieldLicense:  {"license", RolePreference},
	fieldClean:    {"clean-param", RoleOther},
	fieldOther:    {"", RoleOther},
}

// fieldOf recognises the names of fields, exactly but for letter case.
func fieldOf(key string) field {
	for f := range knownFields {
		if equalFold(key, knownFields[f].name) {
			return field(f)
		}
	}
	return fieldOther
}

// ruleText returns the line as a Verdict quotes it.
func (l line) ruleText() string { return l.text[:min(len(l.text), MaxRuleText)] }

// role returns what the line is for, apart from lines that lack a valid value.
func (l line) role() Role {
	switch l.kind {
	case kindBlank:
		return RoleBlank
	case kindComment:
		return RoleComment
	case kindCut:
		return RoleCut
	case kindNoColon, kindControl:
		return RoleInvalid
	}
	return knownFields[l.field].role
}

func trimBlanks(s string) string {
	for s != "" && isBlank(s[0]) {
		s = s[1:]
	}
	for s != "" && isBlank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// words yields the parts of s between blanks.
func words(s string) iter.Seq[string] {
	return strings.FieldsFuncSeq(s, func(c rune) bool { return c == ' ' || c == '\t' })
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func hasControl(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' && s[i] != '\t' {
			return true
		}
	}
	return false
}

// equalFold compares without regard to the case of ASCII letters. strings.EqualFold would also take the long s for an s.
func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i++ {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

// hasPrefixFold is equalFold for how s begins.
func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && equalFold(s[:len(prefix)], prefix)
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

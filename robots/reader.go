package robots

import "strings"

// A reader goes through the lines of a file and sorts what they say into groups. What it makes of a line is in readRFC,
// read1994 and readLenient; the rest keeps track of groups.
type reader struct {
	dialect Dialect
	host    string            // of the origin; empty when unknown
	wanted  func(string) bool // whether a name matters; nil when all do

	groups []*group // the groups that name somebody who matters
	group  *group   // that we are in; nil before the first
	global group    // what is said before the first group, to whoever hears nothing else

	number int  // of the group that we are in; 0 before the first
	naming bool // it may take more names: it has no rule yet
	ended  bool // it takes no more rules (a blank line in Std1994)
}

// A ruleLine is an Allow or Disallow line as it was read.
type ruleLine struct {
	line     int
	allow    bool
	path     string // the pattern, as written
	text     string // the line, as written
	leniency string
}

// startNames says that a user-agent line was met: it joins the group if that has no rule yet, or starts the next.
func (r *reader) startNames() {
	if !r.naming {
		r.number++
		if r.group == nil || len(r.group.names) > 0 {
			r.group = new(group)
		} else {
			*r.group = group{wishes: r.group.wishes[:0]}
		}
	}
	r.naming, r.ended = true, false
}

// addName adds a name to the group, which took the leniency to read. The empty token names nobody.
func (r *reader) addName(token, leniency string) {
	if token == "" || r.wanted != nil && !r.wanted(token) {
		return
	}
	if len(r.group.names) == 0 {
		r.groups = append(r.groups, r.group)
	}
	r.group.names = append(r.group.names, name{token, leniency})
}

// endNames says that a rule was met, be it one that matches nothing: the next user-agent line begins a group. It reports
// whether a group is there for the rule to stand in.
func (r *reader) endNames() bool {
	r.naming = false
	return r.number > 0 && !r.ended
}

// endGroup ends a record of 1994.
func (r *reader) endGroup() { r.naming, r.ended = false, true }

func (r *reader) addRule(ru ruleLine) {
	if len(r.group.names) > 0 {
		r.group.rules = append(r.group.rules, ru)
	}
}

// read reads one line as the dialect says, but for the leniencies of Cautious, and returns the problem with it, if any.
func (r *reader) read(l line) (problem string) {
	if r.dialect == Std1994 {
		return r.read1994(l)
	}
	return r.readRFC(l)
}

// readRFC reads one line as RFC 9309 does. Cautious declines some Allow lines.
func (r *reader) readRFC(l line) (problem string) {
	switch l.kind {
	case kindNoColon:
		return ProblemNoColon
	case kindControl:
		return ProblemControl
	case kindField:
		return r.readRFCField(l)
	}
	return ""
}

func (r *reader) readRFCField(l line) (problem string) {
	switch l.field {
	case fieldAgent:
		r.startNames()
		if l.value == "" {
			return ProblemAgent
		}
		r.addName(agentName(l.value), "")
	case fieldAllow, fieldDisallow:
		if !r.endNames() {
			return ProblemOrphan
		}
		allow := l.field == fieldAllow
		distrusted := allow && r.dialect == Cautious
		switch {
		case l.value == "": // matches nothing, RFC 9309 section 2.2.2
		case l.value[0] != '/' && l.value[0] != '*',
			distrusted && strings.ContainsAny(l.value, " \t"):
			return ProblemPath
		case distrusted && len(l.text) > MaxLine:
			return ProblemLongLine
		default:
			r.addRule(ruleLine{line: l.number, allow: allow, path: l.value, text: l.ruleText()})
		}
	default:
		r.readPace(l)
		r.readWish(l)
	}
	return ""
}

// read1994 reads one line as the standard of 1994 with the lists of Kollar, Leavitt and Mauldin.
func (r *reader) read1994(l line) (problem string) {
	switch l.kind {
	case kindBlank:
		r.endGroup()
		return ""
	case kindNoColon:
		return ProblemNoColon
	case kindControl:
		return ProblemControl
	case kindComment, kindCut:
		return ""
	}
	switch l.field {
	case fieldAgent:
		r.startNames()
		for word := range words(l.value) {
			token, _, _ := strings.Cut(word, "/") // "without version information"
			r.addName(token, "")
		}
	case fieldDisallow:
		if !r.endNames() {
			return ProblemOrphan
		}
		for word := range words(l.value) {
			r.addRule(ruleLine{line: l.number, path: word, text: l.ruleText()})
		}
	default:
		r.readPace(l)
		r.readWish(l)
	}
	return ""
}

// agentName returns whom a user-agent value names to readers that take one name from it: the product token that it begins with, or
// else the word. "MJ12bot" is no token, but what a robot of that name looks for.
func agentName(value string) string {
	if token := leadingToken(value); token != "" {
		return token
	}
	if end := strings.IndexAny(value, " \t/*,"); end >= 0 {
		return value[:end]
	}
	return value
}

// leadingToken returns the product token at the start of a user-agent value, "*" for every robot, or nothing. A token is
// made of letters, "-" and "_" and ends with the value, a blank, "/", "*" or ",".
func leadingToken(value string) string {
	if strings.HasPrefix(value, "*") && (len(value) == 1 || isBlank(value[1])) {
		return "*"
	}
	n := 0
	for n < len(value) && isTokenByte(value[n]) {
		n++
	}
	if n < len(value) && !strings.ContainsRune(" \t/*,", rune(value[n])) {
		return ""
	}
	return value[:n]
}

func isTokenByte(c byte) bool {
	return 'a' <= lower(c) && lower(c) <= 'z' || c == '-' || c == '_'
}

func containsFold(s, part string) bool {
	for i := range len(s) - len(part) + 1 {
		if equalFold(s[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

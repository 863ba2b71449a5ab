package robots

import "strings"

// A reading is what one way of reading makes of a file: groups in file order, their names, rules and paces in three flat
// slices. groups[0] is what stands before the first user-agent line; it has no names, so its rules bind nobody.
type reading struct {
	groups []group
	names  []name
	rules  []rule
	paces  []pace

	naming bool // the last group may take more names: it has no rule yet
	ended  bool // the last group takes no more rules (a blank line in Std1994)
}

// A group knows where its parts begin; they end where those of the next group begin.
type group struct{ name, rule, pace int }

// A name is a robot that a group speaks to: a token, or "*" for every robot.
type name struct {
	token    string
	leniency string
}

type rule struct {
	line     int
	allow    bool
	path     string // the pattern, as written
	text     string // the line, as written
	host     string // the rule is about this host only; empty: the host that the file is from
	leniency string
}

// newReading returns an empty reading with room for the rules of a usual file of that many bytes.
func newReading(size int) *reading {
	const usual = 24 // bytes of a usual line
	return &reading{groups: make([]group, 1, 16), rules: make([]rule, 0, size/usual+1)}
}

// addNames adds the names of one user-agent line, possibly none, to the group that is open for names or to a new one.
func (r *reading) addNames(names ...name) {
	if !r.naming {
		r.groups = append(r.groups, group{len(r.names), len(r.rules), len(r.paces)})
	}
	r.naming, r.ended = true, false
	r.names = append(r.names, names...)
}

// endNames says that a rule was met, be it one that matches nothing: the next user-agent line begins a group. It reports
// whether a group is there for the rule to stand in.
func (r *reading) endNames() bool {
	r.naming = false
	return len(r.groups) > 1 && !r.ended
}

// endGroup ends a record of 1994.
func (r *reading) endGroup() { r.naming, r.ended = false, true }

func (r *reading) addRule(ru rule) { r.rules = append(r.rules, ru) }

func (r *reading) addPace(p pace) { r.paces = append(r.paces, p) }

// end returns where the parts of group i end.
func (r *reading) end(i int) group {
	if i+1 < len(r.groups) {
		return r.groups[i+1]
	}
	return group{len(r.names), len(r.rules), len(r.paces)}
}

func (r *reading) namesOf(i int) []name { return r.names[r.groups[i].name:r.end(i).name] }
func (r *reading) rulesOf(i int) []rule { return r.rules[r.groups[i].rule:r.end(i).rule] }
func (r *reading) pacesOf(i int) []pace { return r.paces[r.groups[i].pace:r.end(i).pace] }

// readRFC reads one line as RFC 9309 does and returns the problem it has with it, if any. With cautious set it declines
// the Allow lines that Cautious does not trust.
func (r *reading) readRFC(l line, cautious bool) (problem string) {
	switch l.kind {
	case kindNoColon:
		return ProblemNoColon
	case kindControl:
		return ProblemControl
	case kindField:
		return r.readRFCField(l, cautious)
	}
	return ""
}

func (r *reading) readRFCField(l line, cautious bool) (problem string) {
	switch l.field {
	case fieldAgent:
		token := leadingToken(l.value)
		if token == "" {
			r.addNames()
			return ProblemAgent
		}
		r.addNames(name{token: token})
	case fieldAllow, fieldDisallow:
		if !r.endNames() {
			return ProblemOrphan
		}
		allow := l.field == fieldAllow
		switch {
		case l.value == "": // matches nothing, RFC 9309 section 2.2.2
		case l.value[0] != '/' && l.value[0] != '*',
			cautious && allow && strings.ContainsAny(l.value, " \t"):
			return ProblemPath
		case cautious && allow && len(l.text) > MaxLine:
			return ProblemLongLine
		default:
			r.addRule(rule{line: l.number, allow: allow, path: l.value, text: l.ruleText()})
		}
	default:
		r.readPace(l)
	}
	return ""
}

// read1994 reads one line as the standard of 1994 with the lists of Kollar, Leavitt and Mauldin.
func (r *reading) read1994(l line) (problem string) {
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
		r.addNames()
		for word := range strings.FieldsSeq(l.value) {
			if token, _, _ := strings.Cut(word, "/"); token != "" { // "without version information"
				r.addNames(name{token: token})
			}
		}
	case fieldDisallow:
		if !r.endNames() {
			return ProblemOrphan
		}
		for word := range strings.FieldsSeq(l.value) {
			r.addRule(rule{line: l.number, path: word, text: l.ruleText()})
		}
	default:
		r.readPace(l)
	}
	return ""
}

// leadingToken returns the product token at the start of a user-agent value, "*" for every robot, or nothing. A token is
// made of letters, "-" and "_" and ends with the value, a blank, "/", "*" or ",". A name like "Bot2" is another robot's.
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

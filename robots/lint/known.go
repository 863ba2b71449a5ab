package lint

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// A knownRobot is one that the roster has a record of.
type knownRobot struct {
	*roster.Record
	name  string // as it is best written
	lower string
	plain string // lower without what people leave out or put in
}

// knownRobots returns the robots of the roster. The list is made once and never changes.
var knownRobots = sync.OnceValue(func() (list []knownRobot) {
	records := roster.Bundled()
	for i := range records {
		for _, token := range records[i].Tokens() {
			name := token
			if written := records[i].Value("robot-name"); strings.EqualFold(written, token) {
				name = written
			}
			list = append(list, knownRobot{&records[i], name, token, plainName(token)})
		}
	}
	return list
})

func plainName(name string) string {
	return strings.NewReplacer("-", "", "_", "", ".", "", " ", "").Replace(strings.ToLower(name))
}

// robotIn returns the robot whose name occurs in a User-Agent header; of those that do, the longest.
func robotIn(header string) string {
	header = strings.ToLower(header)
	best := ""
	for _, r := range knownRobots() {
		if len(r.name) > len(best) && strings.Contains(header, r.lower) {
			best = r.name
		}
	}
	return best
}

// findRobot returns the robot of that name; nil when there is none.
func findRobot(name string) *knownRobot {
	list := knownRobots()
	for i := range list {
		if strings.EqualFold(list[i].name, name) {
			return &list[i]
		}
	}
	return nil
}

// How long a name must be, without the word that says that it is of a robot, for one slip of the pen and for two: there are
// thousands of robots, and short names are alike by chance.
const (
	oneSlip  = 6
	twoSlips = 11
)

// meantRobot returns the robot that a name is nearly that of; empty when there is none, or when the name is known. A name that goes
// on behind that of a known robot is of a sister of it.
func meantRobot(name string) string {
	plain, lower := plainName(name), strings.ToLower(name)
	stem, kind := cutKind(plain)
	best, least := "", twoSlips
	for _, r := range knownRobots() {
		if r.lower == lower || strings.HasPrefix(lower, r.lower+"-") || strings.HasPrefix(lower, r.lower+"_") {
			return ""
		}
		known, knownKind := cutKind(r.plain)
		d := slips(stem, known)
		isNear := d == 0 && plain == r.plain ||
			kind == knownKind && stem != "" && known != "" && stem[0] == known[0] &&
				(d == 1 && max(len(stem), len(known)) >= oneSlip || d == 2 && max(len(stem), len(known)) >= twoSlips)
		if isNear && d < least {
			best, least = r.name, d
		}
	}
	return best
}

// cutKind takes off the word that says that a name is of a robot.
func cutKind(plain string) (stem, kind string) {
	for _, kind := range []string{"bot", "spider", "crawler"} {
		if stem, ok := strings.CutSuffix(plain, kind); ok {
			return stem, kind
		}
	}
	return plain, ""
}

// checkKnown looks for names that are nearly those of known robots, and for those that no robot answers to any more.
func (l *linter) checkKnown(at line, name string) {
	if name == "" || name == "*" {
		return
	}
	if meant := meantRobot(name); meant != "" {
		l.add("misspelt-name", at, fmt.Sprintf("No robot that is known answers to %s, but one does to %s: it takes no notice of "+
			"this group.", quoted(name), quoted(meant)),
			"If that robot is meant:\nUser-agent: "+meant)
		return
	}
	if r := findRobot(name); r != nil && strings.EqualFold(r.Value("robot-status"), "retired") {
		l.add("retired-name", at, fmt.Sprintf("%s is not in use any more. %s", r.name, r.Value("robot-notes")),
			"Name what came after it, or delete the name.")
	}
}

// checkIgnoredDelay looks for a Crawl-delay for robots that are known to ignore it.
func (l *linter) checkIgnoredDelay(g group) {
	i := slices.IndexFunc(g.lines, func(at line) bool { return strings.EqualFold(at.Key, "crawl-delay") })
	if i < 0 {
		return
	}
	for _, name := range g.names() {
		if r := findRobot(name); r != nil && strings.EqualFold(r.Value("robot-crawl-delay"), "ignored") {
			l.add("ignored-delay", g.lines[i], r.name+" does not read Crawl-delay.",
				"Slow it down where its maker says how, or by the answers of the server (429, 503).")
			return
		}
	}
}

// A Robot is what a file means for a robot of the roster: for crawlers all of them, for others those that it names.
type Robot struct {
	Name   string `json:"name"`
	Named  bool   `json:"named"`            // by a group of its own, or of a name that it falls back to
	Access string `json:"access"`           // closed: nothing is open to it; partly; open
	Obeys  string `json:"obeys"`            // yes, if its maker says so; no, if the maker says that; not documented
	Source string `json:"source,omitempty"` // the page on which the maker says so
	Note   string `json:"note,omitempty"`   // what else is known about that
	Owner  string `json:"owner,omitempty"`
}

// robotTable returns what the file means for the robots of the roster. Those that it names come first, in its order.
func (l *linter) robotTable() (table []Robot) {
	said := hearing{robots.Parse([]byte(l.text), robots.RFC9309).Register(), map[string]string{}}
	shown := map[string]bool{}
	for _, name := range said.Names() {
		if r := findRobot(name); r != nil && !shown[r.name] && len(table) < MaxClasses {
			shown[r.name] = true
			table = append(table, said.robotFor(r, name, true))
		}
	}
	for _, r := range knownRobots() {
		isOther := r.Class() != "" || r.Owner() == "" || r.IsAnybodys() || strings.EqualFold(r.Value("robot-status"), "retired")
		if isOther || shown[r.name] || r.lower != strings.ToLower(r.Value("robot-id")) {
			continue
		}
		token := r.Tokens()[0]
		name := r.HeardAs(token, func(name string) bool { return name != token && said.Audience(name) != "" })
		table = append(table, said.robotFor(&r, name, name != token))
	}
	return table
}

// A hearing is what a file says to robots, and how much that leaves open: the same to all of one audience.
type hearing struct {
	*robots.Register
	access map[string]string // by audience
}

// robotFor says what a file means for a robot that looks for its group by a name.
func (h hearing) robotFor(r *knownRobot, name string, isNamed bool) Robot {
	one := Robot{
		Name: r.name, Named: isNamed, Access: "open", Obeys: "not documented", Owner: r.Owner(),
		Source: r.Value("robot-exclusion-url"),
	}
	if isNamed || r.HearsAll() {
		audience := h.Audience(name)
		if h.access[audience] == "" {
			h.access[audience] = accessOf(h.Rules(name))
		}
		one.Access = h.access[audience]
	}
	switch {
	case r.IsUserTriggered():
		one.Obeys, one.Note = "no", "it acts for a person who waits for the page"
	case strings.EqualFold(r.Value("robot-status"), "retired"):
		one.Note = "the name is not in use any more"
	case r.Value("robot-exclusion") != "":
		one.Obeys = strings.ToLower(r.Value("robot-exclusion"))
	}
	if !r.HearsAll() && !isNamed {
		one.Note = "groups for all robots do not speak to it"
	}
	return one
}

// accessOf says how much is open: open where an Allow of every path is longer than all that closes, closed where a Disallow of
// every path is longer than all that opens.
func accessOf(rules *robots.Rules) string {
	const disallow, allow = 0, 1
	var longest, whole [2]int // of all patterns, and of those of every path
	for _, r := range rules.List() {
		kind := kindOf(r.Allow)
		longest[kind] = max(longest[kind], len(r.Pattern))
		if rest := strings.ReplaceAll(strings.TrimSuffix(r.Pattern, "*$"), "*", ""); rest == "" || rest == "/" {
			whole[kind] = max(whole[kind], len(r.Pattern))
		}
	}
	switch {
	case longest[disallow] <= whole[allow]:
		return "open"
	case longest[allow] < whole[disallow]:
		return "closed"
	}
	return "partly"
}

// Mendable reports whether a report has findings of a kind that Fix can mend, if it does no harm. Options.Fixable says which it
// does mend.
func Mendable(r Report) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Fixable || infoOf(f.Code).Fixable })
}

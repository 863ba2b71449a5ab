package robots

import (
	"strings"
	"time"
)

// MaxRules is the number of rules for one robot after which Cautious keeps only those that forbid.
const MaxRules = 10_000

// Rules are what a file, or its absence, means for one robot. They never change, so they are safe for concurrent use.
// Nil Rules forbid everything, with ReasonUnknown.
type Rules struct {
	digest    string
	index     index
	allow     bool   // when no rule matches
	reason    Reason // of that
	delay     time.Duration
	delayLine int
}

// A Verdict says whether a page may be asked for, and which line of which file says so.
type Verdict struct {
	Allowed  bool
	Reason   Reason
	Line     int    // of the deciding rule; 0 when none decided
	Rule     string // that line, as written, without comment, up to MaxRuleText; empty when none decided
	Digest   string // of the file; empty when there is none
	Leniency string // what made a rule of the line, Lenient... joined with "+"; empty when RFC 9309 (or 1994) did
}

// A Reason says why a Verdict is as it is.
type Reason string

// The reasons of verdicts.
const (
	ReasonRule        Reason = "rule"        // a rule matched; Verdict names it
	ReasonNoRule      Reason = "no-rule"     // a group speaks to the robot, and none of its rules matches: allowed
	ReasonNoGroup     Reason = "no-group"    // no group speaks to the robot: allowed
	ReasonRobotsTxt   Reason = "robots-txt"  // /robots.txt itself is always allowed (RFC 9309 section 2.2.2)
	ReasonUnavailable Reason = "unavailable" // there is no file: allowed (section 2.3.1.3)
	ReasonUnreachable Reason = "unreachable" // the file could not be had: forbidden (section 2.3.1.4)
	ReasonUnknown     Reason = "unknown"     // nobody asked yet: forbidden
)

// AllowAll returns rules that allow everything for that reason.
func AllowAll(reason Reason) *Rules { return &Rules{allow: true, reason: reason} }

// DenyAll returns rules that forbid everything but /robots.txt for that reason.
func DenyAll(reason Reason) *Rules { return &Rules{reason: reason} }

// Rules returns what the file means for a product, that is the token with which it is named in user-agent lines and which
// starts its User-Agent header; what follows a "/" or a blank is ignored. The groups that name the product are merged;
// if there are none, the groups that name "*" (RFC 9309 section 2.2.1). An empty product is named by "*" only.
//
// A Disallow that holds a full URL (LenientFullURL) counts as if it were the file's own host; see RulesFor.
func (f *File) Rules(product string) *Rules { return f.RulesFor("", product) }

// RulesFor is Rules for a file that was got from origin (scheme://host[:port]): Disallow lines that hold a full URL with
// another host are left out.
func (f *File) RulesFor(origin, product string) *Rules {
	if f == nil {
		return DenyAll(ReasonUnknown)
	}
	b := builder{file: f, product: productToken(product)}
	if _, host, ok := strings.Cut(origin, "://"); ok {
		b.host = canonicalHost(host)
	}
	r := &Rules{digest: f.digest, allow: true, reason: ReasonNoGroup}
	for _, reading := range []*reading{f.main, f.lenient} {
		if reading != nil && b.add(reading) && reading == f.main {
			r.reason = ReasonNoRule
		}
	}
	r.index = newIndex(b.rules, f.dialect)
	r.delay, r.delayLine = b.pace.delay, b.pace.line
	return r
}

// hasHosts reports whether RulesFor depends on the origin.
func (f *File) hasHosts() bool {
	if f.lenient == nil {
		return false
	}
	for i := range f.lenient.rules {
		if f.lenient.rules[i].host != "" {
			return true
		}
	}
	return false
}

// Test says whether pathQuery, the path of a URL with its query and without its fragment, may be asked for. It takes
// both raw and percent-encoded forms; an empty path is "/". Test allocates nothing as long as pathQuery, percent-encoded,
// fits into 2,048 bytes.
func (r *Rules) Test(pathQuery string) Verdict {
	var buf [2048]byte
	path := appendPath(buf[:0], pathQuery)
	if string(path) == "/robots.txt" {
		return Verdict{Allowed: true, Reason: ReasonRobotsTxt, Digest: r.fileDigest()}
	}
	if r == nil {
		return Verdict{Reason: ReasonUnknown}
	}
	if p := r.index.find(path); p != nil {
		return Verdict{p.allow, ReasonRule, p.line, p.text, r.digest, p.leniency}
	}
	return Verdict{Allowed: r.allow, Reason: r.reason, Digest: r.digest}
}

// Delay returns the longest time between two requests that the file asks for by Crawl-delay or Request-rate, and the line
// that does; 0 and 0 when it asks for none. It looks at the groups that name the product, and if they say nothing at
// those that name "*", which can only slow us. Values above a year are read as a year; nothing else is cut.
func (r *Rules) Delay() (d time.Duration, line int) {
	if r == nil {
		return 0, 0
	}
	return r.delay, r.delayLine
}

func (r *Rules) fileDigest() string {
	if r == nil {
		return ""
	}
	return r.digest
}

// A builder collects what the readings of a file say to one product.
type builder struct {
	file    *File
	product string
	host    string // of the file's origin; empty when unknown
	rules   []rule
	pace    pace
}

// add adds what one reading says, and reports whether any group speaks to the product.
func (b *builder) add(r *reading) bool {
	own, all := b.selectGroups(r)
	selected := own
	if len(own) == 0 {
		selected = all
	}
	for _, s := range selected {
		for _, ru := range r.rulesOf(s.group) {
			b.addRule(ru, s.leniency)
		}
	}
	for _, groups := range [][]selection{own, all, {{group: 0}}} {
		if p := slowest(r, groups); p.line > 0 {
			if p.delay > b.pace.delay {
				b.pace = p
			}
			break
		}
	}
	return len(selected) > 0
}

// A selection is a group that speaks to the product, and the leniency that it took to see that.
type selection struct {
	group    int
	leniency string
}

func (b *builder) selectGroups(r *reading) (own, all []selection) {
	for i := range r.groups {
		names := r.namesOf(i)
		if why, ok := findName(names, b.isOwn); ok {
			own = append(own, selection{i, why})
		}
		if why, ok := findName(names, isStar); ok {
			all = append(all, selection{i, why})
		}
	}
	return own, all
}

// findName looks for a name that matches, preferably one that took no leniency.
func findName(names []name, match func(token string) bool) (leniency string, ok bool) {
	for _, n := range names {
		if match(n.token) && (!ok || n.leniency == "") {
			leniency, ok = n.leniency, true
		}
	}
	return leniency, ok
}

func isStar(token string) bool { return token == "*" }

// isOwn reports whether a token in the file names the product.
func (b *builder) isOwn(token string) bool {
	if b.file.dialect == Std1994 {
		return containsFold(b.product, token)
	}
	return equalFold(b.product, token)
}

func (b *builder) addRule(ru rule, leniency string) {
	if ru.allow && b.file.dialect == Cautious && len(b.rules) >= MaxRules {
		return
	}
	if ru.host != "" && b.host != "" && ru.host != b.host {
		return
	}
	ru.leniency = join(leniency, ru.leniency)
	b.rules = append(b.rules, ru)
}

// slowest returns the longest pace that the groups ask for; its line is 0 when they ask for none.
func slowest(r *reading, groups []selection) (slow pace) {
	for _, s := range groups {
		for _, p := range r.pacesOf(s.group) {
			if slow.line == 0 || p.delay > slow.delay {
				slow = p
			}
		}
	}
	return slow
}

// productToken cuts the version and what follows off a product.
func productToken(product string) string {
	product = strings.TrimSpace(product)
	if i := strings.IndexAny(product, "/ \t"); i >= 0 {
		product = product[:i]
	}
	return product
}

func containsFold(s, part string) bool {
	for i := range len(s) - len(part) + 1 {
		if equalFold(s[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

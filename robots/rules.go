package robots

import (
	"math"
	"slices"
	"strings"
	"time"
)

// MaxRules is the number of rules for one robot after which Cautious keeps only those that forbid. What is said again does not
// count.
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
	wishes    wishes
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
// A Disallow that holds a full URL (LenientFullURL) counts as if it were the file's own host; see RulesFor. Who asks about many
// products of one file is faster with a Register.
func (f *File) Rules(product string) *Rules { return f.RulesFor("", product) }

// RulesFor is Rules for a file that was got from origin (scheme://host[:port]): Disallow lines that hold a full URL with
// another host are left out. The host with "www." in front and the one without are the same here: mostly they serve one file.
func (f *File) RulesFor(origin, product string) *Rules {
	if f == nil {
		return DenyAll(ReasonUnknown)
	}
	product = productToken(product)
	wanted := func(token string) bool {
		return token == "*" || f.dialect.names(token, product) || f.dialect.namesPart(token, product)
	}
	var hearings []hearing
	for _, r := range f.read(origin, wanted) {
		hearings = append(hearings, r.hear(product))
	}
	return f.rules(hearings)
}

// read goes over the file as its dialect says, and in Cautious as its author may have meant it, if that could differ. Names
// that are not wanted are left out; nil wants all.
func (f *File) read(origin string, wanted func(string) bool) []*reader {
	strict := f.newReader(origin, wanted)
	plain := true
	for l := range f.lines() {
		strict.read(l)
		plain = plain && l.plain()
	}
	if f.dialect != Cautious || plain {
		return []*reader{strict}
	}
	lenient := f.newReader(origin, wanted)
	for l := range f.lines() {
		lenient.readLenient(l)
	}
	return []*reader{strict, lenient}
}

// choose puts together what the readings of the file say: all of the first, and of what is heard besides only what restrains.
// Those that name a part of the product count where none names it. An Allow for "*" that opens nothing there does not open what
// a group closes that speaks to the product in another reading only.
func (f *File) choose(hearings []hearing) (rules []ruleLine, heard bool, slowest pace) {
	said := hearings[0].selected()
	rules, heard, slowest = said.rules, said.heard, hearings[0].slowest()
	named := slices.ContainsFunc(hearings, func(h hearing) bool { return h.own.heard })
	var besides, closing []*voice
	for i := range hearings {
		h := &hearings[i]
		if i > 0 {
			besides = append(besides, h.selected())
			slowest.slowTo(h.slowest())
		}
		if h.own.heard {
			closing = append(closing, &h.own)
		}
		if !named {
			besides, closing = append(besides, &h.part), append(closing, &h.part)
			slowest.slowTo(h.part.pace)
		}
	}
	if !hearings[0].own.heard {
		rules = withoutIdle(rules, hearings, closing)
	}
	rules = slices.Clip(rules)
	for _, v := range besides {
		heard = heard || v.heard
		for _, ru := range v.rules {
			if !ru.allow {
				rules = append(rules, ru)
			}
		}
	}
	return rules, heard, slowest
}

// withoutIdle leaves out of what is said to "*" each Allow that is shorter than all that is forbidden there, unless one of the
// voices that close says it, too: those that speak to the product in another reading only. One that is shorter than all that they
// close opens nothing of that, and stays: it is the rule that the rest of the site is open by.
func withoutIdle(rules []ruleLine, hearings []hearing, closing []*voice) []ruleLine {
	closed, opened := math.MaxInt, map[string]bool{}
	for _, v := range closing {
		for _, ru := range v.rules {
			if pattern := CanonicalPattern(ru.path); ru.allow {
				opened[pattern] = true
			} else {
				closed = min(closed, len(pattern))
			}
		}
	}
	shortest := math.MaxInt
	for i := range hearings {
		for _, ru := range hearings[i].all.rules {
			if !ru.allow {
				shortest = min(shortest, len(CanonicalPattern(ru.path)))
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(rules), func(ru ruleLine) bool {
		if !ru.allow {
			return false
		}
		pattern := CanonicalPattern(ru.path)
		return closed <= len(pattern) && len(pattern) < shortest && !opened[pattern]
	})
}

// rules makes Rules of what the readings of the file say.
func (f *File) rules(hearings []hearing) *Rules {
	rules, heard, slowest := f.choose(hearings)
	r := &Rules{digest: f.digest, index: newIndex(rules, f.dialect), allow: true, reason: ReasonNoGroup}
	if heard {
		r.reason = ReasonNoRule
	}
	r.delay, r.delayLine = slowest.delay, slowest.line
	r.wishes = readWishes(hearings)
	return r
}

func (f *File) newReader(origin string, wanted func(string) bool) *reader {
	r := &reader{dialect: f.dialect, wanted: wanted}
	if _, host, ok := strings.Cut(origin, "://"); ok {
		r.host = canonicalHost(host)
	}
	return r
}

// Test says whether pathQuery, the path of a URL with its query and without its fragment, may be asked for. It takes
// both raw and percent-encoded forms; an empty path is "/". Of a full URL (http, https) it takes the path and the query: that
// the file is that of its host is for the caller to see to. Test allocates nothing as long as pathQuery, percent-encoded,
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
		return Verdict{Allowed: p.allow, Reason: ReasonRule, Line: p.line, Rule: p.text, Digest: r.digest, Leniency: p.leniency}
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

// size is about how many bytes the rules take up, beside the text of the file.
func (r *Rules) size() int64 {
	const perPattern = 400
	return int64(r.index.patterns+r.wishes.count()) * perPattern
}

func (r *Rules) fileDigest() string {
	if r == nil {
		return ""
	}
	return r.digest
}

// IsProductToken reports whether s can name a crawler in robots.txt: it is made of letters, "-" and "_", and not empty (RFC
// 9309 section 2.2.1).
func IsProductToken(s string) bool {
	for i := range len(s) {
		if !isTokenByte(s[i]) {
			return false
		}
	}
	return s != ""
}

// productToken cuts the version and what follows off a product.
func productToken(product string) string {
	product = strings.TrimSpace(product)
	if i := strings.IndexAny(product, "/ \t"); i >= 0 {
		product = product[:i]
	}
	return product
}

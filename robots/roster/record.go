package roster

import (
	"cmp"
	"slices"
	"strings"
)

// A Record is what is known of one robot. One without a robot-id consists of comments.
type Record struct {
	Fields []Field
}

// A Field is one line of a record, with the lines that go on with it.
type Field struct {
	Name  string // in lower case; # for a comment
	Value string // without blanks at both ends of each of its lines
}

// Comment is the Name of a field that is a comment.
const Comment = "#"

// The classes of what is no crawler, in robot-class. To a UserTriggered fetcher, which acts for a person who waits for the page,
// and to the others, each of which gets what somebody has chosen, robots.txt does not speak.
const (
	UserTriggered = "user-triggered"
	FeedReader    = "feed-reader" // feeds and podcasts
	Monitor       = "monitor"     // looks whether a site is up
	Certificate   = "certificate" // checks whose a domain is
	Preview       = "preview"     // shows what a link leads to
	Tool          = "tool"        // programs and libraries that people use for anything
)

// Value returns the value of a field; of the first if there are several, or if they are numbered as in robot-owner-name1. It is
// empty when there is none, and for a nil Record.
func (r *Record) Value(name string) string {
	if r == nil {
		return ""
	}
	for _, f := range r.Fields {
		if f.Name == name || f.Name == name+"1" {
			return f.Value
		}
	}
	return ""
}

// values returns the parts of a value that is a list.
func (r *Record) values(name string) (list []string) {
	for part := range strings.FieldsFuncSeq(r.Value(name), func(c rune) bool { return c == ',' || c == '\n' }) {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// set gives the first field of that name a value, or adds one.
func (r *Record) set(name, value string) {
	i := slices.IndexFunc(r.Fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		r.Fields = append(r.Fields, Field{Name: name, Value: value})
		return
	}
	r.Fields[i].Value = value
}

// Tokens returns the product tokens by which the robot is known, in lower case.
func (r *Record) Tokens() (tokens []string) {
	id := r.Value("robot-id")
	if id == "" {
		return nil
	}
	tokens = append(tokens, strings.ToLower(id))
	for _, t := range r.values("robot-exclusion-useragent") {
		if t = strings.ToLower(t); !slices.Contains(tokens, t) {
			tokens = append(tokens, t)
		}
	}
	return tokens
}

// Owner returns who runs the robot; empty when nobody knows.
func (r *Record) Owner() string { return r.Value("robot-owner-name") }

// Contact returns where the owner can be reached: a mail address, or else the page of the owner.
func (r *Record) Contact() string {
	return cmp.Or(r.Value("robot-owner-email"), r.Value("robot-owner-url"))
}

// IsUserTriggered reports whether it gets what a person has chosen, who may wait for it: a page, a link to be shown, a feed.
func (r *Record) IsUserTriggered() bool {
	c := r.Class()
	return c == UserTriggered || c == Preview || c == FeedReader
}

// Class returns the robot-class in lower case; empty for a crawler.
func (r *Record) Class() string {
	if c := strings.ToLower(r.Value("robot-class")); c != "robot" {
		return c
	}
	return ""
}

// HeardAs returns the name by which a robot with that product token finds its group in a robots.txt: the token, or if nothing there
// speaks to that, the first that does of those that it then obeys by the word of its maker. A nil Record obeys its token only.
func (r *Record) HeardAs(token string, isNamed func(name string) bool) string {
	if r == nil {
		return token
	}
	others := r.Fallbacks()
	if len(others) == 0 || isNamed(token) {
		return token
	}
	if i := slices.IndexFunc(others, isNamed); i >= 0 {
		return others[i]
	}
	return token
}

// Fallbacks returns the names in robots.txt that it obeys where none of its own stands, in lower case.
func (r *Record) Fallbacks() (names []string) {
	for _, n := range r.values("robot-exclusion-fallback") {
		names = append(names, strings.ToLower(n))
	}
	return names
}

// HearsAll reports whether groups for all robots (*) speak to it, as far as its maker says.
func (r *Record) HearsAll() bool {
	return !strings.EqualFold(r.Value("robot-exclusion-all"), "ignored")
}

// KeepsDelay reports whether it reads Crawl-delay, as far as its maker says.
func (r *Record) KeepsDelay() bool {
	return !strings.EqualFold(r.Value("robot-crawl-delay"), "ignored")
}

// CountsWindows reports whether Crawl-delay is to it the length of windows of time, in each of which it gets one page at any
// moment, as its maker says.
func (r *Record) CountsWindows() bool {
	return strings.EqualFold(r.Value("robot-crawl-delay"), "window")
}

// IsAnybodys reports whether it is a program that many run, so that its name says nothing of who came.
func (r *Record) IsAnybodys() bool { return r.Owner() == "whoever runs it" }

// MayComeFrom reports whether a host name is one of those that the robot comes from. known is false when the record names none.
func (r *Record) MayComeFrom(host string) (ok, known bool) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, h := range r.values("robot-host") {
		h = strings.ToLower(h)
		if !strings.Contains(h, ".") { // "anywhere", or what was not filled in
			continue
		}
		known = true
		if below, isDomain := strings.CutPrefix(h, "*"); isDomain && strings.HasSuffix(host, below) || host == h {
			return true, true
		}
	}
	return false, known
}

package preference

import (
	"net/http"
	"slices"

	"github.com/cybermapper/cybermapper/robots"
)

// Bounds of what is read.
const (
	MaxStatements = 5 * maxPerUse // about one capture
	maxPerUse     = 20            // about one use of it
	MaxText       = 16 << 10      // bytes of one header field or META element
	maxQuote      = 200           // bytes of Statement.Text
)

// A Use is something that a page may be used for.
type Use string

// The uses.
const (
	TrainAI Use = "train-ai" // to train models that generate content
	AIInput Use = "ai-input" // as input of a model that answers questions (grounding, retrieval)
	Search  Use = "search"   // to find the page, and to show excerpts that lead there
	TDM     Use = "tdm"      // text and data mining, in the sense of article 4 of directive (EU) 2019/790
	ImageAI Use = "image-ai" // any use of the images of the page for models
)

// A Value says whether a use is welcome.
type Value string

// The values. The empty Value is "nobody said anything".
const (
	Allow    Value = "allow"
	Disallow Value = "disallow"
	Unknown  Value = "unknown" // something was said that cannot be read
)

// A Statement is what one source says about one use.
type Statement struct {
	Use    Use
	Value  Value
	Source string // content-usage, content-signal, tdmrep or noai
	Place  Place
	Line   int    // of robots.txt; 0 elsewhere
	Text   string // as written, shortened
	Policy string // URL of the terms, as written; TDMRep has one
}

// A Place is where a statement stood.
type Place string

// The places.
const (
	InRobots Place = "robots.txt"
	InHeader Place = "header"
	InMeta   Place = "meta"
	InFile   Place = "well-known" // a file below /.well-known/
)

// A Capture is a response with all that can speak about its use. Fields that are not known stay empty.
type Capture struct {
	PathQuery  string // of the URL that answered
	Rules      *robots.Rules
	Header     http.Header
	Metas      []robots.Meta
	Directives robots.Directives // META ROBOTS and X-Robots-Tag
	TDMFile    *TDMFile          // of the origin; nil when it was not asked for, or there is none
}

// sources are the standards that are read, in this order, by the names that their statements are recorded with.
var sources = []struct {
	name string
	read func(*Capture) []Statement
}{
	{"content-usage", readContentUsage}, {"content-signal", readContentSignal}, {"tdmrep", readTDMRep}, {"noai", readNoAI},
}

// Preferences are the statements about one capture.
type Preferences []Statement

// Read asks all sources about a capture.
func Read(c *Capture) (p Preferences) {
	for _, s := range sources {
		for _, st := range s.read(c) {
			st.Source, st.Text, st.Policy = s.name, quote(st.Text), quote(st.Policy)
			p = p.add(st)
		}
	}
	return p
}

// add adds a statement that is not there yet. When there are enough about its use, only one that is the first to disallow is
// let in, in place of another.
func (p Preferences) add(s Statement) Preferences {
	last, n := 0, 0
	for i, other := range p {
		if other.Use == s.Use {
			last, n = i, n+1
		}
	}
	switch {
	case slices.Contains(p, s):
	case n < maxPerUse:
		return append(p, s)
	case s.Value == Disallow && p.Value(s.Use) != Disallow:
		p[last] = s
	}
	return p
}

// Value combines the statements about a use: disallow if any disallows, else allow if any allows, else unknown
// (draft-ietf-aipref-vocab); empty if there is no statement.
func (p Preferences) Value(u Use) (v Value) {
	for _, s := range p {
		switch {
		case s.Use != u:
		case s.Value == Disallow:
			return Disallow
		case v != Allow:
			v = s.Value
		}
	}
	return v
}

// Combined returns the uses that anything was said about with their values; nil when there are none.
func (p Preferences) Combined() map[Use]Value {
	var all map[Use]Value
	for _, s := range p {
		if all == nil {
			all = map[Use]Value{}
		}
		if _, known := all[s.Use]; !known {
			all[s.Use] = p.Value(s.Use)
		}
	}
	return all
}

// quote shortens a text to what is recorded.
func quote(s string) string { return s[:min(len(s), maxQuote)] }

// unknownFor are statements that something was said about these uses which cannot be read.
func unknownFor(place Place, text string, uses ...Use) (s []Statement) {
	for _, u := range uses {
		s = append(s, Statement{Use: u, Value: Unknown, Place: place, Text: text})
	}
	return s
}

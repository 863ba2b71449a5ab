package lint

import (
	"cmp"
	"encoding"
	"fmt"
	"maps"
	"math"
	"slices"
)

// A Severity says how bad a finding is.
type Severity uint8

// The severities, the least one first.
const (
	Info    Severity = iota // good to know
	Warning                 // probably not what was meant, or not understood by all robots
	Error                   // robots do not read it as it was meant
)

var severityNames = [...]string{"info", "warning", "error"}

// String returns "info", "warning" or "error".
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return fmt.Sprintf("Severity(%d)", uint8(s))
}

// MarshalText returns what String does.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what String returns.
func (s *Severity) UnmarshalText(text []byte) error {
	i := slices.Index(severityNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("lint: unknown severity %q, want error, warning or info", text)
	}
	*s = Severity(i)
	return nil
}

var _ encoding.TextUnmarshaler = (*Severity)(nil)

// A Code names a kind of finding, such as "lost-disallow". Codes are stable.
type Code string

// A Finding is one thing to know about a file.
type Finding struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	Line     int      `json:"line"`           // 0 when it is about the file
	Text     string   `json:"text,omitempty"` // the line, as written, up to MaxText bytes of it
	Message  string   `json:"message"`        // what robots make of it
	Advice   string   `json:"fix,omitempty"`  // what to do about it; may hold several lines to write instead
	Fixable  bool     `json:"fixable"`        // Fix mends it; told only with Options.Fixable
}

// MaxText is how much of a line a Finding quotes.
const MaxText = 200

// A Report is what File finds. Findings are in the order of lines, those about the whole file first.
type Report struct {
	Findings []Finding    `json:"findings"`
	Counts   map[Code]int `json:"counts"`           // findings of each code, those beyond MaxPerCode too
	Robots   []Robot      `json:"robots,omitempty"` // of the roster that the file names
	Digest   string       `json:"digest"`           // of the file, as in robots.File
	Bytes    int          `json:"bytes"`
	Lines    int          `json:"lines"`
}

// Worst returns the highest severity among the findings; ok is false when there are none.
func (r Report) Worst() (worst Severity, ok bool) {
	for _, f := range r.Findings {
		worst = max(worst, f.Severity)
	}
	return worst, len(r.Findings) > 0
}

// Count returns how many findings have that severity, those that MaxPerCode left out included.
func (r Report) Count(s Severity) int {
	n, left := 0, make(map[Code]int, len(r.Counts))
	maps.Copy(left, r.Counts)
	for _, f := range r.Findings {
		left[f.Code]--
		if f.Severity == s {
			n++
		}
	}
	for code, count := range left {
		if count > 0 && severityOf(code) == s {
			n += count
		}
	}
	return n
}

// Options are what File may know beside the file, and how much it lists. Zero means the default, which the field names; a negative
// number is no bound.
type Options struct {
	Product    string // of our robot, which is asked about beside those that the file names; empty means "cybermapper"
	Host       string // that serves the file, host[:port]; empty means unknown
	URLs       []URL  // that are known to exist on the site; nil means unknown
	Absent     bool   // there is no file (status 404); body is ignored
	Fixable    bool   // say which findings Fix mends, which takes a Fix and another look at what it makes of the file
	MaxPerCode int    // findings of one code that are listed, the others are counted; default 50
}

// A URL is one that is known to exist.
type URL struct {
	Path    string // and query, percent-encoded; begins with "/"
	NoIndex bool   // the page asks not to be indexed, by META or header
}

func (o Options) withDefaults() Options {
	o.Product = cmp.Or(o.Product, "cybermapper")
	switch {
	case o.MaxPerCode == 0:
		o.MaxPerCode = 50
	case o.MaxPerCode < 0:
		o.MaxPerCode = math.MaxInt
	}
	return o
}

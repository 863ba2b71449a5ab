package robots

import "fmt"

// A Dialect is a way of reading a robots.txt file. The zero value is Cautious.
type Dialect uint8

const (
	// Cautious is RFC 9309 and, on top, every Disallow that a reader of good will finds in a malformed line: lists of
	// names or paths on one line, misspelt fields, paths without a slash. The constants Lenient... name them all. What it
	// adds are restrictions only: it never allows what RFC9309 forbids.
	Cautious Dialect = iota
	// RFC9309 is the RFC and nothing else.
	RFC9309
	// Std1994 is "A Standard for Robot Exclusion" of 1994 with the lists of Kollar, Leavitt and Mauldin (1996): a blank
	// line ends a record, names match as substrings, no Allow, no wildcards, several names or paths on one line.
	Std1994
)

// ParseDialect returns the dialect of that name: "cautious", "rfc9309" or "std1994". Nothing else is accepted, neither
// the empty string nor other letter case.
func ParseDialect(s string) (Dialect, error) {
	for _, d := range []Dialect{Cautious, RFC9309, Std1994} {
		if d.String() == s {
			return d, nil
		}
	}
	return Cautious, fmt.Errorf("robots: unknown dialect %q, want cautious, rfc9309 or std1994", s)
}

// String returns the name that ParseDialect reads.
func (d Dialect) String() string {
	switch d {
	case Cautious:
		return "cautious"
	case RFC9309:
		return "rfc9309"
	case Std1994:
		return "std1994"
	}
	return fmt.Sprintf("Dialect(%d)", uint8(d))
}

// MarshalText returns the name, so that a Dialect can stand in JSON.
func (d Dialect) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText is ParseDialect.
func (d *Dialect) UnmarshalText(text []byte) error {
	parsed, err := ParseDialect(string(text))
	if err == nil {
		*d = parsed
	}
	return err
}

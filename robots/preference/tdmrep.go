package preference

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
)

// TDMPath is where an origin keeps its TDM file.
const TDMPath = "/.well-known/tdmrep.json"

// Bounds of a TDM file.
const (
	MaxTDMBytes   = 256 << 10
	MaxTDMEntries = 1000
)

// readTDMRep reads the TDM Reservation Protocol: the file of the origin, the header and META elements. 1 reserves the rights of
// text and data mining, 0 does not.
func readTDMRep(c *Capture) (all []Statement) {
	if s, ok := c.TDMFile.find(c.PathQuery); ok {
		all = append(all, s)
	}
	if values := c.Header.Values("tdm-reservation"); len(values) > 0 {
		all = append(all, reservation(InHeader, values[0], c.Header.Get("tdm-policy")))
	}
	var value, policy string
	said := false
	for _, m := range c.Metas {
		switch {
		case strings.EqualFold(m.Name, "tdm-reservation") && !said:
			value, said = m.Content, true
		case strings.EqualFold(m.Name, "tdm-policy") && policy == "":
			policy = m.Content
		}
	}
	if said {
		all = append(all, reservation(InMeta, value, policy))
	}
	return all
}

// reservation makes a statement of a value as written.
func reservation(place Place, value, policy string) Statement {
	s := Statement{Use: TDM, Value: Unknown, Place: place, Text: value, Policy: strings.TrimSpace(policy)}
	switch strings.TrimSpace(value) {
	case "1":
		s.Value = Disallow
	case "0":
		s.Value = Allow
	}
	return s
}

// A TDMFile is the TDM file of an origin. It is safe for concurrent use; a nil one says nothing.
type TDMFile struct {
	entries    []tdmEntry
	unreadable bool
}

type tdmEntry struct {
	location    robots.Glob
	reservation string
	policy      string
}

// ParseTDMFile reads a TDM file. One that cannot be read, or is too long, is an error, and the file says unknown of every page.
func ParseTDMFile(body []byte) (*TDMFile, error) {
	entries, err := parseEntries(body)
	return &TDMFile{entries: entries, unreadable: err != nil}, err
}

func parseEntries(body []byte) (entries []tdmEntry, err error) {
	if len(body) > MaxTDMBytes {
		return nil, fmt.Errorf("tdm file: longer than %d bytes", MaxTDMBytes)
	}
	var raw []struct {
		Location    string          `json:"location"`
		Reservation json.RawMessage `json:"tdm-reservation"`
		Policy      string          `json:"tdm-policy"`
	}
	if err := json.Unmarshal(body, &raw); err != nil {
		return nil, errors.New("tdm file: not a list of entries")
	}
	if len(raw) > MaxTDMEntries {
		return nil, fmt.Errorf("tdm file: more than %d entries", MaxTDMEntries)
	}
	for _, e := range raw {
		if e.Location != "" {
			entries = append(entries, tdmEntry{robots.NewGlob(e.Location), string(e.Reservation), e.Policy})
		}
	}
	return entries, nil
}

// find returns the statement of the first entry whose location matches; the order counts, not the length.
func (f *TDMFile) find(pathQuery string) (Statement, bool) {
	if f == nil {
		return Statement{}, false
	}
	if f.unreadable {
		return reservation(InFile, "unreadable", ""), true
	}
	for _, e := range f.entries {
		if e.location.Match(pathQuery) {
			return reservation(InFile, strings.Trim(e.reservation, `"`), e.policy), e.reservation != ""
		}
	}
	return Statement{}, false
}

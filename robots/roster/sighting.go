package roster

import (
	"slices"
	"strings"
	"time"
)

// MaxSeenAt is how many addresses of a robot are noted.
const MaxSeenAt = 20

// A Sighting is what a log tells of a robot.
type Sighting struct {
	Token       string
	Agent       string // the User-Agent
	First, Last time.Time
	Addresses   []string
	Asking      string // whether it asked for robots.txt: first, later or never
}

// Note returns the records with sightings written into them. A robot that has a record gets the fields that say when and where it
// was seen; what somebody wrote of it stays. Any other gets a record of its own at the end, whose owner is to be filled in. Noting
// the same sightings again changes nothing. The records given are not changed.
func Note(records []Record, seen []Sighting) []Record {
	out := make([]Record, len(records))
	at := map[string]int{}
	for i, r := range records {
		out[i].Fields = slices.Clone(r.Fields)
		for _, t := range r.Tokens() {
			at[t] = i
		}
	}
	for _, s := range seen {
		token := oneLine(strings.ToLower(s.Token))
		if token == "" {
			continue
		}
		i, ok := at[token]
		if !ok {
			i = len(out)
			at[token] = i
			out = append(out, newRecord(s))
		}
		out[i].note(s)
	}
	return out
}

// newRecord is a record to fill in.
func newRecord(s Sighting) Record {
	return Record{Fields: []Field{
		{"robot-id", oneLine(strings.ToLower(s.Token))}, {"robot-name", oneLine(s.Token)}, {"robot-owner-name", ""},
		{"robot-owner-email", ""}, {"robot-useragent", oneLine(s.Agent)}, {"robot-notes", ""},
	}}
}

// note writes down when and where it was seen.
func (r *Record) note(s Sighting) {
	if before, err := time.Parse(time.RFC3339, r.Value("robot-first-seen")); err != nil || s.First.Before(before) {
		r.set("robot-first-seen", s.First.UTC().Format(time.RFC3339))
	}
	if before, err := time.Parse(time.RFC3339, r.Value("robot-last-seen")); err != nil || s.Last.After(before) {
		r.set("robot-last-seen", s.Last.UTC().Format(time.RFC3339))
		r.set("robot-seen-asking", s.Asking)
	}
	list := r.values("robot-seen-at")
	for _, a := range s.Addresses {
		if len(list) < MaxSeenAt && a == oneLine(a) && !strings.Contains(a, ",") && !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	r.set("robot-seen-at", strings.Join(list, ", "))
}

// oneLine makes one line of a text that a stranger sent, with nothing in it that a terminal or a parser would take for something
// else.
func oneLine(s string) string {
	return strings.TrimSpace(strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 || c == '\u2028' || c == '\u2029' {
			return ' '
		}
		return c
	}, s))
}

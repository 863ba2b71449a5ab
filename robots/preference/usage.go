package preference

import (
	"strings"

	"github.com/cybermapper/cybermapper/robots/internal/structured"
)

// readContentUsage reads Content-Usage: the header of the response and the lines of robots.txt. Labels of earlier drafts are
// ignored.
func readContentUsage(c *Capture) (all []Statement) {
	for _, u := range c.Rules.Uses(c.PathQuery) {
		if u.Field == "content-usage" {
			for _, s := range readUsage(u.Value, InRobots) {
				s.Line, s.Text = u.Line, u.Text
				all = append(all, s)
			}
		}
	}
	if fields := c.Header.Values("Content-Usage"); len(fields) > 0 {
		all = append(all, readUsage(strings.Join(fields, ", "), InHeader)...)
	}
	return all
}

// readUsage reads a structured-field dictionary (RFC 9651). One that cannot be read says nothing that is known of any use.
func readUsage(text string, place Place) (all []Statement) {
	labels := map[string]Use{"train-ai": TrainAI, "search": Search}
	members, err := structured.ParseDictionary(text)
	if err != nil || len(text) > MaxText {
		return unknownFor(place, text, TrainAI, Search)
	}
	for _, m := range members {
		use, known := labels[m.Key]
		if !known {
			continue
		}
		s := Statement{Use: use, Value: Unknown, Place: place, Text: text}
		switch {
		case m.Kind != structured.Token:
		case m.Value == "y":
			s.Value = Allow
		case m.Value == "n":
			s.Value = Disallow
		}
		all = append(all, s)
	}
	return all
}

package preference

import (
	"slices"
	"strings"
)

// readContentSignal reads Content-Signal: the lines of robots.txt.
func readContentSignal(c *Capture) (all []Statement) {
	for _, u := range c.Rules.Uses(c.PathQuery) {
		if u.Field == "content-signal" {
			for _, s := range readSignal(u.Value) {
				s.Line, s.Text = u.Line, u.Text
				all = append(all, s)
			}
		}
	}
	return all
}

// readSignal reads "name=yes|no" between commas, in any letter case. Names that are not known are skipped; of one that occurs
// twice both count.
func readSignal(text string) (all []Statement) {
	uses := map[string]Use{"search": Search, "ai-input": AIInput, "ai-train": TrainAI}
	if len(text) > MaxText {
		return unknownFor(InRobots, text, Search, AIInput, TrainAI)
	}
	for part := range strings.SplitSeq(strings.ToLower(text), ",") {
		name, value, _ := strings.Cut(part, "=")
		use, known := uses[strings.TrimSpace(name)]
		if !known {
			continue
		}
		s := Statement{Use: use, Value: Unknown, Place: InRobots}
		switch strings.TrimSpace(value) {
		case "yes":
			s.Value = Allow
		case "no":
			s.Value = Disallow
		}
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

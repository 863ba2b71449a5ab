package preference

import (
	"slices"
	"strings"
)

// signal reads Content-Signal.
type signal struct{}

// Name returns "content-signal".
func (signal) Name() string { return "content-signal" }

// Revision names the policy text.
func (signal) Revision() string { return "Content Signals Policy, September 2025" }

// Read reads the lines of robots.txt.
func (signal) Read(c *Capture) (all []Statement) {
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

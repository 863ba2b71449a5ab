package say

import (
	"fmt"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
	"github.com/cybermapper/cybermapper/robots"
)

// Allowed says what a verdict is.
func Allowed(allowed bool) string {
	if allowed {
		return "allowed"
	}
	return "disallowed"
}

// Verdict says in words what was decided and by what.
func Verdict(v robots.Verdict) string {
	return Allowed(v.Allowed) + " (" + Because(v) + ")"
}

// Because names the line that decided, or why none had to.
func Because(v robots.Verdict) string {
	if v.Line > 0 {
		text := fmt.Sprintf("line %d: %s", v.Line, v.Rule)
		if v.Leniency != "" {
			text += "; read leniently: " + v.Leniency
		}
		return text
	}
	switch v.Reason {
	case robots.ReasonNoRule:
		return translate.Key("no rule matches")
	case robots.ReasonNoGroup:
		return translate.Key("no group applies to us")
	case robots.ReasonRobotsTxt:
		return translate.Key("robots.txt itself is always allowed")
	case robots.ReasonUnavailable:
		return translate.Key("there is no robots.txt")
	case robots.ReasonUnreachable:
		return translate.Key("robots.txt could not be fetched")
	}
	return string(v.Reason)
}

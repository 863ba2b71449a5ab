package audit

import (
	"fmt"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/robots/accesslog/strain"
)

// networks prints the busiest networks that tell more than their clients do.
func (p printer) networks(list []audit.Network) {
	for i, n := range list[:min(len(list), maxLines)] {
		if i == 0 {
			p.line("\nNetworks, where several clients are neighbours")
		}
		p.line("  %s", networkText(n))
	}
}

func networkText(n audit.Network) string {
	text := fmt.Sprintf("%s: %s of %s, %s, %s; up to %s in a second, %s in a minute (%.2g/s)", n.Prefix,
		say.Plural(n.Requests, "request"), say.Plural(n.Clients, "client"), say.Plural(n.Documents, "document"), say.Bytes(n.Bytes),
		say.Count(n.PeakSecond), say.Count(n.PeakMinute), n.Sustained)
	if n.RapidSeconds > 0 {
		text += ", rapid fire in " + say.Plural(n.RapidSeconds, "second")
	}
	if n.Asked > 0 {
		text += ", robots.txt " + times(n.Asked)
	}
	if len(n.Tokens) > 0 {
		text += "; " + cli.SomeOf(n.Tokens, 5)
	}
	return text
}

// unusualNetworks prints the networks that behave as a robot does.
func (p printer) unusualNetworks(r *audit.Report) {
	if r.UnusualNetworkCount > 0 {
		p.line("\nUnusual: %s whose clients together behave like a robot, though none identifies as one",
			say.Plural(r.UnusualNetworkCount, "network"))
	}
	for _, n := range r.UnusualNetworks {
		p.line("  %s: %s from %s: %s", n.Prefix, say.Plural(n.Requests, "request"), say.Plural(n.Clients, "client"),
			strings.Join(n.Why, "; "))
	}
}

// bearing prints what rate the site bore.
func (p printer) bearing(b *strain.Bearing) {
	if b == nil {
		return
	}
	p.line("\nWhat the site bore: %s", b)
	if b.Verdict == strain.BearingTooFew {
		return
	}
	p.line("  %-16s %8s %10s %16s %8s %8s", "requests/s", "minutes", "mean time", "19 of 20 within", "errors", "open")
	for _, c := range b.Classes {
		mark := ""
		switch {
		case !c.Enough:
			mark = "  too few to tell"
		case c.Slow:
			mark = "  slow"
		}
		p.line("  %-16s %8s %10s %16s %6.1f %% %8.2f%s", c, say.Count(c.Minutes), say.Seconds(c.Mean), say.Seconds(c.Within),
			100*c.Share, c.Open, mark)
	}
	p.line("  at most %.3g requests were open at once, on average in the minute of %s (response times by time)", b.Open,
		timeText(b.OpenAt))
	if b.Robots > 0 {
		p.line("  %s", b.Advice())
	}
	if b.Untracked > 0 {
		p.line("  without %s in later hours", say.Plural(b.Untracked, "request"))
	}
}

// burdens prints how the site fared while the busiest robots were there.
func (p printer) burdens(r *audit.Report) {
	told := r.HasTimes || r.HasLoad || r.ErrorLog != nil
	if told {
		p.line("\nWas it a problem?")
	}
	none := true
	for _, one := range r.Robots {
		b := one.Burden
		if b == nil {
			continue
		}
		none = false
		p.line("  %s: %s", robotName(one), b.Verdict)
		p.line("    %s from %s: %s; %s of it", minutesText("its busiest", b.Busy.Minutes), timeText(b.Minutes[0]),
			stateText(b.Busy), say.Plural(b.Requests, "request"))
		if b.Rest.Minutes > 0 {
			p.line("    %s: %s", minutesText("the other", b.Rest.Minutes), stateText(b.Rest))
		}
	}
	if none && told {
		p.line("  no robot was fast, or a large part of the traffic")
	}
	if r.ErrorLog != nil {
		for _, line := range r.ErrorLog.Says() {
			p.line("  %s", line)
		}
	}
}

func minutesText(which string, n int64) string {
	if n == 1 {
		return which + " minute"
	}
	return fmt.Sprintf("%s %s minutes", which, say.Count(n))
}

// stateText says how the site was.
func stateText(s strain.State) string {
	parts := []string{fmt.Sprintf("%.3g requests/s", s.Rate)}
	if s.Timed > 0 {
		parts = append(parts, "others answered in "+say.Seconds(s.Mean))
	}
	if s.Others > 0 {
		parts = append(parts, fmt.Sprintf("%.1f %% errors for others", 100*s.ErrorShare()))
	}
	if s.Open > 0 {
		parts = append(parts, fmt.Sprintf("%.3g requests open", s.Open))
	}
	if s.Load != nil {
		parts = append(parts, fmt.Sprintf("load %.3g", *s.Load))
	}
	if s.Connections != nil {
		parts = append(parts, fmt.Sprintf("%.3g connections", *s.Connections))
	}
	if s.Complaints != nil {
		parts = append(parts, fmt.Sprintf("%.3g entries of the error log in a minute", *s.Complaints))
	}
	return strings.Join(parts, ", ")
}

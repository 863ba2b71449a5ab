package audit

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// maxRows is how many visitors have a row on the terminal; --json and --html have all.
const maxRows = 15

// standings prints the verdict: everybody in a line, the worst first.
func (p printer) standings(r *audit.Report) {
	p.line("\nVerdict   %s", verdict(r))
	p.line("  %-22s %-10s %-16s %-11s %9s %7s %7s  %s", "visitor", "for", "run by", "name", "requests", "bytes", "time",
		"verdict: what to do")
	for _, s := range r.Standings[:min(len(r.Standings), maxRows)] {
		time := "-"
		if r.HasTimes {
			time = percent(s.TimeShare)
		}
		p.line("  %-22s %-10s %-16s %-11s %9s %7s %7s  %s: %s", say.Shorten(s.Name, 22), s.Purpose,
			say.Shorten(cmp.Or(s.Operator, "–"), 16), proofText(r, s), percent(s.Share), percent(s.ByteShare), time, s.Verdict,
			s.Action)
		for _, f := range s.Faults {
			p.line("  %-22s - %s", "", faultText(f))
		}
	}
	if more := len(r.Standings) - maxRows; more > 0 {
		p.line("  and %s more", say.Plural(int64(more), "visitor"))
	}
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// proofText says whether a name is proved; a log without User-Agents has none.
func proofText(r *audit.Report, s audit.Standing) string {
	switch {
	case s.Verdict == audit.VerdictPeople || s.Verdict == audit.VerdictHides || !r.HasAgents:
		return "-"
	case s.Identity == audit.Confirmed:
		return "proved"
	case s.Identity == audit.Disproved:
		return "disproved"
	case s.Checkable:
		return "unchecked"
	}
	return "a claim"
}

// views prints who came regardless of names, and what was taken for what.
func (p printer) views(r *audit.Report) {
	var parts []string
	for _, s := range r.Purposes {
		parts = append(parts, fmt.Sprintf("%s %s", s.Purpose, percent(s.Share)))
	}
	p.line("\nPurposes  %s", strings.Join(parts, ", "))
	for i, f := range r.Referrals[:min(len(r.Referrals), maxLines)] {
		p.line("%-9s %s sent people to %s, and took %s", map[bool]string{true: "Referred"}[i == 0], f.Operator,
			say.Plural(f.Visits, "document"), say.Count(f.Taken))
	}
	if r.Probes != nil {
		others := ""
		if n := r.Probes.Clients; n > 0 {
			others = fmt.Sprintf("; %s with names of browsers did little else", say.Plural(int64(n), "client"))
		}
		p.line("Probes    %s for what attackers look for, as %s%s", say.Plural(r.Probes.Requests, "request"),
			cli.SomeOf(r.Probes.Paths, 3), others)
	}
	for i, a := range r.Addresses[:min(len(r.Addresses), maxLines)] {
		p.line("%-9s %s: %s, %s, %s of what belongs to them, %s", map[bool]string{true: "Busiest"}[i == 0], a.Client,
			say.Plural(a.Requests, "request"), say.Plural(a.Documents, "document"), say.Count(a.Assets),
			say.Plural(int64(a.Names), "name"))
	}
}

// turns says of each robot whether a block worked.
func (p printer) turns(r *audit.Report) {
	for i, one := range r.Robots {
		t := one.Turn
		if t == nil {
			return
		}
		if i == 0 {
			p.line("\nDid it work?  requests a day before, and since")
		}
		p.line("  %-22s %8.1f (%s refused)  %8.1f (%s refused)", say.Shorten(robotName(one), 22), t.Before.PerDay, partOf(t.Before),
			t.Since.PerDay, partOf(t.Since))
	}
}

func partOf(p audit.Period) string { return percent(float64(p.Refused) / float64(max(p.Requests, 1))) }

// paths prints which paths cost most of what a robot took.
func (p printer) paths(list []audit.PathCost) {
	for i, c := range list[:min(len(list), 3)] {
		text := fmt.Sprintf("%s: %s, %s", c.Prefix, say.Plural(c.Requests, "request"), say.Bytes(c.Bytes))
		if c.Seconds > 0 {
			text += ", " + say.Seconds(c.Seconds)
		}
		p.line("  %-11s %s", map[bool]string{true: "costliest"}[i == 0], text)
	}
}

// remedy prints what to paste, and what it would have done to this log.
func (p printer) remedy(m *audit.Remedy) {
	if m == nil {
		return
	}
	p.line("\nTo paste, if it matters; what each line would have met in this log")
	for _, list := range []struct {
		word    string
		effects []audit.Met
	}{{"refused", m.Refused}, {"limited", m.Limited}} {
		for _, e := range list.effects {
			text := "none of people"
			if e.People > 0 {
				text = "WARNING: and " + say.Plural(e.People, "request") + " of people"
			}
			p.line("  %s  %s: %s, %s", list.word, e.Name, say.Plural(e.Meant, "request"), text)
		}
	}
	for _, b := range m.Blocks {
		p.line("\n  %s: %s", b.Server, b.Where)
		p.quote(b.Text)
	}
}

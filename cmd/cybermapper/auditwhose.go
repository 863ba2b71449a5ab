package main

import (
	"strings"

	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// whose says who runs a robot, how to reach them, and what was noted of it.
func (p auditPrinter) whose(r audit.Robot) {
	if text := ownerText(r); text != "" {
		p.line("  owner       %s", text)
	}
	p.noted(r)
}

// ownerText names the owner of a robot, the purpose, and where to reach them; empty if nothing is known.
func ownerText(r audit.Robot) string {
	var parts []string
	if a := r.About; a != nil {
		for _, part := range []string{a.Owner, a.Purpose, a.Contact} {
			if part != "" {
				parts = append(parts, strings.ReplaceAll(part, "\n", " "))
			}
		}
	}
	if r.Claimed != "" && (r.About == nil || r.About.Contact == "") {
		parts = append(parts, r.Claimed+", as its User-Agent says")
	}
	return strings.Join(parts, "; ")
}

// noted prints the notes of a record.
func (p auditPrinter) noted(r audit.Robot) {
	if r.About == nil {
		return
	}
	for line := range strings.Lines(r.About.Notes) {
		p.line("  noted       %s", strings.TrimSpace(line))
	}
}

// letterAddresses says to whom the letter goes: to the owner of each robot that broke a rule.
func (p auditPrinter) letterAddresses(r *audit.Report) {
	for _, one := range r.Robots {
		if len(one.Faults) == 0 {
			continue
		}
		to := one.Reach()
		if to == "" {
			to = "(no address is known)"
		}
		p.line("To: %s  for %s", to, robotName(one))
	}
}

// letterNotes are for whoever sends the letter.
func (p auditPrinter) letterNotes(r *audit.Report) {
	for _, one := range r.Robots {
		if len(one.Faults) > 0 && one.About != nil && one.About.Notes != "" {
			p.line("\n(for you, to be taken out: our notes of %s)", one.Token)
			p.noted(one)
		}
	}
}

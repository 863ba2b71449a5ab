package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// whose says who runs a robot, how to reach them, what was noted of it, and whether its signatures are right.
func (p auditPrinter) whose(r audit.Robot) {
	if text := ownerText(r); text != "" {
		p.line("  owner       %s", text)
	}
	p.noted(r)
	p.signatures(r.Signatures)
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

// confirmedBy says what shows that a robot is whom it says to be.
func confirmedBy(r audit.Robot) string {
	if r.Signatures != nil && r.Signatures.Confirmed > 0 {
		return "signature"
	}
	return "address"
}

// disprovedBy says what shows that it is not.
func disprovedBy(r audit.Robot) string {
	if r.Signatures != nil && r.Signatures.Disproved > 0 {
		return "not its signature"
	}
	return "not its address"
}

// signatures says what became of the requests that a robot signed.
func (p auditPrinter) signatures(s *audit.Signatures) {
	if s == nil {
		return
	}
	text := fmt.Sprintf("%s signed: %s confirmed, %s wrong, %s that cannot be checked", say.Plural(s.Signed, "request"), say.Count(s.Confirmed),
		say.Count(s.Disproved), say.Count(s.Unchecked))
	for i, why := range slices.Sorted(maps.Keys(s.Why)) {
		text += fmt.Sprintf("%s %s (%s)", map[bool]string{true: ":", false: ","}[i == 0], why, say.Count(s.Why[why]))
	}
	p.line("  signatures  %s", text)
	for _, e := range s.Evidence[:min(len(s.Evidence), auditLines)] {
		p.line("    %s:%d  %s  %s  %d  wrong signature", e.File, e.Line, auditTimeText(e.Time), e.Path, e.Status)
	}
}

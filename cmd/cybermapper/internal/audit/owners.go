package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/robots/accesslog/owner"
	"github.com/cybermapper/cybermapper/robots/accesslog/signature"
	"github.com/cybermapper/cybermapper/storage/ctxio"
)

// whose says who runs a robot, how to reach them, what was noted of it, and whether its signatures are right.
func (p printer) whose(r audit.Robot) {
	text := ownerText(r)
	switch {
	case text == "":
	case r.Identity == audit.Disproved:
		p.line("  owner       of the name: %s", text)
	default:
		p.line("  owner       %s", text)
	}
	if r.Identity == audit.Unchecked && r.About != nil && r.About.Ranges != "" {
		p.line("  unchecked   its addresses are published at %s (for --ranges)", r.About.Ranges)
	}
	p.holders(r)
	if r.Whois != "" {
		p.line("  whose       nobody is known to run it; to ask: %s", r.Whois)
	}
	p.noted(r)
	p.signatures(r.Signatures)
}

// whoseFetcher says the same of a fetcher in less space.
func (p printer) whoseFetcher(r audit.Robot) {
	if text := ownerText(r); text != "" {
		p.line("    %s", text)
	}
	if o, client := r.HeldBy(); o != nil {
		p.line("    network of %s: %s", client, holderText(*o))
	}
	if r.Signatures != nil {
		p.line("    %s", signaturesText(r.Signatures))
	}
	if r.About != nil && r.About.Notes != "" {
		p.line("    noted: %s", strings.ReplaceAll(r.About.Notes, "\n", " "))
	}
}

// ownerText names the owner of a robot, the purpose, and where to reach them; empty if nothing is known.
func ownerText(r audit.Robot) string {
	var parts []string
	about := audit.About{}
	if r.About != nil {
		about = *r.About
	}
	reach := r.Reach()
	switch {
	case r.Identity == audit.Disproved:
		reach = cmp.Or(about.Contact, about.Details)
	case reach != "" && reach == r.Claimed && reach != about.Contact && reach != about.Details:
		reach += ", as its User-Agent says"
	}
	for _, part := range []string{about.Owner, about.Purpose, reach} {
		if part != "" {
			parts = append(parts, strings.ReplaceAll(part, "\n", " "))
		}
	}
	return strings.Join(parts, "; ")
}

// noted prints the notes of a record.
func (p printer) noted(r audit.Robot) {
	if r.About == nil {
		return
	}
	for line := range strings.Lines(r.About.Notes) {
		p.line("  noted       %s", strings.TrimSpace(line))
	}
}

// letterAddresses says to whom the letter goes: to the owner of each robot that broke a rule, or else to that of its network.
func (p printer) letterAddresses(robots []audit.Robot) {
	for _, one := range robots {
		to, why := one.Reach(), ""
		if o, client := one.HeldBy(); to == "" && o != nil && o.Contact != "" {
			to, why = o.Contact, ", whose address "+client+" is in the network of "+o.Name
		}
		if to == "" {
			to = "(no address is known"
			if one.Whois != "" {
				to += "; to ask: " + one.Whois
			}
			to += ")"
		}
		p.line("To: %s  for %s%s", to, robotName(one), why)
	}
}

// withoutNotes returns a report to give to others: what was noted of robots is not for their owners.
func withoutNotes(r *audit.Report) *audit.Report {
	public := *r
	for _, list := range []*[]audit.Robot{&public.Robots, &public.UserTriggered} {
		*list = slices.Clone(*list)
		for i, one := range *list {
			if one.About != nil {
				about := *one.About
				about.Notes = ""
				(*list)[i].About = &about
			}
		}
	}
	return &public
}

// letterNotes are for whoever sends the letter.
func (p printer) letterNotes(robots []audit.Robot) {
	for _, one := range robots {
		if one.About != nil && one.About.Notes != "" {
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
func (p printer) signatures(s *audit.Signatures) {
	if s == nil {
		return
	}
	p.line("  signatures  %s", signaturesText(s))
	for _, e := range s.Evidence[:min(len(s.Evidence), maxLines)] {
		p.line("    %s:%d  %s  %s  %d  wrong signature", e.File, e.Line, timeText(e.Time), e.Path, e.Status)
	}
}

func signaturesText(s *audit.Signatures) string {
	text := fmt.Sprintf("%s signed: %s confirmed, %s wrong, %s that cannot be checked", say.Plural(s.Signed, "request"),
		say.Count(s.Confirmed), say.Count(s.Disproved), say.Count(s.Unchecked))
	for i, why := range slices.Sorted(maps.Keys(s.Why)) {
		text += fmt.Sprintf("%s %s (%s)", map[bool]string{true: ":", false: ","}[i == 0], why, say.Count(s.Why[why]))
	}
	if s.Agent != "" && s.Why[signature.NoKey] > 0 {
		text += "; its keys are at " + s.Agent + ", as it says"
	}
	return text
}

// readOwners reads the table of networks; none without a file.
func readOwners(cmd *cobra.Command, name string) (*owner.Table, error) {
	if name == "" {
		return nil, nil
	}
	in, err := cli.OpenInput(cmd, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := inflated(ctxio.Reader(cmd.Context(), in))
	if err != nil {
		return nil, cli.UsageError("", "--networks %s: %w", name, err)
	}
	t, err := owner.Read(text)
	if ended := ended(cmd.Context()); ended != nil {
		return nil, ended
	}
	if err != nil {
		return nil, cli.UsageError(
			"lines have network, owner and contact, or first address, last address, number, country and name",
			"--networks %s: %w", name, err)
	}
	return t, nil
}

// holders says who holds the networks that a robot comes from, the busiest first.
func (p printer) holders(r audit.Robot) {
	var order []owner.Owner
	clients := map[owner.Owner][]string{}
	for _, a := range r.Addresses {
		if a.Holder == nil {
			continue
		}
		if clients[*a.Holder] == nil {
			order = append(order, *a.Holder)
		}
		clients[*a.Holder] = append(clients[*a.Holder], a.Client)
	}
	for _, o := range order[:min(len(order), maxLines)] {
		p.line("  network of  %s: %s", cli.SomeOf(clients[o], 3), holderText(o))
	}
	if len(order) > maxLines {
		p.line("              and of %s more", say.Plural(len(order)-maxLines, "owner"))
	}
}

// holderText names who holds a network.
func holderText(o owner.Owner) string {
	text := o.Name
	if o.ASN != "" {
		text += " (AS" + o.ASN
		if o.Country != "" {
			text += ", " + o.Country
		}
		text += ")"
	}
	if o.Contact != "" {
		text += ", " + o.Contact
	}
	return text
}

// unusualNetwork says who holds the network of a client that behaves like a robot, or how to ask.
func (p printer) unusualNetwork(c audit.Client) {
	switch {
	case c.Holder != nil:
		p.line("    network of %s", holderText(*c.Holder))
	case c.Whois != "":
		p.line("    to ask whose address it is: %s", c.Whois)
	}
}

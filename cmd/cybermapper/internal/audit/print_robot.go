package audit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// robotName names a robot, its host, and what is known of its identity.
func robotName(r audit.Robot) string {
	name := r.Token
	if r.Host != "" {
		name += " at " + r.Host
	}
	switch r.Identity {
	case audit.Confirmed:
		name += " (" + confirmedBy(r) + " confirmed)"
	case audit.Disproved:
		name += " (claims to be: " + disprovedBy(r) + ")"
	}
	return name
}

func (p printer) robot(r audit.Robot, hasRules bool) {
	p.line("\n%s: %s (%.1f %%) from %s", robotName(r), say.Plural(r.Requests, "request"), 100*r.Share, addressesText(r))
	p.whose(r)
	if r.Crawls == "" {
		p.line("  class       %s; nothing shows that it crawls, so it is not blamed", cmp.Or(r.Not, string(r.Class)))
	}
	p.line("  seen        %s to %s", timeText(r.First), timeText(r.Last))
	p.line("  answers     %s", statusText(r.Sum))
	p.line("  robots.txt  %s", askingText(r.Asking))
	if hasRules {
		p.line("  disallowed  %s", disallowedText(r.Disallowed))
		p.evidence(r.Disallowed.Evidence, r.Disallowed.Count)
	}
	if len(r.Paths) > 1 {
		p.paths(r.Paths)
	}
	p.line("  pace        %s", paceText(r.Pace))
	if r.Pace.Asked > 0 {
		text := ""
		isFault := slices.ContainsFunc(r.Faults, func(f audit.Fault) bool { return f.Code == audit.FaultDelay })
		if r.Pace.Broken > 0 && !isFault {
			text = "; no fault: it need not know of it, or too few are too short"
		}
		p.line("  delay       %s asked for in line %d: kept %s, too short %s, shortest %s%s", say.Seconds(r.Pace.Asked),
			r.Pace.AskedLine, say.Count(r.Pace.Kept), say.Count(r.Pace.Broken), say.Seconds(r.Pace.ShortestGap), text)
		if text == "" {
			p.evidence(r.Pace.Evidence, r.Pace.Broken)
		}
	}
	p.line("  repeats     %s for what it had, %s; %s", say.Plural(r.Repeats.Requests, "request"), say.Bytes(r.Repeats.Wasted),
		say.Plural(r.Repeats.NotModified, "answer")+" 304")
	if e := r.Effect; e != nil && e.WithCount > 0 && e.WithoutCount > 0 {
		p.line("  effect      others were answered in %s with it around, in %s without", say.Seconds(e.With),
			say.Seconds(e.Without))
	}
	for _, note := range r.Notes {
		p.line("  note        %s", note)
	}
}

func addressesText(r audit.Robot) string {
	var names []string
	for _, a := range r.Addresses {
		if a.Client == "-" {
			a.Client = "nobody can tell where"
		}
		names = append(names, a.Client)
	}
	text := cli.SomeOf(names, 3)
	if extra := r.Clients - len(names); extra > 0 && len(names) > 0 {
		text = fmt.Sprintf("%s and others, %d in all", cli.SomeOf(names[:1], 1), r.Clients)
	}
	return text
}

// paceText says how fast a robot was. A single page makes no pause.
func paceText(p audit.Pace) string {
	text := fmt.Sprintf("up to %d in a second, %d in a minute", p.PeakSecond, p.PeakMinute)
	if p.MedianGap > 0 {
		text += "; half of the pauses up to " + say.Seconds(p.MedianGap)
	}
	return text
}

func askingText(k audit.Asking) string {
	text := ""
	switch k.When {
	case audit.AskedFirst:
		text = fmt.Sprintf("asked for before anything else, %s in all", times(k.Requests))
	case audit.AskedLater:
		text = fmt.Sprintf("asked for %s, the first page came before", times(k.Requests))
	case audit.AskedNever:
		text = "never asked for"
	}
	if k.Unasked > 0 {
		text += fmt.Sprintf("; %s without one of the last 24 hours, the first in %s:%d", say.Plural(k.Unasked, "page"),
			k.FirstLine.File, k.FirstLine.Line)
	}
	return text
}

// askedBriefly says whether a robot asked for robots.txt.
func askedBriefly(k audit.Asking) string {
	if k.When == audit.AskedNever {
		return "never asked for"
	}
	return "asked for " + times(k.Requests)
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return say.Count(n) + " times"
}

func disallowedText(d audit.Disallowed) string {
	text := "nothing that is disallowed was asked for"
	if d.Count > 0 {
		text = say.Plural(d.Count, "request") + ", whoever reads it: " + d.Evidence[0].Reading
	}
	if d.Excused > 0 {
		text += fmt.Sprintf("; %s that a robots.txt of the last 24 hours allowed", say.Plural(d.Excused, "request"))
	}
	if d.Read > 0 {
		text += fmt.Sprintf("; %s that another reading allows", say.Plural(d.Read, "request"))
	}
	if d.Unjudged > 0 {
		text += fmt.Sprintf("; %s not judged, from before robots.txt was there", say.Plural(d.Unjudged, "page"))
	}
	if d.Open > 0 {
		text += fmt.Sprintf("; %s not judged, as requests in the log name several hosts: HOST=LOG says which is yours",
			say.Plural(d.Open, "page"))
	}
	return text
}

// evidence prints the first lines of it.
func (p printer) evidence(list []audit.Evidence, all int64) {
	shown := min(len(list), maxLines)
	if p.all {
		shown = len(list)
	}
	for _, e := range list[:shown] {
		text := fmt.Sprintf("    %s:%d  %s", e.File, e.Line, timeText(e.Time))
		if e.Path == "" {
			p.line("%s  after %s", text, say.Seconds(e.Gap))
			continue
		}
		p.line("%s  %s  %s  %d  %s %s", text, e.Client, e.Path, e.Status, e.Robots, ruleText(e))
	}
	if more := all - int64(shown); more > 0 {
		p.line("    and %s more", say.Count(more))
	}
}

// ruleText names the rule that forbids, or why there is none.
func ruleText(e audit.Evidence) string {
	if e.RuleLine == 0 {
		return "could not be fetched, which forbids everything"
	}
	return fmt.Sprintf("line %d: %s", e.RuleLine, e.Rule)
}

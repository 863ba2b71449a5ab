package audit

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// maxLines is how many lines of evidence are printed of each kind; --json has more.
const maxLines = 5

// printReport prints a report for people.
func printReport(w io.Writer, r *audit.Report, all bool) {
	p := printer{w, all}
	p.head(r)
	p.standings(r)
	p.turns(r)
	p.views(r)
	p.robots(r)
	if n := r.OtherRobots.Requests; n > 0 {
		p.line("\n%s of other robots, not told apart", say.Plural(n, "request"))
	}
	for i, one := range r.UserTriggered {
		if i == 0 {
			p.line("\nFetchers that act for a person who waits; robots.txt does not speak to them")
		}
		p.line("  %s: %s from %s, %d of them for what is disallowed to robots", robotName(one), say.Plural(one.Requests, "request"),
			addressesText(one), one.Disallowed.Count)
		p.whoseFetcher(one)
	}
	for i, one := range r.Others {
		if i == 0 {
			p.line("\nFeed readers, monitors, checks and tools; robots.txt does not speak to them")
		}
		p.line("  %s (%s): %s from %s%s", robotName(one), one.Class, say.Plural(one.Requests, "request"), addressesText(one),
			closedText(one))
	}
	p.unusual(r)
	p.unusualNetworks(r)
	p.networks(r.Networks)
	p.bearing(r.Bearing)
	p.burdens(r)
	p.suggestions(r.Suggestions)
	p.remedy(r.Remedy)
	if r.Visitor != nil {
		p.visitor(r.Visitor)
	}
	p.line("\n%s", verdict(r))
}

// closedText says what somebody who is not blamed for it asked for that is closed to robots; whoever tries a robot that goes by the
// name of its library looks for that.
func closedText(one audit.Robot) string {
	if one.Disallowed.Count == 0 {
		return ""
	}
	text := fmt.Sprintf(", %d of them for what is disallowed to robots", one.Disallowed.Count)
	if len(one.Disallowed.Evidence) > 0 {
		text += ", as " + say.Printable(one.Disallowed.Evidence[0].Path)
	}
	return text
}

// maxDetailed is how many robots without faults are told of in full.
const maxDetailed = 5

// robots tells of each robot: in full of those who broke rules or cost much, in a line of the others.
func (p printer) robots(r *audit.Report) {
	var brief []audit.Robot
	for i, one := range r.Robots {
		if i == 0 {
			p.line("\nRobots")
		}
		if i >= maxDetailed && !p.all && len(one.Faults) == 0 && one.Burden == nil && one.Identity != audit.Disproved {
			brief = append(brief, one)
			continue
		}
		p.robot(one, r.HasRules)
	}
	for i, one := range brief {
		if i == 0 {
			p.line("\nRobots that are not blamed for anything (--all tells of them in full)")
		}
		p.line("  %s: %s (%s), %s, from %s%s; robots.txt %s", robotName(one), say.Plural(one.Requests, "request"),
			percent(one.Share), say.Bytes(one.Bytes), addressesText(one), closedText(one), askedBriefly(one.Asking))
	}
}

// doubt says how many of the robots that broke rules may be somebody else.
func doubt(r *audit.Report, broke int) string {
	unsure := 0
	for _, one := range r.Robots {
		if len(one.Faults) > 0 && one.IsClaim() {
			unsure++
		}
	}
	switch {
	case unsure == 0:
		return ""
	case broke == 1:
		return ", under a name that was not checked"
	case unsure == 1:
		return ", 1 of them under a name that was not checked"
	}
	return fmt.Sprintf(", %d of them under names that were not checked", unsure)
}

// verdict says in a sentence what the audit came to.
func verdict(r *audit.Report) string {
	switch n, kinds := r.Broken(); {
	case n > 0:
		var parts []string
		for _, f := range kinds {
			parts = append(parts, faultText(f))
		}
		return fmt.Sprintf("%s broke a rule%s: %s", say.Plural(int64(n), "robot"), doubt(r, n), strings.Join(parts, ", "))
	case r.IsUnread():
		return "none: most lines of the log could not be read"
	case !r.HasRules:
		return "no robots.txt was given, so what it disallows was not looked for; nothing else was broken"
	}
	return "no robot broke a rule, as far as the log shows"
}

// faultText says what kind of rule was broken, and how often.
func faultText(f audit.Fault) string {
	switch f.Code {
	case audit.FaultDisallowed:
		return say.Plural(f.Count, "request") + " for what robots.txt disallows"
	case audit.FaultDelay:
		return say.Plural(f.Count, "pause") + " too short"
	case audit.FaultUnasked:
		return say.Plural(f.Count, "page") + " without asking for robots.txt"
	}
	return fmt.Sprintf("%s: %d", f.Code, f.Count)
}

// A printer prints lines, whose texts come from strangers.
type printer struct {
	w   io.Writer
	all bool // lines of evidence, not only the first
}

func (p printer) line(format string, args ...any) {
	for i, a := range args {
		if v := reflect.ValueOf(a); v.IsValid() && v.Kind() == reflect.String {
			args[i] = say.Printable(v.String())
		}
	}
	for text := range strings.Lines(fmt.Sprintf(format, args...)) {
		fmt.Fprintln(p.w, say.Printable(strings.TrimRight(text, "\n")))
	}
}

// quote prints what is to be pasted elsewhere.
func (p printer) quote(text string) {
	for line := range strings.Lines(text) {
		p.line("      %s", strings.TrimRight(line, "\n"))
	}
}

func timeText(t time.Time) string { return t.Format(time.DateTime) }

// manyRefused is how many malformed lines of one address are told of, if they are a tenth of all: lines are torn by chance.
const (
	manyRefused = 10
	tenth       = 10
)

func (p printer) head(r *audit.Report) {
	p.line("Log       %s, %s to %s UTC", say.Plural(r.Log.Lines, "line"), timeText(r.From), timeText(r.To))
	if r.Outside > 0 {
		p.line("          %s outside of the interval", say.Plural(r.Outside, "request"))
	}
	if r.Log.Malformed > 0 {
		p.line("          %s malformed, %s, the first of them:", say.Plural(r.Log.Malformed, "line"),
			percent(float64(r.Log.Malformed)/float64(r.Log.Lines)))
	}
	for _, s := range r.Log.Samples {
		p.line("          %s:%d: %s: %s", s.File, s.Line, s.Why, s.Text)
	}
	for _, f := range r.Log.From {
		if f.Lines < manyRefused || f.Lines*tenth < r.Log.Malformed {
			break
		}
		p.line("          %d of them seem to be of %s, which may hide so what it asks for: see these lines", f.Lines, f.Client)
	}
	if r.Nobody > 0 {
		p.line("          %s from nobody can tell whom: no client, the socket of a proxy without --trusted-proxies, torn lines, "+
			"or a user name that was sent to look so",
			say.Plural(r.Nobody, "request"))
	}
	if !r.HasAgents {
		p.line("          it has no User-Agents: robots are known only by what they do")
	}
	p.line("Requests  %s, %s", say.Count(r.Total.Requests), statusText(r.Total))
	if clients, documents := say.Plural(r.People.Clients, "client"), say.Plural(r.People.Documents, "document"); r.KnowsPeople() {
		p.line("People    %s asked for %s and what belongs to them", clients, documents)
	} else {
		p.line("Anybody   %s asked for %s: with no User-Agents, images and styles in the log, nothing shows who is a person",
			clients, documents)
	}
	if r.Untracked > 0 {
		p.line("Beyond    %s of clients who came when there was no room for more: they are counted, but what each client did is "+
			"not known; --from and --to take less of the log", say.Plural(r.Untracked, "request"))
	}
	if c := r.Crowd; c != nil {
		p.line("Crowd     %s in %s got %s, and nothing of what belongs to them: these are no people",
			say.Plural(c.Addresses, "address"), say.Plural(int64(c.Networks), "network"), say.Plural(c.Documents, "document"))
	}
	p.doubts(r)
}

// doubts says what the log cannot tell, and how to help.
func (p printer) doubts(r *audit.Report) {
	if r.RulesFrom != nil && r.RulesFrom.After(r.From) {
		p.line("Judged    from %s UTC on: %s; --robots-since says if robots.txt was there before, --history what was",
			timeText(*r.RulesFrom), r.RulesWhy)
	}
	if len(r.RulesHosts) > 0 {
		p.line("          one robots.txt was taken for that of %d hosts, %s: if each has its own, --history takes a directory "+
			"for each", len(r.RulesHosts), cli.SomeOf(r.RulesHosts, 3))
	}
	if !r.HasAsking && len(r.Robots) > 0 {
		p.line("          nobody asked for robots.txt: such requests may be left out of the log, so nobody is blamed for that")
	}
	if r.Missing > 0 {
		p.line("          %s of the pages that browsers got images and styles for are not in it: it is a sample, a cache "+
			"answers for the server, or the pages are on another; nobody is blamed for not asking for robots.txt",
			percent(r.Missing))
	}
	if r.Stale > 0 {
		p.line("          %s went on for more than a day without asking for robots.txt, most of those that ask for it: "+
			"a cache before the server seems to answer for it, or another server; nobody is blamed for that",
			say.Plural(r.Stale, "robot"))
	}
	if len(r.Unsaid) > 0 {
		p.line("          it is of several hosts, %s, and does not say which was asked: nobody is blamed for what robots.txt "+
			"says; let the server log the host, or give each its log, as HOST=LOG", cli.SomeOf(r.Unsaid, 3))
	}
	if r.Sliced > 0 {
		p.line("          all requests, or those of one log, are of %s of the hour: it has a part of the time only, or its times "+
			"were made up; nobody is blamed for pauses, nor for not asking for robots.txt", say.Plural(r.Sliced, "minute"))
	}
	if r.Behind != "" {
		p.line("          many come from %s, which must be a proxy of yours: let the server log the client (real_ip, "+
			"RemoteIPHeader), or its X-Forwarded-For", r.Behind)
	}
	if r.Claimed > 0 {
		p.line("          %s from where X-Forwarded-For says, which anybody may write: see --trusted-proxies",
			say.Plural(r.Claimed, "request"))
	}
}

// statusText lists size, statuses and mean response time.
func statusText(s audit.Sum) string {
	text := say.Bytes(s.Bytes) + ", status"
	for i, code := range slices.Sorted(maps.Keys(s.Status)) {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %d (%s)", code, say.Count(s.Status[code]))
	}
	if s.Timed > 0 {
		text += ", answered in " + say.Seconds(s.MeanTaken) + " on average"
	}
	return text
}

func (p printer) unusual(r *audit.Report) {
	if r.UnusualCount > 0 {
		p.line("\nUnusual: %s with the behaviour of robots, and without their names", say.Plural(int64(r.UnusualCount), "client"))
	}
	for _, c := range r.Unusual {
		p.line("  %s: %s, %s to %s: %s", c.Client, say.Plural(c.Requests, "request"), timeText(c.First), timeText(c.Last),
			strings.Join(c.Why, "; "))
		if c.Agent != "" {
			p.line("    %s", c.Agent)
		}
		p.unusualNetwork(c)
		if c.Disallowed > 0 {
			p.line("    %s for what is disallowed to robots that no group names:", say.Plural(c.Disallowed, "request"))
			p.evidence(c.Evidence, c.Disallowed)
		}
	}
	p.fresh(r)
}

// fresh names the robots and User-Agents that are new, and the robots of which nothing is known.
func (p printer) fresh(r *audit.Report) {
	var fresh, unknown []string
	for _, one := range r.Robots {
		if one.New {
			fresh = append(fresh, robotName(one))
		}
		if !one.Known && one.Requests > maxLines { // those that only drop in are not worth a line
			unknown = append(unknown, one.Token)
		}
	}
	if len(fresh) > 0 {
		p.line("\nNew since the last tenth of the log: %s", cli.SomeOf(fresh, 20))
	}
	if r.NewAgentCount > 0 {
		p.line("\nUser-Agents of robots and fetchers that are new since then: %s%s", say.Count(r.NewAgentCount),
			ofBrowsers(r.NewBrowsers))
	}
	for _, g := range r.NewAgents {
		p.line("  %s: %s, the first %s\n    %s", g.Token, say.Plural(g.Requests, "request"), timeText(g.First), g.Agent)
	}
	if unknown = slices.Compact(unknown); len(unknown) > 0 {
		p.line("\nNot among the robots that we know to be documented: %s", cli.SomeOf(unknown, 20))
	}
}

func ofBrowsers(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", and %s of browsers", say.Count(n))
}

func (p printer) suggestions(list []audit.Suggestion) {
	for i, s := range list {
		if i == 0 {
			p.line("\nWhat can be done, if it matters")
		}
		p.line("  %s: %s", s.Token, s.Why)
		if s.Server != "" {
			p.line("    %s", s.Server)
		}
		p.quote(s.Robots)
		if s.Nginx != "" {
			p.line("    with nginx, for example:")
		}
		p.quote(s.Nginx)
	}
}

func (p printer) visitor(v *audit.Visitor) {
	p.line("\nVisits of %s: %d", v.Name, len(v.Sessions))
	for _, s := range v.Sessions {
		p.line("\n  %s to %s, %s", timeText(s.From), timeText(s.To), say.Plural(int64(s.Requests), "request"))
		p.line("    robots.txt %s; first page %s, last page %s", robotsStatus(s.RobotsTxt), cmp.Or(s.FirstPage, "–"),
			cmp.Or(s.LastPage, "–"))
		p.line("    pauses %s to %s, half of them up to %s; the end: %s", say.Seconds(s.Shortest), say.Seconds(s.Longest),
			say.Seconds(s.Median), s.End)
		for _, step := range s.Steps {
			text := fmt.Sprintf("    %s:%d  %s  +%s  %s %s  %d", step.File, step.Line, timeText(step.Time), say.Seconds(step.Gap),
				step.Method, step.Path, step.Status)
			if !step.Allowed {
				text += "  disallowed: " + ruleText(step.Evidence)
			}
			p.line("%s", text)
		}
	}
	if v.Cut > 0 {
		p.line("  and %s more", say.Plural(v.Cut, "request"))
	}
}

func robotsStatus(status int) string {
	if status == 0 {
		return "not asked for"
	}
	return fmt.Sprintf("answered with %d", status)
}

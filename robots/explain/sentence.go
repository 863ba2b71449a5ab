package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/robots"
)

// sentence says what an Allow or Disallow line means.
func sentence(l robots.Line, d robots.Dialect) string {
	if l.Note == robots.ProblemOrphan || l.Note == robots.ProblemPath || l.Note == robots.ProblemLongLine {
		return "Says nothing: " + unused(l) + "."
	}
	if l.Value == "" {
		if l.Role == robots.RoleDisallow {
			return "Closes nothing: if there is no other rule, everything is open."
		}
		return "Opens nothing."
	}
	rules := rulesOf(l, d)
	if len(rules) == 0 {
		return "Says nothing in this dialect."
	}
	verb := "Closes "
	if l.Role == robots.RoleAllow {
		verb = "Opens, against shorter rules, "
	}
	says := verb + describeAll(rules) + "."
	if l.Note != "" {
		says += " It was read leniently (" + l.Note + ")."
	}
	return says
}

// isCleanParam reports whether a line is a Clean-param, a field that is unknown to RFC 9309 and not to us.
func isCleanParam(l robots.Line) bool { return strings.EqualFold(l.Key, "clean-param") }

// otherSentence says what a line means that is none of the usual fields; nothing if it means nothing.
func otherSentence(l robots.Line, d robots.Dialect) string {
	if !isCleanParam(l) {
		return lenientSentence(l, d)
	}
	params, path, _ := strings.Cut(l.Value, " ")
	if path = strings.TrimSpace(path); path == "" {
		path = "/"
	}
	return "Says that " + strings.ReplaceAll(params, "&", " and ") + " in a query below " + path +
		" changes nothing: such URLs count as one; it opens and closes nothing."
}

// lenientSentence says what a line means that only a leniency makes a rule; nothing if there is none.
func lenientSentence(l robots.Line, d robots.Dialect) string {
	rules := rulesOf(l, d)
	if l.Role != robots.RoleOther && l.Role != robots.RoleInvalid || len(rules) == 0 {
		return ""
	}
	return "Robots of RFC 9309 skip it; read leniently (" + l.Note + "), it closes " + describeAll(rules) + "."
}

func describeAll(rules []robots.Rule) string {
	var what []string
	for _, r := range rules {
		what = append(what, Describe(r.Pattern))
	}
	return join(slices.Compact(what), "and")
}

// rulesOf returns the rules that a line makes by itself.
func rulesOf(l robots.Line, d robots.Dialect) []robots.Rule {
	text := "User-agent: *\n" + l.Key + ": " + l.Value + "\n"
	return robots.Parse([]byte(text), d).Rules("").List()
}

// fieldSentence says what another field of a group means.
func fieldSentence(l robots.Line) string {
	alone := robots.Parse([]byte("User-agent: *\n"+l.Key+": "+l.Value+"\n"), robots.Cautious).Rules("")
	d, _ := alone.Delay()
	pause := strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " seconds"
	if d == time.Second {
		pause = "1 second"
	}
	switch strings.ToLower(l.Key) {
	case "crawl-delay":
		if d == 0 {
			return "Should ask for a pause between two requests, but names no number of seconds above zero: it asks for nothing."
		}
		return "Asks for " + pause + " between two requests."
	case "request-rate":
		if d == 0 {
			return "Should ask for a number of pages in a time, as 1/10s, but robots cannot read it: it asks for nothing."
		}
		return "Asks for no more than one page in " + pause + "."
	case "visit-time":
		windows := alone.VisitTimes()
		if windows == nil {
			return "Should ask for visits at some time of the day, as 0400-0845, but robots cannot read it: it asks for nothing."
		}
		return "Asks for visits " + windowText(windows[0]) + " only."
	case "content-signal", "content-usage":
		return "Says what the content may be used for (" + l.Value + "); it opens and closes nothing."
	case "license":
		return "Names the licence of the content; it opens and closes nothing."
	}
	return "Opens and closes nothing."
}

// windowText says when a window is open.
func windowText(w robots.Window) string {
	var midnight time.Time
	return fmt.Sprintf("from %s to %s UTC", midnight.Add(w.From).Format("15:04"), midnight.Add(w.To).Format("15:04"))
}

// visitSentence says when visits are welcome; nothing if that is always.
func visitSentence(rules *robots.Rules) string {
	var windows []string
	for _, w := range rules.VisitTimes() {
		windows = append(windows, fmt.Sprintf("%s (line %d)", windowText(w), w.Line))
	}
	if windows == nil {
		return ""
	}
	return " Visits are welcome " + join(windows, "or") + " only."
}

// Describe says in words which URLs a canonical pattern (as of robots.Rule) matches. The words are the object of a sentence:
// "everything below /tmp/".
func Describe(pattern string) string {
	body, anchored := strings.CutSuffix(pattern, "$")
	parts := strings.Split(body, "*")
	first, rest := parts[0], slices.DeleteFunc(parts[1:], func(s string) bool { return s == "" })
	open := strings.HasSuffix(body, "*") // the end is anything
	switch {
	case strings.Trim(pattern, "/*") == "" && len(first) <= 1:
		return "the whole site"
	case len(parts) == 1 && anchored:
		return "the URL " + body + " alone"
	case len(rest) == 0 && !(anchored && !open):
		return prefix(first)
	}
	var says []string
	if strings.Trim(first, "/") != "" {
		says = append(says, "begin with "+first)
	}
	for i, part := range rest {
		word := "contain "
		switch {
		case i == len(rest)-1 && anchored && !open && overlaps(part, first, rest[:i]):
			word = "end, behind that, with "
		case i == len(rest)-1 && anchored && !open:
			word = "end with "
		case i > 0:
			word = "then " + word
		}
		says = append(says, word+part)
	}
	return "URLs that " + join(says, "and")
}

// overlaps reports whether a URL could begin with, or contain, what stands before and end with part in one: "/a/b" begins with
// "/a/" and ends with "/b", but the two share a slash.
func overlaps(part, first string, between []string) bool {
	before := first
	if len(between) > 0 {
		before = between[len(between)-1]
	}
	for n := min(len(part), len(before)); n > 0; n-- {
		if before != "/" && strings.HasSuffix(before, part[:n]) {
			return true
		}
	}
	return false
}

// prefix says which URLs begin with s.
func prefix(s string) string {
	if strings.HasSuffix(s, "/") || strings.ContainsAny(s, "?") {
		return "everything that begins with " + s
	}
	return fmt.Sprintf("everything that begins with %s (%s, %s.html, %s/page)", s, s, s, s)
}

// summary says in a sentence or two what a robot is left with.
func summary(rules *robots.Rules, closed, open []string) string {
	switch {
	case len(closed) == 0:
		return "Everything is open."
	case slices.ContainsFunc(closed, func(p string) bool { return strings.Trim(p, "/*") == "" }):
		if len(open) == 0 {
			return "Everything is closed."
		}
		return "Everything is closed but for " + someOf(open) + "."
	}
	says := "Closed: " + someOf(closed) + ". "
	if len(open) > 0 {
		says += "Open all the same: " + someOf(open) + ". "
	}
	if rules.Test("/").Allowed {
		return says + "Everything else is open."
	}
	return says + "The front page is closed too."
}

// someOf lists the first patterns.
func someOf(patterns []string) string {
	const most = 8
	if len(patterns) <= most {
		return join(patterns, "and")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(patterns[:most], ", "), len(patterns)-most)
}

// samples returns paths that show what the rules do: the front page and one path per rule.
func samples(rules []robots.Rule) []string {
	paths := []string{"/"}
	for _, r := range rules {
		path := Sample(r.Pattern)
		if len(paths) < MaxSamples && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// Sample returns a path that a canonical pattern matches.
func Sample(pattern string) string {
	body, anchored := strings.CutSuffix(pattern, "$")
	path := strings.ReplaceAll(body, "*", "x")
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	if !anchored && strings.HasSuffix(path, "/") && path != "/" {
		path += "page"
	}
	return path
}

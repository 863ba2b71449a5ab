package explain

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// This file says in words how a site stands.

// stand says why nothing of the site is being asked for now, and until when.
func (r *SiteReport) stand(s frontier.SiteInfo, now time.Time) (string, time.Time) {
	waiting := s.Queued + s.Retrying
	switch {
	case waiting == 0:
		return r.settled(s), time.Time{}
	case s.Policy.BlockedUntil.After(now):
		text := "it is left alone: " + reasonText(crawler.Reason(s.Policy.BlockReason))
		if r.Rests.Detail != "" {
			text += ": " + r.Rests.Detail
		}
		return text, s.Policy.BlockedUntil
	case s.Queued == 0 && s.Due.After(now):
		return fmt.Sprintf("only what failed before is left (%s), to be tried again later", say.Plural(s.Retrying, "URL")), s.Due
	case s.Due.After(now):
		return "the pause since the last request is not over", s.Due
	}
	return fmt.Sprintf("its turn has come, with %s waiting%s", say.Plural(waiting, "URL"), r.runEnded()), time.Time{}
}

// settled says why nothing is queued.
func (r *SiteReport) settled(s frontier.SiteInfo) string {
	text := fmt.Sprintf("nothing of it is queued: of %s %d done, %d refused, %d failed",
		say.Plural(s.Done+s.Refused+s.Failed, "URL"), s.Done, s.Refused, s.Failed)
	if len(r.Stops) == 0 {
		return text + ", and no link led further"
	}
	var kinds []string
	for _, stop := range r.Stops {
		if !slices.Contains(kinds, stop.Kind) {
			kinds = append(kinds, stop.Kind)
		}
	}
	return text + "; what kept it from more: " + strings.Join(kinds, ", ")
}

// runEnded says why nobody goes on with it.
func (r *SiteReport) runEnded() string {
	switch r.runEnd {
	case "":
		return "; the last run was killed or crashed"
	case string(crawler.EndDone), string(crawler.EndWaiting):
		return ""
	}
	return "; the last run ended: " + r.runEnd
}

// sayFromLedger says how the site stands when the queue cannot be read.
func (r *SiteReport) sayFromLedger(v *job.View) string {
	text := "the job has no queue yet"
	switch {
	case v.Running:
		text = "the crawl is running: this is what the ledger says so far"
	case v.IsNode:
		text = "its queue is shared by the nodes of the crawl: this is what the ledger of this one says"
	}
	if r.Rests.Until.After(time.Now()) {
		r.Until = r.Rests.Until
		text += "; it is left alone: " + reasonText(r.lastRest)
	}
	return text
}

// reasonText is a reason in words, with its code.
func reasonText(r crawler.Reason) string { return fmt.Sprintf("%s (%s)", say.Reason(r), r) }

// Print writes the report as text.
func (r *SiteReport) Print(w io.Writer) {
	row := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-9s %s\n", label, say.Printable(fmt.Sprintf(format, args...)))
	}
	row("site", "%s", r.Site)
	now := r.Now
	if !r.Until.IsZero() {
		now += fmt.Sprintf("; until %s", say.Clock(r.Until))
	}
	row("now", "%s", now)
	if q := r.Queue; q != nil {
		row("queue", "%s queued, %s to be tried again, %s done, %s refused, %s failed; %s, %s", say.Count(q.Queued),
			say.Count(q.Retrying), say.Count(q.Done), say.Count(q.Refused), say.Count(q.Failed), say.Plural(q.Pages, "page"),
			say.Bytes(q.Bytes))
	}
	if q := r.Requests; q.All > 0 {
		row("requests", "%s from %s to %s; %s for robots.txt, %s without an answer", say.Count(q.All), say.Clock(q.First),
			say.Clock(q.Last), say.Count(q.Robots), say.Count(q.Errors))
	}
	r.printStops(row)
	r.printRobots(row)
	r.printPauses(row)
	row("harm", "%s", r.Harm.Text)
	r.Traps.Print(w)
	for _, n := range r.Notes {
		row("note", "%s", n)
	}
}

type rowFunc func(label, format string, args ...any)

func (r *SiteReport) printStops(row rowFunc) {
	label := "stops"
	for _, s := range r.Stops {
		text := fmt.Sprintf("%6s  %s: %s", say.Count(s.Count), s.Kind, reasonText(s.Reason))
		if s.Rule != "" {
			text += ": " + s.Rule
		}
		row(label, "%s, e.g. %s", text, say.Shorten(s.Sample, 100))
		label = ""
	}
	if r.Rests.Count == 0 {
		return
	}
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(r.Rests.Reasons)) {
		reasons = append(reasons, fmt.Sprintf("%s %d", reason, r.Rests.Reasons[reason]))
	}
	text := fmt.Sprintf("%s as a whole (%s), last from %s to %s", say.Plural(r.Rests.Count, "time"), strings.Join(reasons, ", "),
		say.Clock(r.Rests.Last), say.Clock(r.Rests.Until))
	if r.Rests.Detail != "" {
		text += ": " + r.Rests.Detail
	}
	row("rests", "%s", text)
}

func (r *SiteReport) printRobots(row rowFunc) {
	u := r.Robots
	label := "robots"
	line := func(format string, args ...any) {
		row(label, format, args...)
		label = ""
	}
	for _, s := range u.Now {
		line("%s/robots.txt is %s", s.Origin, stateText(s))
	}
	if u.Earlier > 0 {
		line("asked for %s more", say.Plural(u.Earlier, "time"))
	}
	for _, f := range u.Fetches {
		what := f.Error
		if f.Status != 0 {
			what = fmt.Sprintf("%d %s", f.Status, http.StatusText(f.Status))
		}
		line("%s: asked for %s: %s", say.Clock(f.Time), f.URL, what)
	}
	for _, v := range u.Versions {
		what := v.Reason
		if v.File != "" {
			what = shortDigest(v.File)
		}
		line("%s to %s: %s under %s", say.Clock(v.First), say.Clock(v.Last), say.Plural(v.Requests, "request"), what)
	}
}

// stateText says what is known of a robots.txt now.
func stateText(s robots.State) string {
	switch s.Outcome {
	case robots.Unreachable:
		return fmt.Sprintf("unreachable (%s); the next try is at %s", s.Err, say.Clock(s.NextTry))
	case robots.Unavailable:
		return fmt.Sprintf("absent (%d), which holds until %s", s.Status, say.Clock(s.Expires))
	}
	return fmt.Sprintf("found, which holds until %s", say.Clock(s.Expires))
}

func (r *SiteReport) printPauses(row rowFunc) {
	label := "pauses"
	for i, s := range r.Pauses {
		if i == firstStretches && r.PausesOut > 0 {
			row("", "(%s left out)", say.Plural(r.PausesOut, "change"))
		}
		row(label, "from %s", s)
		label = ""
	}
}

package report

import (
	_ "embed"
	"html/template"
	"io"
	"path/filepath"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/htmlreport"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/robots"
)

//go:embed page.html.tmpl
var content string

// WriteHTML writes the figures as one HTML file. base is the way from the directory of that file to the job, for the links to the
// evidence: "." when it lies in the job itself.
func WriteHTML(w io.Writer, f *Figures, base string) error {
	t, err := htmlreport.New(content, template.FuncMap{
		"reason": func(code string) string { return say.Reason(crawler.Reason(code)) },
		"permit": permitted, "means": meaning, "list": func(items ...any) []any { return items },
	})
	if err != nil {
		return err
	}
	return t.Execute(w, "Crawl report: "+f.title(), view{Figures: f, base: filepath.ToSlash(base)})
}

// title names the job.
func (f *Figures) title() string {
	if dir, err := filepath.Abs(f.Job); err == nil {
		return filepath.Base(dir)
	}
	return f.Job
}

// A view is what the template shows: the figures, and what only people need.
type view struct {
	*Figures
	base string
}

// Title names the job.
func (v view) Title() string { return v.title() }

// State says in words how the crawl stands.
func (v view) State() string {
	s := v.Status
	switch {
	case s == nil || s.State == "":
		return "Not yet begun"
	case s.State == progress.Running:
		return "Still running: this is what was written down so far"
	case s.State == progress.Killed:
		return "Killed or crashed; run the same command again to continue"
	case s.End == crawler.EndFailed && s.Error != "":
		return "Failed: " + s.Error
	}
	if n := s.Total.Parked; n > 0 && s.End == crawler.EndDone {
		return "Done, but for " + say.Plural(n, "URL") + " of places that look endless, which are parked"
	}
	return endings(s.End)
}

// endings says why a run ended.
func endings(end crawler.Reason) string {
	switch end {
	case crawler.EndDone:
		return "Done: nothing is left to fetch"
	case crawler.EndWaiting:
		return "Ended: what is left waits for hosts that must be left alone"
	case crawler.EndPages, crawler.EndBytes, crawler.EndTime, crawler.EndPagesOfHost, crawler.EndBytesOfHost, crawler.EndTimeOfHost:
		return "Ended by its limit " + string(end)
	case crawler.EndInterrupted:
		return "Interrupted; run the same command again to continue"
	}
	return string(end)
}

// Left is how many URLs have not been asked for: they wait, or are parked.
func (v view) Left() int64 {
	if v.Status == nil {
		return 0
	}
	return v.Status.Total.Queued + v.Status.Total.Retrying + v.Status.Total.Parked
}

// Parked is how many of them are parked.
func (v view) Parked() int64 {
	if v.Status == nil {
		return 0
	}
	return v.Status.Total.Parked
}

// Seeds tells what became of the seeds of a job that has no page.
func (v view) Seeds() []progress.Seed {
	if v.Status == nil {
		return nil
	}
	return v.Status.Seeds
}

// MoreSeeds is how many seeds there are besides.
func (v view) MoreSeeds() int64 { return int64(max(v.Status.SeedsN-len(v.Status.Seeds), 0)) }

// Rate is the average of requests per second between the first record and the last.
func (v view) Rate() string {
	seconds := v.Last.Sub(v.First).Seconds()
	if seconds <= 0 {
		return "–"
	}
	return htmlreport.Short(float64(v.Requests.Count)/seconds) + "/s"
}

// Took is the time between the first record and the last.
func (v view) Took() string { return say.Span(v.Last.Sub(v.First)) }

// Refused is how many links and pages were turned away.
func (v view) Refused() int64 { return v.Refusals.Total }

// HasOthers reports whether there are sites without a row.
func (v view) HasOthers() bool { return v.Hosts.Full || v.Hosts.Known > len(v.Hosts.Busy) }

// Agent is the User-Agent of the latest run.
func (v view) Agent() string {
	if len(v.Runs) == 0 {
		return ""
	}
	return v.Runs[len(v.Runs)-1].Agent
}

// RecordCount, HostCount, FileCount, RunCount and RunsShown are figures as the functions of the template want them.
func (v view) RecordCount() int64 { return int64(v.Records) }
func (v view) HostCount() int64   { return int64(v.Hosts.Known) }
func (v view) FileCount() int64   { return int64(v.Files) }
func (v view) RunCount() int64    { return int64(v.RunsN) }
func (v view) RunsShown() int64   { return int64(len(v.Runs)) }

// permitted says what the code of a verdict means.
func permitted(reason string) string {
	if r := robots.Reason(reason); r == robots.ReasonRule {
		return "a rule allows it"
	} else if r != "" {
		return say.Because(robots.Verdict{Reason: r})
	}
	return "not said"
}

// meaning says what an answer to robots.txt means for the site.
func meaning(outcome string) string {
	switch robots.Outcome(outcome) {
	case robots.Found:
		return "there is a file"
	case robots.Unavailable:
		return "there is none: nothing is forbidden"
	case robots.Unreachable:
		return "it cannot be fetched:  everything is forbidden"
	case robots.NotModified:
		return "not modified since it was fetched"
	case robots.Redirected:
		return "it lies elsewhere"
	}
	return "nothing was learnt: we broke it off"
}

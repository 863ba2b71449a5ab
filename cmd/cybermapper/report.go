package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
)

// A crawlReport tells how a crawl stands, or how it ended. It is what status.json and report.json hold.
type crawlReport struct {
	Format    int            `json:"format"` // 1
	State     string         `json:"state"`  // one of the states below
	Job       string         `json:"job"`
	Version   string         `json:"version"`
	UserAgent string         `json:"user_agent"`
	Process   int            `json:"process"`
	Time      time.Time      `json:"time"`             // of this report
	Started   time.Time      `json:"started"`          // the run
	Seconds   float64        `json:"seconds"`          // that the run has taken
	End       crawler.Reason `json:"end,omitempty"`    // why the run ended
	Error     string         `json:"error,omitempty"`  // if it failed
	ExitCode  int            `json:"exit_code"`        // of the run
	Rate      float64        `json:"pages_per_second"` // lately while running, on average when ended
	ETA       float64        `json:"eta_seconds,omitempty"`
	Run       runCounts      `json:"run"`
	Total     totals         `json:"total"`
	Waiting   []waitingSite  `json:"waiting"`       // at most maxWaiting, those that are due first
	WaitingN  int            `json:"waiting_sites"` // all of them
}

// The states of a run.
const (
	stateRunning = "running"
	stateEnded   = "ended"
	stateKilled  = "killed" // it ended without a word; the counts of the run are those of its last word
)

// runCounts is what a run did.
type runCounts struct {
	Requests int64                    `json:"requests"`
	Robots   int64                    `json:"robots_requests"`
	Pages    int64                    `json:"pages"`
	Stored   int64                    `json:"stored"`
	Bytes    int64                    `json:"bytes"`
	Links    int64                    `json:"links"`
	New      int64                    `json:"new_links"`
	Failed   int64                    `json:"failed"`
	Retried  int64                    `json:"retried"`
	Serving  int                      `json:"serving"`
	Codes    map[int]int64            `json:"codes"`
	Reasons  map[crawler.Reason]int64 `json:"reasons"`
}

// totals are the counts of the whole job, over all its runs.
type totals struct {
	Known    int64 `json:"known"`
	Queued   int64 `json:"queued"`
	Retrying int64 `json:"retrying"`
	Done     int64 `json:"done"`
	Refused  int64 `json:"refused"`
	Failed   int64 `json:"failed"`
	Pages    int64 `json:"pages"`
	Bytes    int64 `json:"bytes"`
	Sites    int64 `json:"sites"`
}

// A waitingSite is one that has something queued and must be left alone for now.
type waitingSite struct {
	Site   string    `json:"site"`
	Until  time.Time `json:"until"`
	Reason string    `json:"reason"`
	Queued int64     `json:"queued,omitempty"`
}

// maxWaiting bounds the sites that a report names.
const maxWaiting = 1000

func countsOf(s crawler.Status) runCounts {
	return runCounts{
		Requests: s.Requests, Robots: s.Robots, Pages: s.Pages, Stored: s.Stored, Bytes: s.Bytes, Links: s.Links, New: s.New,
		Failed: s.Failed, Retried: s.Retried, Serving: s.Serving, Codes: s.Codes, Reasons: s.Reasons,
	}
}

func totalsOf(s frontier.Stats) totals {
	return totals{
		Known: s.Known, Queued: s.Queued, Retrying: s.Retrying, Done: s.Done, Refused: s.Refused, Failed: s.Failed,
		Pages: s.Pages, Bytes: s.Bytes, Sites: s.Sites,
	}
}

// waitingSites lists the sites of f that have something queued and are not due, soonest first, and counts them.
func waitingSites(ctx context.Context, f frontier.Frontier, now time.Time) (sites []waitingSite, n int, err error) {
	for s, err := range f.Sites(ctx) {
		if err != nil {
			return nil, 0, fmt.Errorf("list sites: %w", err)
		}
		if s.Queued+s.Retrying == 0 || !s.Due.After(now) {
			continue
		}
		n++
		sites = append(sites, waitingSite{Site: s.Site, Until: s.Due, Reason: waitReason(s, now), Queued: s.Queued + s.Retrying})
		if len(sites) >= 2*maxWaiting {
			sites = soonest(sites)
		}
	}
	return soonest(sites), n, nil
}

func soonest(sites []waitingSite) []waitingSite {
	slices.SortFunc(sites, func(a, b waitingSite) int {
		return cmp.Or(a.Until.Compare(b.Until), strings.Compare(a.Site, b.Site))
	})
	return sites[:min(len(sites), maxWaiting)]
}

func waitReason(s frontier.SiteInfo, now time.Time) string {
	switch {
	case s.Policy.BlockedUntil.After(now):
		return s.Policy.BlockReason
	case s.Queued == 0:
		return "retry"
	}
	return "delay"
}

// readReport reads a report that a run of the job has written.
func readReport(name string) (*crawlReport, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r := &crawlReport{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return r, nil
}

// write replaces the file name by the report.
func (r *crawlReport) write(name string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return job.WriteFile(name, append(data, '\n'))
}

// printReport writes a report as text: the numbers, every reason with its count, and who is left waiting.
func printReport(w io.Writer, r *crawlReport) {
	row := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-10s %s\n", label, fmt.Sprintf(format, args...))
	}
	took := roundDuration(seconds(r.Seconds))
	switch r.State {
	case stateEnded:
		row("end", "%s, after %s", endText(r), took)
	case stateKilled:
		row("end", "killed or crashed after %s; the same command goes on", took)
	case stateRunning:
		row("running", "process %d, for %s: %s", r.Process, took, lineOf(r))
	default:
		row("end", "not yet begun")
	}
	row("requests", "%s (%s for robots.txt)", count(r.Run.Requests), count(r.Run.Robots))
	row("pages", "%s, %s stored, %s, %.1f/s", count(r.Run.Pages), count(r.Run.Stored), bytesText(r.Run.Bytes), r.Rate)
	row("links", "%s found, %s new", count(r.Run.Links), count(r.Run.New))
	row("job", "%s URLs known: %s done, %s refused, %s failed, %s queued, %s to be tried again; %s pages of %s sites",
		count(r.Total.Known), count(r.Total.Done), count(r.Total.Refused), count(r.Total.Failed), count(r.Total.Queued),
		count(r.Total.Retrying), count(r.Total.Pages), count(r.Total.Sites))
	printCounts(w, "answers", r.Run.Codes, func(code int) string { return fmt.Sprint(code) })
	printCounts(w, "reasons", r.Run.Reasons, func(reason crawler.Reason) string { return string(reason) })
	printWaiting(w, r)
}

// endText says why a run ended.
func endText(r *crawlReport) string {
	switch r.End {
	case crawler.EndDone:
		return "done: nothing is left to fetch"
	case crawler.EndWaiting:
		return "hosts are left waiting; the same command goes on with them"
	case crawler.EndInterrupted:
		return "interrupted; the same command goes on"
	case crawler.EndFailed:
		return "failed: " + r.Error
	}
	return "the limit " + string(r.End) + " is reached"
}

// printCounts prints one row per key, the most frequent first.
func printCounts[K cmp.Ordered](w io.Writer, label string, counts map[K]int64, name func(K) string) {
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b K) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	for _, k := range keys {
		fmt.Fprintf(w, "%-10s %8s  %s\n", label, count(counts[k]), name(k))
		label = ""
	}
}

// shownWaiting is how many waiting sites a summary names.
const shownWaiting = 10

func printWaiting(w io.Writer, r *crawlReport) {
	if r.WaitingN == 0 {
		return
	}
	fmt.Fprintf(w, "%-10s %s\n", "waiting", plural(r.WaitingN, "site"))
	for _, s := range r.Waiting[:min(len(r.Waiting), shownWaiting)] {
		fmt.Fprintf(w, "%-10s %s until %s (in %s): %s", "", s.Site, s.Until.Local().Format(time.DateTime),
			roundDuration(max(time.Until(s.Until), 0)), s.Reason)
		if s.Queued > 0 {
			fmt.Fprintf(w, ", %s queued", count(s.Queued))
		}
		fmt.Fprintln(w)
	}
	if more := r.WaitingN - shownWaiting; more > 0 {
		fmt.Fprintf(w, "%-10s and %d more, see %s\n", "", more, job.ReportFile)
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// roundDuration drops what nobody wants to read.
func roundDuration(d time.Duration) config.Duration {
	switch {
	case d < 10*time.Millisecond:
		return config.Duration(d.Round(10 * time.Microsecond))
	case d < time.Second:
		return config.Duration(d.Round(time.Millisecond))
	case d < time.Minute:
		return config.Duration(d.Round(100 * time.Millisecond))
	}
	return config.Duration(d.Round(time.Second))
}

// count writes a number with its thousands apart.
func count[N int | int64](n N) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural writes a number of things.
func plural[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return count(n) + " " + thing + "s"
}

// bytesText writes a size roughly.
func bytesText(n int64) string {
	for _, u := range []struct {
		name  string
		bytes float64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if float64(n) >= u.bytes {
			return fmt.Sprintf("%.1f %s", float64(n)/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// now is the wall clock, in UTC: reports are compared with those of other processes.
func now() time.Time { return time.Now().UTC().Round(0) }

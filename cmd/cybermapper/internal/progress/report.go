package progress

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
)

// A Report tells how a crawl stands, or how it ended. It is what status.json and report.json hold.
type Report struct {
	Format       int            `json:"format"` // 1
	State        string         `json:"state"`  // one of the states below
	Job          string         `json:"job"`
	Version      string         `json:"version"`
	UserAgent    string         `json:"user_agent"`
	Process      int            `json:"process"`
	Time         time.Time      `json:"time"`             // of this report
	Started      time.Time      `json:"started"`          // the run
	Seconds      float64        `json:"seconds"`          // that the run has taken
	End          crawler.Reason `json:"end,omitempty"`    // why the run ended
	Error        string         `json:"error,omitempty"`  // if it failed
	ExitCode     int            `json:"exit_code"`        // of the run
	Rate         float64        `json:"pages_per_second"` // visited, known or not: lately while running, on average when ended
	ETA                         // while running, and for the rest of a job that is stopped
	Run          crawler.Counts `json:"run"`
	Total        Totals         `json:"total"`
	OptOut       *OptOut        `json:"opt_out,omitempty"`
	Disk         *Disk          `json:"disk,omitempty"`               // what the job takes of it; for who asks for the status
	Partitions   []Partition    `json:"partitions,omitempty"`         // that this node of a shared crawl owns
	Waiting      []WaitingSite  `json:"waiting"`                      // at most maxWaiting, those that are due first
	WaitingN     int            `json:"waiting_sites"`                // all of them
	Seeds        []Seed         `json:"seeds,omitempty"`              // of a job that has ended without a page: at most 1,000
	SeedsN       int            `json:"seeds_given,omitempty"`        // all of them, likewise
	FailedSeeds  []Seed         `json:"failed_seeds,omitempty"`       // where others gave pages: the first few that gave none
	FailedSeedsN int            `json:"failed_seeds_count,omitempty"` // all of them, among the first thousand of the job
	Beyond       []Beyond       `json:"beyond,omitempty"`             // of a job of which no page has led on: most links first
	Twins        []Twin         `json:"twins,omitempty"`              // of a job that has ended: most pages first
}

// The states of a run.
const (
	Running = "running"
	Ended   = "ended"
	Killed  = "killed" // it ended without a word; the counts of the run are those of its last word
)

// Totals are the counts of the whole job, over all its runs.
type Totals struct {
	Known    int64 `json:"known"`
	Queued   int64 `json:"queued"`
	Retrying int64 `json:"retrying"`
	Done     int64 `json:"done"`
	Refused  int64 `json:"refused"`
	Failed   int64 `json:"failed"`
	Pages    int64 `json:"pages"`
	Bytes    int64 `json:"bytes"`
	Sites    int64 `json:"sites"`
	Active   int64 `json:"active_sites"` // being visited, or waiting for their turn
	Parked   int64 `json:"parked"`       // of Refused, the URLs of places that look endless
}

// A Partition is one that this node of a shared crawl owns.
type Partition struct {
	Partition int     `json:"partition"`
	Epoch     uint64  `json:"epoch"`             // grows with each owner
	LeaseAge  float64 `json:"lease_age_seconds"` // since the lease was renewed
	Rate      float64 `json:"urls_per_second"`   // settled of late
	Total     Totals  `json:"total"`
}

// PartitionOf returns how a partition stands.
func PartitionOf(number int, epoch uint64, leaseAge, rate float64, s frontier.Stats) Partition {
	return Partition{Partition: number, Epoch: epoch, LeaseAge: leaseAge, Rate: rate, Total: TotalsOf(s)}
}

// Disk is what a job takes of the disk besides the bodies of its pages, in bytes.
type Disk struct {
	Ledger      int64 `json:"ledger_bytes"`
	LedgerText  int64 `json:"ledger_text_bytes"` // of the records; files that are full are packed
	LedgerFiles int   `json:"ledger_files"`
	Queue       int64 `json:"queue_bytes"`
	List        int64 `json:"page_list_bytes"` // pages.jsonl
}

// A WaitingSite is one that has something queued and must be left alone for now.
type WaitingSite struct {
	Site   string    `json:"site"`
	Until  time.Time `json:"until"`
	Reason string    `json:"reason"`
	Queued int64     `json:"queued,omitempty"`
}

// maxWaiting bounds the sites that a report names.
const maxWaiting = 1000

// TotalsOf returns the counts of a frontier.
func TotalsOf(s frontier.Stats) Totals {
	return Totals{
		Known: s.Known, Queued: s.Queued, Retrying: s.Retrying, Done: s.Done, Refused: s.Refused, Failed: s.Failed,
		Pages: s.Pages, Bytes: s.Bytes, Sites: s.Sites, Active: s.Waiting + s.Leased,
	}
}

// UsualPause is the longest pause between two requests that a report does not call waiting.
const UsualPause = time.Minute

// Waiting lists the sites of f that have something queued and must be left alone now, soonest first, and counts them. A
// pause between two requests of at most usual is not worth mentioning. c has the hours of hosts.
func Waiting(ctx context.Context, f frontier.Frontier, c *crawler.Config, now time.Time,
	usual time.Duration) (sites []WaitingSite, n int, err error) {
	sites = []WaitingSite{} // in JSON a list, if nothing waits an empty one
	for s, err := range f.Sites(ctx) {
		if err != nil {
			return nil, 0, fmt.Errorf("list sites: %w", err)
		}
		reason := waitReason(s, now)
		if opens, _ := c.Opens(s.Site, now); opens.After(now) && !opens.Before(s.Due) {
			s.Due, reason = opens, string(crawler.ReasonHours)
		}
		if s.Queued+s.Retrying == 0 || !s.Due.After(now) || reason == "delay" && s.Due.Sub(now) <= usual {
			continue
		}
		n++
		sites = append(sites, WaitingSite{Site: s.Site, Until: s.Due, Reason: reason, Queued: s.Queued + s.Retrying})
		if len(sites) >= 2*maxWaiting {
			sites = soonest(sites)
		}
	}
	return soonest(sites), n, nil
}

func soonest(sites []WaitingSite) []WaitingSite {
	slices.SortFunc(sites, func(a, b WaitingSite) int {
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

// Read reads a report that a run of the job has written. One that a loss of power has emptied is none.
func Read(name string) (*Report, error) {
	data, err := os.ReadFile(name)
	if err == nil && len(data) == 0 {
		err = &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	if err != nil {
		return nil, err
	}
	r := &Report{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return r, nil
}

// Write replaces the file name by the report. The next one says more: it waits for no disk.
func (r *Report) Write(name string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return job.WriteDerived(name, append(data, '\n'))
}

// printUnlinked tells who crawls a site that scripts make why there are no more pages, or why these say nothing.
func printUnlinked(w io.Writer, r *Report, in translate.Language) {
	run, t := r.Run, r.Total
	refused := len(run.Reasons) > 0
	if r.State == Ended && len(run.Reasons) == 1 && run.Reasons[crawler.ReasonOutOfScope] > 0 {
		refused = len(r.Beyond) > 0 // if not, what the page needs is elsewhere, and no link
	}
	toItself := t.Pages == 1 && t.Known == 1+run.Requisites+Redirects(run) && !refused // as #/route does
	var hint string
	switch {
	case run.Pages == 0 || run.Pages != t.Pages:
		return
	case run.Links == 0 || toItself:
		hint = in.Say("no page has a link to others; those that only scripts make are not seen: seeds or --sitemaps lead there")
	case run.Links == run.Listed:
		hint = in.Say("no page has a link; what only scripts make of pages, links as well as texts, is not seen")
	default:
		return
	}
	printRow(w, "", hint)
}

// Print writes the report as text: the numbers, every reason with its count, and who is left waiting.
func (r *Report) Print(w io.Writer, in translate.Language) {
	row := func(label, text string) { printRow(w, label, text) }
	took := say.Span(seconds(r.Seconds))
	switch r.State {
	case Ended:
		row(in.Say("end"), in.Say("%s, after %s", r.endText(in), took))
	case Killed:
		row(in.Say("end"), in.Say("killed or crashed after %s; run the same command again to continue", took))
	case Running:
		row(in.Say("running"), in.Say("process %s, for %s: %s", fmt.Sprint(r.Process), took, lineOf(r, in)))
	default:
		row(in.Say("end"), in.Say("not yet begun"))
	}
	row(in.Say("requests"), in.Say("%d (%d for robots.txt%s%s)", r.Run.Requests, r.Run.Robots,
		unlessZero(r.Run.Sitemaps, in.Say(", %d for sitemaps", r.Run.Sitemaps)),
		unlessZero(r.Run.Requisites, in.Say(", %d for what pages need", r.Run.Requisites))))
	pages := in.Count(r.Run.Pages)
	if r.Run.Again > 0 {
		pages = in.Say("%d new, %d visited again", r.Run.Pages, r.Run.Again)
	}
	row(in.Say("pages"), in.Say("%s, %d stored, %s, %.1f/s", pages, r.Run.Stored, in.Bytes(r.Run.Bytes), r.Rate))
	if r.Run.Requisites > 0 {
		row(in.Say("needed"), in.Say("%d of images, styles and the like stored, which count as no pages", r.Run.Needed))
	}
	row(in.Say("links"), in.Say("%d found%s, %d new", r.Run.Links,
		unlessZero(r.Run.Sitemaps+r.Run.Listed, in.Say(", %d of them in sitemaps", r.Run.Listed)), r.Run.New))
	printUnlinked(w, r, in)
	printBeyond(w, r, in)
	t := r.Total
	row(in.Say("job"), t.Text(in))
	if d := r.Disk; d != nil {
		row(in.Say("disk"), in.Say("ledger %s in %s (%s of records), queue %s, list of pages %s", in.Bytes(d.Ledger),
			in.Say("%d files", d.LedgerFiles), in.Bytes(d.LedgerText), in.Bytes(d.Queue), in.Bytes(d.List)))
	}
	printCounts(w, in.Say("answers"), r.Run.Codes, in, func(code int) string { return fmt.Sprint(code) })
	printCounts(w, in.Say("reasons"), r.Run.Reasons, in, func(reason crawler.Reason) string { return string(reason) })
	if n := r.Run.Reasons[crawler.ReasonDepth]; n > 0 {
		row(in.Say("deeper"), in.Say("%s beyond the depth allowed, and what they lead to", in.Say("%d URLs", n)))
		row("", in.Say("%s takes them up, with a greater N", "crawl --depth N --job "+say.Argument(r.Job)))
	}
	if r.Run.Reasons[crawler.ReasonNofollowPage] > 0 && r.Run.New <= redirects(r.Run.Codes) && t.Known == t.Done {
		row("nofollow", in.Say("pages ask robots not to follow their links, and no others led further"))
		row("", in.Say("more seeds, or %s, may", "crawl --sitemaps"))
	}
	if t.Parked > 0 {
		row(in.Say("parked"), in.Say("%s of places that look endless", in.Say("%d URLs", t.Parked)))
		row("", in.Say("%s names them; %s takes them up",
			"cybermapper explain --traps --job "+say.Argument(r.Job), "crawl --release REGEXP"))
	}
	printTwins(w, r, in)
	printOptOut(w, r, in)
	printWaiting(w, r, in)
	if r.State != Running && r.ETA.Seconds > 0 {
		row(in.Say("left"), r.ETA.text(in))
	}
}

// Add adds what another job is.
func (t *Totals) Add(o Totals) {
	t.Known += o.Known
	t.Queued += o.Queued
	t.Retrying += o.Retrying
	t.Done += o.Done
	t.Refused += o.Refused
	t.Failed += o.Failed
	t.Pages += o.Pages
	t.Bytes += o.Bytes
	t.Sites += o.Sites
	t.Active += o.Active
	t.Parked += o.Parked
}

// Text tells the totals in a line.
func (t Totals) Text(in translate.Language) string {
	return in.Say("%d URLs known: %d done, %d refused, %d failed, %d queued, %d to be tried again; %s %s",
		t.Known, t.Done, t.Refused, t.Failed, t.Queued, t.Retrying, in.Say("%d pages", t.Pages), in.Say("of %d sites", t.Sites))
}

// labelWidth is the width of the first column of a summary.
const labelWidth = 10

// printRow writes a row of a summary.
func printRow(w io.Writer, label, text string) {
	fmt.Fprintf(w, "%s %s\n", say.Pad(label, labelWidth), text)
}

// unlessZero returns what is said of a number, if there is any.
func unlessZero(n int64, text string) string {
	if n == 0 {
		return ""
	}
	return text
}

// EndText says why a run ended, in English.
func (r *Report) EndText() string { return r.endText(translate.Language{}) }

func (r *Report) endText(in translate.Language) string {
	switch r.End {
	case crawler.EndDone:
		if r.Total.Parked > 0 {
			return in.Say("done, but for what is parked")
		}
		return in.Say("done: nothing is left to fetch")
	case crawler.EndWaiting:
		return in.Say("some hosts must wait; run the same command again later to continue")
	case crawler.EndInterrupted:
		return in.Say("interrupted; run the same command again to continue")
	case crawler.EndFailed:
		return in.Say("failed: %s", r.Error)
	}
	return in.Say("the limit %s is reached", string(r.End))
}

// redirects returns how many answers led on to another address.
func redirects(codes map[int]int64) (n int64) {
	for code, count := range codes {
		if code/100 == 3 && code != http.StatusNotModified {
			n += count
		}
	}
	return n
}

// printCounts prints one row per key, the most frequent first.
func printCounts[K cmp.Ordered](w io.Writer, label string, counts map[K]int64, in translate.Language, name func(K) string) {
	keys := slices.SortedFunc(maps.Keys(counts),
		func(a, b K) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	for _, k := range keys {
		printRow(w, label, fmt.Sprintf("%8s  %s", in.Count(counts[k]), name(k)))
		label = ""
	}
}

// shownWaiting is how many waiting sites a summary names.
const shownWaiting = 10

func printWaiting(w io.Writer, r *Report, in translate.Language) {
	if r.WaitingN == 0 {
		return
	}
	printRow(w, in.Say("waiting"), in.Say("%d sites", r.WaitingN))
	for _, s := range r.Waiting[:min(len(r.Waiting), shownWaiting)] {
		text := in.Say("%s until %s (in %s): %s", s.Site, s.Until.Local().Format(time.DateTime),
			say.Span(max(time.Until(s.Until), 0)), s.Reason)
		if s.Queued > 0 {
			text += in.Say(", %d queued", s.Queued)
		}
		printRow(w, "", text)
	}
	if more := r.WaitingN - shownWaiting; more > 0 {
		printRow(w, "", in.Say("and %d more, see %s", more, job.ReportFile))
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

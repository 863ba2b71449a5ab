package serve

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
)

// maxRows bounds the rows of a table of the live view.
const maxRows = 50

// A liveView is how a crawl stands, in words: what the page shows first, and what events bring it after that.
type liveView struct {
	State    string        `json:"state"`
	Note     string        `json:"note"`
	Tiles    []tile        `json:"tiles"`
	Refusals []reasonCount `json:"refusals"`
	Reasons  []reasonCount `json:"reasons"` // of what failed, was put off, or is another visit: no gate
	Codes    [][2]any      `json:"codes"`   // count, status
	Waiting  [][4]any      `json:"waiting"` // site, queued, until, why
	More     int           `json:"more"`    // waiting sites that are not listed
}

// A reasonCount is how often a reason was given.
type reasonCount struct {
	Count int64          `json:"count"`
	Gate  crawler.Gate   `json:"gate,omitempty"`
	Text  string         `json:"text"`
	Code  crawler.Reason `json:"code"`
}

type tile struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	Value string `json:"value"`
	Small string `json:"small"`
}

func liveOf(r *progress.Report) liveView {
	v := liveView{State: r.State, Note: r.EndText(), Tiles: []tile{
		{"pages", "Pages", say.Count(r.Total.Pages), say.Count(r.Run.Pages) + " in this run"},
		{"rate", "Pages per second", fmt.Sprintf("%.1f", r.Rate), rateOver(r.State)},
		{"queue", "Queued", say.Count(r.Total.Queued), say.Count(r.Total.Retrying) + " to be tried again"},
		{"known", "URLs known", say.Count(r.Total.Known), say.Count(r.Total.Done) + " done"},
		{"refused", "Refused", say.Count(r.Total.Refused), say.Count(r.Total.Parked) + " parked"},
		{"failed", "Failed", say.Count(r.Total.Failed), say.Count(r.Run.Retried) + " tried again in this run"},
		{"bytes", "Received", say.Bytes(r.Total.Bytes), say.Count(r.Run.Requests) + " requests in this run"},
		{"sites", "Sites", say.Count(r.Total.Sites), say.Count(r.WaitingN) + " waiting"},
	}}
	if r.Run.Again > 0 {
		v.Tiles[0].Small += ", " + say.Count(r.Run.Again) + " visited again"
	}
	switch {
	case r.State == "":
		v.State, v.Note = "new", "No run has said anything yet."
	case r.State == progress.Running:
		v.Note = "Running since " + r.Started.UTC().Format("2006-01-02 15:04 UTC") + ", process " + fmt.Sprint(r.Process) + "."
	case r.State == progress.Killed:
		v.Note = "It ended without a word; the same command goes on, and nothing is lost."
	}
	v.Refusals, v.Reasons = reasonCounts(r.Run.Reasons)
	v.Codes = rows(r.Run.Codes, func(code int) string {
		if text := http.StatusText(code); text != "" {
			return fmt.Sprint(code, " ", text)
		}
		return fmt.Sprint(code)
	})
	for _, site := range r.Waiting[:min(len(r.Waiting), maxRows)] {
		v.Waiting = append(v.Waiting, [4]any{
			say.Printable(site.Site), site.Queued, site.Until.UTC().Format("15:04:05 UTC, 2 January"), say.Printable(site.Reason),
		})
	}
	v.More = r.WaitingN - len(v.Waiting)
	return v
}

// rateOver says over which time the rate of a crawl is.
func rateOver(state string) string {
	if state == progress.Running {
		return "lately"
	}
	return "on average"
}

// reasonCounts parts reasons into those of refusals, by gate, and others; the most frequent first.
func reasonCounts(counts map[crawler.Reason]int64) (refusals, others []reasonCount) {
	for code, n := range counts {
		c := reasonCount{n, code.Gate(), say.Printable(say.Reason(code)), code}
		if c.Gate != "" {
			refusals = append(refusals, c)
		} else {
			others = append(others, c)
		}
	}
	gates := crawler.AllGates()
	order := func(a, b reasonCount) int {
		return cmp.Or(cmp.Compare(slices.Index(gates, a.Gate), slices.Index(gates, b.Gate)), cmp.Compare(b.Count, a.Count),
			cmp.Compare(a.Code, b.Code))
	}
	slices.SortFunc(refusals, order)
	slices.SortFunc(others, order)
	return refusals, others
}

// rows are the largest counts, the largest first.
func rows[K comparable](counts map[K]int64, name func(K) string) [][2]any {
	var list [][2]any
	for k, n := range counts {
		list = append(list, [2]any{n, say.Printable(name(k))})
	}
	slices.SortFunc(list, func(a, b [2]any) int {
		return cmp.Or(cmp.Compare(b[0].(int64), a[0].(int64)), cmp.Compare(a[1].(string), b[1].(string)))
	})
	return list[:min(len(list), maxRows)]
}

func (s *Server) livePage(w http.ResponseWriter, r *http.Request, j *shown) {
	report, err := j.status()
	if err != nil {
		s.broken(w, r, err)
		return
	}
	s.show(w, r, http.StatusOK, "live.tmpl", view{Title: "Crawl " + j.name, Here: "live", Job: j.name, Data: liveOf(report)})
}

// liveEvents sends how the crawl stands whenever it has said something new, as server-sent events.
func (s *Server) liveEvents(w http.ResponseWriter, r *http.Request, j *shown) {
	leave, ok := s.viewers.take()
	if !ok {
		w.Header().Set("Retry-After", "30")
		http.Error(w, "too many live views at once", http.StatusServiceUnavailable)
		return
	}
	defer leave()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx, as a proxy before us, would keep events until a buffer is full
	if r.Method == http.MethodHead {
		return
	}
	out := http.NewResponseController(w)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var last time.Time
	quiet := 0
	for {
		info, err := os.Stat(j.path(job.StatusFile))
		if err == nil && !info.ModTime().Equal(last) || quiet == 15 {
			report, err := j.status()
			if err != nil {
				return
			}
			text, err := json.Marshal(liveOf(report))
			if err != nil {
				return
			}
			if info != nil {
				last = info.ModTime()
			}
			quiet = 0
			if _, err := fmt.Fprintf(w, "data: %s\n\n", text); err != nil || out.Flush() != nil {
				return
			}
		}
		quiet++
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
		}
	}
}

package serve

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
)

func answerJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.Encode(value) // to somebody who may be gone
}

// zapAddress is where a request came from.
func zapAddress(r *http.Request) zap.Field {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return zap.String("address", host)
}

func (s *Server) apiJobs(w http.ResponseWriter, _ *http.Request) {
	var list []map[string]any
	for _, j := range s.jobs {
		one := map[string]any{"job": j.name}
		if r, err := j.status(); err != nil {
			one["error"] = err.Error()
		} else {
			one["state"], one["pages"], one["queued"] = r.State, r.Total.Pages, r.Total.Queued
		}
		list = append(list, one)
	}
	answerJSON(w, http.StatusOK, list)
}

func (s *Server) apiStatus(w http.ResponseWriter, r *http.Request, j *shown) {
	report, err := j.status()
	if err != nil {
		s.broken(w, r, err)
		return
	}
	answerJSON(w, http.StatusOK, report)
}

// ready says whether every job can be read; which one cannot, and why, to visitors that may know.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	for _, j := range s.jobs {
		if _, err := j.status(); err != nil {
			text := "not ready"
			if s.o.Token == "" || s.guard.knownVisitor(r) {
				text = j.name + ": " + err.Error()
			}
			http.Error(w, text, http.StatusServiceUnavailable)
			return
		}
	}
	fmt.Fprintln(w, "ok")
}

// A metric is one family in the text format of Prometheus.
type metric struct {
	name, typ, help string
	samples         []string
}

func (m *metric) add(value any, labels ...string) {
	var b strings.Builder
	for i := 0; i+1 < len(labels); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `%s="%s"`, labels[i], labelText.Replace(strings.ToValidUTF8(labels[i+1], "\uFFFD")))
	}
	m.samples = append(m.samples, fmt.Sprintf("%s{%s} %v", m.name, b.String(), value))
}

// labelText writes in labels what means something there as Prometheus reads it, which knows no other escapes.
var labelText = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// metrics answers in the text format of Prometheus. Labels are jobs, statuses and reasons: their number does not grow with the
// crawl.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	up := &metric{name: "cybermapper_up", typ: "gauge", help: "Whether the job can be read."}
	running := &metric{name: "cybermapper_running", typ: "gauge", help: "Whether a process works on the job."}
	urls := &metric{name: "cybermapper_urls", typ: "gauge", help: "URLs of the job by state."}
	pages := &metric{name: "cybermapper_pages", typ: "gauge", help: "Pages of the job, over all runs."}
	received := &metric{name: "cybermapper_received_bytes", typ: "gauge", help: "Bytes received by the job, over all runs."}
	sites := &metric{name: "cybermapper_sites", typ: "gauge", help: "Sites of the job by state."}
	requests := &metric{name: "cybermapper_requests_total", typ: "counter", help: "Requests of this run by purpose."}
	responses := &metric{name: "cybermapper_responses_total", typ: "counter", help: "Answers of this run by status."}
	refused := &metric{name: "cybermapper_not_fetched_total", typ: "counter",
		help: "URLs of this run not fetched, or failed, by reason."}
	shared := newPartitionMetrics()
	size := &metric{name: "cybermapper_index_bytes", typ: "gauge", help: "Size of the search index."}
	for _, j := range s.jobs {
		r, err := j.status()
		if err != nil {
			up.add(0, "job", j.name)
			continue
		}
		up.add(1, "job", j.name)
		state := 0
		if r.State == progress.Running {
			state = 1
		}
		running.add(state, "job", j.name)
		for _, u := range []struct {
			state string
			n     int64
		}{
			{"queued", r.Total.Queued}, {"retrying", r.Total.Retrying}, {"done", r.Total.Done}, {"refused", r.Total.Refused},
			{"failed", r.Total.Failed},
		} {
			urls.add(u.n, "job", j.name, "state", u.state)
		}
		pages.add(r.Total.Pages, "job", j.name)
		received.add(r.Total.Bytes, "job", j.name)
		sites.add(r.Total.Sites, "job", j.name, "state", "known")
		sites.add(r.WaitingN, "job", j.name, "state", "waiting")
		requests.add(r.Run.Requests-r.Run.Robots-r.Run.Sitemaps-r.Run.Requisites, "job", j.name, "purpose", "page")
		requests.add(r.Run.Robots, "job", j.name, "purpose", "robots")
		requests.add(r.Run.Sitemaps, "job", j.name, "purpose", "sitemap")
		requests.add(r.Run.Requisites, "job", j.name, "purpose", "requisite")
		for _, code := range slices.Sorted(maps.Keys(r.Run.Codes)) {
			responses.add(r.Run.Codes[code], "job", j.name, "status", fmt.Sprint(code))
		}
		for _, reason := range slices.Sorted(maps.Keys(r.Run.Reasons)) {
			refused.add(r.Run.Reasons[reason], "job", j.name, "reason", string(reason))
		}
		if r.State == progress.Running {
			shared.add(j.name, r.Partitions)
		}
		if info, err := os.Stat(j.path(job.IndexFile)); err == nil {
			size.add(info.Size(), "job", j.name)
		}
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	all := []*metric{up, running, urls, pages, received, sites, requests, responses, refused, size}
	for _, m := range append(all, shared.all()...) {
		if len(m.samples) > 0 {
			fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n%s\n", m.name, m.help, m.name, m.typ, strings.Join(m.samples, "\n"))
		}
	}
}

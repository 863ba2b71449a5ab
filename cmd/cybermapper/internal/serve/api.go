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

// families are the metrics that Prometheus is told of, in this order. A job of many nodes has as many labels as partitions, whose
// number is fixed.
var families = []struct{ name, typ, help string }{
	{"up", "gauge", "Whether the job can be read."},
	{"running", "gauge", "Whether a process works on the job."},
	{"urls", "gauge", "URLs of the job by state."},
	{"pages", "gauge", "Pages of the job, over all runs."},
	{"received_bytes", "gauge", "Bytes received by the job, over all runs."},
	{"sites", "gauge", "Sites of the job by state."},
	{"requests_total", "counter", "Requests of this run by purpose."},
	{"responses_total", "counter", "Answers of this run by status."},
	{"not_fetched_total", "counter", "URLs of this run not fetched, or failed, by reason."},
	{"index_bytes", "gauge", "Size of the search index."},
	{"partition_urls", "gauge", "URLs of an owned partition by state."},
	{"partition_epoch", "gauge", "Epoch of an owned partition."},
	{"partition_lease_age_seconds", "gauge", "Time since its lease was renewed."},
	{"partition_urls_per_second", "gauge", "URLs settled in it, of late."},
}

// samples are lines in the text format of Prometheus, by the names of their families.
type samples map[string][]string

func (s samples) add(family string, value any, labels ...string) {
	var b strings.Builder
	for i := 0; i+1 < len(labels); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `%s="%s"`, labels[i], labelText.Replace(strings.ToValidUTF8(labels[i+1], "\uFFFD")))
	}
	s[family] = append(s[family], fmt.Sprintf("cybermapper_%s{%s} %v\n", family, b.String(), value))
}

// labelText writes in labels what means something there as Prometheus reads it, which knows no other escapes.
var labelText = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// metrics answers in the text format of Prometheus. Labels are jobs, statuses and reasons: their number does not grow with the
// crawl.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	all := samples{}
	for _, j := range s.jobs {
		r, err := j.status()
		if err != nil {
			all.add("up", 0, "job", j.name)
			continue
		}
		all.addJob(j, r)
		if info, err := os.Stat(j.path(job.IndexFile)); err == nil {
			all.add("index_bytes", info.Size(), "job", j.name)
		}
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	for _, f := range families {
		if len(all[f.name]) > 0 {
			fmt.Fprintf(w, "# HELP cybermapper_%s %s\n# TYPE cybermapper_%s %s\n%s", f.name, f.help, f.name, f.typ,
				strings.Join(all[f.name], ""))
		}
	}
}

// addJob adds what a job last said of itself.
func (s samples) addJob(j *shown, r *progress.Report) {
	add := func(family string, value any, labels ...string) {
		s.add(family, value, append([]string{"job", j.name}, labels...)...)
	}
	state := 0
	if r.State == progress.Running {
		state = 1
	}
	add("up", 1)
	add("running", state)
	add("urls", r.Total.Queued, "state", "queued")
	add("urls", r.Total.Retrying, "state", "retrying")
	add("urls", r.Total.Done, "state", "done")
	add("urls", r.Total.Refused, "state", "refused")
	add("urls", r.Total.Failed, "state", "failed")
	add("pages", r.Total.Pages)
	add("received_bytes", r.Total.Bytes)
	add("sites", r.Total.Sites, "state", "known")
	add("sites", r.WaitingN, "state", "waiting")
	add("requests_total", r.Run.Requests-r.Run.Robots-r.Run.Sitemaps-r.Run.Requisites, "purpose", "page")
	add("requests_total", r.Run.Robots, "purpose", "robots")
	add("requests_total", r.Run.Sitemaps, "purpose", "sitemap")
	add("requests_total", r.Run.Requisites, "purpose", "requisite")
	for _, code := range slices.Sorted(maps.Keys(r.Run.Codes)) {
		add("responses_total", r.Run.Codes[code], "status", fmt.Sprint(code))
	}
	for _, reason := range slices.Sorted(maps.Keys(r.Run.Reasons)) {
		add("not_fetched_total", r.Run.Reasons[reason], "reason", string(reason))
	}
	if r.State != progress.Running {
		return
	}
	for _, o := range r.Partitions {
		number := fmt.Sprint(o.Partition)
		add("partition_urls", o.Total.Queued, "partition", number, "state", "queued")
		add("partition_urls", o.Total.Retrying, "partition", number, "state", "retrying")
		add("partition_urls", o.Total.Done, "partition", number, "state", "done")
		add("partition_epoch", o.Epoch, "partition", number)
		add("partition_lease_age_seconds", o.LeaseAge, "partition", number)
		add("partition_urls_per_second", o.Rate, "partition", number)
	}
}

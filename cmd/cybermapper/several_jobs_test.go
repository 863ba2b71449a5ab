package main

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// proofOf returns what verify finds of jobs.
func proofOf(t *testing.T, args ...string) verify.Report {
	t.Helper()
	_, out := runArgs(t, append([]string{"verify", "--json"}, args...)...)
	var r verify.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return r
}

// Two crawls that ask the same site at once are each proven alone, and refuted together: what each cannot know is in the other's
// ledger.
func TestSeveralJobs_AtOnce(t *testing.T) {
	var met sync.WaitGroup
	met.Add(2)
	first := func(w http.ResponseWriter, _ *http.Request) {
		met.Done()
		met.Wait() // both are here
		time.Sleep(50 * time.Millisecond)
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(`<a href="/a">a</a>`))
	}
	site := webtest.New(t).Site(webtest.Pages{"/": {Handler: http.HandlerFunc(first)}, "/a": {Body: "a"}})
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	var crawls sync.WaitGroup
	for _, job := range []string{a, b} {
		crawls.Go(func() {
			mustRun(t, "crawl", "--allow-private", "--quiet", "--delay", "20ms", "--job", job, site.URL+"/")
		})
	}
	crawls.Wait()
	for _, job := range []string{a, b} {
		if r := proofOf(t, "--job", job); r.Verdict != verify.Proven {
			t.Errorf("%s alone is %s", job, r.Verdict)
		}
	}
	r := proofOf(t, "--job", dir, "--clock-drift", "0")
	for _, name := range []verify.Name{verify.Gaps, verify.Alone, verify.Once} {
		if p := r.Promise(name); p.Verdict != verify.Refuted || p.Findings[0].Job == "" {
			t.Errorf("%s is %s together: %v", name, p.Verdict, p.Findings)
		}
	}
	for _, name := range []verify.Name{verify.Chain, verify.Allowed, verify.Decided, verify.Pages, verify.Listed} {
		if p := r.Promise(name); p.Verdict != verify.Proven {
			t.Errorf("%s is %s together: %v", name, p.Verdict, p.Findings)
		}
	}
}

// Two crawls of two parts of a site in turn keep together what one crawl would have.
func TestSeveralJobs_InTurn(t *testing.T) {
	site := webtest.New(t).Site(webtest.Pages{"/a/": {Body: `<a href="/a/1">1</a>`}, "/a/1": {Body: "1"}, "/b/": {Body: "b"}})
	dir := t.TempDir()
	for _, part := range []string{"a", "b"} {
		mustRun(t, "crawl", "--allow-private", "--quiet", "--delay", "20ms", "--scope", "prefix", "--job", filepath.Join(dir, part), site.URL+"/"+part+"/")
		time.Sleep(300 * time.Millisecond)
	}
	r := proofOf(t, "--job", dir)
	if r.Verdict != verify.Proven || len(r.Jobs) != 2 || r.Drift != 100*time.Millisecond {
		t.Errorf("%+v", r)
	}
}

// A backup beside a job is no second crawl: what it tells is not held against the job.
func TestSeveralJobs_ACopy(t *testing.T) {
	t.Parallel()
	site := webtest.New(t).Site(webtest.Pages{"/": {Body: "a"}})
	dir := t.TempDir()
	a, backup := filepath.Join(dir, "a"), filepath.Join(dir, "a.bak")
	mustRun(t, "crawl", "--allow-private", "--quiet", "--job", a, site.URL+"/")
	filetest.Copy(t, backup, a)
	mustRun(t, "crawl", "--allow-private", "--quiet", "--again=all", "--job", a)
	code, out := runArgs(t, "verify", "--job", dir)
	if want := "one job is a copy of the other"; code != 2 || !strings.Contains(out, want) {
		t.Errorf("verify exits with %d and says %s\nwant 2 and %q", code, out, want)
	}
}

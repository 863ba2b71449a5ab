package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// TestOptOut_WhileTheCrawlRuns lets a site ask to be left alone in the middle of its crawl: when the job has written that
// down, nothing more is asked for.
func TestOptOut_WhileTheCrawlRuns(t *testing.T) {
	dir := t.TempDir()
	list, job := filepath.Join(dir, "out.txt"), filepath.Join(dir, "job")
	write := func(text string) {
		if err := os.WriteFile(list, []byte(text), 0o666); err != nil {
			t.Error(err)
		}
	}
	write("")
	site := webtest.New(t).Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			for i := range 20 {
				fmt.Fprintf(w, `<a href="/%d.html">%[1]d</a>`, i)
			}
		case "/3.html": // its answer comes when the opt-out holds
			write("127.0.0.0/8\n")
			for kept := ""; !strings.Contains(kept, "127.0.0.0/8") && r.Context().Err() == nil; time.Sleep(5 * time.Millisecond) {
				text, _ := os.ReadFile(filepath.Join(job, "optout.txt"))
				kept = string(text)
			}
		}
	}))
	said := mustRun(t, "crawl", "--job", job, "--allow-private", "--delay", "1ms", "--delay-factor", "0", "--opt-out", list, site.URL+"/")
	if hits := site.Hits(); hits[len(hits)-1].Path != "/3.html" {
		t.Errorf("%s was asked for after the opt-out held", hits[len(hits)-1].Path)
	}
	if want := "opt-out: 127.0.0.0/8 left alone from now on"; !strings.Contains(said, want) {
		t.Errorf("the crawl does not say %q:\n%s", want, said)
	}
	mustBeProven(t, job)
}

// Promise 3: of the URLs given to a crawl that is killed again and again each that was acknowledged is visited, and none more
// often than that explains.
func TestPromise_SubmissionsSurviveKill9(t *testing.T) {
	if testing.Short() {
		t.Skip("what it runs at the same time, others run too")
	}
	t.Parallel()
	const submissions = 40
	site := webtest.New(t).Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
		}
	}))
	job := filepath.Join(t.TempDir(), "job")
	crawl := []string{"crawl", "--job", job, "--allow-private", "--quiet", "--delay", "25ms", "--delay-factor", "0", site.URL + "/"}
	runAndKill(t, crawl, false)

	var submitted atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range submissions {
			code, out := runArgs(t, "submit", "--job", job, "--wait", "1m", fmt.Sprintf("%s/%d.html", site.URL, i))
			if code != cli.ExitDone {
				t.Errorf("submit %d: exit code %d\n%s", i, code, out)
				return
			}
			submitted.Add(1)
		}
	}()
	kills := 0
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		if killed, err := startAndKill(t, crawl, kills < 15); killed {
			kills++
		} else if err != nil && !strings.Contains(err.Error(), "in use") { // by the submission
			t.Fatal(err)
		}
	}
	<-done
	runAndKill(t, crawl, false)
	hits := site.Hits()
	for i := range submitted.Load() {
		if hits.Count(fmt.Sprintf("/%d.html", i)) == 0 {
			t.Errorf("/%d.html was acknowledged, and never asked for", i)
		}
	}
	if asked := len(hits) - hits.Count("/robots.txt"); asked > 1+submissions+2*kills { // one under way, one being settled
		t.Errorf("%d requests for %d pages after %d kills", asked, 1+submissions, kills)
	}
	mustBeProven(t, job)
}

func mustBeProven(t *testing.T, job string) {
	t.Helper()
	for _, command := range []string{"check", "verify"} {
		mustRun(t, command, "--job", job)
	}
}

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// Promise 3: a crawl that is killed at random moments, and started again until it is done, balances the books: every page is
// on disk, nothing that was forbidden was asked for, nothing was asked for again but what was in flight, and no gap was too
// short, restarts included.
func TestPromise_NothingIsLostByKill9(t *testing.T) {
	t.Parallel()
	const delay = 25 * time.Millisecond
	web := webtest.New(t)
	bench := web.Bench(webtest.BenchShape{Hosts: 6, Pages: 150, PageBytes: 4000, Links: 20, Logged: true})
	seeds := filepath.Join(t.TempDir(), "seeds")
	if err := os.WriteFile(seeds, []byte(strings.Join(bench.Seeds(), "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	job := filepath.Join(t.TempDir(), "job")
	args := []string{
		"crawl", "--seeds", seeds, "--job", job, "--allow-private", "--quiet",
		"--delay", delay.String(), "--delay-factor", "0", "--patience", "10s",
	}
	kills := 0
	for deadline := time.Now().Add(2 * time.Minute); ; kills++ {
		if time.Now().After(deadline) {
			t.Fatal("the crawl does not come to an end")
		}
		if killed := runAndKill(t, args, kills < 12); !killed {
			break
		}
	}
	if kills < 3 {
		t.Errorf("killed %d times only; the test does not test much", kills)
	}
	checkBooks(t, bench, web.Log(), job, kills, delay)
}

// runAndKill runs the command, kills it after a random time if asked to, and reports whether it did. Otherwise the command
// must end well.
func runAndKill(t *testing.T, args []string, kill bool) bool {
	t.Helper()
	killed, err := startAndKill(t, args, kill)
	if err != nil {
		t.Fatal(err)
	}
	return killed
}

// startAndKill is runAndKill for a command that may fail.
func startAndKill(t *testing.T, args []string, kill bool) (killed bool, err error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.Command(self)
	cmd.Args = append([]string{"cybermapper"}, args...)
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	var after <-chan time.Time
	if kill {
		after = time.After(time.Duration(60+rand.IntN(500)) * time.Millisecond)
	}
	select {
	case <-after:
		cmd.Process.Kill()
		<-done
		return true, nil
	case err := <-done:
		if err != nil {
			err = fmt.Errorf("cybermapper %s: %w\n%s", strings.Join(args, " "), err, &stderr)
		}
		return false, err
	}
}

func checkBooks(t *testing.T, bench *webtest.Bench, log webtest.Hits, job string, kills int, delay time.Duration) {
	t.Helper()
	stored := map[string]int{}
	f, err := os.Open(filepath.Join(job, "pages", "pages.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var line struct{ URL string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("pages.jsonl: %v in %q", err, lines.Text())
		}
		stored[line.URL]++
	}
	for url := range bench.URLs() {
		if stored[url] != 1 {
			t.Errorf("%s has %d lines in pages.jsonl, want 1", url, stored[url])
		}
	}
	asked := 0
	for _, h := range log {
		if strings.HasPrefix(h.Path, "/private/") {
			t.Errorf("forbidden %s was asked for", h.URL())
		}
		if h.Path != "/robots.txt" {
			asked++
		}
	}
	if again, most := asked-bench.Total(), kills*bench.Shape.Hosts; again > most {
		t.Errorf("%d pages were asked for again after %d kills, want at most what was in flight: %d", again, kills, most)
	}
	for site, hits := range log.BySite() {
		if n := webtest.MaxInFlight(hits); n > 1 {
			t.Errorf("%s: %d requests in flight at once, want 1", site, n)
		}
		if gap := webtest.MinGap(hits); gap < delay {
			t.Errorf("%s: shortest gap %v, want at least %v", site, gap, delay)
		}
	}
	mustBeProven(t, job)
}

// configured returns the name of a configuration file.
func configured(t *testing.T, settings string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(name, []byte(settings), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

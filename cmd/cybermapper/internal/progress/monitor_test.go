package progress

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
)

// watched runs a Monitor for d, in a bubble, over a crawl that fetches a page a second and has found everything after a minute.
func watched(t *testing.T, d time.Duration, change func(m *Monitor)) (output string, last *Report) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		start := time.Now()
		elapsed := func() int64 { return int64(time.Since(start) / time.Second) }
		m := &Monitor{
			Screen: NewScreen(&out, false), File: t.TempDir() + "/status.json",
			Status: func() crawler.Status {
				return crawler.Status{Started: start, Elapsed: time.Since(start), Pages: elapsed(), New: min(elapsed(), 60) * 3}
			},
			Stats: func(context.Context) (frontier.Stats, error) {
				return frontier.Stats{Queued: 180 - elapsed(), Pages: elapsed(), Waiting: 2, Leased: 1}, nil
			},
		}
		change(m)
		ctx, cancel := context.WithTimeout(t.Context(), d)
		defer cancel()
		var wg sync.WaitGroup
		wg.Go(func() { m.Watch(ctx) })
		wg.Wait()
		var err error
		if last, err = Read(m.File); err != nil {
			t.Fatal(err)
		}
		output = out.String()
	})
	return output, last
}

func TestMonitorPrintsPlainLinesWithoutATerminal(t *testing.T) {
	out, last := watched(t, 35*time.Second, func(*Monitor) {})
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 3 || lines[2] != "30 pages  1.0/s  150 queued on 3 sites" {
		t.Errorf("lines %q, want one every %s", lines, plainEvery)
	}
	if last.State != Running || last.Process != os.Getpid() || last.Run.Pages != 34 {
		t.Errorf("status.json after 35s: %+v", last)
	}
}

func TestMonitorQuietAndJSON(t *testing.T) {
	if out, _ := watched(t, 35*time.Second, func(m *Monitor) { m.Quiet = true }); out != "" {
		t.Errorf("quiet, but printed %q", out)
	}
	out, _ := watched(t, 35*time.Second, func(m *Monitor) { m.JSON = true })
	if n := strings.Count(out, `{"format":`); n != 3 || strings.Count(out, "\n") != 3 {
		t.Errorf("%d JSON objects, want 3 lines of them:\n%s", n, out)
	}
}

// The end is foretold when it can be known: by a limit, or once no new links turn up.
func TestMonitorETA(t *testing.T) {
	if _, last := watched(t, 50*time.Second, func(*Monitor) {}); last.ETA != 0 {
		t.Errorf("while new links are found: ETA %vs, want none", last.ETA)
	}
	if _, last := watched(t, 99*time.Second, func(*Monitor) {}); last.ETA != 180-98 {
		t.Errorf("when no new links are found: ETA %vs, want %d", last.ETA, 180-98)
	}
	if _, last := watched(t, 51*time.Second, func(m *Monitor) { m.Limits.Pages = 60 }); last.ETA != 10 {
		t.Errorf("10 pages from the limit: ETA %vs, want 10", last.ETA)
	}
	if _, last := watched(t, 51*time.Second, func(m *Monitor) { m.Limits.Time = 55 * time.Second }); last.ETA != 5 {
		t.Errorf("5s from the limit: ETA %vs, want 5", last.ETA)
	}
}

func TestMonitorNamesRestingSitesUntilTheyAreDue(t *testing.T) {
	out, _ := watched(t, 35*time.Second, func(m *Monitor) {
		m.Rest(crawler.Rest{Site: "a.example", Until: time.Now().Add(25 * time.Second), Reason: crawler.ReasonBusy})
		m.Rest(crawler.Rest{Site: "b.example", Until: time.Now().Add(15 * time.Second), Reason: crawler.ReasonDNS})
	})
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i, want := range []string{"2 resting (dns 1, too-many-requests 1)", "1 resting (too-many-requests)", "queued on 3 sites"} {
		if !strings.HasSuffix(lines[i], want) {
			t.Errorf("line %d is %q, want the end %q", i, lines[i], want)
		}
	}
}

func TestScreenWritesAboveItsLine(t *testing.T) {
	var out bytes.Buffer
	s := NewScreen(&out, false)
	s.terminal = os.Stderr // whatever it is; only asked for its size
	s.Keep("first")
	if _, err := s.Write([]byte("log\n")); err != nil {
		t.Fatal(err)
	}
	s.Keep("")
	if _, err := s.Write([]byte("more\n")); err != nil {
		t.Fatal(err)
	}
	want := "\r\x1b[Kfirst" + "\r\x1b[Klog\nfirst" + "\r\x1b[K" + "more\n"
	if out.String() != want {
		t.Errorf("screen wrote %q, want %q", out.String(), want)
	}
}

package progress

import (
	"bytes"
	"context"
	"iter"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
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
				return crawler.Status{Started: start, Elapsed: time.Since(start),
					Counts: crawler.Counts{Pages: elapsed(), New: min(elapsed(), 60) * 3}}
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
	if len(lines) != 3 || lines[2] != "30 pages  1.0/s  150 queued on 3 sites  ETA at least 2m30s (150 URLs at 1.0 pages/s)" {
		t.Errorf("lines %q, want one every %s", lines, plainEvery)
	}
	if last.State != Running || last.Process != os.Getpid() || last.Run.Pages != 34 {
		t.Errorf("status.json after 35s: %+v", last)
	}
}

// A crawl that visits pages again goes on as fast as one that finds them, and comes no closer to a limit of pages.
func TestMonitorCountsWhatIsVisitedAgain(t *testing.T) {
	out, last := watched(t, 31*time.Second, func(m *Monitor) {
		status := m.Status
		m.Status = func() crawler.Status {
			s := status()
			s.Pages, s.New, s.Again = 1, 0, s.Pages
			return s
		}
		m.Limits.Pages = 100
	})
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if want := "1 new, 30 visited again  1.0/s  150 queued on 3 sites  ETA 2m30s (150 URLs at 1.0 pages/s)"; lines[len(lines)-1] != want {
		t.Errorf("lines %q, want %q at the end", lines, want)
	}
	if last.Run.Again != 30 {
		t.Errorf("status.json after 31s: %+v", last)
	}
}

func TestMonitorSpeaksTheLanguageOfTheReader(t *testing.T) {
	out, _ := watched(t, 11*time.Second, func(m *Monitor) { m.Language, _ = translate.In("ru_RU.UTF-8") })
	if want := "10 страниц  1,0/с  в очереди 170 (3 сайта)"; !strings.HasPrefix(out, want) {
		t.Errorf("line %q, want it to begin with %q", out, want)
	}
}

func TestMonitorQuietAndJSON(t *testing.T) {
	if out, _ := watched(t, 35*time.Second, func(m *Monitor) { m.Quiet = true }); out != "" {
		t.Errorf("quiet, but printed %q", out)
	}
	out, _ := watched(t, 35*time.Second, func(m *Monitor) { m.Screen.Log(true, "") })
	if n := strings.Count(out, `{"format":`); n != 3 || strings.Count(out, "\n") != 3 {
		t.Errorf("%d JSON objects, want 3 lines of them:\n%s", n, out)
	}
}

// The end is foretold with its reason: the rate, a limit, or the slowest site; and "at least" while new links turn up.
func TestMonitorETA(t *testing.T) {
	slow := func(rest time.Duration) func(m *Monitor) {
		return func(m *Monitor) {
			end := time.Now().Add(1000 * time.Second) // the queue of the site shrinks as it is worked on
			m.Pace = func(frontier.SiteInfo) time.Duration { return 10 * time.Second }
			m.Sites = sitesOf(func() []frontier.SiteInfo {
				s := frontier.SiteInfo{Site: "slow.example", Queued: int64(time.Until(end) / (10 * time.Second))}
				if rest > 0 {
					s.Due, s.Policy.BlockedUntil, s.Policy.BlockReason = time.Now().Add(rest), time.Now().Add(rest), "unavailable"
				}
				return []frontier.SiteInfo{{Site: "quick.example", Queued: 1}, s, {Site: "done.example", Done: 10_000}}
			})
		}
	}
	steady := func(pages int64) func(m *Monitor) { // so many pages in 20 s, and a site that needs 90 s for the rest
		return func(m *Monitor) {
			start := time.Now()
			m.Pace = func(frontier.SiteInfo) time.Duration { return 10 * time.Second }
			m.Sites = sitesOf(func() []frontier.SiteInfo { return []frontier.SiteInfo{{Site: "slow.example", Queued: 9}} })
			m.Status = func() crawler.Status {
				return crawler.Status{Elapsed: time.Since(start),
					Counts: crawler.Counts{Pages: pages * int64(time.Since(start)/time.Second) / 20}}
			}
			m.Stats = func(context.Context) (frontier.Stats, error) { return frontier.Stats{Queued: 1000}, nil }
		}
	}
	// So many URLs that robots.txt closes with each page, and one site at 1 s a page. Its queue stands still, so what is left
	// must be long beside the time since the last look.
	closed := func(each, queued int64) func(m *Monitor) {
		return func(m *Monitor) {
			start := time.Now()
			m.Pace = func(frontier.SiteInfo) time.Duration { return time.Second }
			m.Sites = sitesOf(func() []frontier.SiteInfo { return []frontier.SiteInfo{{Site: "wiki.example", Queued: queued}} })
			m.Status = func() crawler.Status {
				pages := int64(time.Since(start) / time.Second)
				return crawler.Status{Elapsed: time.Since(start),
					Counts: crawler.Counts{Pages: pages, Reasons: map[crawler.Reason]int64{crawler.ReasonDisallowed: each * pages}}}
			}
			m.Stats = func(context.Context) (frontier.Stats, error) { return frontier.Stats{Queued: queued}, nil }
		}
	}
	tests := []struct {
		name   string
		after  time.Duration
		change func(m *Monitor)
		want   ETA
	}{
		{"while new links are found", 51 * time.Second, func(*Monitor) {}, ETA{Seconds: 130, AtLeast: true, Why: "130 URLs at 1.0 pages/s"}},
		{"when none are", 99 * time.Second, func(*Monitor) {}, ETA{Seconds: 82, Why: "82 URLs at 1.0 pages/s"}},
		{"10 pages from a limit", 51 * time.Second, func(m *Monitor) { m.Limits.Pages = 60 }, ETA{Seconds: 10, Why: "max-pages at 1.0 pages/s"}},
		{"5s from a limit", 51 * time.Second, func(m *Monitor) { m.Limits.Time = 55 * time.Second }, ETA{Seconds: 5, Why: "max-time"}},
		{"no page yet", 2 * time.Second, func(m *Monitor) { m.Status = func() crawler.Status { return crawler.Status{} } },
			ETA{Why: "no page was fetched recently"}},
		{"nothing queued", 99 * time.Second, func(m *Monitor) {
			m.Stats = func(context.Context) (frontier.Stats, error) { return frontier.Stats{}, nil }
		}, ETA{Why: "the queue is empty, and the last pages may bring links"}},
		{"a site whose pages are closed, but for one in four", 61 * time.Second, closed(3, 1000), ETA{Seconds: 250, Site: "wiki.example",
			Why: "wiki.example: 1,000 URLs, 75 % of them closed by robots.txt, at 1s a page"}},
		{"a site whose pages are closed, but for one in a hundred", 61 * time.Second, closed(99, 10_000), ETA{Seconds: 100, Site: "wiki.example",
			Why: "wiki.example: 10,000 URLs, 99 % of them closed by robots.txt, at 1s a page"}},
		{"a rate that is measured well", 61 * time.Second, steady(40), ETA{Seconds: 500, Why: "1,000 URLs at 2.0 pages/s"}},
		{"a rate of few pages", 61 * time.Second, steady(10), ETA{Seconds: 90, Why: "slow.example: 9 URLs at 10s a page", Site: "slow.example"}},
		{"a slow site", 101 * time.Second, slow(0), ETA{Seconds: 895, Why: "slow.example: 90 URLs at 10s a page", Site: "slow.example"}},
		{"a site that rests", 101 * time.Second, slow(time.Hour),
			ETA{Seconds: 4495, Why: "slow.example rests for 1h (unavailable), then 90 URLs at 10s a page", Site: "slow.example"}},
	}
	for _, tt := range tests {
		_, last := watched(t, tt.after, tt.change)
		got := last.ETA
		got.Why = strings.Replace(got.Why, "59m55s", "1h", 1)
		if got.Seconds < tt.want.Seconds-6 || got.Seconds > tt.want.Seconds+6 || got.Why != tt.want.Why || got.AtLeast != tt.want.AtLeast || got.Site != tt.want.Site {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// sitesOf iterates over what f returns.
func sitesOf(f func() []frontier.SiteInfo) func(context.Context) iter.Seq2[frontier.SiteInfo, error] {
	return func(context.Context) iter.Seq2[frontier.SiteInfo, error] {
		return func(yield func(frontier.SiteInfo, error) bool) {
			for _, s := range f() {
				if !yield(s, nil) {
					return
				}
			}
		}
	}
}

// The pace of a site is the time from the end of a request to the end of the next, without what nobody owed.
func TestMonitorMeasuresPace(t *testing.T) {
	m := &Monitor{Pace: func(frontier.SiteInfo) time.Duration { return time.Minute }}
	at := time.Now()
	request := func(kept, owed, took time.Duration) {
		m.Request(crawler.Request{Site: "a.example", LastEnd: at, Owed: owed, Start: at.Add(kept), End: at.Add(kept + took)})
	}
	request(3*time.Second, 3*time.Second, time.Second)
	if got := m.pace(frontier.SiteInfo{Site: "a.example"}); got != 4*time.Second {
		t.Errorf("pace %v, want 4s", got)
	}
	request(time.Hour, 3*time.Second, time.Second)
	if got := m.pace(frontier.SiteInfo{Site: "a.example"}); got != 4500*time.Millisecond {
		t.Errorf("pace after an hour without work %v, want 4.5s", got)
	}
	if got := m.pace(frontier.SiteInfo{Site: "b.example"}); got != time.Minute {
		t.Errorf("pace of a site that was not measured %v, want the usual one", got)
	}
}

// A fast site whose requests wait once for a disk, or that begins with sitemaps, is not taken for a slow one.
func TestMonitorMeasuresPaceOfFastSite(t *testing.T) {
	m := &Monitor{}
	at := time.Now()
	request := func(took time.Duration) {
		m.Request(crawler.Request{Site: "a.example", Start: at, End: at.Add(took), LastEnd: at})
		at = at.Add(took)
	}
	request(5 * time.Second)
	for range 20_000 {
		request(2 * time.Millisecond)
	}
	request(100 * time.Millisecond)
	if got := m.pace(frontier.SiteInfo{Site: "a.example"}); got < 2*time.Millisecond || got > 3*time.Millisecond {
		t.Errorf("pace %v, want that of nearly all requests, 2ms", got)
	}
}

// A site whose first answers took no time, as by a clock that is coarse, is not taken for one that never takes any.
func TestMonitorMeasuresPaceAfterNone(t *testing.T) {
	at := time.Now()
	for _, first := range []time.Duration{0, time.Microsecond} {
		m := &Monitor{}
		m.Request(crawler.Request{Site: "a.example", Start: at, End: at.Add(first), LastEnd: at})
		for range 20_000 {
			m.Request(crawler.Request{Site: "a.example", Start: at, End: at.Add(2 * time.Millisecond), LastEnd: at})
		}
		if got := m.pace(frontier.SiteInfo{Site: "a.example"}); got < time.Millisecond || got > 2*time.Millisecond {
			t.Errorf("pace %v after a first answer in %v, want nearly 2ms", got, first)
		}
	}
}

func TestMonitorNamesRestingSitesUntilTheyAreDue(t *testing.T) {
	out, _ := watched(t, 35*time.Second, func(m *Monitor) {
		m.Rest(crawler.Rest{Site: "a.example", Until: time.Now().Add(25 * time.Second), Reason: crawler.ReasonBusy})
		m.Rest(crawler.Rest{Site: "b.example", Until: time.Now().Add(15 * time.Second), Reason: crawler.ReasonDNS})
	})
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i, want := range []string{"2 resting (dns 1, too-many-requests 1)", "1 resting (too-many-requests)", "queued on 3 sites"} {
		if line, _, _ := strings.Cut(lines[i], "  ETA "); !strings.HasSuffix(line, want) {
			t.Errorf("line %d is %q, want the end %q", i, line, want)
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

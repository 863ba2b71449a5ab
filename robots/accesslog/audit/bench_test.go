package audit_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/storage/cputime"
)

// BenchmarkAuditor measures lines per second, parser, analysis and report, without making the lines: a log in which every client is
// new, one of as many lines whose clients come as often as they do, and such a log when the Auditor knows its clients already.
// Add -cpu 1 for the rate of one core; where the machine has other work, the rate per second of CPU time is the truer one.
func BenchmarkAuditor(b *testing.B) {
	const lines = 100_000
	for _, c := range []struct {
		name         string
		once         bool
		before, then int // lines that are read before the clock starts, and from then on
	}{
		{"new", true, 0, lines}, {"pass", false, 0, 3 * lines}, {"steady", false, 3 * lines, 3 * lines},
	} {
		b.Run(c.name, func(b *testing.B) {
			site := newBusySite(c.before + c.then)
			site.once = c.once
			log, err := io.ReadAll(site)
			if err != nil {
				b.Fatal(err)
			}
			half := afterLines(log, c.before)
			b.ReportAllocs()
			var cpu time.Duration
			for b.Loop() {
				b.StopTimer()
				a := audit.New(audit.Options{Copies: history()})
				read(b, a, bytes.NewReader(log[:half]))
				b.StartTimer()
				from := cputime.Used()
				read(b, a, bytes.NewReader(log[half:]))
				if got := a.Report().Total.Requests; got != int64(c.before+c.then) {
					b.Fatalf("%d requests of %d", got, c.before+c.then)
				}
				cpu += cputime.Used() - from
			}
			n := float64(b.N) * float64(c.then)
			b.ReportMetric(n/b.Elapsed().Seconds(), "lines/s")
			if cpu > 0 {
				b.ReportMetric(n/cpu.Seconds(), "lines/cpu-s")
			}
		})
	}
}

// afterLines returns where the line after the first n begins.
func afterLines(log []byte, n int) (at int) {
	for range n {
		at += bytes.IndexByte(log[at:], '\n') + 1
	}
	return at
}

func read(b *testing.B, a *audit.Auditor, log io.Reader) {
	b.Helper()
	if err := a.Read(accesslog.NewReader(log, accesslog.Auto), "log"); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkMemory measures how much memory the process had at most for AUDIT_LINES lines, 100,000 without it. The garbage collector
// has its defaults. With AUDIT_LOG the log is written to that file too, to give it to the command.
func BenchmarkMemory(b *testing.B) {
	lines, err := strconv.Atoi(os.Getenv("AUDIT_LINES"))
	if err != nil {
		lines = clients
	}
	for b.Loop() {
		a := audit.New(audit.Options{Copies: history()})
		read(b, a, logged(b, newBusySite(lines), os.Getenv("AUDIT_LOG")))
		if got := a.Report().Total.Requests; got != int64(lines) {
			b.Fatalf("%d requests of %d", got, lines)
		}
	}
	if peak := peakMemory(); peak > 0 {
		b.ReportMetric(float64(peak)/1e6, "RSS-MB")
	}
}

// BenchmarkHistory measures how much memory the process had at most for HISTORY_COPIES copies, 5,000 without it.
func BenchmarkHistory(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("HISTORY_COPIES"))
	if err != nil {
		n = 5_000
	}
	copies := make([]audit.Copy, n)
	for i := range copies {
		text := fmt.Sprintf("User-agent: *\nDisallow: /%d/\n", i)
		copies[i] = audit.Copy{Name: text, File: robots.Parse([]byte(text), robots.RFC9309), From: start.Add(time.Duration(i) * time.Hour)}
	}
	for b.Loop() {
		var w logWriter
		for i := range 4 * n {
			w.at(float64(i)*hour/4, "192.0.2."+strconv.Itoa(i%50), fmt.Sprintf("Test%cBot/1.0 (+http://t.example/)", 'A'+i%50), "/5/", 200, 10)
		}
		run(b, w.b.String(), audit.Options{Copies: copies})
	}
	if peak := peakMemory(); peak > 0 {
		b.ReportMetric(float64(peak)/1e6, "RSS-MB")
	}
}

// logged also writes what is read to a file, if it has a name.
func logged(b *testing.B, log io.Reader, name string) io.Reader {
	if name == "" {
		return log
	}
	f, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := f.Close(); err != nil {
			b.Error(err)
		}
	})
	return io.TeeReader(log, f)
}

// peakMemory returns the largest resident set this process had, in bytes; 0 where it is not known.
func peakMemory() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, text, _ := bytes.Cut(status, []byte("VmHWM:"))
	text, _, _ = bytes.Cut(text, []byte(" kB"))
	n, _ := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	return n << 10
}

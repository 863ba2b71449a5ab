package audit_test

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// A busySite is the log of a site with robots and 100,000 people, made while it is read.
type busySite struct {
	lines, next int
	rest        []byte
	buf         []byte
}

// clients is how many there are.
const clients = 100_000

func (s *busySite) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.next == s.lines {
			return 0, io.EOF
		}
		s.rest = s.line(s.next)
		s.next++
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func (s *busySite) line(i int) []byte {
	c := i * 7919 % clients
	b := fmt.Appendf(s.buf[:0], "10.%d.%d.7 - - ", c/256, c%256)
	b = start.Add(time.Duration(i)*50*time.Millisecond).AppendFormat(b, "[02/Jan/2006:15:04:05 -0700]")
	b = fmt.Appendf(b, ` "GET /articles/%d/a-rather-usual-path.html?page=%d HTTP/1.1" 200 2000 "-" "`, i%50_000, i%7)
	if i%3 == 0 {
		b = fmt.Appendf(b, "Mozilla/5.0 (compatible; Robot%cbot/2.1; +http://robots.example/bot.html)", 'a'+c%20)
	} else {
		b = fmt.Appendf(b, "Mozilla/5.0 (X11; Linux x86_64; rv:%d.0) Gecko/20100101 Firefox/140.0", c%50)
	}
	s.buf = append(b, "\"\n"...)
	return s.buf
}

// BenchmarkAuditor measures lines per second, parser and analysis, without making the lines.
func BenchmarkAuditor(b *testing.B) {
	const lines = 50_000
	log, err := io.ReadAll(&busySite{lines: lines})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		run(b, string(log), audit.Options{Copies: history()})
	}
	b.ReportMetric(float64(b.N)*lines/b.Elapsed().Seconds(), "lines/s")
}

// BenchmarkMemory measures what the process has of the system after AUDIT_LINES lines; without it after 100,000.
func BenchmarkMemory(b *testing.B) {
	lines, err := strconv.Atoi(os.Getenv("AUDIT_LINES"))
	if err != nil {
		lines = clients
	}
	for b.Loop() {
		a := audit.New(audit.Options{Copies: history()})
		if err := a.Read(accesslog.NewReader(&busySite{lines: lines}, accesslog.Auto), "log"); err != nil {
			b.Fatal(err)
		}
		if got := a.Report().Total.Requests; got != int64(lines) {
			b.Fatalf("%d requests of %d", got, lines)
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/1e6, "MB")
}

//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// benchHosts and the other shape of the web that BenchmarkCrawl visits.
const (
	benchHosts = 200
	benchPages = 50 // per host
)

// BenchmarkCrawl compares a whole crawl, with everything durable that a job directory holds, to a bare loop of GET and
// goquery over the same URLs, known beforehand. The web is served by another process, so the figures are the client's:
// CPU per page of either, their ratio, and the memory the process took from the system.
func BenchmarkCrawl(b *testing.B) {
	web := startBenchWeb(b)
	for b.Loop() {
		bare := cpuPerPage(b, len(web.urls), func() { fetchBare(b, web.urls) })
		whole := cpuPerPage(b, len(web.urls), func() { crawlWhole(b, web.seeds) })
		b.ReportMetric(float64(bare.cpu.Microseconds()), "bare-cpu-µs/page")
		b.ReportMetric(float64(whole.cpu.Microseconds()), "crawl-cpu-µs/page")
		b.ReportMetric(float64(whole.cpu)/float64(bare.cpu), "ratio")
		b.ReportMetric(float64(len(web.urls))/bare.wall.Seconds(), "bare-pages/s")
		b.ReportMetric(float64(len(web.urls))/whole.wall.Seconds(), "crawl-pages/s")
		b.ReportMetric(float64(residentBytes(b))/1e6, "rss-MB")
	}
	b.ReportMetric(0, "ns/op")
}

// crawlWhole runs the command the way a user would, without politeness.
func crawlWhole(b *testing.B, seeds []string) {
	b.Helper()
	job := filepath.Join(b.TempDir(), "job")
	args := []string{"crawl", "--job", job, "--seeds", "-", "--quiet", "--allow-private", "--delay", "0s", "--delay-factor", "0", "--depth", "-1"}
	var stdout, stderr bytes.Buffer
	code := run(b.Context(), args, strings.NewReader(strings.Join(seeds, "\n")), &stdout, &stderr)
	if code != cli.ExitDone {
		b.Fatalf("crawl: exit code %d\n%s%s", code, &stdout, &stderr)
	}
	lines, err := os.ReadFile(filepath.Join(job, "pages", "pages.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	if got := bytes.Count(lines, []byte("\n")); got != benchHosts*benchPages {
		b.Fatalf("%d pages stored, want %d", got, benchHosts*benchPages)
	}
}

// fetchBare gets every URL and counts its links, with as many goroutines as there are hosts.
func fetchBare(b *testing.B, urls []string) {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConns: 2 * benchHosts, MaxIdleConnsPerHost: 2}}
	defer client.CloseIdleConnections()
	work := make(chan string)
	var links atomic.Int64
	var workers sync.WaitGroup
	for range benchHosts {
		workers.Go(func() {
			for u := range work {
				resp, err := client.Get(u)
				if err != nil {
					b.Error(err)
					continue
				}
				doc, err := goquery.NewDocumentFromReader(resp.Body)
				resp.Body.Close()
				if err != nil {
					b.Error(err)
					continue
				}
				doc.Find("a[href]").Each(func(_ int, s *goquery.Selection) {
					if _, ok := s.Attr("href"); ok {
						links.Add(1)
					}
				})
			}
		})
	}
	for _, u := range urls {
		work <- u
	}
	close(work)
	workers.Wait()
	if links.Load() < int64(40*len(urls)) {
		b.Fatalf("%d links on %d pages, want 40 each", links.Load(), len(urls))
	}
}

type cost struct{ cpu, wall time.Duration }

func cpuPerPage(b *testing.B, pages int, f func()) cost {
	b.Helper()
	cpu, wall := cpuTime(b), time.Now()
	f()
	return cost{cpu: (cpuTime(b) - cpu) / time.Duration(pages), wall: time.Since(wall)}
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Skip(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func residentBytes(b *testing.B) int64 {
	b.Helper()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, resident int64
	fmt.Sscan(string(statm), &size, &resident)
	return resident * int64(os.Getpagesize())
}

// benchWeb is a web served by another process.
type benchWeb struct{ seeds, urls []string }

const benchWebVar = "CYBERMAPPER_TEST_SERVE_BENCH"

// TestServeBench is no test but the other process: it serves until its standard input ends.
func TestServeBench(t *testing.T) {
	if os.Getenv(benchWebVar) == "" {
		t.Skip("serves the web of BenchmarkCrawl when that asks for it")
	}
	bench := webtest.New(t).Bench(webtest.BenchShape{Hosts: benchHosts, Pages: benchPages})
	out := bufio.NewWriter(os.Stdout)
	for _, u := range bench.Seeds() {
		fmt.Fprintln(out, "seed", u)
	}
	for u := range bench.URLs() {
		fmt.Fprintln(out, "url", u)
	}
	fmt.Fprintln(out, "ready")
	out.Flush()
	io.Copy(io.Discard, os.Stdin)
}

func startBenchWeb(b *testing.B) benchWeb {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, self, "-test.run=^TestServeBench$")
	cmd.Env = append(os.Environ(), benchWebVar+"=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		stdin.Close()
		cancel()
		cmd.Wait()
	})
	var web benchWeb
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		kind, u, _ := strings.Cut(lines.Text(), " ")
		switch kind {
		case "seed":
			web.seeds = append(web.seeds, u)
		case "url":
			web.urls = append(web.urls, u)
		case "ready":
			return web
		}
	}
	b.Fatal("the benchmark web did not start")
	return web
}

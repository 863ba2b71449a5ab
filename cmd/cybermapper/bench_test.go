//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/cputime"
)

// benchHosts and the other shape of the web that BenchmarkCrawl visits.
const (
	benchHosts = 200
	benchPages = 50 // per host
)

// BenchmarkCrawl is a whole crawl, with everything durable that a job directory holds, of a web that another process serves. Where
// its time goes is told by -cpuprofile; testdata/pace compares it with other ways of fetching.
func BenchmarkCrawl(b *testing.B) {
	b.Setenv("GOGC", "") // its memory is that which users meet; see TestMain
	b.Setenv("GOMEMLIMIT", "")
	web := startBenchWeb(b)
	cpu := cputime.Used()
	for b.Loop() {
		crawlWhole(b, web.seeds)
	}
	pages := float64(b.N * benchHosts * benchPages)
	b.ReportMetric(float64((cputime.Used()-cpu).Microseconds())/pages, "cpu-µs/page")
	b.ReportMetric(pages/b.Elapsed().Seconds(), "pages/s")
	b.ReportMetric(float64(residentBytes(b))/1e6, "rss-MB")
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
	lines := mustRead(b, filepath.Join(job, "pages", "pages.jsonl"))
	if got := strings.Count(lines, "\n"); got != benchHosts*benchPages {
		b.Fatalf("%d pages stored, want %d", got, benchHosts*benchPages)
	}
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
type benchWeb struct{ seeds []string }

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
	fmt.Fprintln(out, "ready")
	out.Flush()
	io.Copy(io.Discard, os.Stdin)
}

func startBenchWeb(b *testing.B) benchWeb {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, executable(b), "-test.run=^TestServeBench$")
	cmd.Env = append(os.Environ(), benchWebVar+"=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	mustStart(b, cmd)
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
		case "ready":
			return web
		}
	}
	b.Fatal("the benchmark web did not start")
	return web
}

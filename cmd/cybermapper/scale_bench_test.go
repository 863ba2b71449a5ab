//go:build linux

package main

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// closedPort is one of loopback at which nobody listens.
const closedPort = 59_999

// BenchmarkRefusedHosts is a crawl of hosts that all refuse connections, as many as CYBERMAPPER_HOSTS says.
func BenchmarkRefusedHosts(b *testing.B) {
	n := benchCount(b, "CYBERMAPPER_HOSTS", 2000)
	seeds := writeSeeds(b, nil, n, n)
	for b.Loop() {
		cmd := process(b, "crawl", "--seeds", seeds, "--job", filepath.Join(b.TempDir(), "job"), "--allow-private", "--patience", "1s", "--quiet")
		mustStart(b, cmd)
		peak := watchMemory(cmd.Process.Pid)
		cmd.Wait() // no seed gives a page, and the exit code says so
		reportUsage(b, cmd, peak())
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "hosts/s")
}

// BenchmarkManySeeds is the beginning of a crawl of a list of CYBERMAPPER_SEEDS seeds on a third as many hosts: how long it takes
// to the first request, and, interrupted after CYBERMAPPER_SEEDS_TIME, to the end.
func BenchmarkManySeeds(b *testing.B) {
	n := benchCount(b, "CYBERMAPPER_SEEDS", 20_000)
	lasts, err := time.ParseDuration(os.Getenv("CYBERMAPPER_SEEDS_TIME"))
	if err != nil {
		lasts = time.Second
	}
	asked := make(chan struct{}, 1)
	site := webtest.New(b).Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		http.NotFound(w, r)
	}))
	seeds := writeSeeds(b, []string{site.URL + "/"}, n, n/3)
	var toFirst, toEnd time.Duration
	for b.Loop() {
		cmd := process(b, "crawl", "--seeds", seeds, "--job", filepath.Join(b.TempDir(), "job"), "--allow-private", "--quiet")
		begin := time.Now()
		mustStart(b, cmd)
		peak := watchMemory(cmd.Process.Pid)
		<-asked
		toFirst += time.Since(begin)
		time.Sleep(lasts)
		begin = time.Now()
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait() // the exit code says that it was interrupted
		toEnd += time.Since(begin)
		reportUsage(b, cmd, peak())
	}
	b.ReportMetric(toFirst.Seconds()/float64(b.N), "s-to-request")
	b.ReportMetric(toEnd.Seconds()/float64(b.N), "s-to-end")
}

func benchCount(b *testing.B, name string, usual int) int {
	b.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// writeSeeds writes a list of n seeds on so many loopback addresses that refuse connections, behind first.
func writeSeeds(b *testing.B, first []string, n, hosts int) (name string) {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "seeds"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<20)
	for _, u := range first {
		fmt.Fprintln(out, u)
	}
	for i := range n {
		h := i % hosts
		fmt.Fprintf(out, "http://127.%d.%d.%d:%d/%d\n", 1+h>>16, h>>8&255, h&255, closedPort, i/hosts)
	}
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
	return f.Name()
}

// reportUsage reports what a process has taken.
func reportUsage(b *testing.B, cmd *exec.Cmd, peak int64) {
	b.ReportMetric(float64(peak)/1e6, "peak-MB")
	b.ReportMetric((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), "cpu-s")
}

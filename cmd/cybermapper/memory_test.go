//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// Promise 5: a crawl of sites that all at once answer with the largest and most expensive pages there are stays below 500 MB.
func TestPromise_NoResponseTakesTheMemory(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector multiplies the memory")
	}
	const limit = 500 << 20
	body := func(unit string) webtest.Page { return webtest.Page{Body: strings.Repeat(unit, 16<<20/len(unit))} }
	var formats strings.Builder
	for i := range 400 {
		fmt.Fprintf(&formats, "<b id=%d>", i)
	}
	pages := webtest.Pages{
		"/gzip":    {Handler: webtest.Bomb("gzip", 1<<30)},
		"/br":      {Handler: webtest.Bomb("br", 1<<30)},
		"/zstd":    {Handler: webtest.Bomb("zstd", 1<<30)},
		"/links":   body(`<a href=/x>`),
		"/tags":    body("<i>"),
		"/deep":    body("<div>"),
		"/attrs":   {Body: "<p " + strings.Repeat("a ", 8<<20) + ">"},
		"/formats": {Body: "<p>" + formats.String() + "</p>" + strings.Repeat("<p>x", 4<<20)},
		"/tables":  body("<table><tr><td>"),
		"/comment": {Body: "<!--" + strings.Repeat("-", 16<<20)},
		"/title":   {Body: "<title>" + strings.Repeat("x", 16<<20)},
		"/endless": {Handler: webtest.EndlessBody()},
	}
	web := webtest.New(t)
	seeds := &strings.Builder{}
	for range 3 {
		site := web.Site(pages)
		for path := range pages {
			fmt.Fprintln(seeds, site.URL+path)
		}
	}
	job := filepath.Join(t.TempDir(), "job")
	var stderr bytes.Buffer
	cmd := process(t, "crawl", "--seeds", "-", "--job", job, "--allow-private", "--quiet", "--depth", "0",
		"--delay", "0s", "--delay-factor", "0", "--retries", "0")
	cmd.Stdin, cmd.Stderr = strings.NewReader(seeds.String()), &stderr
	mustStart(t, cmd)
	ended := watchMemory(cmd.Process.Pid)
	err := cmd.Wait()
	peak := ended()
	if err != nil {
		t.Fatalf("crawl: %v\n%s", err, &stderr)
	}
	t.Logf("peak memory %d MB", peak>>20)
	if peak > limit {
		t.Errorf("the process took %d MB, want at most %d", peak>>20, limit>>20)
	}
}

// watchMemory watches the memory of a process until the function that it returns is called, which returns the peak in bytes. The
// Maxrss of an ended process is not it: that counts the memory of this process too, in which the other begins (vfork).
func watchMemory(pid int) (peak func() int64) {
	ended, peaks := make(chan struct{}), make(chan int64)
	go func() {
		var kB int64
		for tick := time.NewTicker(10 * time.Millisecond); ; {
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			if _, text, ok := bytes.Cut(status, []byte("VmHWM:")); ok {
				fmt.Sscan(string(text), &kB)
			}
			select {
			case <-tick.C:
			case <-ended:
				tick.Stop()
				peaks <- kB << 10
				return
			}
		}
	}()
	return func() int64 {
		close(ended)
		return <-peaks
	}
}

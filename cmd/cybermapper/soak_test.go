//go:build linux && (amd64 || arm64)

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier/clocktest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// TestSoak is a day of a crawl in as much time as CYBERMAPPER_SOAK says, which should be 20 minutes: hosts that come and go,
// faults at random, a wall clock that is set an hour forward and sometimes back, and, before and after a quiet middle, kill -9.
// The servers judge every promise; in the quiet middle memory, descriptors and threads may not grow.
//
//	CYBERMAPPER_SOAK=20m go test -run TestSoak -v -timeout 0 ./cmd/cybermapper
func TestSoak(t *testing.T) {
	total, err := time.ParseDuration(os.Getenv("CYBERMAPPER_SOAK"))
	if err != nil {
		t.Skip("CYBERMAPPER_SOAK does not say how long")
	}
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("CYBERMAPPER_SOAK_SEED"); s != "" {
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("CYBERMAPPER_SOAK_SEED=%d", seed)
	s := &soak{t: t, rand: rand.New(rand.NewPCG(seed, 0)), command: steppedCommand(t), job: soakJob(t)}
	web := webtest.New(t)
	var seeds strings.Builder
	for i := range 60 {
		site := newSoakSite(i, seed)
		s.sites = append(s.sites, site)
		site.url = web.Site(webtest.Quiet(site)).URL
		fmt.Fprintln(&seeds, site.url+"/0/0.html")
	}
	for i, site := range s.sites {
		site.neighbour = s.sites[(i+1)%len(s.sites)].url
	}
	list := filepath.Join(t.TempDir(), "seeds")
	filetest.Write(t, list, seeds.String())
	s.args = []string{
		"crawl", "--seeds", list, "--job", s.job, "--allow-private", "--delay", soakDelay.String(), "--delay-factor", "0", "--depth", "-1",
		"--retry-delay", "1s", "--patience", "1m", "--log-level", "error", "--quiet",
	}
	s.steps = clockSteps(s.rand, total)
	s.run(total/6, true)
	before := s.run(total*2/3, false)
	s.run(total/6, true)
	s.judge(before)
}

// soakJob returns a directory for a job, which is kept if the test fails.
func soakJob(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "soak")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the job is kept in %s", dir)
			return
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return filepath.Join(dir, "job")
}

const soakDelay = 10 * time.Millisecond

// A soak is a crawl of many processes.
type soak struct {
	t       *testing.T
	rand    *rand.Rand
	command string // the path of a command whose wall clock is set now and then
	steps   string // when, for its environment
	job     string
	args    []string
	sites   []*soakSite
	kills   int
}

// run crawls for d. If asked to, it kills the process every few seconds; otherwise it returns samples of the one process.
func (s *soak) run(d time.Duration, kill bool) (samples []sample) {
	s.t.Helper()
	for deadline := time.Now().Add(d); time.Now().Before(deadline); {
		left := time.Until(deadline)
		if kill {
			left = min(left, time.Second+time.Duration(s.rand.Int64N(int64(9*time.Second))))
		}
		samples = append(samples, s.runOnce(left, kill)...)
		if s.t.Failed() {
			s.t.FailNow()
		}
	}
	return samples
}

// runOnce runs the command for d, and ends it with kill -9, or with an interrupt.
func (s *soak) runOnce(d time.Duration, kill bool) (samples []sample) {
	var stderr bytes.Buffer
	begin := time.Now()
	cmd := exec.Command(s.command, s.args...)
	cmd.Stderr, cmd.Env = &stderr, append(os.Environ(), s.steps, "GOGC=", "GOMEMLIMIT=", // what users have; see TestMain
		"CYBERMAPPER_POLITENESS_HOST_REST=1s", "CYBERMAPPER_POLITENESS_HOST_REST_MAX=3s", "CYBERMAPPER_ROBOTS_BACK_OFF=1s",
		"CYBERMAPPER_ROBOTS_MAX_BACK_OFF=2s", "CYBERMAPPER_POLITENESS_PER_ADDRESS=64", "CYBERMAPPER_TRAPS_ENDLESS_SAMPLE=0")
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	every := time.NewTicker(max(d/200, time.Second))
	defer every.Stop()
	over := time.After(d)
	for {
		select {
		case err := <-done:
			s.t.Errorf("the crawl ended by itself after %v: %v\n%s", time.Since(begin), err, &stderr)
			return samples
		case <-every.C:
			samples = append(samples, takeSample(cmd.Process.Pid))
			continue
		case <-over:
		}
		break
	}
	if kill {
		s.kills++
		for _, site := range s.sites {
			site.mu.Lock()
		}
		cmd.Process.Kill()
		<-done
		for _, site := range s.sites {
			site.killed()
			site.mu.Unlock()
		}
		return samples
	}
	cmd.Process.Signal(os.Interrupt)
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		cmd.Process.Signal(syscall.SIGQUIT)
		<-done
		s.t.Errorf("the crawl did not end after an interrupt\n%s", &stderr)
	}
	return samples
}

// judge reports what the servers have seen, how the process grew, and what the job says of itself.
func (s *soak) judge(samples []sample) {
	s.t.Helper()
	var sum soakSums
	for _, site := range s.sites {
		site.report(s.t, &sum)
	}
	s.t.Logf("%d kills; %d requests, %d pages, %d asked for again, %d links, %d faults", s.kills, sum.requests, sum.pages, sum.again, sum.links, sum.faults)
	if most := s.kills * len(s.sites); sum.again > most {
		s.t.Errorf("%d pages were asked for again after %d kills, want at most %d", sum.again, s.kills, most)
	}
	third := len(samples) / 3
	if third == 0 {
		s.t.Fatal("too short for a judgement")
	}
	early, late := meanSample(samples[third:2*third]), meanSample(samples[2*third:])
	s.t.Logf("the middle third of the quiet time: %v; the last: %v", early, late)
	if late.rss > early.rss*5/4 || late.files > early.files+20 || late.threads > early.threads+10 {
		s.t.Errorf("the process grew from %v to %v", early, late)
	}
	mustBeProven(s.t, s.job)
	bodies, all := diskUse(s.t, filepath.Join(s.job, "pages")), diskUse(s.t, s.job)
	s.t.Logf("on disk: %d MB of pages and their list, %d bytes per page besides", bodies>>20, (all-bodies)/int64(max(sum.pages, 1)))
}

// A sample is what a process takes.
type sample struct{ rss, files, threads int64 }

func (s sample) String() string {
	return fmt.Sprintf("%d MB, %d descriptors, %d threads", s.rss>>10, s.files, s.threads)
}

func takeSample(pid int) (s sample) {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	f, err := os.Open(filepath.Join(proc, "status"))
	if err != nil {
		return s
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fmt.Sscanf(lines.Text(), "VmRSS: %d kB", &s.rss)
		fmt.Sscanf(lines.Text(), "Threads: %d", &s.threads)
	}
	files, _ := os.ReadDir(filepath.Join(proc, "fd"))
	s.files = int64(len(files))
	return s
}

func meanSample(all []sample) (mean sample) {
	for _, s := range all {
		mean.rss, mean.files, mean.threads = mean.rss+s.rss, mean.files+s.files, mean.threads+s.threads
	}
	n := int64(len(all))
	return sample{mean.rss / n, mean.files / n, mean.threads / n}
}

func diskUse(t *testing.T, dir string) (n int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// clockSteps returns when the wall clock is set, about 26 times in d: an hour or so forward, and every third time back.
func clockSteps(r *rand.Rand, d time.Duration) string {
	var steps []clocktest.Step
	for at := d / 52; at < d; at += d / 26 {
		by := time.Hour + time.Duration(r.IntN(600))*time.Second
		if len(steps)%3 == 2 {
			by = -by
		}
		steps = append(steps, clocktest.Step{In: at, By: by})
	}
	return clocktest.Steps(steps...)
}

// steppedCommand builds the command with a wall clock that is set as the environment says.
func steppedCommand(t *testing.T) string {
	t.Helper()
	command := filepath.Join(t.TempDir(), "cybermapper")
	out, err := exec.Command("go", "build", "-tags", "clocktest", "-o", command, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return command
}

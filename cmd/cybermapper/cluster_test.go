package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/engine"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/serve"
	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A clusterNode is a process that takes part in a crawl.
type clusterNode struct {
	job    string
	cmd    *exec.Cmd
	stderr bytes.Buffer
	done   chan struct{} // closed when it has ended
	err    error
}

// startNode starts a node that asks from an address of its own.
func startNode(t *testing.T, config, job, bind string, args ...string) *clusterNode {
	t.Helper()
	args = append([]string{"crawl", "--config", config, "--job", job, "--bind", bind}, args...)
	n := &clusterNode{job: job, cmd: process(t, args...), done: make(chan struct{})}
	n.cmd.Stderr = &n.stderr
	mustStart(t, n.cmd)
	go func() { n.err = n.cmd.Wait(); close(n.done) }()
	t.Cleanup(func() {
		if t.Failed() {
			n.cmd.Process.Signal(syscall.SIGQUIT) // it tells where its goroutines stand
			<-n.done
			t.Logf("%s: %v\n%s", n.job, n.err, &n.stderr)
		}
		n.cmd.Process.Kill()
		<-n.done
	})
	return n
}

// end waits until the node has ended, with a code.
func (n *clusterNode) end(t *testing.T, patience time.Duration, want int) {
	t.Helper()
	select {
	case <-n.done:
	case <-time.After(patience):
		n.cmd.Process.Signal(syscall.SIGQUIT) // it tells where its goroutines stand
		<-n.done
		t.Fatalf("%s does not end\n%s", n.job, &n.stderr)
	}
	if code := n.cmd.ProcessState.ExitCode(); code != want {
		t.Fatalf("%s ended with %d, want %d\n%s", n.job, code, want, &n.stderr)
	}
}

// clusterConfig starts brokers and returns the name of a configuration for the nodes of a crawl.
func clusterConfig(t *testing.T, delay time.Duration, more string) (*brokertest.Cluster, string) {
	t.Helper()
	brokers := 3
	if testing.Short() {
		brokers = 1
	}
	c := brokertest.Start(t, brokers)
	return c, configured(t, fmt.Sprintf(`
fetch: {allow_private: true}
politeness: {delay: %v, delay_factor: 0, jitter: 0%%}
frontier:
  mode: cluster
  cluster: {crawl: test, servers: [%s], partitions: 8, lease: 8s, replicas: %d, allow_unsafe: %v}
%s`, delay, strings.Join(c.URLs(), ", "), brokers, brokers < 3, more))
}

// Ensure that nodes which join, are killed, come back and leave make one crawl: every page, none twice but what was under way,
// never two requests to a site at once and no gap too short, as the server sees it and as their ledgers prove together.
//
// It is not beside other tests of this package: brokers of many at once keep the first node waiting for a minute on a busy machine.
func TestCluster_NodesShareACrawl(t *testing.T) {
	delay, pages := 25*time.Millisecond, 150
	if testing.Short() { // with the race detector each page takes longer
		delay, pages = 200*time.Millisecond, 60
	}
	web := webtest.New(t)
	bench := web.Bench(webtest.BenchShape{Hosts: 8, Pages: pages, PageBytes: 4000, Links: 20, Logged: true})
	_, config := clusterConfig(t, delay, "")
	seeds := filepath.Join(t.TempDir(), "seeds")
	filetest.Write(t, seeds, strings.Join(bench.Seeds(), "\n"))
	dir := t.TempDir()
	job := func(name string) string { return filepath.Join(dir, name) }
	var dead deaths

	a := startNode(t, config, job("a"), dead.address(0), "--seeds", seeds)
	awaitPages(t, bench, 1)
	b := startNode(t, config, job("b"), dead.address(1))
	awaitPages(t, bench, bench.Total()/6)
	a.cmd.Process.Kill()
	<-a.done
	dead = append(dead, time.Now())
	c := startNode(t, config, job("c"), dead.address(2))
	awaitPages(t, bench, bench.Total()/3)
	b.cmd.Process.Signal(syscall.SIGTERM)
	b.end(t, 10*time.Second, cli.ExitInterrupted)
	a = startNode(t, config, job("a"), dead.address(3))
	c.end(t, time.Minute, cli.ExitDone)
	a.end(t, 10*time.Second, cli.ExitDone)

	stored := map[string]int{}
	for _, name := range []string{"a", "b", "c"} {
		for _, l := range linesOf(t, job(name)) {
			stored[l.URL]++
		}
	}
	for url := range bench.URLs() {
		if stored[url] == 0 {
			t.Errorf("%s is not stored", url)
		}
	}
	hits := dead.judge(web.Log())
	asked := 0
	for _, h := range hits {
		if h.Path != "/robots.txt" {
			asked++
		}
		if strings.HasPrefix(h.Path, "/private/") {
			t.Errorf("forbidden %s was asked for", h.URL())
		}
	}
	settling := settlingTime(t, dead[0], job("a"), job("b"), job("c"))
	if again, most := asked-bench.Total(), (2+int(settling/delay))*bench.Shape.Hosts; again > most {
		t.Errorf("%d pages were asked for again after a kill, want at most what was under way or being settled, which took up to %v: %d",
			again, settling, most)
		logAgain(t, hits)
	}
	for site, hits := range hits.BySite() {
		if n := webtest.MaxInFlight(hits); n > 1 {
			t.Errorf("%s: %d requests in flight at once, want 1", site, n)
		}
		if gap := webtest.MinGap(hits); gap < delay {
			t.Errorf("%s: shortest gap %v, want at least %v", site, gap, delay)
		}
	}
	if r := proofOf(t, "--job", dir); r.Verdict != verify.Proven || r.Promise(verify.Tenure).Checked < int64(bench.Total()) {
		_, out := runArgs(t, "verify", "--job", dir)
		t.Errorf("together they are %s\n%s", r.Verdict, out)
	}
	code, out := runArgs(t, "explain", "--job", dir, bench.URL(0, 1))
	if code != cli.ExitDone || !strings.Contains(out, "owner of partition") {
		t.Errorf("explain: exit code %d\n%s", code, out)
	}
	var all standings
	_, out = runArgs(t, "status", "--job", dir, "--json")
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Jobs) != 3 || all.Total != all.Jobs[0].Total { // each tells of the whole crawl, which b was not there to see end
		t.Errorf("three nodes have %+v in all, of %+v", all.Total, all.Jobs)
	}
	for _, name := range []string{"a", "b", "c"} {
		mustRun(t, "check", "--job", job(name))
	}
}

// Ensure that a node which is killed while it cannot settle what it has stored takes that from its disk when it comes again.
func TestCluster_StoredIsNotAskedForAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("what it runs at the same time, others run too")
	}
	t.Parallel()
	web := webtest.New(t)
	bench := web.Bench(webtest.BenchShape{Hosts: 8, Pages: 60, PageBytes: 4000, Links: 20, Logged: true})
	brokers, config := clusterConfig(t, 50*time.Millisecond, "")
	job := filepath.Join(t.TempDir(), "job")
	a := startNode(t, config, job, "127.0.2.1", bench.Seeds()...)
	awaitPages(t, bench, bench.Total()/4)
	brokers.Stop()
	before := bench.Served()
	for served := -1; served < bench.Served(); time.Sleep(500 * time.Millisecond) { // until it waits for the brokers
		served = bench.Served()
	}
	unsettled := bench.Served() - before
	a.cmd.Process.Kill()
	<-a.done
	for _, b := range slices.Backward(brokers.Brokers) {
		if err := b.Start(); err != nil {
			t.Fatal(err)
		}
	}
	a = startNode(t, config, job, "127.0.2.1", bench.Seeds()...)
	a.end(t, time.Minute, cli.ExitDone)
	if again := bench.Served() - bench.Total(); again > bench.Shape.Hosts {
		t.Errorf("%d pages were asked for again of %d that were stored and not settled", again, unsettled)
		logAgain(t, web.Log())
	}
	for _, hits := range web.Log().BySite() {
		if gap := webtest.MinGap(hits); gap < 50*time.Millisecond {
			t.Errorf("shortest gap %v", gap)
		}
	}
	if r := proofOf(t, "--job", job); r.Verdict != verify.Proven {
		_, out := runArgs(t, "verify", "--job", job)
		t.Error(out)
	}
	mustRun(t, "check", "--job", job)
	stored := map[string]int{}
	for _, l := range linesOf(t, job) {
		stored[l.URL]++
	}
	for url := range bench.URLs() {
		if stored[url] != 1 {
			t.Errorf("%s is stored %d times", url, stored[url])
		}
	}
	t.Logf("%d pages were stored and not settled", unsettled)
}

// settlingTime returns the longest time from the answer of a page to when it was settled, on nodes none of which died later than
// that: pages wait for each other, to be settled together, and a busy machine takes its time. No page may be settled twice.
func settlingTime(t *testing.T, died time.Time, jobs ...string) (longest time.Duration) {
	t.Helper()
	settled := map[string]bool{}
	for _, job := range jobs {
		answered := map[string]time.Time{}
		for _, r := range recordsOf(t, job, ledger.Request, ledger.Outcome) {
			if r.Type == ledger.Request {
				answered[r.URL] = r.End
				continue
			}
			if settled[r.URL] {
				t.Errorf("%s was settled twice", r.URL)
			}
			settled[r.URL] = true
			if at, ok := answered[r.URL]; ok && r.Time.Before(died) {
				longest = max(longest, r.Time.Sub(at))
			}
		}
	}
	return longest
}

// logAgain tells who asked for pages again, and when.
func logAgain(t *testing.T, hits webtest.Hits) {
	t.Helper()
	first := map[string]webtest.Hit{}
	for _, h := range hits {
		if f, ok := first[h.URL()]; ok && h.Path != "/robots.txt" {
			t.Logf("%s: %s at %s, %s at %s", h.URL(), f.Remote, f.Start.Format(time.StampMilli), h.Remote,
				h.Start.Format(time.StampMilli))
		} else {
			first[h.URL()] = h
		}
	}
}

// awaitPages returns when the sites have served so many.
func awaitPages(t *testing.T, bench *webtest.Bench, n int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); bench.Served() < n; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d pages were served, want %d", bench.Served(), n)
		}
	}
}

// Ensure that --max-pages holds for all nodes together, and that what was left is fetched when there may be more.
func TestCluster_LimitsHoldForAll(t *testing.T) {
	t.Parallel()
	bench := webtest.New(t).Bench(webtest.BenchShape{Hosts: 6, Pages: 60, PageBytes: 2000, Links: 10})
	_, config := clusterConfig(t, 5*time.Millisecond, "")
	dir := t.TempDir()
	crawl := func(limit, want int) {
		t.Helper()
		args := append([]string{"--max-pages", fmt.Sprint(limit)}, bench.Seeds()...)
		a := startNode(t, config, filepath.Join(dir, "a"), "127.0.2.1", args...)
		b := startNode(t, config, filepath.Join(dir, "b"), "127.0.2.2", args...)
		a.end(t, time.Minute, want)
		b.end(t, time.Minute, want)
	}
	crawl(100, cli.ExitLimit)
	if n := bench.Served(); n > 100 || n < 80 {
		t.Errorf("%d pages were asked for, want 100, less what a node keeps when another ends", n)
	}
	crawl(0, cli.ExitDone)
	if n := bench.Served(); n != bench.Total() {
		t.Errorf("%d pages were asked for, want %d", n, bench.Total())
	}
}

// Ensure that an operator sees how a crawl stands, and can let it wait and go on.
func TestCluster_Operator(t *testing.T) {
	t.Parallel()
	bench := webtest.New(t).Bench(webtest.BenchShape{Hosts: 4, Pages: 100, PageBytes: 2000, Links: 10})
	_, config := clusterConfig(t, 50*time.Millisecond, "")
	job := filepath.Join(t.TempDir(), "a")
	code, out := runArgs(t, "cluster", "status", "--config", config)
	if code != cli.ExitConfig || !strings.Contains(out, "has begun") {
		t.Errorf("status before the crawl began: exit code %d\n%s", code, out)
	}
	a := startNode(t, config, job, "127.0.2.1", append([]string{"--patience", "1m"}, bench.Seeds()...)...)
	awaitPages(t, bench, 20)
	var status cluster.Inspection
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		status = cluster.Inspection{} // until it serves all it owns, and tells of sites: their seeds may come a while later
		_, out = runArgs(t, "cluster", "status", "--job", job, "--json", "--sites", "2")
		if err := json.Unmarshal([]byte(out), &status); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		isSilent := func(p cluster.PartitionState) bool { return p.Owned == nil }
		if !slices.ContainsFunc(status.Partitions, isSilent) && len(status.Busiest) == 2 || time.Now().After(deadline) {
			break
		}
	}
	if len(status.Nodes) != 1 || len(status.Partitions) != 8 || status.Total.Done == 0 {
		t.Errorf("status is %s", out)
	}
	rate := 0.0
	for _, p := range status.Partitions {
		if o := p.Owned; p.Owner != status.Nodes[0] || p.Problem != "" || o == nil || o.Epoch == 0 || o.LeaseAge > 8 {
			t.Errorf("partition %+v: %+v", p, p.Owned)
		} else {
			rate += o.Rate
		}
	}
	if most := 4 / 0.05; rate <= 0 || rate > most {
		t.Errorf("%v URLs are settled a second, want at most %v", rate, most)
	}
	if b := status.Busiest; len(b) != 2 || b[0].Queued < b[1].Queued || b[1].Queued == 0 || b[0].Owner != status.Nodes[0] {
		t.Errorf("the sites that have most in their queues are %+v", b)
	}
	if code, out := runArgs(t, "cluster", "status", "--job", job, "--sites", "1"); code != cli.ExitDone ||
		!strings.Contains(out, "\nSITE ") || !strings.Contains(out, "URLS/S") {
		t.Errorf("status: exit code %d\n%s", code, out)
	}
	mustRun(t, "cluster", "doctor", "--config", config)
	if code, out := runArgs(t, "cluster", "repair", "--job", job); code != cli.ExitDone || !strings.Contains(out, "no partition") {
		t.Errorf("repair: exit code %d\n%s", code, out)
	}
	if code, out := runArgs(t, "cluster", "repair", "--job", job, "--empty"); code != cli.ExitUsage {
		t.Errorf("repair --empty of no partition: exit code %d\n%s", code, out)
	}
	if code, out := runArgs(t, "cluster", "repair", "--job", job, "--partition", "3"); code != cli.ExitUsage {
		t.Errorf("repair of a sound partition: exit code %d\n%s", code, out)
	}
	mustRun(t, "cluster", "pause", "--config", config)
	for deadline, last := time.Now().Add(time.Minute), -1; ; time.Sleep(500 * time.Millisecond) {
		n := bench.Served()
		if n == last {
			break
		}
		if last = n; time.Now().After(deadline) || n == bench.Total() {
			t.Fatalf("the crawl does not wait: %d pages", n)
		}
	}
	at, body := startServing(t, serve.Options{Jobs: []string{job}}), ""
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(body, "_partition_") && time.Now().Before(deadline); {
		time.Sleep(100 * time.Millisecond)
		_, body = ask(t, "GET", at+"/metrics", "")
	}
	for _, metric := range []string{"urls", "epoch", "lease_age_seconds", "urls_per_second"} {
		if !strings.Contains(body, "\ncybermapper_partition_"+metric+`{job="a",partition="7"`) {
			t.Errorf("there is no metric %s of partition 7\n%s", metric, body)
		}
	}
	a.cmd.Process.Signal(syscall.SIGTERM)
	a.end(t, 10*time.Second, cli.ExitInterrupted)
	_, out = runArgs(t, "cluster", "status", "--job", job)
	if !strings.Contains(out, "of 8 partitions, of which no node tells") || !strings.Contains(out, "no node has it") {
		t.Errorf("status without nodes counts what nobody tells of as nothing\n%s", out)
	}
	mustRun(t, "cluster", "resume", "--config", config)
	a = startNode(t, config, job, "127.0.2.1", "--patience", "1m")
	a.end(t, time.Minute, cli.ExitDone)
	if n := bench.Served(); n != bench.Total() {
		t.Errorf("%d pages were asked for, want %d", n, bench.Total())
	}
}

// Ensure that a shared crawl can be tried out by one command, goes on with the same, and is one crawl for the commands that look at
// it.
func TestCluster_Dev(t *testing.T) {
	if testing.Short() {
		t.Skip("what it runs at the same time, others run too")
	}
	t.Parallel()
	bench := webtest.New(t).Bench(webtest.BenchShape{Hosts: 4, Pages: 30, PageBytes: 2000, Links: 10})
	dir := t.TempDir()
	for _, tt := range []struct {
		args []string
		want int
	}{
		{append([]string{"--allow-private", "--delay", "1ms", "--max-pages", "40"}, bench.Seeds()...), cli.ExitLimit},
		{[]string{"--max-pages", "0"}, cli.ExitDone},
	} {
		args := []string{"cluster", "dev", "--job", dir}
		if tt.want == cli.ExitLimit {
			args = append(args, "--brokers", "1") // the second time it has them
		}
		args = append(append(args, "--"), tt.args...)
		if code, out := runArgs(t, args...); code != tt.want {
			t.Fatalf("exit code %d, want %d\n%s", code, tt.want, out)
		}
	}
	if n := bench.Served(); n != bench.Total() {
		t.Errorf("%d pages were asked for, want %d", n, bench.Total())
	}
	if r := proofOf(t, "--job", dir); r.Verdict != verify.Proven {
		t.Errorf("the nodes together are %s", r.Verdict)
	}
	code, out := runArgs(t, "cluster", "dev", "--job", dir, "--brokers", "3", "--", "--max-pages", "0")
	if code != cli.ExitUsage || !strings.Contains(out, "is kept by 1 broker") {
		t.Errorf("with three brokers instead of one: exit code %d\n%s", code, out)
	}
}

// startDev starts cluster dev with one broker and one node, and returns what it prints to start another one with, once the others
// have asked for some pages, and wait, which waits for its end.
func startDev(t *testing.T, bench *webtest.Bench, pages int, args ...string) (more []string, wait func() error) {
	t.Helper()
	args = append([]string{"cluster", "dev", "--job", t.TempDir(), "--brokers", "1", "--nodes", "1", "--", "--allow-private"}, args...)
	dev := process(t, append(args, bench.Seeds()...)...)
	stderr, err := dev.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	mustStart(t, dev)
	t.Cleanup(func() { dev.Process.Kill() })
	lines := bufio.NewScanner(stderr)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "cybermapper crawl ") {
	}
	more = strings.Fields(lines.Text())[1:]
	awaitPages(t, bench, pages)
	return more, func() error {
		for lines.Scan() {
		}
		return dev.Wait()
	}
}

// Ensure that a node that is started as cluster dev says asks for pages as the others do.
func TestCluster_DevOneMore(t *testing.T) {
	if testing.Short() {
		t.Skip("what it runs at the same time, others run too")
	}
	t.Parallel()
	bench := webtest.New(t).Bench(webtest.BenchShape{Hosts: 6, Pages: 120, PageBytes: 2000, Links: 10}) // time enough to hand over
	more, wait := startDev(t, bench, 20, "--delay", "300ms")
	out, err := process(t, more...).CombinedOutput()
	if err := errors.Join(err, wait()); err != nil || strings.Contains(string(out), "begun with another") {
		t.Errorf("%v: %v\n%s", more, err, out)
	}
	if n := bench.Served(); n != bench.Total() {
		t.Errorf("%d pages were asked for, want %d", n, bench.Total())
	}
	if strings.Contains(string(out), "requests   0 ") {
		t.Errorf("the other node asked for nothing\n%s", out)
	}
}

// Ensure that brokers stay for a node that was started beside those of cluster dev, when these have ended.
func TestCluster_DevLeavesFirst(t *testing.T) {
	if testing.Short() {
		t.Skip("what it runs at the same time, others run too")
	}
	t.Parallel()
	bench := webtest.New(t).Bench(webtest.BenchShape{Hosts: 4, Pages: 30, PageBytes: 2000, Links: 10})
	more, wait := startDev(t, bench, 5, "--delay", "200ms", "--max-pages", "20")
	if out, err := process(t, append(more, "--max-pages", "0")...).CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", more, err, out)
	}
	exit, _ := errors.AsType[*exec.ExitError](wait())
	if exit == nil || exit.ExitCode() != cli.ExitLimit {
		t.Errorf("cluster dev: %v, want exit code %d", exit, cli.ExitLimit)
	}
	if n := bench.Served(); n != bench.Total() {
		t.Errorf("%d pages were asked for, want %d", n, bench.Total())
	}
}

// Ensure that what is wrong with the settings of a node, or with where it works, is told before anything is asked for.
func TestCluster_Mistakes(t *testing.T) {
	if testing.Short() {
		t.Skip("what it runs at the same time, others run too")
	}
	t.Parallel()
	site := webtest.New(t).Site(webtest.Pages{"/": {Body: "a"}})
	_, config := clusterConfig(t, time.Millisecond, "")
	dir := t.TempDir()
	own := filepath.Join(dir, "own")
	mustCrawl := func(want int, says string, args ...string) {
		t.Helper()
		code, out := runArgs(t, append([]string{"crawl", "--quiet", "--allow-private"}, args...)...)
		if code != want || !strings.Contains(out, says) {
			t.Errorf("crawl %v: exit code %d, want %d and %q\n%s", args, code, want, says, out)
		}
	}
	mustCrawl(cli.ExitUsage, "has not begun", "--config", config, "--job", filepath.Join(dir, "x"))
	mustCrawl(cli.ExitDone, "", "--job", own, site.URL+"/")
	mustCrawl(cli.ExitConfig, "frontier.mode", "--config", config, "--job", own)
	mustCrawl(cli.ExitDone, "", "--config", config, "--job", filepath.Join(dir, "a"), site.URL+"/")
	mustCrawl(cli.ExitDone, "begun with another politeness.delay, robots.dialect; each node asks sites", "--config", config, "--job",
		filepath.Join(dir, "a"), "--delay", "2ms", "--dialect", "rfc9309")
	mustCrawl(cli.ExitConfig, "is none of the 1 seed", "--config", config, "--job", filepath.Join(dir, "b"), site.URL+"/other")
	mustCrawl(cli.ExitConfig, "submit --as-seed adds one", "--config", config, "--job", filepath.Join(dir, "b"), site.URL+"/other")
	list, many := filepath.Join(dir, "list"), changed(t, config, "crawl: test", "crawl: many")
	var lines strings.Builder
	for i := range engine.MaxHeldSeeds + 2 {
		fmt.Fprintf(&lines, "%s/?%d\n", site.URL, i)
	}
	filetest.Write(t, list, lines.String())
	mustCrawl(cli.ExitLimit, "", "--config", many, "--job", filepath.Join(dir, "l"), "--max-pages", "1", "--seeds", list)
	mustCrawl(cli.ExitUsage, "was begun with a list", "--config", many, "--job", filepath.Join(dir, "m"), "--max-pages", "1")
	mustCrawl(cli.ExitConfig, "another than this node has taken part in", "--config", many, "--job", filepath.Join(dir, "a"))
	mustCrawl(cli.ExitLimit, "", "--config", many, "--job", filepath.Join(dir, "l"), "--max-pages", "1")
	mustCrawl(cli.ExitLimit, "", "--config", many, "--job", filepath.Join(dir, "n"), "--max-pages", "1", "--scope", "any")
	mustRun(t, "submit", "--job", filepath.Join(dir, "n"), "--as-seed", site.URL+"/more")
	for range 2 { // what was submitted is in its job from then on
		mustCrawl(cli.ExitLimit, "", "--config", many, "--job", filepath.Join(dir, "n"), "--max-pages", "1", "--scope", "any")
	}
	mustCrawl(cli.ExitUsage, "was begun with a list", "--config", many, "--job", filepath.Join(dir, "n"), "--max-pages", "1")
	mustCrawl(cli.ExitUsage, "--fresh", "--config", config, "--job", filepath.Join(dir, "a"), "--fresh", site.URL+"/")
	mustCrawl(cli.ExitConfig, "frontier.cluster.servers", "--job", filepath.Join(dir, "c"), site.URL+"/", "--config",
		configured(t, "frontier: {mode: cluster, cluster: {crawl: x, servers: ['nats://127.0.0.1:1']}}"))
	mustCrawl(cli.ExitConfig, "frontier.cluster.partitions", "--job", filepath.Join(dir, "d"), site.URL+"/", "--config",
		changed(t, config, "partitions: 8", "partitions: 9"))
}

// Ensure that who names a directory that is no job is told so, and is not sent to look for what is wrong with the brokers.
func TestCluster_NoJob(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "all", "node1"), 0o755); err != nil {
		t.Fatal(err)
	}
	filetest.Write(t, filepath.Join(dir, "all", "node1", job.ConfigFile), "")
	for _, command := range []string{"status", "doctor", "repair", "pause", "resume"} {
		for name, says := range map[string]string{"none": "there is no job in", "all": "node1 in it is one"} {
			code, out := runArgs(t, "cluster", command, "--job", filepath.Join(dir, name))
			if code != cli.ExitUsage || !strings.Contains(out, says) {
				t.Errorf("cluster %s --job %s: exit code %d, want %d and %q\n%s", command, name, code, cli.ExitUsage, says, out)
			}
		}
	}
}

// Ensure that the job of a node is sound which has a page that another node had asked for first, in vain.
func TestCluster_FirstAskedByAnother(t *testing.T) {
	t.Parallel()
	var asked atomic.Bool
	site := webtest.New(t).Site(webtest.Pages{"/": {Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !asked.Swap(true) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})}})
	_, config := clusterConfig(t, time.Millisecond, "")
	config = changed(t, config, "jitter: 0%", "jitter: 0%, host_rest: 2s")
	a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	startNode(t, config, a, "127.0.2.1", "--patience", "1ms", site.URL+"/").end(t, time.Minute, cli.ExitWaiting)
	startNode(t, config, b, "127.0.2.2", "--patience", "1m").end(t, time.Minute, cli.ExitDone)
	mustRun(t, "check", "--job", b)
}

// Ensure that of a node that has stopped nothing is said of a queue which it does not have.
func TestCluster_QueueIsElsewhere(t *testing.T) {
	site := webtest.New(t).Site(webtest.Pages{"/": {Body: "a"}})
	node := filepath.Join(t.TempDir(), "node")
	mustRun(t, "crawl", "--quiet", "--allow-private", "--delay", "1ms", "--job", node, site.URL+"/")
	if err := os.Rename(filepath.Join(node, job.FrontierDir), filepath.Join(node, job.PartitionsDir)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		want int
		says string
	}{
		{[]string{"check"}, cli.ExitDone, "sound: its queue is at the brokers, 1 pages in 1 files"},
		{[]string{"plan"}, cli.ExitUsage, "waits at its brokers"},
		{[]string{"explain", site.URL + "/x"}, cli.ExitFailure, "it may be queued at the brokers"},
	} {
		code, out := runArgs(t, append(tt.args, "--job", node)...)
		if code != tt.want || !strings.Contains(out, tt.says) {
			t.Errorf("%v: exit code %d, want %d and %q\n%s", tt.args, code, tt.want, tt.says, out)
		}
	}
}

// Ensure that a node whose ledger or pages are lost does not go on as if nothing were, that what is said to help does, and that a
// crawl is not judged without it.
func TestCluster_DamagedNode(t *testing.T) {
	t.Parallel()
	site := webtest.New(t).Site(webtest.Pages{
		"/": {Body: `<a href="/1">on`}, "/1": {Body: `<a href="/2">on`}, "/2": {Body: "the last"}})
	_, config := clusterConfig(t, time.Millisecond, "")
	all := t.TempDir()
	a, b := filepath.Join(all, "a"), filepath.Join(all, "b")
	code, out := runArgs(t, "crawl", "--quiet", "--config", config, "--job", a, "--max-pages", "2", site.URL+"/")
	if code != cli.ExitLimit {
		t.Fatalf("crawl: exit code %d\n%s", code, out)
	}
	mustRun(t, "crawl", "--quiet", "--config", config, "--job", b)
	mustRun(t, "verify", "--job", all)
	keepFirst := func(name string) error {
		return change(name, func(b []byte) []byte { return b[:bytes.IndexByte(b, '\n')+1] })
	}
	for _, tt := range []struct {
		file   string
		damage func(string) error
		says   string
	}{
		{job.LedgerDir, os.RemoveAll, "it has no record, though pages are stored"},
		{job.LedgerDir + "/ledger-000001.jsonl", keepFirst, "the ledger of the job cannot be read"},
		{job.PagesDir, os.RemoveAll, "their list has lost lines"},
		{job.PagesDir + "/pages.jsonl", os.Remove, "their list has lost lines"},
		{job.PagesDir + "/pages.jsonl", keepFirst, "their list has lost lines"},
		{job.PartitionsDir + "/begun", damages["emptied"], "does not say when it began"},
	} {
		dir := filepath.Join(t.TempDir(), "a")
		filetest.Copy(t, dir, a)
		if err := tt.damage(filepath.Join(dir, tt.file)); err != nil {
			t.Fatal(err)
		}
		code, out := runArgs(t, "crawl", "--quiet", "--config", config, "--job", dir)
		if code != cli.ExitDisk || !strings.Contains(out, tt.says) || !strings.Contains(out, "give the node another --job") {
			t.Errorf("%s: exit code %d, want %d and %q\n%s", tt.file, code, cli.ExitDisk, tt.says, out)
		}
	}
	mustRun(t, "crawl", "--quiet", "--config", config, "--job", a)
	if err := os.Remove(filepath.Join(b, job.ConfigFile)); err != nil {
		t.Fatal(err)
	}
	if out := mustRun(t, "verify", "--job", all); !strings.Contains(out, b+": ") {
		t.Errorf("verify leaves a node out that has lost %s\n%s", job.ConfigFile, out)
	}
	if code, out := runArgs(t, "check", "--job", all); code != cli.ExitUsage || !strings.Contains(out, b+": not a job directory") {
		t.Errorf("check without %s of a node: exit code %d, want %d\n%s", job.ConfigFile, code, cli.ExitUsage, out)
	}
}

// changed returns the name of a copy of a file in which something is another.
func changed(t *testing.T, name, before, after string) string {
	t.Helper()
	return configured(t, strings.Replace(mustRead(t, name), before, after, 1))
}

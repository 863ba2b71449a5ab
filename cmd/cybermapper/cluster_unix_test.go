//go:build unix

package main

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// Ensure that Ctrl-C at a terminal, which reaches all processes of a command, leaves the brokers there until the nodes have ended.
func TestCluster_DevInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("what it runs at the same time, others run too")
	}
	t.Parallel()
	bench := webtest.New(t).Bench(webtest.BenchShape{Hosts: 4, Pages: 200, PageBytes: 2000, Links: 10})
	var out bytes.Buffer
	cmd := process(t, append([]string{"cluster", "dev", "--job", t.TempDir(), "--brokers", "1", "--", "--allow-private",
		"--delay", "50ms"}, bench.Seeds()...)...)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = &out, &out, &syscall.SysProcAttr{Setpgid: true}
	mustStart(t, cmd)
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	awaitPages(t, bench, 40)
	begun := time.Now()
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != cli.ExitInterrupted {
		t.Errorf("exit code %d", code)
	}
	if took := time.Since(begun); took > 5*time.Second || strings.Contains(out.String(), "the brokers take nothing") {
		t.Errorf("it took %v\n%s", took, &out)
	}
}

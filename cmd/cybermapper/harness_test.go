package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/browsertest"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// runCommand runs the command in this process and returns its exit code and all it printed. No argument may hold a space.
func runCommand(ctx context.Context, args string) (code int, output string) {
	var out bytes.Buffer
	code = run(ctx, strings.Fields(args), strings.NewReader(""), &out, &out)
	return code, out.String()
}

// runArgs is runCommand for arguments that may hold anything.
func runArgs(t *testing.T, args ...string) (code int, output string) {
	t.Helper()
	var out bytes.Buffer
	code = run(t.Context(), args, nil, &out, &out)
	return code, out.String()
}

// mustRun runs the command, which must be done, and returns what it printed.
func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	code, out := runArgs(t, args...)
	if code != cli.ExitDone {
		t.Fatalf("%q: exit code %d\n%s", args, code, out)
	}
	return out
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 400 {
		if holds() {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatalf("in 10 s never: %s", what)
}

// process returns the command as a process of its own.
func process(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(executable(t))
	cmd.Args = append([]string{"cybermapper"}, args...) // what TestMain tells the command from the tests by
	return cmd
}

// startBrowser starts a browser, which only reads what was made: the race detector sees nothing in it.
func startBrowser(t *testing.T) *browsertest.Browser {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	return browsertest.Start(t)
}

// mustStart starts a process.
func mustStart(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
}

// commandFile returns the name of a file that is the command, for others to start.
func commandFile(t testing.TB) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "cybermapper")
	if err := os.Symlink(executable(t), name); err != nil {
		t.Fatal(err)
	}
	return name
}

// executable returns the file of the tests.
func executable(t testing.TB) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}

// configured returns the name of a configuration file.
func configured(t testing.TB, settings string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "config.yaml")
	filetest.Write(t, name, settings)
	return name
}

func mustRead(t testing.TB, name string) string {
	t.Helper()
	return string(filetest.Read(t, name))
}

// rewriteFile changes a file.
func rewriteFile(t testing.TB, name string, change func(data []byte) []byte) {
	t.Helper()
	filetest.Write(t, name, change(filetest.Read(t, name)))
}

// recordsOf returns the records of the ledger of a job: all, or those of some types.
func recordsOf(t *testing.T, job string, types ...ledger.Type) (records []ledger.Record) {
	t.Helper()
	for r, err := range ledger.Read(filepath.Join(job, "ledger"), ledger.ReadOptions{Types: types}) {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records
}

// linesOf returns the list of the pages of a job.
func linesOf(t *testing.T, job string) (lines []pages.Line) {
	t.Helper()
	for l, err := range pages.Read(filepath.Join(job, "pages")) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	return lines
}

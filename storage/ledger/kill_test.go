package ledger_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// victimDir tells the test binary to append to the ledger in this directory until it is killed.
const victimDir = "LEDGER_VICTIM_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimDir); dir != "" {
		fmt.Fprintln(os.Stderr, appendForever(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// appendForever prints the number of the last record after each Sync.
func appendForever(dir string) error {
	l, err := ledger.Open(dir, ledger.Options{MaxFile: 50_000, Buffer: 1000})
	if err != nil {
		return err
	}
	report, err := ledger.Verify(dir)
	if err != nil {
		return err
	}
	for seq := report.Records + 1; ; seq++ {
		if err := l.Append(sample(int(seq))); err != nil {
			return err
		}
		if seq%7 != 0 {
			continue
		}
		if err := l.Sync(); err != nil {
			return err
		}
		fmt.Println(seq)
	}
}

// Promise 3: what Sync has returned for is there after kill -9 at any moment, and the next process continues the chain.
func TestLedger_SurvivesKill(t *testing.T) {
	dir := t.TempDir()
	for range 12 {
		synced := runVictim(t, dir, 1+rand.IntN(40))
		r := verify(t, dir)
		if r.Bad != nil {
			t.Fatal(r.Bad)
		}
		if r.Records < synced {
			t.Fatalf("%d records, but %d were synced", r.Records, synced)
		}
	}
	write(t, dir, 1, ledger.Options{})
	if r := verify(t, dir); r.Bad != nil || r.Torn != 0 || r.Records != uint64(len(readAll(t, dir))) {
		t.Errorf("Verify = %+v", r)
	}
}

// runVictim lets another process append to dir, kills it after it has synced the given number of times, and returns the number of
// the last record it reported.
func runVictim(t *testing.T, dir string, syncs int) (seq uint64) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), victimDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if seq, err = strconv.ParseUint(lines.Text(), 10, 64); err != nil {
			t.Fatal(err)
		}
		if syncs--; syncs == 0 {
			cmd.Process.Kill()
		}
	}
	if cmd.Wait(); syncs > 0 {
		t.Fatal("the process ended by itself")
	}
	return seq
}

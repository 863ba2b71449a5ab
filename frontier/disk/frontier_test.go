package disk_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/goleak"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/frontier/memory"
	"github.com/cybermapper/cybermapper/storage/bootclock"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimDir); dir != "" {
		victim(dir) // until it is killed
	}
	goleak.VerifyTestMain(m)
}

// A checked frontier looks for contradictions on disk before it is closed.
type checked struct {
	*disk.Frontier
	t    testing.TB
	once sync.Once
}

func (c *checked) Close() error {
	c.once.Do(func() { mustBeSound(c.t, c.Frontier) })
	return c.Frontier.Close()
}

func mustBeSound(t testing.TB, f *disk.Frontier) {
	t.Helper()
	problems, err := f.Check(context.Background())
	if err != nil {
		t.Errorf("Check: %v", err)
	}
	for _, p := range problems {
		t.Errorf("Check: %s", p)
	}
}

func open(t testing.TB, dir string, o disk.Options) *disk.Frontier {
	t.Helper()
	if o.FS != nil && o.Boot == nil { // in memory, mostly with a clock that jumps when all wait
		o.Boot = func() bootclock.Reading { return bootclock.Reading{} }
	}
	f, err := disk.Open(dir, o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return f
}

func newOracle() frontier.Frontier { return memory.New() }

// The contract, with all waits exact, on a file system in memory.
func TestFrontier(t *testing.T) {
	t.Parallel()
	frontiertest.Test(t, func(t testing.TB) frontier.Frontier {
		return &checked{Frontier: open(t, "f", disk.Options{FS: vfs.NewMem(), Memory: 1}), t: t}
	}, frontiertest.Options{Bubble: true, Oracle: newOracle})
}

// The contract, with so little memory that sites come and go.
func TestFrontier_Small(t *testing.T) {
	t.Parallel()
	frontiertest.Test(t, func(t testing.TB) frontier.Frontier {
		o := disk.Options{FS: vfs.NewMem(), Memory: 1, ActiveSites: 1}
		return &checked{Frontier: open(t, "f", o), t: t}
	}, frontiertest.Options{Bubble: true, Oracle: newOracle})
}

// The contract, with real files and real time.
func TestFrontier_Files(t *testing.T) {
	t.Parallel()
	frontiertest.Test(t, func(t testing.TB) frontier.Frontier {
		return open(t, t.TempDir(), disk.Options{})
	}, frontiertest.Options{})
}

// What must outlive the process, and the power.
func TestFrontier_Reopen(t *testing.T) {
	t.Parallel()
	disks := make(map[string]*vfs.MemFS)
	opened := func(t testing.TB, dir string) frontier.Frontier {
		if disks[dir] == nil {
			disks[dir] = vfs.NewCrashableMem()
		}
		f := &checked{Frontier: open(t, "f", disk.Options{FS: disks[dir], Memory: 1}), t: t}
		t.Cleanup(func() { f.Close() }) // also that on the machine which has lost its power
		return f
	}
	kill := func(t testing.TB, f frontier.Frontier, dir string) string {
		after := filepath.Join(dir, "after")
		disks[after] = disks[dir].CrashClone(vfs.CrashCloneCfg{})
		return after
	}
	frontiertest.Reopen(t, opened, kill, frontiertest.Options{Bubble: true, Oracle: newOracle})
}

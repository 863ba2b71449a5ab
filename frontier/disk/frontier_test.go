package disk_test

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/frontier/memory"
)

func open(t testing.TB, o disk.Options) *disk.Frontier {
	t.Helper()
	f, err := disk.Open("frontier", o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return f
}

func newOracle() frontier.Frontier { return memory.New() }

// The contract, with all waits exact, on a file system in memory.
func TestFrontier(t *testing.T) {
	frontiertest.Test(t, func(t testing.TB) frontier.Frontier {
		return open(t, disk.Options{FS: vfs.NewMem(), Memory: 1})
	}, frontiertest.Options{Bubble: true, Oracle: newOracle})
}

// The contract, with real files and real time.
func TestFrontier_Files(t *testing.T) {
	frontiertest.Test(t, func(t testing.TB) frontier.Frontier {
		f, err := disk.Open(t.TempDir(), disk.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}, frontiertest.Options{Oracle: newOracle})
}

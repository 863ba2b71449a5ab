package graph_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/graph"
)

// The graph stays locked while it is open: else another process that closes it would take away the log that changes are in.
func TestOpen_KeepsItsLock(t *testing.T) {
	dir := t.TempDir()
	g, err := graph.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	info, err := os.Stat(graph.File(dir))
	if err != nil {
		t.Fatal(err)
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		t.Skip(err)
	}
	if inode := fmt.Sprintf(":%d ", info.Sys().(*syscall.Stat_t).Ino); !strings.Contains(string(locks), inode) {
		t.Errorf("no lock on inode %s of\n%s", inode, locks)
	}
}

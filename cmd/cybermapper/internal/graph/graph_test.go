package graph_test

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/graph"
)

// Who may read a job and not write into it can look at its graph.
func TestView_WhereNothingMayBeWritten(t *testing.T) {
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("only root of a Linux system may mount the directory of this test")
	}
	dir, seen := t.TempDir(), t.TempDir()
	g, err := graph.Open(t.Context(), dir)
	if err == nil {
		err = g.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--bind", dir, seen}, {"-o", "remount,bind,ro", seen}} {
		if out, err := exec.Command("mount", args...).CombinedOutput(); err != nil {
			t.Skipf("nothing may be mounted here: %v: %s", err, out)
		}
		if args[0] == "--bind" {
			t.Cleanup(func() { exec.Command("umount", "-l", seen).Run() })
		}
	}
	if g, err = graph.View(t.Context(), seen); err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if n, err := g.Count(t.Context(), graph.DeadLink, graph.FaultOptions{}); n != 0 || err != nil {
		t.Errorf("%d dead links, %v", n, err)
	}
}

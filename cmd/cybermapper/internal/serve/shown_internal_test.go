package serve

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/storage/index"
)

// Who may read a job and not write into it opens its index as one that cannot change; another user changes it all the same, and a
// page whose owner opted out since is found no longer.
func TestShown_IndexThatOnlyOthersMayWrite(t *testing.T) {
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("only root of a Linux system may mount the directory of this test")
	}
	dir, seen := t.TempDir(), t.TempDir()
	change := func(c index.Change) {
		t.Helper()
		x, err := index.Open(filepath.Join(dir, job.IndexFile), index.Options{})
		if err == nil {
			err = errors.Join(x.Apply(t.Context(), c), x.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	foxes := index.Document{URL: "http://a.example/", MaxSnippet: -1, Text: index.Text{Title: "Foxes"}}
	change(index.Change{Documents: []index.Document{foxes}})
	for _, args := range [][]string{{"--bind", dir, seen}, {"-o", "remount,bind,ro", seen}} {
		if out, err := exec.Command("mount", args...).CombinedOutput(); err != nil {
			t.Skipf("nothing may be mounted here: %v: %s", err, out)
		}
		if args[0] == "--bind" {
			t.Cleanup(func() { exec.Command("umount", "-l", seen).Run() })
		}
	}
	j := &shown{dir: seen}
	defer j.close()
	found := func() (hits int) {
		t.Helper()
		err := j.withIndex(func(x *index.Index) error {
			r, err := x.Search(t.Context(), index.Query{Text: "foxes"})
			if err == nil {
				hits = len(r.Hits)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return hits
	}
	for range 2 {
		if n := found(); n != 1 {
			t.Fatalf("%d hits, want 1", n)
		}
		change(index.Change{Refusals: []index.Refusal{{URL: foxes.URL, Reason: index.OptedOut}}})
		if n := found(); n != 0 {
			t.Fatalf("%d hits of an owner who opted out, want 0", n)
		}
		change(index.Change{Documents: []index.Document{foxes}})
	}
}

package engine

import (
	"errors"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// A queue that cannot be brought to stable storage is a job directory that cannot be written, though the system names no file then.
func TestStores_FailedWithoutAFile(t *testing.T) {
	var broken error
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData {
			return broken
		}
		return nil
	}))
	f, err := disk.Open("frontier", disk.Options{FS: fs, Memory: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := &stores{frontier: f, own: f}
	if s.failed(errors.New("no such host")) {
		t.Error("a queue that is whole is said to have failed")
	}
	broken = syscall.EIO
	if _, err = f.Add(t.Context(), frontiertest.Links(t, "http://a/")); !errors.Is(err, syscall.EIO) || !s.failed(err) {
		t.Errorf("a queue that failed with %v is not said to have failed", err)
	}
}

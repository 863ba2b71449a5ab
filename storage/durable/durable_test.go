package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/cybermapper/cybermapper/storage/durable"
)

// A file that replaces another is there after power loss once its contents and the directory are synced.
func ExampleSyncDir() {
	dir, err := os.MkdirTemp("", "durable")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	// ... write and sync DIR/new, rename it to DIR/list, and then:
	if err := durable.SyncDir(dir); err != nil {
		panic(err)
	}
	// Output:
}

func TestSyncDir_Missing(t *testing.T) {
	if err := durable.SyncDir(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
}

// A drop box, which may be written to and not read: what is in it cannot be asked for, and need not stop a crawl.
func TestSyncDir_MayNotBeRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "box")
	if err := os.Mkdir(dir, 0o300); err != nil {
		t.Fatal(err)
	}
	if err := durable.SyncDir(dir); err != nil {
		t.Errorf("a directory that may not be read: %v", err)
	}
}

// The directories of /proc have no way to be synced.
func TestSyncDir_FileSystemWithout(t *testing.T) {
	const dir = "/proc/self"
	d, err := os.Open(dir)
	if err != nil {
		t.Skip(err)
	}
	defer d.Close()
	if d.Sync() == nil {
		t.Skip(dir + " can be synced here")
	}
	if err := durable.SyncDir(dir); err != nil {
		t.Errorf("a file system that cannot sync a directory: %v", err)
	}
}

package job_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// A queue whose disk cannot be read at the moment is not told to be damaged.
func TestLook_DiskFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job")
	j, err := job.Open(dir, job.Crawl)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.WriteConfig(nil); err != nil {
		t.Fatal(err)
	}
	f, err := disk.Open(filepath.Join(dir, job.FrontierDir), disk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	filetest.Close(t, f)
	filetest.Close(t, j)
	files, err := filepath.Glob(filepath.Join(dir, job.FrontierDir, "OPTIONS-*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v; want one file", files, err)
	}
	// Its first page is not there.
	if err := errors.Join(os.Remove(files[0]), os.Symlink("/proc/self/mem", files[0])); err != nil {
		t.Fatal(err)
	}
	if _, err := job.Look(dir); !errors.Is(err, syscall.EIO) || errors.Is(err, job.ErrDamaged) {
		t.Errorf("%v; want that the disk fails, and no damage", err)
	}
}

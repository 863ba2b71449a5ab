package job_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// A process that is being started has all files of its parent until it runs: a job that is closed meanwhile is not in use.
func TestJob_CloseWhileAProcessStarts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job")
	j, err := job.Open(dir, job.Crawl)
	if err != nil {
		t.Fatal(err)
	}
	shared := -1
	files, _ := os.ReadDir("/proc/self/fd")
	for _, f := range files {
		link := filepath.Join("/proc/self/fd", f.Name())
		if name, _ := os.Readlink(link); name != filepath.Join(dir, job.LockFile) {
			continue
		}
		fd, err := strconv.Atoi(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if shared, err = unix.Dup(fd); err != nil {
			t.Fatal(err)
		}
		defer unix.Close(shared)
	}
	if shared < 0 {
		t.Fatal("the lock is not open")
	}
	filetest.Close(t, j)
	if used, err := job.InUse(dir); used || err != nil {
		t.Errorf("in use: %v, %v", used, err)
	}
}

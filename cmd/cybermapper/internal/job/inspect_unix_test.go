//go:build unix

package job_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// What is not a file, or far too large, is named before anything in the job is opened.
func TestKindOf_OnlyFiles(t *testing.T) {
	kinds := map[string]func(name string) error{
		"a pipe":     func(name string) error { return syscall.Mkfifo(name, 0o600) },
		"a device":   func(name string) error { return os.Symlink("/dev/zero", name) },
		"a socket":   listen,
		"far larger": func(name string) error { return errors.Join(os.WriteFile(name, nil, 0o600), os.Truncate(name, 1<<40)) },
	}
	for _, file := range []string{
		job.ConfigFile, job.LockFile, job.OptOutFile, job.IndexFile, "pages/pages.jsonl", "pages/.store/index/000001.log",
		"ledger/ledger.head", "frontier/MANIFEST-000001", "robots/../debts.json", "submit/x.request.json", "archive/x.warc.gz",
	} {
		for kind, make := range kinds {
			if kind == "far larger" && (strings.HasPrefix(file, "ledger/") || strings.HasPrefix(file, "pages/p") ||
				file == job.IndexFile || strings.HasPrefix(file, "archive/")) {
				continue // is read as it goes by
			}
			t.Run(file+" is "+kind, func(t *testing.T) {
				dir := t.TempDir()
				filetest.Write(t, filepath.Join(dir, job.ConfigFile), "# cybermapper job, format 1: crawl\n")
				name := filepath.Join(dir, filepath.FromSlash(file))
				mkdir(t, filepath.Dir(name))
				os.Remove(name)
				if err := make(name); err != nil {
					t.Skip(err)
				}
				_, err := job.KindOf(dir)
				if !errors.Is(err, job.ErrNotRegular) || !strings.Contains(err.Error(), filepath.Base(name)) {
					t.Errorf("error %v, want one that names the file", err)
				}
			})
		}
	}
}

func listen(name string) error {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: name})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	return l.Close()
}

// A link to what is not a file is not written through: a device of the system would be replaced.
func TestWriteFile_OnlyFiles(t *testing.T) {
	pipe, name := filepath.Join(t.TempDir(), "pipe"), filepath.Join(t.TempDir(), job.PageFile)
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink(pipe, name)); err != nil {
		t.Fatal(err)
	}
	if err := job.WriteFile(name, []byte("x")); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("error %v, want one that names %s", err, name)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Errorf("the pipe is %v now (%v)", info.Mode(), err)
	}
}

package job

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// MakeDir makes a directory, and those above it that are missing, durably: after power loss they are there, and so is what was
// synced in them. It is no error if it is there already.
func MakeDir(dir string) error { return makeDir(dir, syncDir) }

func makeDir(dir string, sync func(dir string) error) error {
	var parents []string // of what is missing
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		parents = append(parents, filepath.Dir(at))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, p := range parents {
		if err := sync(p); err != nil {
			return fmt.Errorf("make %s: %w", dir, err)
		}
	}
	return nil
}

// syncDir brings the names in a directory to stable storage, where the system has a way to ask for that and the user may: one that
// may only be written to cannot be opened.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) { // what a file system says that has no such thing
		err = nil
	}
	return errors.Join(err, d.Close())
}

package durable

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// SyncDir returns when the names in a directory are on stable storage, where the system has a way to ask for that and the user may:
// a directory that may be written to but not read cannot be opened, Windows has no such thing, nor have some file systems, which
// say so by EINVAL. In these cases it returns nil.
func SyncDir(dir string) error {
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
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

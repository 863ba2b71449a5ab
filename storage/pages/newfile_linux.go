package pages

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// openTop opens the directory of a tree for newFile.
func openTop(root *os.Root) (*os.File, error) { return root.Open(".") }

// newFile makes a new file with body below top. No symbolic link leads it out of there, as in an os.Root. The error is
// errors.ErrUnsupported, and nothing has been done, when the kernel cannot do that (before Linux 5.6), may not (in some sandboxes),
// or was kept from it by folders that moved meanwhile. created says that there is a file, which is not whole if there is an error.
func newFile(top *os.File, name string, body []byte) (created bool, err error) {
	how := unix.OpenHow{
		Flags: unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_CLOEXEC, Mode: 0o644,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS,
	}
	var fd int
	err = again(func() error {
		fd, err = unix.Openat2(int(top.Fd()), name, &how)
		return err
	})
	switch {
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		return false, &fs.PathError{Op: "openat2", Path: name, Err: err}
	case err != nil: // what else is wrong is told by the other way
		return false, errors.ErrUnsupported
	}
	for err == nil && len(body) > 0 {
		var n int
		err = again(func() error {
			n, err = unix.Write(fd, body)
			return err
		})
		if n == 0 && err == nil {
			err = io.ErrShortWrite
		}
		body = body[max(n, 0):]
	}
	if err = errors.Join(err, unix.Close(fd)); err != nil {
		err = &fs.PathError{Op: "write", Path: name, Err: err}
	}
	return true, err
}

// again calls f until no signal has interrupted it.
func again(f func() error) error {
	for {
		if err := f(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

package robots

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// Bodies keeps the bodies of robots.txt files by digest, so that every verdict can be checked later. It is safe for
// concurrent use.
type Bodies interface {
	// Put keeps body and returns its digest, as File.Digest has it. Putting the same twice is no error.
	Put(body []byte) (digest string, err error)
	// Get returns the body with that digest. The error is fs.ErrNotExist when there is none, or none that is whole.
	Get(digest string) ([]byte, error)
}

// DirBodies is Bodies in the directory of that name, one file each, named by the hexadecimal digest. The directory is made
// when needed. A file appears whole or not at all, and stays: what Put has returned for survives power loss.
type DirBodies string

var _ Bodies = DirBodies("")

// Put implements Bodies. A file that is there and whole is left alone.
func (dir DirBodies) Put(body []byte) (digest string, err error) { return dir.put(body, syncDir) }

func (dir DirBodies) put(body []byte, sync func(dir string) error) (digest string, err error) {
	digest = digestOf(body)
	if _, err := dir.Get(digest); err == nil {
		return digest, nil
	}
	if err := dir.make(sync); err != nil {
		return "", fmt.Errorf("keep robots.txt: %w", err)
	}
	f, err := dir.create()
	if err != nil {
		return "", fmt.Errorf("keep robots.txt: %w", err)
	}
	_, err = f.Write(body)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), dir.path(digest))
	}
	if err != nil {
		return "", fmt.Errorf("keep robots.txt: %w", errors.Join(err, os.Remove(f.Name())))
	}
	if err := sync(string(dir)); err != nil {
		return "", fmt.Errorf("keep robots.txt: %w", err)
	}
	return digest, nil
}

// make makes the directory, and its name durable, if it is not there.
func (dir DirBodies) make(sync func(dir string) error) error {
	if _, err := os.Stat(string(dir)); err == nil {
		return nil
	}
	if err := os.MkdirAll(string(dir), 0o777); err != nil {
		return err
	}
	return sync(filepath.Dir(string(dir)))
}

// syncDir brings the names in a directory to stable storage, where the system has a way to ask for that and the user may.
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
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) { // of a file system that has no such thing
		err = nil
	}
	return errors.Join(err, d.Close())
}

// create makes a new file with the permissions that the umask leaves, which one of os.CreateTemp has not: whoever may read the
// directory may read what is kept.
func (dir DirBodies) create() (*os.File, error) {
	for {
		name := filepath.Join(string(dir), ".new-"+strconv.FormatUint(rand.Uint64(), 36))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// Get implements Bodies.
func (dir DirBodies) Get(digest string) ([]byte, error) {
	if !isDigest(digest) {
		return nil, fmt.Errorf("robots.txt %.80q: not a digest: %w", digest, fs.ErrNotExist)
	}
	body, err := readRegular(dir.path(digest))
	if err != nil {
		return nil, fmt.Errorf("read kept robots.txt: %w", err)
	}
	if digestOf(body) != digest {
		return nil, fmt.Errorf("kept robots.txt %s is damaged: %w", digest, fs.ErrNotExist)
	}
	return body, nil
}

// maxKept bounds a kept file, in bytes: far more than is ever kept.
const maxKept = 16 << 20

// readRegular reads a file that is one: opening a pipe would wait for ever, and a device has no end.
func readRegular(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxKept:
		return nil, fmt.Errorf("%s is not a regular file of at most %d bytes", name, maxKept)
	}
	return os.ReadFile(name)
}

func (dir DirBodies) path(digest string) string {
	return filepath.Join(string(dir), strings.TrimPrefix(digest, "sha256:"))
}

// isDigest keeps names that are no digest from being taken for paths.
func isDigest(s string) bool {
	hex, ok := strings.CutPrefix(s, "sha256:")
	return ok && len(hex) == 64 && strings.Trim(hex, "0123456789abcdef") == ""
}

// noBodies keeps nothing.
type noBodies struct{}

func (noBodies) Put(body []byte) (string, error) { return digestOf(body), nil }
func (noBodies) Get(string) ([]byte, error)      { return nil, fs.ErrNotExist }

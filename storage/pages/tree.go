package pages

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/cybermapper/cybermapper/storage"
)

const (
	maxFolders = 10_000 // remembered to exist
	maxDirty   = 50_000 // files that wait for Sync; Put syncs when there are more
)

// A tree writes the files below the directory of a store, and knows what is not on stable storage yet. Names have slashes.
type tree struct {
	dir  string
	temp string // directory for files that are being written
	next atomic.Uint64

	mu      sync.Mutex // guards the following
	folders set        // that exist
	dirty   dirty
}

type set = map[string]struct{}

// dirty is what changed since the last Sync.
type dirty struct {
	files   set
	folders set
}

func newDirty() dirty { return dirty{set{}, set{}} }

// path returns where name lies on disk.
func (t *tree) path(name string) string { return filepath.Join(t.dir, filepath.FromSlash(name)) }

// paths returns where names lie on disk.
func (t *tree) paths(names set) []string {
	paths := make([]string, 0, len(names))
	for name := range names {
		paths = append(paths, t.path(name))
	}
	return paths
}

// has says whether name is a file of size bytes.
func (t *tree) has(name string, size int64) bool {
	info, err := os.Lstat(t.path(name))
	return err == nil && info.Mode().IsRegular() && info.Size() == size
}

// exists says whether there is anything at name.
func (t *tree) exists(name string) bool {
	_, err := os.Lstat(t.path(name))
	return !errors.Is(err, fs.ErrNotExist)
}

// holds says whether the file of l is there and is what l says.
func (t *tree) holds(l *Line) bool {
	if !t.has(l.File, l.Bytes) {
		return false
	}
	body, err := os.ReadFile(t.path(l.File))
	return err == nil && storage.DigestOf(body) == l.Digest
}

// write makes name a file with body: whole, or not at all.
func (t *tree) write(name string, body []byte) error {
	temp := filepath.Join(t.temp, strconv.FormatUint(t.next.Add(1), 36))
	err := writeNew(temp, body)
	if err == nil {
		err = t.place(temp, name)
	}
	if err != nil {
		os.Remove(temp)
		return fmt.Errorf("pages: write %s: %w", name, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dirty.files[name] = struct{}{}
	t.dirty.folders[path.Dir(name)] = struct{}{}
	return nil
}

// distrust makes the next Sync bring the file name and all folders above it to stable storage.
func (t *tree) distrust(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dirty.files[name] = struct{}{}
	for name != "." {
		name = path.Dir(name)
		t.dirty.folders[name] = struct{}{}
	}
}

func writeNew(name string, body []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	return errors.Join(err, f.Close())
}

// place renames the file temp to name, in a folder that is made if need be.
func (t *tree) place(temp, name string) error {
	folder := path.Dir(name)
	if err := t.makeFolder(folder); err != nil {
		return err
	}
	err := os.Rename(temp, t.path(name))
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	t.forgetFolders() // somebody removed it
	if err := t.makeFolder(folder); err != nil {
		return err
	}
	return os.Rename(temp, t.path(name))
}

// makeFolder makes name, and the folders above it, if need be.
func (t *tree) makeFolder(name string) error {
	if name == "." || t.knows(name) {
		return nil
	}
	err := os.Mkdir(t.path(name), 0o755)
	if errors.Is(err, fs.ErrNotExist) {
		if err := t.makeFolder(path.Dir(name)); err != nil {
			return err
		}
		err = os.Mkdir(t.path(name), 0o755)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.folders) >= maxFolders {
		clear(t.folders)
	}
	t.folders[name] = struct{}{}
	if err == nil {
		t.dirty.folders[path.Dir(name)] = struct{}{}
	}
	return nil
}

func (t *tree) knows(folder string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, known := t.folders[folder]
	return known
}

func (t *tree) forgetFolders() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.folders)
}

// isDirty says that more waits for Sync than should.
func (t *tree) isDirty() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.dirty.files) > maxDirty
}

// takeDirty returns what has changed since it was last called.
func (t *tree) takeDirty() dirty {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.dirty
	t.dirty = newDirty()
	return d
}

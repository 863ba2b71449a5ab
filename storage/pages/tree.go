package pages

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
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

// A tree writes the files below the directory of a store, and knows what is not on stable storage yet. Names have slashes. It works
// through an os.Root: no name, and no symbolic link that somebody has put there, leads out of the directory.
type tree struct {
	dir  string
	root *os.Root
	top  *os.File // the directory, for newFile; nil where that can do without
	next atomic.Uint64

	making sync.Mutex // held while the folder of a host is made; goes before mu

	mu      sync.Mutex // guards the following
	folders set        // that exist
	dirty   dirty
}

// tempFolder holds files that are to take the place of others, and folders of hosts until they have their names.
const tempFolder = ownFolder + "/temp"

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
	info, err := t.root.Lstat(name)
	return err == nil && info.Mode().IsRegular() && info.Size() == size
}

// exists says whether there is anything at name.
func (t *tree) exists(name string) bool {
	_, err := t.root.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// holds says whether name is a file with the body of l.
func (t *tree) holds(name string, l *Line) bool {
	if !t.has(name, l.Bytes) {
		return false
	}
	body, err := t.root.ReadFile(name)
	return err == nil && storage.DigestOf(body) == l.Digest
}

// write makes name a file with body: whole, or not at all unless the process dies. A new file is created in its place: to rename
// it from elsewhere would lock two folders, and crowd the files of all hosts around the folder where they are created.
func (t *tree) write(name string, body []byte) error {
	err := t.inFolder(name, func() error { return t.create(name, body) })
	if errors.Is(err, fs.ErrExist) { // without a line, or not what its line says
		err = t.replace(name, func(temp string) error { return t.create(temp, body) })
	}
	if err != nil {
		return fmt.Errorf("pages: write %s: %w", name, err)
	}
	t.touch(name, true)
	return nil
}

// create makes a new file with body, or none. Where the kernel itself keeps a path below a directory, that costs a third of the
// calls: an os.Root opens each folder on the way.
func (t *tree) create(name string, body []byte) error {
	created, err := newFile(t.top, name, body)
	if errors.Is(err, errors.ErrUnsupported) {
		return t.createBySteps(name, body)
	}
	if created && err != nil {
		err = errors.Join(err, t.root.Remove(name))
	}
	return err
}

// createBySteps is create for any system.
func (t *tree) createBySteps(name string, body []byte) error {
	f, err := t.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, t.root.Remove(name))
	}
	return err
}

// link makes name another name of the file first, which has body; a copy where that cannot be, because the file system has no links
// or the file has too many.
func (t *tree) link(first, name string, body []byte) error {
	err := t.inFolder(name, func() error { return t.root.Link(first, name) })
	if errors.Is(err, fs.ErrExist) {
		err = t.replace(name, func(temp string) error { return t.root.Link(first, temp) })
	}
	if err != nil {
		return t.write(name, body)
	}
	t.touch(name, false)
	return nil
}

// isLink says whether two names are those of one file.
func (t *tree) isLink(a, b string) bool {
	x, err := t.root.Lstat(a)
	y, errB := t.root.Lstat(b)
	return err == nil && errB == nil && os.SameFile(x, y)
}

// replace makes a file under a temporary name and puts it in the place of name.
func (t *tree) replace(name string, make func(temp string) error) error {
	temp := tempFolder + "/" + strconv.FormatUint(t.next.Add(1), 36)
	if err := make(temp); err != nil {
		return err
	}
	if err := t.root.Rename(temp, name); err != nil {
		return errors.Join(err, t.root.Remove(temp))
	}
	return nil
}

func (t *tree) close() error {
	err := t.root.Close()
	if t.top != nil {
		err = errors.Join(err, t.top.Close())
	}
	return err
}

// remove removes the file name.
func (t *tree) remove(name string) error { return t.root.Remove(name) }

// touch makes the next Sync bring the entry of name to stable storage, and the file if it is new.
func (t *tree) touch(name string, file bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if file {
		t.dirty.files[name] = struct{}{}
	}
	t.dirty.folders[path.Dir(name)] = struct{}{}
}

// distrust makes the next Sync bring the file name and all folders above it to stable storage.
func (t *tree) distrust(name string) {
	t.touch(name, true)
	t.mu.Lock()
	defer t.mu.Unlock()
	for name != "." {
		name = path.Dir(name)
		t.dirty.folders[name] = struct{}{}
	}
}

// inFolder calls make, which makes name, when the folder for it is there.
func (t *tree) inFolder(name string, make func() error) error {
	folder := path.Dir(name)
	if err := t.makeFolder(folder); err != nil {
		return err
	}
	err := make()
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	t.forgetFolders() // somebody removed it
	if err := t.makeFolder(folder); err != nil {
		return err
	}
	return make()
}

// makeFolder makes name, and the folders above it, if need be.
func (t *tree) makeFolder(name string) error {
	if name == "." || t.knows(name) {
		return nil
	}
	err := t.mkdir(name)
	if errors.Is(err, fs.ErrNotExist) {
		if err := t.makeFolder(path.Dir(name)); err != nil {
			return err
		}
		err = t.mkdir(name)
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

// mkdir makes a folder below one that is there.
func (t *tree) mkdir(name string) error {
	if path.Dir(name) == "." {
		return t.mkdirOfHost(name)
	}
	return t.root.Mkdir(name, 0o755)
}

// mkdirOfHost makes the folder of a host, under a name by chance, and moves it: its place on the disk depends on its name (spread),
// and with its own it would lie where it lay in the last store, beside what was removed with that. One is made at a time: a folder
// that is moved takes the place of an empty one, in which somebody may be about to make the next.
func (t *tree) mkdirOfHost(name string) error {
	t.making.Lock()
	defer t.making.Unlock()
	if t.exists(name) {
		return fs.ErrExist
	}
	temp := tempFolder + "/" + strconv.FormatUint(rand.Uint64(), 36)
	if t.root.Mkdir(temp, 0o755) == nil {
		if t.root.Rename(temp, name) == nil {
			return nil
		}
		_ = t.root.Remove(temp) // empty, and removed by the next Open if it is still there
	}
	return t.root.Mkdir(name, 0o755)
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

package pages

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/storage"
)

// ownFolder is the folder of a store that holds no pages.
const ownFolder = ".store"

// Recovery is what Open had to repair because the store had not been closed. It is zero after a clean stop.
type Recovery struct {
	TornBytes  int64 // of an unfinished line at the end of the list; cut off
	Unfinished int   // files without a line; removed
	Replayed   int   // lines the index had not read yet
	Rebuilt    bool  // the index was lost, or did not belong to the list, and was built again
}

// Recovery returns what Open had to repair.
func (s *Store) Recovery() Recovery { return s.recovery }

// Open opens the store in dir, which it makes if need be, and repairs what a crash has left.
func Open(dir string, o Options) (*Store, error) { return open(dir, o, newDisk()) }

func open(dir string, o Options, d disk) (*Store, error) {
	s := &Store{dir: dir, opts: o, disk: d, name: FileName}
	if err := s.openTree(); err != nil {
		return nil, err
	}
	lock, err := pebble.LockDirectory(filepath.Join(dir, ownFolder), vfs.Default)
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, errors.Join(fmt.Errorf("pages: open: %w", err), s.tree.close())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %s (%w)", ErrInUse, dir, err), s.tree.close())
	}
	s.lock = lock
	if err := s.recover(); err != nil {
		return nil, errors.Join(err, s.close(false))
	}
	return s, nil
}

// recover opens the parts of the store, brings them to agree with each other, and everything of which that is not known to
// stable storage.
func (s *Store) recover() error {
	if err := s.tidy(); err != nil {
		return err
	}
	if err := s.openList(); err != nil {
		return err
	}
	removing, err := s.readRemoving()
	if err != nil {
		return err
	}
	at, err := s.openIndex()
	if err != nil {
		return err
	}
	orphans, from, err := readStarted(s.inside(""))
	if err != nil {
		return err
	}
	if from > s.end.Load() { // the list was cut short: what the notes say of it is void
		from, orphans = -1, nil
	}
	if err := s.replay(at, from, orphans, removing); err != nil {
		return err
	}
	if err := s.finishRemoving(removing); err != nil {
		return err
	}
	for name := range orphans {
		if err := s.removeOrphan(name); err != nil {
			return fmt.Errorf("pages: remove an unfinished page: %w", err)
		}
	}
	s.started = &started{root: s.tree.root, end: s.end.Load}
	s.contents = openDescriber(s.dir, s.list)
	if err := errors.Join(s.Sync(), s.disk.folder(filepath.Dir(s.dir))); err != nil {
		return err
	}
	return removeStarted(s.inside(""))
}

// removeOrphan removes the file name, whose line was not found where it should be. If the index knows better, the file stays.
func (s *Store) removeOrphan(name string) error {
	info, err := s.tree.root.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.Mode().IsRegular() { // opening a pipe would wait for ever
		return fmt.Errorf("%s is not a regular file", name)
	}
	if err != nil {
		return err
	}
	body, err := s.tree.root.ReadFile(name)
	if err != nil {
		return err
	}
	if file, _, _, err := s.index.find(storage.DigestOf(body), ""); err != nil || file == name {
		return err
	}
	s.recovery.Unfinished++
	return s.tree.remove(name)
}

// openTree makes the tree, unless somebody has put symbolic links where the store writes.
func (s *Store) openTree() error {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return fmt.Errorf("pages: open: %w", err)
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return fmt.Errorf("pages: open: %w", err)
	}
	top, err := openTop(root)
	if err != nil {
		return errors.Join(fmt.Errorf("pages: open: %w", err), root.Close())
	}
	s.tree = &tree{dir: s.dir, root: root, top: top, folders: set{}, dirty: newDirty()}
	err = s.tree.refuseLinks(".", linesName, ownFolder)
	if err == nil {
		err = root.MkdirAll(tempFolder, 0o755)
	}
	for _, folder := range []string{ownFolder, ownFolder + "/index"} {
		if err == nil {
			err = s.tree.refuseLinks(folder)
		}
	}
	if err != nil {
		return errors.Join(fmt.Errorf("pages: open: %w", err), s.tree.close())
	}
	return nil
}

// refuseLinks returns an error if one of the names in folder, which need not exist, is a symbolic link; no names mean all.
func (t *tree) refuseLinks(folder string, names ...string) error {
	entries, err := fs.ReadDir(t.root.FS(), folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink != 0 && (len(names) == 0 || slices.Contains(names, e.Name())) {
			return fmt.Errorf("%s is a symbolic link, through which nothing is written: remove it",
				t.path(path.Join(folder, e.Name())))
		}
	}
	return nil
}

// tidy removes temporary files and finds out which names the file system takes. After power loss the folder of a host may be back
// among them with what was in it; no line tells of that, as its own name is synced before the list is.
func (s *Store) tidy() error {
	left, err := fs.ReadDir(s.tree.root.FS(), tempFolder)
	for _, e := range left {
		err = errors.Join(err, s.tree.root.RemoveAll(path.Join(tempFolder, e.Name())))
	}
	if err != nil {
		return fmt.Errorf("pages: remove temporary files: %w", err)
	}
	if !s.tree.takesLetters() {
		s.name = ASCIIFileName
	}
	s.tree.distrust(linesName)
	if temp, err := s.tree.root.Open(tempFolder); err == nil {
		spread(temp)
		temp.Close()
	}
	return nil
}

// takesLetters tries whether the file system takes names with letters of all scripts.
func (t *tree) takesLetters() bool {
	name := path.Join(tempFolder, "é字ж")
	if err := t.create(name, nil); err != nil {
		return false
	}
	return t.remove(name) == nil
}

// openList opens the list and cuts off a line that was never finished.
func (s *Store) openList() error {
	f, err := s.tree.root.OpenFile(linesName, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("pages: open list: %w", err)
	}
	s.list = f
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("pages: open list: %w", err)
	}
	end, err := lastLineEnd(f, size)
	if err != nil {
		return fmt.Errorf("pages: open list: %w", err)
	}
	if end < size {
		if err := f.Truncate(end); err != nil {
			return fmt.Errorf("pages: cut off an unfinished line: %w", err)
		}
	}
	s.recovery.TornBytes = size - end
	s.end.Store(end)
	return nil
}

// maxTorn bounds what a process or power that failed may leave behind the last line, in bytes: far more than it does.
const maxTorn = 256 << 20

// lastLineEnd returns the offset behind the last newline in the first size bytes of r.
func lastLineEnd(r io.ReaderAt, size int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for least := size - maxTorn; size > 0; {
		if size < least {
			return 0, fmt.Errorf("%s ends in more than %d bytes that are no line", linesName, maxTorn)
		}
		part := buf[:min(size, int64(len(buf)))]
		if _, err := r.ReadAt(part, size-int64(len(part))); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return size - int64(len(part)) + int64(i) + 1, nil
		}
		size -= int64(len(part))
	}
	return 0, nil
}

// openIndex opens the index and returns the offset in the list that it has read up to. An index that cannot be opened, or has read
// another list than this, is replaced by an empty one.
func (s *Store) openIndex() (int64, error) {
	x, err := openIndex(s.inside("index"), indexMemory)
	if err == nil {
		var at position
		at, err = x.position()
		if err == nil && s.isRead(at) {
			s.index = x
			return at.End, nil
		}
		err = errors.Join(err, x.db.Close())
	}
	if _, isAbandoned := errors.AsType[abandonedError](err); isAbandoned || errors.Is(err, syscall.ENOSPC) {
		return 0, err // a new one would not fare better
	}
	if err := s.dropIndex(); err != nil {
		return 0, err
	}
	s.recovery.Rebuilt = true
	s.index, err = openIndex(s.inside("index"), indexMemory)
	return 0, err
}

// isRead says whether the line that the index has read last is where it was.
func (s *Store) isRead(at position) bool {
	if at == (position{}) {
		return true
	}
	if at.End > s.end.Load() || at.Start < 0 || at.End-at.Start < 1 || at.End-at.Start > maxLine {
		return false
	}
	line := make([]byte, at.End-at.Start)
	_, err := s.list.ReadAt(line, at.Start)
	return err == nil && hashLine(line[:len(line)-1]) == at.Sum
}

// replay reads the list: the index takes up the lines behind indexed; the lines behind distrusted (if that is not negative) are
// for Sync, and their files are no orphans, of any kind.
func (s *Store) replay(indexed, distrusted int64, orphans ...set) error {
	offset := indexed
	if distrusted >= 0 {
		offset = min(indexed, distrusted)
	}
	rest := io.NewSectionReader(s.list, offset, s.end.Load()-offset)
	for raw, err := range rawLines(rest) {
		if err != nil {
			return err
		}
		at := position{Start: offset, End: offset + int64(len(raw)) + 1, Sum: hashLine(raw)}
		offset = at.End
		var l Line
		if json.Unmarshal(raw, &l) != nil {
			continue // Read and Check report it
		}
		for _, of := range orphans {
			delete(of, l.File)
		}
		if distrusted >= 0 && at.Start >= distrusted {
			s.tree.distrust(l.File)
		}
		if at.Start < indexed {
			continue
		}
		s.recovery.Replayed++
		if err := s.reindex(&l, at); err != nil {
			return err
		}
	}
	return nil
}

// reindex takes up a line in the index, unless its file lies elsewhere. Whether the file is there is seen when it is needed.
func (s *Store) reindex(l *Line, at position) error {
	if !isTreeName(l.File) {
		return nil
	}
	fp, err := l.fingerprint()
	if err != nil {
		return err
	}
	if l.SameAs != "" {
		same, _, _, err := s.index.find(l.Digest, "")
		if err != nil {
			return err
		}
		if same == "" { // what it was the same as has been removed: now it is the first
			l.SameAs = ""
		}
	}
	return s.index.add([]*entry{{line: l, fp: fp}}, at)
}

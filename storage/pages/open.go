package pages

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
	s := &Store{dir: dir, opts: o.withDefaults(), disk: d}
	if err := os.MkdirAll(s.inside("temp"), 0o755); err != nil {
		return nil, fmt.Errorf("pages: open: %w", err)
	}
	lock, err := pebble.LockDirectory(filepath.Join(dir, ownFolder), vfs.Default)
	if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
		return nil, fmt.Errorf("pages: open: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s (%w)", ErrInUse, dir, err)
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
	if err := s.openTree(); err != nil {
		return err
	}
	if err := s.openList(); err != nil {
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
	if err := s.replay(at, from, orphans); err != nil {
		return err
	}
	for name := range orphans {
		if err := s.removeOrphan(name); err != nil {
			return fmt.Errorf("pages: remove an unfinished page: %w", err)
		}
	}
	s.started = &started{dir: s.inside(""), end: s.end.Load}
	if err := errors.Join(s.Sync(), s.disk.folder(filepath.Dir(s.dir))); err != nil {
		return err
	}
	return removeStarted(s.inside(""))
}

// removeOrphan removes the file name, whose line was not found where it should be. If the index knows better, the file stays.
func (s *Store) removeOrphan(name string) error {
	body, err := os.ReadFile(s.tree.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if file, err := s.index.body(storage.DigestOf(body)); err != nil || file == name {
		return err
	}
	s.recovery.Unfinished++
	return os.Remove(s.tree.path(name))
}

// openTree makes the tree and removes temporary files.
func (s *Store) openTree() error {
	s.tree = &tree{dir: s.dir, temp: s.inside("temp"), folders: set{}, dirty: newDirty()}
	left, err := os.ReadDir(s.tree.temp)
	for _, e := range left {
		err = errors.Join(err, os.Remove(filepath.Join(s.tree.temp, e.Name())))
	}
	if err != nil {
		return fmt.Errorf("pages: remove temporary files: %w", err)
	}
	s.tree.distrust(linesName)
	return nil
}

// openList opens the list and cuts off a line that was never finished.
func (s *Store) openList() error {
	f, err := os.OpenFile(filepath.Join(s.dir, linesName), os.O_RDWR|os.O_CREATE, 0o644)
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

// lastLineEnd returns the offset behind the last newline in the first size bytes of r.
func lastLineEnd(r io.ReaderAt, size int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for size > 0 {
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
	x, err := openIndex(s.inside("index"), s.opts.IndexMemory)
	if err == nil {
		var at position
		at, err = x.position()
		if err == nil && s.isRead(at) {
			s.index = x
			return at.End, nil
		}
		err = errors.Join(err, x.db.Close())
	}
	if errors.Is(err, syscall.ENOSPC) {
		return 0, err // a new one would not fare better
	}
	if err := os.RemoveAll(s.inside("index")); err != nil {
		return 0, fmt.Errorf("pages: rebuild index: %w", err)
	}
	s.recovery.Rebuilt = true
	s.index, err = openIndex(s.inside("index"), s.opts.IndexMemory)
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
// for Sync, and their files are no orphans.
func (s *Store) replay(indexed, distrusted int64, orphans set) error {
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
		delete(orphans, l.File)
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
	return s.index.add(l, FileName(l.URL), fp, at)
}

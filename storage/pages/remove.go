package pages

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
)

// removingName is the file of a store that names what Remove is about to remove: whatever of that no line names goes.
const removingName = "removing"

// Removed is what Remove has taken out.
type Removed struct {
	Lines int64
	Files int64 // those that another line names stay
}

// Remove takes out the lines that unwanted chooses, and the files that no other line names. Other lines stay as they are, in their
// order; the list is another file then, in which they stand elsewhere. Nothing is stored meanwhile. It returns when everything is
// on stable storage. When the process dies in between, the lines are all there, or none: the next Open removes the files then.
//
// After an error that leaves the store in doubt every later call returns the same error.
func (s *Store) Remove(ctx context.Context, unwanted func(*Line) bool) (r Removed, err error) {
	s.open.Lock()
	defer s.open.Unlock()
	if err := s.Sync(); err != nil {
		return r, err
	}
	files := set{}
	r.Lines, err = s.copyList(ctx, unwanted, files)
	defer s.tree.root.Remove(s.temp())
	if err != nil || r.Lines == 0 {
		return r, err
	}
	if err := s.noteRemoving(files); err != nil {
		return Removed{}, err
	}
	r.Files, err = s.swapList(files)
	s.fail(err)
	return r, err
}

// temp is where the new list is written.
func (s *Store) temp() string { return path.Join(tempFolder, linesName) }

// copyList writes a list without the lines that are unwanted, and notes their files.
func (s *Store) copyList(ctx context.Context, unwanted func(*Line) bool, files set) (lines int64, err error) {
	to, err := s.tree.root.Create(s.temp())
	if err != nil {
		return 0, fmt.Errorf("pages: remove: %w", err)
	}
	defer to.Close()
	w := bufio.NewWriterSize(to, 1<<20)
	for raw, err := range rawLines(io.NewSectionReader(s.list, 0, s.end.Load())) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return 0, err
		}
		if l := (Line{}); decodeLine(raw, &l) == nil && unwanted(&l) {
			lines++
			if isTreeName(l.File) {
				files[l.File] = struct{}{}
			}
			continue
		}
		w.Write(raw)
		w.WriteByte('\n')
	}
	if err := errors.Join(w.Flush(), to.Sync()); err != nil {
		return 0, fmt.Errorf("pages: remove: write the new list: %w", err)
	}
	return lines, nil
}

// noteRemoving notes files, on stable storage, before anything happens to them.
func (s *Store) noteRemoving(files set) error {
	text, err := json.Marshal(files)
	if err != nil {
		return fmt.Errorf("pages: remove: %w", err)
	}
	name := path.Join(ownFolder, removingName)
	err = s.tree.root.WriteFile(name, text, 0o644)
	if err == nil {
		err = errors.Join(s.disk.file(s.tree.path(name)), s.disk.folder(s.tree.path(ownFolder)))
	}
	if err != nil {
		return fmt.Errorf("pages: remove: %w", err)
	}
	return nil
}

// swapList puts the new list in the place of the old one, makes the index anew, and removes files that no line names.
func (s *Store) swapList(files set) (removed int64, err error) {
	s.syncMu.Lock()
	defer s.syncMu.Unlock()
	if err := s.tree.root.RemoveAll(path.Join(ownFolder, contentsName)); err != nil {
		return 0, fmt.Errorf("pages: remove: %w", err)
	}
	if err := s.tree.root.Rename(s.temp(), linesName); err != nil {
		return 0, fmt.Errorf("pages: remove: %w", err)
	}
	if err := errors.Join(s.disk.folder(s.dir), s.list.Close(), s.index.close()); err != nil {
		return 0, fmt.Errorf("pages: remove: %w", err)
	}
	s.index = nil
	if err := s.openList(); err != nil {
		return 0, err
	}
	s.synced, s.contents = s.end.Load(), openDescriber(s.dir, s.list)
	s.contents.extend(s.list, s.synced, atOnce)
	if err := s.dropIndex(); err != nil {
		return 0, err
	}
	if s.index, err = openIndex(s.inside("index"), indexMemory); err != nil {
		return 0, err
	}
	if err := s.replay(0, -1, files); err != nil {
		return 0, err
	}
	if removed, err = s.removeFiles(files); err != nil {
		return removed, err
	}
	return removed, s.tree.root.Remove(path.Join(ownFolder, removingName))
}

// removeFiles removes files, and the folders that become empty.
func (s *Store) removeFiles(files set) (n int64, err error) {
	folders := set{}
	for name := range files {
		switch err := s.tree.remove(name); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return n, fmt.Errorf("pages: remove: %w", err)
		default:
			n++
		}
		folder := path.Dir(name)
		for ; folder != "." && s.tree.root.Remove(folder) == nil; folder = path.Dir(folder) { // unless something is in it
		}
		folders[folder] = struct{}{}
	}
	s.tree.forgetFolders()
	if err := each(s.tree.paths(folders), s.disk.folder); err != nil {
		return n, fmt.Errorf("pages: remove: %w", err)
	}
	return n, nil
}

// readRemoving returns the files that a Remove was about to remove when the process died, nil if there was none.
func readRemoving(own string) (files set, err error) {
	name := filepath.Join(own, removingName)
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !info.Mode().IsRegular(): // opening a pipe would wait for ever
		err = fmt.Errorf("%s is not a regular file", name)
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("pages: read what is being removed: %w", err)
	}
	if json.Unmarshal(text, &files) != nil || files == nil {
		files = set{} // it was not finished, and so nothing has happened
	}
	return files, nil
}

// readRemoving is readRemoving of the store that is being opened. The index may be that of the other list: it goes.
func (s *Store) readRemoving() (files set, err error) {
	if files, err = readRemoving(s.inside("")); err == nil && files != nil {
		err = s.dropIndex()
	}
	return files, err
}

// finishRemoving removes those of files that no line names.
func (s *Store) finishRemoving(files set) error {
	if files == nil {
		return nil
	}
	maps.DeleteFunc(files, func(name string, _ struct{}) bool { return !isTreeName(name) })
	if _, err := s.removeFiles(files); err != nil {
		return err
	}
	return s.tree.root.Remove(path.Join(ownFolder, removingName))
}

func (s *Store) dropIndex() error {
	if err := os.RemoveAll(s.inside("index")); err != nil {
		return fmt.Errorf("pages: rebuild index: %w", err)
	}
	return nil
}

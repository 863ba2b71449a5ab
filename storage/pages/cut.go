package pages

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Cut takes lines out of the list in dir that are not lines of this package, or that isWrong says are not as they were written, and
// keeps them in .store/lines.cut. It returns how many. The index must be removed before the store is opened again: it is built from
// the list. No process may have the store open.
func Cut(dir string, isWrong func(*Line) bool) (lines int64, err error) {
	name := filepath.Join(dir, linesName)
	from, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("pages: cut: %w", err)
	}
	defer from.Close()
	if err := os.MkdirAll(filepath.Join(dir, ownFolder), 0o755); err != nil {
		return 0, fmt.Errorf("pages: cut: %w", err)
	}
	whole, err := os.Create(filepath.Join(dir, ownFolder, "lines.new"))
	if err != nil {
		return 0, fmt.Errorf("pages: cut: %w", err)
	}
	defer os.Remove(whole.Name())
	defer whole.Close()
	bad, err := os.OpenFile(filepath.Join(dir, ownFolder, "lines.cut"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return 0, fmt.Errorf("pages: cut: %w", err)
	}
	defer bad.Close()
	w := bufio.NewWriter(whole)
	for raw, err := range rawLines(from) {
		if err != nil {
			return 0, err
		}
		line := append(raw, '\n')
		if l := (Line{}); json.Unmarshal(raw, &l) == nil && l.FinalURL != "" && isTreeName(l.File) && !isWrong(&l) {
			_, err = w.Write(line)
		} else {
			lines++
			_, err = bad.Write(line)
		}
		if err != nil {
			return 0, fmt.Errorf("pages: cut: %w", err)
		}
	}
	if err := errors.Join(w.Flush(), whole.Sync(), bad.Sync()); err != nil || lines == 0 {
		return lines, err
	}
	if err := os.RemoveAll(filepath.Join(dir, ownFolder, contentsName)); err != nil {
		return lines, fmt.Errorf("pages: cut: %w", err)
	}
	return lines, os.Rename(whole.Name(), name)
}

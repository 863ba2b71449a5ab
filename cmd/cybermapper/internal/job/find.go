package job

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Find returns the jobs that directories are or hold: of one that is no job, the jobs right in it, by name. A directory that
// neither is nor holds one stands for itself: whoever opens it says what is wrong. The same job may not be named twice.
func Find(dirs []string) ([]string, error) {
	var found []string
	for _, dir := range dirs {
		within, err := In(dir)
		if err != nil || len(within) == 0 {
			within = []string{dir}
		}
		found = append(found, within...)
	}
	return found, twice(found)
}

// In returns dir if it is a job, else the jobs right in it, by name. What is in it and is no job is passed over.
func In(dir string) ([]string, error) {
	if isJob(dir) {
		return []string{dir}, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	var found []string
	for _, e := range entries {
		sub := filepath.Join(dir, e.Name())
		if info, err := os.Stat(sub); err == nil && info.IsDir() && isJob(sub) {
			found = append(found, sub)
		}
	}
	return found, nil
}

// isJob reports whether a directory is a job, though perhaps one that cannot be looked at.
func isJob(dir string) bool {
	_, err := KindOf(dir)
	return err == nil || errors.Is(err, ErrNewer) || errors.Is(err, ErrNotRegular) || errors.Is(err, ErrNoJob) && hasLostMark(dir)
}

// hasLostMark reports whether a directory that is no job has what only a job leaves: it may not be passed over as if there were one
// less.
func hasLostMark(dir string) bool {
	_, locked := os.Stat(filepath.Join(dir, LockFile))
	_, crawled := os.Stat(filepath.Join(dir, LedgerDir))
	return locked == nil && crawled == nil
}

// ErrTwice says that two directories are one.
var ErrTwice = errors.New("the same job")

// twice says which two directories are one, perhaps by way of a link.
func twice(dirs []string) error {
	infos := make([]os.FileInfo, len(dirs))
	for i, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil {
			continue
		}
		infos[i] = info
		for n, before := range infos[:i] {
			if before != nil && os.SameFile(before, info) {
				return fmt.Errorf("%s and %s are %w", dirs[n], dir, ErrTwice)
			}
		}
	}
	return nil
}

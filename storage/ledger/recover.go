package ledger

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// An end is where a ledger is continued.
type end struct {
	last    mark  // the last record; its Seq is 0 when there is none
	segment int   // number of the last file
	line    int   // number of lines in it
	size    int64 // of them, in bytes
	torn    int64 // bytes behind them
}

// findEnd verifies the newest records of the ledger in dir and returns its end.
func findEnd(dir string) (end, error) {
	known, err := readMark(dir)
	if err != nil {
		return end{}, err
	}
	c := chain{known: known}
	broken := c.follow(dir, known)
	list, err := segments(dir)
	if err != nil {
		return end{}, err
	}
	e := end{last: c.mark(), segment: 1}
	if len(list) > 0 {
		e.segment = list[len(list)-1]
		if err := glanceAt(dir, e.segment); errors.Is(err, ErrNewer) {
			return end{}, err
		}
	}
	switch {
	case len(list) > 0 && isPacked(dir, e.segment): // it has ended, and another begins
		e.segment++
	case e.segment == c.last.segment:
		e.line, e.size = c.last.line, c.last.end
	}
	if bad, ok := errors.AsType[*CorruptError](broken); ok && bad.garbage && bad.File == segmentName(e.segment) {
		broken = c.complete() // what a power failure left behind the records that were known to be on disk
	}
	if broken != nil {
		return end{}, broken
	}
	if info, err := os.Stat(filepath.Join(dir, segmentName(e.segment))); err == nil {
		e.torn = info.Size() - e.size
	}
	return e, settle(dir, list, known.File)
}

// Settle brings what has reached the files of a ledger to stable storage, as who reads it cannot know that it is there.
func Settle(dir string) error {
	list, err := segments(dir)
	if err != nil {
		return err
	}
	return settle(dir, list, 1)
}

// settle brings the files that an earlier process left behind since its last Sync to stable storage.
func settle(dir string, list []int, from int) error {
	for _, n := range list {
		if n < from || isPacked(dir, n) {
			continue
		}
		f, err := os.OpenFile(filepath.Join(dir, segmentName(n)), os.O_WRONLY, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue // packed just now, which is done with what is on stable storage
		}
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		if err != nil {
			return fmt.Errorf("ledger: open: %w", err)
		}
	}
	return nil
}

// openAt opens the nth file of a ledger, which it creates if need be, to append at offset, and cuts off whatever is behind.
func openAt(dir string, n int, offset int64) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, segmentName(n)), os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("ledger: open: %w", err)
	}
	err = f.Truncate(offset)
	if err == nil {
		_, err = f.Seek(offset, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("ledger: open: %w", err), f.Close())
	}
	return f, nil
}

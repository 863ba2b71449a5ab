package disk

import (
	"context"
	"errors"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
)

// ErrBehind says that a directory ends before Options.LogFrom: the log has forgotten what it lacks.
var ErrBehind = errors.New("frontier: its log begins after it ends")

// IsDamaged reports whether an error of Open or Unpack says that files are not what was written: cut off, changed or missing. Such
// a directory is of no use, and with a log it can be replaced; what the disk or the log would not do is another matter.
func IsDamaged(err error) bool {
	if err == nil || errors.Is(err, ErrDiverged) || errors.Is(err, ErrBehind) {
		return false
	}
	if pebble.IsCorruptionError(err) || errors.Is(err, errRecord) || errors.Is(err, errArchive) {
		return true
	}
	var system syscall.Errno
	return errors.As(err, new(storeError)) && (!errors.As(err, &system) || system == syscall.ENOENT)
}

// A storeError is what the store says when it is opened.
type storeError struct{ error }

// Unwrap returns it.
func (e storeError) Unwrap() error { return e.error }

// Place returns the place in the log of the last record that the directory holds; 0 for none.
func (f *Frontier) Place() (uint64, error) {
	if err := f.begin(context.Background()); err != nil {
		return 0, err
	}
	defer f.using.Done()
	t, err := f.readTail()
	return t.place, err
}

// Contradiction returns what ended the replay of a frontier with Options.Salvage: nil when it came to the end of the log.
func (f *Frontier) Contradiction() error { return f.salvaged }

// salvage takes an error of replay for its end, if it is that of a log which contradicts itself or the directory.
func (f *Frontier) salvage(err error) error {
	if !f.opts.Salvage || !errors.Is(err, ErrDiverged) {
		return err
	}
	f.salvaged = err
	return f.Err()
}

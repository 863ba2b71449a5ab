package disk

import (
	"context"
	"errors"
	"fmt"
)

var errNoLog = errors.New("frontier: without a log there is no snapshot")

// Snapshot makes dir, which must not exist, a copy of the directory, from which Open with the log goes on, and returns the place of
// a record of the log that the copy holds, with all before it: the log can forget what is before that, but not the record itself.
// The copy is made of hard links where those are possible, and so takes little room until the store has merged what it is made
// of. The frontier may be used meanwhile.
func (f *Frontier) Snapshot(dir string) (at uint64, err error) {
	if f.opts.Log == nil {
		return 0, errNoLog
	}
	if err := f.beginWrite(context.Background()); err != nil {
		return 0, err
	}
	defer f.using.Done()
	held, err := f.readTail()
	if err != nil {
		return 0, err
	}
	if err := f.flush(); err != nil { // a copy has only what is in tables
		return 0, err
	}
	if err := f.core.db.Checkpoint(dir); err != nil {
		return 0, fmt.Errorf("copy the frontier to %s: %w", dir, err)
	}
	return held.place, nil
}

package disk

import (
	"errors"
	"fmt"
)

// CatchUp brings the frontier in dir to where its log ends, and makes one if there is none. It returns the place of the last record
// there is; 0 for none. It is for who may have to open the frontier soon, and does not own it: of Options.Log it calls Replay only.
// It fails as Open does. What it has taken in by then, it keeps.
func CatchUp(dir string, o Options) (place uint64, err error) {
	f := newFrontier(dir, o)
	if err := f.lockDir(); err != nil {
		return 0, err
	}
	if err = f.openReplayed(); err == nil || f.core.db != nil && f.Err() == nil {
		err = errors.Join(err, f.core.db.Flush())
	}
	if err = errors.Join(err, f.closeStore()); err != nil {
		return 0, fmt.Errorf("bring the frontier in %s up to its log: %w", dir, err)
	}
	return f.tail.place, nil
}

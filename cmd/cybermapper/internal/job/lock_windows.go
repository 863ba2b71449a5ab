package job

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock takes the lock of f for as long as f is open, for itself alone or with others that share it. It returns ErrInUse when
// another process has it otherwise. The locked range lies far behind the content, which stays readable.
func tryLock(f *os.File, how locking) error {
	kind := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if how == alone {
		kind |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	at := &windows.Overlapped{OffsetHigh: math.MaxInt32}
	err := windows.LockFileEx(windows.Handle(f.Fd()), kind, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrInUse
	}
	return err
}

// unlock gives the lock back and closes f.
func unlock(f *os.File) error { return f.Close() }

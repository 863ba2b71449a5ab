//go:build unix

package job

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock takes the lock of f for as long as f is open, for itself alone or with others that share it. It returns ErrInUse when
// another process has it otherwise.
func tryLock(f *os.File, how locking) error {
	kind := unix.LOCK_EX
	if how == shared {
		kind = unix.LOCK_SH
	}
	err := unix.Flock(int(f.Fd()), kind|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrInUse
	}
	return err
}

// unlock gives the lock back and closes f. A process that is being started shares f for a moment, and would keep the lock.
func unlock(f *os.File) error {
	return errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_UN), f.Close())
}

//go:build unix

package cli

import (
	"errors"

	"golang.org/x/sys/unix"
)

// RoomHint says what to do about an error of which IsDiskFull holds. A file system without room for one more file fails with the
// same error as one without a free byte, and its df shows plenty of them.
func RoomHint(err error) string {
	switch {
	case errors.Is(err, unix.EROFS):
		return "the file system is read-only: mount it for writing, or choose another --job"
	case errors.Is(err, unix.ENOSPC):
		return "make room, where df shows none left in bytes or df -i none in files"
	case errors.Is(err, unix.EFBIG):
		return "allow files to be longer (ulimit -f, or another file system)"
	}
	return "make room, or have the quota, or the bound on the length of files (ulimit -f), raised"
}

// isFull reports whether err says in the words of this system that the disk is full.
func isFull(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EROFS) ||
		errors.Is(err, unix.EFBIG)
}

//go:build unix

package cli

import (
	"errors"

	"golang.org/x/sys/unix"
)

// RoomHint says what to do about an error of which IsDiskFull holds.
func RoomHint(err error) string {
	if errors.Is(err, unix.EROFS) {
		return "the file system is read-only: mount it for writing, or choose another --job"
	}
	return "make room"
}

// isFull reports whether err says in the words of this system that the disk is full.
func isFull(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EROFS)
}

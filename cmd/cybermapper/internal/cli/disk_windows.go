package cli

import (
	"errors"

	"golang.org/x/sys/windows"
)

// RoomHint says what to do about an error of which IsDiskFull holds.
func RoomHint(err error) string {
	if errors.Is(err, windows.ERROR_WRITE_PROTECT) {
		return "the disk is protected: make it writable, or choose another --job"
	}
	return "make room"
}

// isFull reports whether err says in the words of this system that the disk is full.
func isFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_WRITE_PROTECT)
}

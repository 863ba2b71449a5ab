package cli

import (
	"errors"

	"golang.org/x/sys/windows"
)

// IsDiskFull reports whether err says so in the words of this system.
func IsDiskFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_WRITE_PROTECT)
}

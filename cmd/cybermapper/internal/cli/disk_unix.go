//go:build unix

package cli

import (
	"errors"

	"golang.org/x/sys/unix"
)

// IsDiskFull reports whether err says so in the words of this system.
func IsDiskFull(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EROFS)
}

//go:build unix

package main

import (
	"errors"

	"golang.org/x/sys/unix"
)

// isDiskFull reports whether err says so in the words of this system.
func isDiskFull(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EROFS)
}

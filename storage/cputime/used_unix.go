//go:build unix

package cputime

import (
	"syscall"
	"time"
)

// Used returns the processor time this process has used; 0 where it is not measured.
func Used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

//go:build unix

package cli

import "golang.org/x/sys/unix"

// MaxDescriptors returns how many files and connections this process may have open; 0 when nobody says.
func MaxDescriptors() uint64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return uint64(limit.Cur) // the runtime has raised it as far as it can
}

package pages

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// volumeSync returns syncfs(2) if the kernel reports errors of writing back through it, which Linux does since 5.8.
func volumeSync() func(f *os.File) error {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return nil
	}
	var major, minor int
	if _, err := fmt.Sscanf(unix.ByteSliceToString(name.Release[:]), "%d.%d", &major, &minor); err != nil {
		return nil
	}
	if major < 5 || major == 5 && minor < 8 {
		return nil
	}
	return func(f *os.File) error { return os.NewSyscallError("syncfs", unix.Syncfs(int(f.Fd()))) }
}

package pages

import (
	"errors"
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
	return func(f *os.File) error {
		var of unix.Statfs_t
		if err := unix.Fstatfs(int(f.Fd()), &of); err != nil {
			return os.NewSyscallError("fstatfs", err)
		}
		if !syncsWhole(uint32(of.Type)) {
			return errors.ErrUnsupported
		}
		return os.NewSyscallError("syncfs", unix.Syncfs(int(f.Fd())))
	}
}

// syncsWhole tells whether syncfs reaches stable storage on file systems of this type, as f_type of statfs(2) has it. Where the
// kernel only hands over what was written, to a process (FUSE) or to another machine (SMB, 9P), it says that all is well though
// nobody was asked to store anything; fsync does ask. So a type that is not known to do it does not.
func syncsWhole(kind uint32) bool {
	switch kind {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.OVERLAYFS_SUPER_MAGIC,
		unix.TMPFS_MAGIC, zfsMagic, bcachefsMagic:
		return true
	}
	return false
}

// Types that have no name in the package unix.
const (
	zfsMagic      = 0x2fc12fc1
	bcachefsMagic = 0xca451a4e
)

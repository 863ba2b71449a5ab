package pages

import (
	"os"

	"golang.org/x/sys/unix"
)

// topOfTree is FS_TOPDIR_FL of linux/fs.h.
const topOfTree = 0x00020000

// spread asks ext4 to put folders that are made in this one apart from each other, and from files of stores that were removed a
// moment ago: without a journal it looks at every inode of those, for minutes, before it takes a new one nearby. Where a folder
// comes depends on its name. Other file systems refuse, which is as well.
func spread(folder *os.File) {
	flags, err := unix.IoctlGetUint32(int(folder.Fd()), unix.FS_IOC_GETFLAGS)
	if err != nil || flags&topOfTree != 0 {
		return
	}
	_ = unix.IoctlSetPointerInt(int(folder.Fd()), unix.FS_IOC_SETFLAGS, int(flags|topOfTree))
}

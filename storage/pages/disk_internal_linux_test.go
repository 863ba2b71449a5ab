package pages

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestSyncsWhole: FUSE, SMB and 9P answer a syncfs without telling the process or the machine that stores the files.
func TestSyncsWhole(t *testing.T) {
	for kind, want := range map[uint32]bool{
		unix.EXT4_SUPER_MAGIC: true, unix.XFS_SUPER_MAGIC: true, unix.BTRFS_SUPER_MAGIC: true, unix.OVERLAYFS_SUPER_MAGIC: true,
		unix.FUSE_SUPER_MAGIC: false, unix.SMB2_SUPER_MAGIC: false, unix.CIFS_SUPER_MAGIC: false, unix.V9FS_MAGIC: false, 0: false,
	} {
		if got := syncsWhole(kind); got != want {
			t.Errorf("syncsWhole(%#x) = %v, want %v", kind, got, want)
		}
	}
}

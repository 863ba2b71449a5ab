package pages

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestOpen_SpreadsHosts: creating files costs a multiple where ext4 puts them beside many that were just removed.
func TestOpen_SpreadsHosts(t *testing.T) {
	s, _ := recorded(t)
	dir, err := os.Open(s.inside("temp"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	var fs unix.Statfs_t
	if err := unix.Fstatfs(int(dir.Fd()), &fs); err != nil || fs.Type != unix.EXT4_SUPER_MAGIC {
		t.Skip("not on ext4")
	}
	if flags, err := unix.IoctlGetUint32(int(dir.Fd()), unix.FS_IOC_GETFLAGS); err != nil || flags&topOfTree == 0 {
		t.Errorf("flags of the folder = %#x, %v, want %#x among them", flags, err, topOfTree)
	}
}

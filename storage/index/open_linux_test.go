package index_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cybermapper/cybermapper/storage/index"
)

// An index stays locked while it is open, also when the same process opens it again to write: else another process that closes it
// would take away the log that changes are in.
func TestOpen_KeepsItsLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	x, err := index.Open(path, index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, o := range []index.Options{{ReadOnly: true}, {}} {
		again, err := index.Open(path, o)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		locks, err := os.ReadFile("/proc/locks")
		if err != nil {
			t.Skip(err)
		}
		if inode := fmt.Sprintf(":%d ", info.Sys().(*syscall.Stat_t).Ino); !strings.Contains(string(locks), inode) {
			t.Errorf("opened again as %+v: no lock on inode %s of\n%s", o, inode, locks)
		}
	}
}

//go:build unix

package index_test

import (
	"errors"
	"io/fs"
	"net"
	"path/filepath"
	"testing"

	"github.com/cybermapper/cybermapper/storage/index"
)

// A file that cannot be read is told in the words of the file system, as to a user who may not read it, and not as a number of the
// database.
func TestOpen_UnreadableFileIsTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	l, err := net.Listen("unix", path) // no user can open a socket, the one who may read everything neither
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	x, err := index.Open(path, index.Options{ReadOnly: true})
	if err == nil {
		x.Close()
	}
	if told := new(fs.PathError); !errors.As(err, &told) {
		t.Errorf("error %v, want one of the file system", err)
	}
}

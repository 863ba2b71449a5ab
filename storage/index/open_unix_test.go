//go:build unix

package index_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/cybermapper/cybermapper/storage/filetest"
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

// What a writer that died took out is not found where its log cannot be read, as on a full disk or where nothing may be written:
// the file alone still has it. An empty log says nothing.
func TestOpen_LogThatCannotBeRead(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "index.db"), filepath.Join(t.TempDir(), "index.db")
	x, err := index.Open(from, index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer filetest.Close(t, x)
	apply(t, x, index.Change{Documents: []index.Document{document("/fox", "en", "Fox", "the quick brown fox")}})
	if err := x.Optimize(t.Context()); err != nil { // it is in the file
		t.Fatal(err)
	}
	apply(t, x, index.Change{Refusals: []index.Refusal{{URL: "https://example.org/fox", Reason: index.NoIndex}}})
	for _, suffix := range []string{"", "-wal"} {
		filetest.Write(t, to+suffix, filetest.Read(t, from+suffix))
	}
	if err := os.Symlink("no/where", to+"-shm"); err != nil { // the file that the log is read with cannot be made
		t.Fatal(err)
	}
	if y, err := index.Open(to, index.Options{ReadOnly: true}); !errors.Is(err, index.ErrLog) {
		t.Errorf("opened: %v", err)
		if err == nil {
			t.Errorf("found %q", paths(t, y, index.Query{Text: "fox"}))
			filetest.Close(t, y)
		}
	}
	filetest.Write(t, to+"-wal", "")
	y, err := index.Open(to, index.Options{ReadOnly: true})
	if err != nil {
		t.Fatalf("beside an empty log: %v", err)
	}
	filetest.Close(t, y)
}

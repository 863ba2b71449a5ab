package warc

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/durable"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// TestArchive_SyncsTheNames: after power loss a file that was synced is gone unless its name is on stable storage, too, and
// so is one whose directory has no name. An index has its name before the file that it is of loses that of an unfinished one, and
// that is lost for good when it is finished, also when an archive is opened after a death.
func TestArchive_SyncsTheNames(t *testing.T) {
	top := t.TempDir()
	dir, indexes := filepath.Join(top, "archive"), filepath.Join(top, "indexes")
	var synced []string
	syncDir := func(dir string) error {
		names, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Error(err)
		}
		step := filepath.Base(dir)
		for _, n := range names {
			step += " " + strings.Join(strings.Split(filepath.Base(n), ".")[1:], ".")
		}
		if dir == top {
			step = "top"
		}
		synced = append(synced, step)
		return durable.SyncDir(dir)
	}
	expect := func(when string, want ...string) {
		t.Helper()
		if !slices.Equal(synced, want) {
			t.Errorf("%s %q is synced, want %q", when, synced, want)
		}
		synced = nil
	}
	a, err := open(dir, Options{IndexDir: indexes}, syncDir)
	if err != nil {
		t.Fatal(err)
	}
	expect("by opening", "top", "top")
	response := []byte("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody")
	err = a.Record(t.Context(), &storage.Exchange{
		URL: "https://example.org/", Purpose: "page", Protocol: "http/1.1", Request: []byte("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"),
		Response: io.NewSectionReader(bytes.NewReader(response), 0, int64(len(response))), HeadLen: int64(len(response) - 4),
	})
	if err != nil {
		t.Fatal(err)
	}
	expect("by the first record", "archive warc.gz.open")

	killed := filepath.Join(top, "killed")
	filetest.Copy(t, killed, dir)
	filetest.Close(t, a)
	expect("by closing", "indexes warc.gz.cdxj", "archive warc.gz")
	again, err := open(killed, Options{}, syncDir)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	expect("after a death", "top", "top", "killed warc.gz.cdxj warc.gz.open", "killed warc.gz warc.gz.cdxj")
}

package database_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/storage/database"
)

// Ensure that what a damaged table says is one line, both to who reads it and to who hears of the database, and still damage.
func TestPlain(t *testing.T) {
	mem, told := vfs.NewMem(), &fatal{}
	db := mustOpen(t, mem, true, nil)
	fill(t, db)
	if err := db.Flush(); err != nil {
		t.Fatal(err)
	}
	db.Close()
	flipTable(t, mem)
	db, _, err := database.Open("db", &pebble.Options{FS: mem, Logger: told, FormatMajorVersion: pebble.FormatNewest}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, _, err = db.Get([]byte("key 50"))
	for _, text := range []string{fmt.Sprint(database.Plain(err)), told.text} {
		if text == "" || strings.Contains(text, "\n") || strings.Contains(text, "carrier") {
			t.Errorf("a damaged table says %q", text)
		}
	}
	if !pebble.IsCorruptionError(database.Plain(err)) {
		t.Errorf("%v is no damage any more", database.Plain(err))
	}
	if err := database.Plain(io.EOF); !errors.Is(err, io.EOF) {
		t.Errorf("Plain of %v = %v", io.EOF, err)
	}
	if err := database.Plain(nil); err != nil {
		t.Errorf("Plain of nil = %v", err)
	}
}

// fatal keeps what would end the process.
type fatal struct {
	quiet
	text string
}

func (f *fatal) Fatalf(format string, args ...any) { f.text = fmt.Sprintf(format, args...) }

// flipTable changes the first bytes of all tables.
func flipTable(t *testing.T, mem *vfs.MemFS) {
	t.Helper()
	names, err := mem.List("db")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.HasSuffix(name, ".sst") {
			continue
		}
		f, err := mem.OpenReadWrite(mem.PathJoin("db", name), vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt(make([]byte, 20), 10); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

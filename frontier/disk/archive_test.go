package disk_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// packed returns the archive of a frontier with a few links, its log, and what is in it.
func packed(t testing.TB) (archive []byte, log *memLog, want map[string]string) {
	t.Helper()
	log = &memLog{}
	o := disk.Options{FS: vfs.NewMem(), Memory: 1, Log: log.take()}
	f := open(t, "f", o)
	defer f.Close()
	for i := range 20 {
		frontiertest.Queue(t, f, fmt.Sprintf("http://site%d/", i))
	}
	if _, err := f.Snapshot("copy"); err != nil {
		t.Fatal(err)
	}
	frontiertest.Queue(t, f, "http://later/")
	var b bytes.Buffer
	if err := disk.Pack(&b, "copy", o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), log, dump(t, f)
}

// Ensure that a snapshot that was packed and unpacked elsewhere is the frontier, and takes the place of what was there.
func TestUnpack(t *testing.T) {
	archive, log, want := packed(t)
	dir := t.TempDir()
	o := disk.Options{Memory: 1, Log: log.take()}
	was := open(t, filepath.Join(dir, "f"), disk.Options{})
	frontiertest.Queue(t, was, "http://other/")
	was.Close()
	r := bytes.NewReader(append(bytes.Clone(archive), "what comes after"...))
	if err := disk.Unpack(r, filepath.Join(dir, "new"), o); err != nil {
		t.Fatal(err)
	}
	if r.Len() != 0 {
		t.Errorf("%d bytes were not read", r.Len())
	}
	if err := disk.Unpack(bytes.NewReader(archive), filepath.Join(dir, "new"), o); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Unpack where something is = %v, want %v", err, fs.ErrExist)
	}
	if err := disk.Replace(filepath.Join(dir, "f"), filepath.Join(dir, "new"), o); err != nil {
		t.Fatal(err)
	}
	f := open(t, filepath.Join(dir, "f"), o)
	defer f.Close()
	if diff := cmp.Diff(want, dump(t, f)); diff != "" {
		t.Errorf("replayed (-want +got):\n%.2000s", diff)
	}
}

// Ensure that what is left of an archive that was cut off is not taken for a frontier, and that an error of who is read is its own.
func TestUnpack_CutOff(t *testing.T) {
	archive, _, _ := packed(t)
	for n := 0; n < len(archive)-1024; n += 531 {
		o := disk.Options{FS: vfs.NewMem()}
		err := disk.Unpack(bytes.NewReader(archive[:n]), "f", o)
		if err == nil { // what is left are files
			_, err = disk.Open("f", disk.Options{FS: o.FS, Memory: 1, Log: new(memLog).take(), LogFrom: 1})
		}
		if !disk.IsDamaged(err) && !errors.Is(err, disk.ErrBehind) && !errors.Is(err, disk.ErrDiverged) {
			t.Fatalf("%d bytes of %d: %v, want damage", n, len(archive), err)
		}
	}
	broken := errors.New("broken")
	err := disk.Unpack(io.MultiReader(bytes.NewReader(archive[:700]), brokenReader{broken}), "f", disk.Options{FS: vfs.NewMem()})
	if !errors.Is(err, broken) || disk.IsDamaged(err) {
		t.Errorf("Unpack of what cannot be read = %v, want %v", err, broken)
	}
}

// Ensure that archives of others are refused: with files elsewhere, with what is no file, or with files that are longer than they
// are.
func TestUnpack_Foreign(t *testing.T) {
	for _, h := range []tar.Header{
		{Typeflag: tar.TypeReg, Name: "../x"},
		{Typeflag: tar.TypeReg, Name: "/x"},
		{Typeflag: tar.TypeReg, Name: ".x"},
		{Typeflag: tar.TypeDir, Name: "x"},
		{Typeflag: tar.TypeSymlink, Name: "x", Linkname: "/"},
		{Typeflag: tar.TypeReg, Name: "x", Format: tar.FormatPAX, PAXRecords: map[string]string{"comment": "as sparse files have"}},
	} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		if err := errors.Join(w.WriteHeader(&h), w.Close()); err != nil {
			t.Fatal(err)
		}
		if err := disk.Unpack(&b, "f", disk.Options{FS: vfs.NewMem()}); !disk.IsDamaged(err) {
			t.Errorf("%+v is unpacked: %v", h, err)
		}
	}
}

type brokenReader struct{ error }

func (r brokenReader) Read([]byte) (int, error) { return 0, r.error }

// Whatever an archive is: it is refused, or makes files in its directory, and nowhere else.
func FuzzUnpack(f *testing.F) {
	archive, _, _ := packed(f)
	f.Add(archive)
	f.Add(archive[:1000])
	f.Add(bytes.Replace(archive, []byte("MANIFEST-"), []byte("../IFEST-"), 1))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, archive []byte) {
		o := disk.Options{FS: vfs.NewMem()}
		if err := o.FS.MkdirAll("at/top", 0o755); err != nil {
			t.Fatal(err)
		}
		_ = disk.Unpack(bytes.NewReader(archive), o.FS.PathJoin("at", "top", "f"), o)
		for dir, want := range map[string][]string{"at": {"top"}, "at/top": {"f"}} {
			if got, err := o.FS.List(dir); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s has %q, %v, want %q", dir, got, err, want)
			}
		}
	})
}

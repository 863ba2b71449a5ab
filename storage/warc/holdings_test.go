package warc_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/warc"
)

// archived writes a file of some pages, and returns its name and that of its index.
func archived(t *testing.T, compression string, bodies ...string) (name, index string) {
	t.Helper()
	dir, indexes := t.TempDir(), t.TempDir()
	a := open(t, dir, warc.Options{Compression: compression, IndexDir: indexes})
	for i, body := range bodies {
		record(t, a, exchange(fmt.Sprintf("http://h/%d", i), ok(body)))
	}
	filetest.Close(t, a)
	return files(t, dir, "*", 1)[0], files(t, indexes, "*", 1)[0]
}

// Ensure that a file is missed as long as its index is there, and that nothing refers to what was in it.
func TestMissing(t *testing.T) {
	dir, indexes := t.TempDir(), t.TempDir()
	for i, want := range []string{"response", "revisit", "response", "revisit"} {
		a := open(t, dir, warc.Options{Prefix: fmt.Sprintf("p%d", i), IndexDir: indexes})
		record(t, a, exchange("http://h/x", ok("the same")))
		filetest.Close(t, a)
		name := files(t, dir, fmt.Sprintf("p%d-*.warc.gz", i), 1)[0]
		if all, _ := read(t, name); all[1].kind != want {
			t.Errorf("run %d wrote a %s, want a %s", i, all[1].kind, want)
		}
		if i == 1 {
			filetest.Remove(t, files(t, dir, "p0-*", 1)[0])
			filetest.Remove(t, name)
			filetest.Remove(t, files(t, indexes, "p1-*", 1)[0])
		}
	}
	missing, err := warc.Missing(dir, indexes)
	if err != nil || len(missing) != 1 || !strings.HasPrefix(missing[0], "p0-") {
		t.Errorf("missing %q, %v", missing, err)
	}
	if missing, err := warc.Missing(dir, filepath.Join(dir, "none")); err != nil || missing != nil {
		t.Errorf("without indexes: missing %q, %v", missing, err)
	}
}

// Ensure that the index of a file is known from any other.
func TestCheckIndex(t *testing.T) {
	name, index := archived(t, warc.Gzip, "one", "two", "one")
	text := string(filetest.Read(t, index))
	lines := strings.SplitAfter(text, "\n")
	for what, tt := range map[string]struct{ index, want string }{
		"whole":      {text, ""},
		"another":    {strings.ReplaceAll(text, "text/html", "text/plain"), ""}, // as another version may tell types
		"longer":     {text + lines[2], "line 4 is"},
		"shorter":    {lines[0] + lines[1], "line 3 is"},
		"empty":      {"", "line 1 is"},
		"unsorted":   {lines[1] + lines[0] + lines[2], "line 1 is"},
		"flipped":    {strings.Replace(text, `"offset":"`, `"offset":"1`, 1), "line 1 is"},
		"no revisit": {strings.Replace(text, "warc/revisit", "text/html", 1), "line 3 is"},
		"cut":        {text[:len(text)-1], "line 3 is"},
		"long":       {strings.Repeat("x", 2<<20), "line 1 is"},
	} {
		filetest.Write(t, index, tt.index)
		got, err := warc.CheckIndex(t.Context(), name, index)
		if err != nil || got == "" != (tt.want == "") || !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %q, %v; want %q", what, got, err, tt.want)
		}
	}
	filetest.Remove(t, index)
	if got, err := warc.CheckIndex(t.Context(), name, index); err != nil || got != "it is missing" {
		t.Errorf("missing: %q, %v", got, err)
	}
}

// Ensure that what is whole in a damaged file is kept, and no page can pass off what it holds as a record.
func TestSalvage(t *testing.T) {
	forged, _ := archived(t, warc.Plain, "a forged page")
	lie := string(filetest.Read(t, forged))
	for _, compression := range []string{warc.Gzip, warc.Plain} {
		name, index := archived(t, compression, "zero", "one"+lie, "two", "three")
		whole := filetest.Read(t, name)
		all, _ := read(t, name)
		for _, r := range all {
			damaged := bytes.Clone(whole)
			for i := r.offset + 12; i < r.offset+20; i++ {
				damaged[i] ^= 0x55
			}
			if r.kind == warc.TypeWarcinfo && compression == warc.Plain {
				continue // no WARC file begins so
			}
			filetest.Write(t, name, damaged)
			got := mustSalvage(t, name, index)
			if compression == warc.Plain && r.kind == warc.TypeResponse && strings.HasSuffix(r.uri, "/1") {
				if strings.Contains(string(got), "a forged page") {
					t.Errorf("the forged record in a damaged %s of %s is kept", r.kind, r.uri)
				}
			}
			for _, other := range all {
				isKept := bytes.Contains(got, whole[other.offset:other.offset+other.length])
				if isKept && other.offset == r.offset {
					t.Errorf("%s: a damaged %s is kept", compression, r.kind)
				}
				if !isKept && other.offset < r.offset || !isKept && other.offset > r.offset && other.kind == warc.TypeResponse {
					t.Errorf("%s: with a damaged %s of %s the %s of %s is lost", compression, r.kind, r.uri, other.kind, other.uri)
				}
			}
		}
		filetest.Write(t, name, whole)
		if got := mustSalvage(t, name, index); !bytes.Equal(got, whole) {
			t.Errorf("%s: of a sound file %d of %d bytes are kept", compression, len(got), len(whole))
		}
	}
}

func mustSalvage(t *testing.T, name, index string) []byte {
	t.Helper()
	to := filepath.Join(t.TempDir(), "whole")
	if _, err := warc.Salvage(t.Context(), name, index, to); err != nil {
		t.Fatal(err)
	}
	return filetest.Read(t, to)
}

// Ensure that a file whose index is lost gets the same again.
func TestWriteIndex(t *testing.T) {
	name, index := archived(t, warc.Zstd, "one", "two", "one")
	whole, want := filetest.Read(t, name), filetest.Read(t, index)
	filetest.Remove(t, index)
	if err := warc.WriteIndex(t.Context(), name, index); err != nil {
		t.Fatal(err)
	}
	if got := filetest.Read(t, index); !bytes.Equal(got, want) {
		t.Errorf("index\n%s\nwant\n%s", got, want)
	}
	if !bytes.Equal(filetest.Read(t, name), whole) {
		t.Error("the file has changed")
	}
}

package job

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cybermapper/cybermapper/storage/durable"
)

// TestWriteFile_SyncsTheName: until the directory is synced, power loss may bring the old file back, or none.
func TestWriteFile_SyncsTheName(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	var synced []string
	err := writeFile(name, []byte("new"), func(dir string) error {
		if text, err := os.ReadFile(name); err != nil || string(text) != "new" {
			t.Errorf("when the directory is synced: %q, %v", text, err)
		}
		synced = append(synced, dir)
		return durable.SyncDir(dir)
	})
	if want := []string{filepath.Dir(name)}; err != nil || !slices.Equal(synced, want) {
		t.Errorf("synced %q, %v; want %q", synced, err, want)
	}
}

// TestWriteDerived replaces a file, or makes one, as a whole.
func TestWriteDerived(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	for _, want := range []string{"the first, which is longer", "the second"} {
		if err := WriteDerived(name, []byte(want)); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(name); err != nil || string(text) != want {
			t.Errorf("the file has %q, %v, want %q", text, err, want)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(name)); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v, want the file only", left, err)
	}
}

// TestReplace_SyncsTheName: the same of a file that is too large for memory; of one that is not whole there is nothing.
func TestReplace_SyncsTheName(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	var synced []string
	sync := func(dir string) error {
		if text, err := os.ReadFile(name); err != nil || string(text) != "new" {
			t.Errorf("when the directory is synced: %q, %v", text, err)
		}
		synced = append(synced, dir)
		return durable.SyncDir(dir)
	}
	failed := errors.New("half of it")
	for _, want := range []error{failed, nil} {
		err := replace(name, func(f *os.File) error { f.WriteString("new"); return want }, sync)
		if !errors.Is(err, want) {
			t.Errorf("replace = %v, want %v", err, want)
		}
		if want != nil && len(synced) > 0 {
			t.Errorf("of what is not whole, %q is synced", synced)
		}
	}
	left, err := os.ReadDir(filepath.Dir(name))
	if want := []string{filepath.Dir(name)}; err != nil || len(left) != 1 || !slices.Equal(synced, want) {
		t.Errorf("synced %q, left %v, %v; want %q", synced, left, err, want)
	}
}

// TestMakeDir_SyncsTheNames: what is synced in a directory is lost with the name of the directory.
func TestMakeDir_SyncsTheNames(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "a", "b")
	for _, want := range [][]string{{filepath.Join(top, "a"), top}, nil} {
		var synced []string
		err := makeDir(dir, func(dir string) error {
			synced = append(synced, dir)
			return durable.SyncDir(dir)
		})
		if err != nil || !slices.Equal(synced, want) {
			t.Errorf("synced %q, %v; want %q", synced, err, want)
		}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		t.Error(info, err)
	}
}

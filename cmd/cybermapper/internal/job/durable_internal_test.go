package job

import (
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

package robots_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
)

func TestDirBodies(t *testing.T) {
	dir := robots.DirBodies(filepath.Join(t.TempDir(), "a", "b"))
	digest, err := dir.Put([]byte(closed))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := dir.Put([]byte(closed)); again != digest || err != nil {
		t.Errorf("twice: %s, %v", again, err)
	}
	if got, err := dir.Get(digest); string(got) != closed || err != nil {
		t.Errorf("Get = %q, %v", got, err)
	}
	files, err := os.ReadDir(string(dir))
	if err != nil || len(files) != 1 || "sha256:"+files[0].Name() != digest {
		t.Errorf("in the directory: %v, %v", files, err)
	}
	for _, missing := range []string{"", "sha256:", "sha256:" + strings.Repeat("0", 64), "sha256:../" + strings.Repeat("0", 61), "md5:0"} {
		if _, err := dir.Get(missing); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Get(%q): %v, want not exist", missing, err)
		}
	}
	// After power loss a file may be there and not whole: it counts as missing and is written again.
	if err := os.WriteFile(filepath.Join(string(dir), files[0].Name()), []byte("User"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Get(digest); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get of a damaged file: %v", err)
	}
	if _, err := dir.Put([]byte(closed)); err != nil {
		t.Fatal(err)
	}
	if got, err := dir.Get(digest); string(got) != closed || err != nil {
		t.Errorf("mended: %q, %v", got, err)
	}
}

// Whoever may read what else a crawl leaves may read these files: without them explain and verify tell half of the story.
func TestDirBodies_Permissions(t *testing.T) {
	dir := t.TempDir()
	digest, err := robots.DirBodies(dir).Put([]byte(closed))
	if err != nil {
		t.Fatal(err)
	}
	usual := filepath.Join(dir, "usual")
	if err := os.WriteFile(usual, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	want, err := os.Stat(usual)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.Stat(filepath.Join(dir, strings.TrimPrefix(digest, "sha256:")))
	if err != nil || got.Mode() != want.Mode() {
		t.Errorf("the file has the mode %v, %v; another has %v", got.Mode(), err, want.Mode())
	}
}

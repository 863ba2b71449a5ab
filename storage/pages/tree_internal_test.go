package pages

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// Ensure that both ways to make a file make the same one, and none elsewhere.
func TestTree_Create(t *testing.T) {
	body := bytes.Repeat([]byte("body "), 100_000)
	for _, way := range []string{"by the kernel", "by steps"} {
		t.Run(way, func(t *testing.T) {
			s, err := Open(t.TempDir(), Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			outside := t.TempDir()
			for _, err := range []error{
				os.MkdirAll(filepath.Join(s.dir, "a", "b"), 0o755), os.Symlink(outside, filepath.Join(s.dir, "a", "out")),
				os.Symlink("b", filepath.Join(s.dir, "a", "in")),
			} {
				if err != nil {
					t.Skip(err)
				}
			}
			create := s.tree.create
			if way == "by steps" {
				create = s.tree.createBySteps
			} else if _, err := newFile(s.tree.top, "a/b/tried", nil); runtime.GOOS != "linux" || errors.Is(err, errors.ErrUnsupported) {
				t.Skip(err)
			}
			for _, name := range []string{"a/b/c", "a/in/d", "e"} {
				if err := create(name, body); err != nil {
					t.Errorf("create(%s): %v", name, err)
				}
				got, err := os.ReadFile(filepath.Join(s.dir, name))
				if err != nil || !bytes.Equal(got, body) {
					t.Errorf("%s has %d bytes, %v, want %d", name, len(got), err, len(body))
				}
				if info, err := os.Stat(filepath.Join(s.dir, name)); err != nil || info.Mode().Perm()&0o600 != 0o600 {
					t.Errorf("%s: %v, %v", name, info.Mode(), err)
				}
				if err := create(name, nil); !errors.Is(err, fs.ErrExist) {
					t.Errorf("create(%s) again: %v, want %v", name, err, fs.ErrExist)
				}
			}
			if err := create("none/c", body); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("in no folder: %v, want %v", err, fs.ErrNotExist)
			}
			for _, name := range []string{"a/out/x", "../x", "a/../../x"} {
				if err := create(name, body); err == nil {
					t.Errorf("create(%s) leads out of the directory", name)
				}
			}
			if left, _ := os.ReadDir(outside); len(left) > 0 {
				t.Errorf("%s was made outside", left[0].Name())
			}
		})
	}
}

// The first pages of a host may be written at once, each in a folder of its own: none of them loses the folder of the host.
func TestTree_FoldersAtOnce(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for host := range 300 {
		var writers sync.WaitGroup
		begin := make(chan struct{})
		for n := range 8 {
			writers.Go(func() {
				<-begin
				if err := s.tree.write(fmt.Sprintf("host%d/d%d/p", host, n), []byte("body")); err != nil {
					t.Error(err)
				}
			})
		}
		close(begin)
		writers.Wait()
		if made, err := os.ReadDir(filepath.Join(s.dir, fmt.Sprint("host", host))); len(made) != 8 {
			t.Fatalf("host %d has %d folders, want 8 (%v)", host, len(made), err)
		}
	}
}

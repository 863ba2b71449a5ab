//go:build unix

package pages_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/cybermapper/cybermapper/storage/pages"
)

// sizeLimit stands for a full disk: no file of the victim can grow beyond.
const sizeLimit = 10_000

// putUnderLimit stores one page that is too large, then pages until the list is full, and prints the errors.
func putUnderLimit(dir string) error {
	s, err := pages.Open(dir, pages.Options{})
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: sizeLimit, Max: sizeLimit}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	large := page("https://example.org/large", strings.Repeat("x", sizeLimit+1))
	fmt.Println(s.Put(context.Background(), large))
	for i := range 1000 {
		if err := s.Put(context.Background(), page(fmt.Sprintf("https://example.org/%d", i), fmt.Sprint(i))); err != nil {
			fmt.Println(err)
			break
		}
	}
	fmt.Println(s.Sync()) // nothing is in doubt
	return nil            // the index could not be closed under the limit
}

// openUnderLimit opens a store in whose index nothing can be written, and prints the error.
func openUnderLimit(dir string) error {
	s, err := pages.Open(dir, pages.Options{})
	if err != nil {
		return err
	}
	if err := errors.Join(s.Put(context.Background(), page("https://example.org/", "x")), s.Close()); err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1, Max: 1}); err != nil {
		return err
	}
	_, err = pages.Open(dir, pages.Options{})
	fmt.Println(err)
	return nil
}

// TestOpen_IndexCannotBeWritten: what keeps the index from being opened is said, not what comes of trying again.
func TestOpen_IndexCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	cmd, out := start(t, "open-limit", dir)
	var got []string
	for out.Scan() {
		got = append(got, out.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || !strings.HasPrefix(got[0], "pages: open index: ") || !strings.HasSuffix(got[0], syscall.EFBIG.Error()) {
		t.Errorf("the process said %q", got)
	}
	checkSound(t, dir)
}

// TestStore_FullDisk: a write that fails halfway leaves no half file and no half line.
func TestStore_FullDisk(t *testing.T) {
	dir := t.TempDir()
	cmd, out := start(t, "limit", dir)
	var got []string
	for out.Scan() {
		got = append(got, out.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	full := syscall.EFBIG.Error()
	if len(got) != 3 || !strings.HasPrefix(got[0], "pages: write example.org/large~.html: ") || !strings.HasSuffix(got[0], full) ||
		!strings.HasPrefix(got[1], "pages: append to pages.jsonl: ") || !strings.HasSuffix(got[1], full) || got[2] != "<nil>" {
		t.Errorf("the process said %q", got)
	}
	if list := content(t, dir, "pages.jsonl"); !strings.HasSuffix(list, "}\n") || len(list) > sizeLimit {
		t.Errorf("the list has %d bytes and ends in %q", len(list), list[len(list)-10:])
	}
	if lines, names := readAll(t, dir), files(t, dir); len(lines) != len(names) || len(lines) < 10 {
		t.Errorf("%d lines, %d files", len(lines), len(names))
	}
	checkSound(t, dir)
	if _, err := os.Stat(dir + "/.store/temp/1"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the half-written file is still there: %v", err)
	}
}

package pages_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/pages"
)

var victims = map[string]func(dir string) error{
	"put": putForever, "limit": putUnderLimit, "open-limit": openUnderLimit, "remove": removeForever,
}

// start begins to run one of the victims on dir.
func start(t *testing.T, what, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, dir)
	cmd.Env = append(os.Environ(), victim+"="+what)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// numbered returns the ith page of a crawl. Every third page has the body of one of seven.
func numbered(i int) *storage.Page {
	body := fmt.Sprintf("%d %01000d", i, i)
	if i%3 == 0 {
		body = fmt.Sprint("shared ", i%7)
	}
	return page(fmt.Sprintf("https://example.org/%d/%d", i%5, i), body)
}

// putForever stores pages, several at once, and prints the number of each when it is stored. It begins with those
// that may have been under way when the one before it was killed.
func putForever(dir string) error {
	s, err := pages.Open(dir, pages.Options{})
	if err != nil {
		return err
	}
	const atOnce = 8
	var next atomic.Int64
	for range pages.Read(dir) {
		next.Add(1)
	}
	next.Store(max(0, next.Load()-2*atOnce))
	var g errgroup.Group
	for range atOnce {
		g.Go(func() error {
			for {
				i := int(next.Add(1) - 1)
				if err := s.Put(context.Background(), numbered(i)); err != nil {
					return err
				}
				fmt.Println(i)
				if i%10 == 0 {
					if err := s.Sync(); err != nil {
						return err
					}
				}
			}
		})
	}
	return g.Wait()
}

// Promise 3: after kill -9 at any moment every page that was put is there whole, once, and nothing is left lying about.
func TestStore_SurvivesKill(t *testing.T) {
	dir := t.TempDir()
	stored := map[string]bool{}
	for range 10 {
		cmd, out := start(t, "put", dir)
		for stop := 1 + rand.IntN(60); out.Scan(); stop-- {
			i, err := strconv.Atoi(out.Text())
			if err != nil {
				t.Fatal(err)
			}
			stored[numbered(i).URL] = true
			if stop == 0 {
				cmd.Process.Kill()
			}
		}
		cmd.Wait()
		checkSound(t, dir) // before anything is repaired
		checkStored(t, dir, stored)
	}
	s := open(t, dir)
	filetest.Close(t, s)
	checkSound(t, dir)
	checkStored(t, dir, stored)
	notes, err := filepath.Glob(filepath.Join(dir, ".store", "started-*"))
	if temp, _ := filepath.Glob(filepath.Join(dir, ".store", "temp", "*")); err != nil || len(notes)+len(temp) > 0 {
		t.Errorf("left over: %q", slices.Concat(notes, temp))
	}
}

// checkStored checks that each of the URLs has a line, and none two.
func checkStored(t *testing.T, dir string, urls map[string]bool) {
	t.Helper()
	seen := map[string]bool{}
	for _, l := range readAll(t, dir) {
		if seen[l.URL] {
			t.Errorf("two lines for %s", l.URL)
		}
		seen[l.URL] = true
	}
	for url := range urls {
		if !seen[url] {
			t.Errorf("no line for %s", url)
		}
	}
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// A run that begins on a full disk, after one that was killed, ends at once and says so, whichever store is full; and when there is
// room, nothing is lost.
func TestCrawl_BeginsOnFullDisk(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("only root of a Linux system may mount the small file systems of this test")
	}
	for _, tt := range []struct{ store, options string }{
		{"frontier", "size=16m"}, {"pages", "size=16m"}, {"ledger", "size=16m"}, {".", "size=16m"}, {"frontier", "nr_inodes=64"},
	} {
		if testing.Short() && tt.store != "frontier" {
			continue
		}
		t.Run(tt.store+" "+tt.options, func(t *testing.T) {
			bench := webtest.New(t).Bench(webtest.BenchShape{Hosts: 3, Pages: 200, PageBytes: 3000, Links: 20})
			job := filepath.Join(t.TempDir(), "job")
			args := append([]string{"crawl", "--job", job, "--allow-private", "--quiet", "--delay", "2ms"}, bench.Seeds()...)
			if tt.store == "." { // by default the log of the frontier alone is given 9 MB at once
				config := filepath.Join(t.TempDir(), "config.yaml")
				filetest.Write(t, config, "frontier:\n  memory: 16MiB\n")
				args = append(args, "--config", config)
			}
			place := filepath.Join(job, tt.store)
			for { // a kill may come before there is anything, or when all is done
				killed := runAndKill(t, args, true)
				_, noStore := os.Stat(place)
				_, noJob := os.Stat(filepath.Join(job, "job.yaml"))
				if killed && noStore == nil && noJob == nil {
					break
				}
				if err := os.RemoveAll(job); err != nil {
					t.Fatal(err)
				}
			}
			onSmallDisk(t, place, tt.options)
			filler := fill(t, place)

			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			cmd := exec.CommandContext(ctx, executable(t))
			cmd.Args = append([]string{"cybermapper"}, args...)
			cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) } // it says where it hangs
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != cli.ExitDisk || !strings.Contains(string(out), "no space left") {
				t.Errorf("on a full disk: %v, want exit code %d and a word\n%s", err, cli.ExitDisk, out)
			}
			for _, f := range filler {
				filetest.Remove(t, f)
			}
			runAndKill(t, args, false)
			if n := len(storedURLs(t, job)); n != bench.Total() {
				t.Errorf("%d pages are stored, want %d", n, bench.Total())
			}
			mustRun(t, "check", "--job", job)
		})
	}
}

// A job of a file system that nothing may be written to answers every question.
func TestJob_OnReadOnlyFileSystem(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("only root of a Linux system may mount the file system of this test")
	}
	bench := webtest.New(t).Bench(webtest.BenchShape{Hosts: 2, Pages: 10, PageBytes: 1000, Links: 5})
	dir := filepath.Join(t.TempDir(), "job")
	seed := bench.Seeds()[0]
	mustRun(t, append([]string{"crawl", "--job", dir, "--allow-private", "--quiet", "--delay", "2ms", "--index"}, bench.Seeds()...)...)
	onSmallDisk(t, dir, "size=64m")
	if out, err := exec.Command("mount", "-o", "remount,ro", dir).CombinedOutput(); err != nil {
		t.Fatalf("remount: %v: %s", err, out)
	}
	for _, command := range []string{
		"status --job", "verify --job", "check --job", "explain " + seed + " --job", "explain --traps --job", "changes --job",
		"search page --job", "search --why " + seed + " --job", "care --kind dead-link --job", "export graph --job", "export links --job",
		"export pages --job", "report --out " + filepath.Join(t.TempDir(), "report.html") + " --job",
	} {
		mustRun(t, strings.Fields(command+" "+dir)...)
	}
	if code, out := runCommand(t.Context(), "index --job "+dir); code != cli.ExitDisk || !strings.Contains(out, "read-only") {
		t.Errorf("index: exit code %d, want %d and a word\n%s", code, cli.ExitDisk, out)
	}
}

// onSmallDisk moves a directory to a file system of its own.
func onSmallDisk(t *testing.T, dir, options string) {
	t.Helper()
	before := dir + ".before"
	if err := errors.Join(os.Rename(dir, before), os.Mkdir(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("nothing may be mounted here: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	if err := errors.Join(os.CopyFS(dir, os.DirFS(before)), os.RemoveAll(before)); err != nil {
		t.Fatal(err)
	}
}

// fill leaves no room in the file system of a directory, neither for bytes nor for files, and returns what to remove.
func fill(t *testing.T, dir string) (files []string) {
	t.Helper()
	for block := bytes.Repeat([]byte("x"), 1<<20); ; {
		name := filepath.Join(dir, fmt.Sprintf("filler-%d", len(files)))
		f, err := os.Create(name)
		if err != nil {
			return files
		}
		files = append(files, name)
		_, err = f.Write(block)
		if f.Close(); err != nil {
			block = nil // until there are no inodes either
		}
		if len(files) > 100 {
			return files
		}
	}
}

// storedURLs returns how often each URL is in the list of pages.
func storedURLs(t *testing.T, job string) map[string]int {
	t.Helper()
	stored := map[string]int{}
	for _, l := range linesOf(t, job) {
		stored[l.URL]++
	}
	return stored
}

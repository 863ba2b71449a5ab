//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// fullJob is a job that has every kind of file.
func fullJob(t *testing.T) (dir, host string) {
	t.Helper()
	web := webtest.New(t)
	site := web.Site(webtest.Pages{
		"/robots.txt": {Body: "User-agent: *\nDisallow: /closed\n"},
		"/":           {Body: `<title>front</title><a href="/a">a</a> <a href="/closed">c</a>`}, "/a": {Body: "<title>a</title>a page"},
	})
	dir, key := filepath.Join(t.TempDir(), "job"), filepath.Join(t.TempDir(), "key")
	config := filepath.Join(t.TempDir(), "config.yaml")
	filetest.Write(t, config, "evidence:\n  key: "+key+"\n")
	for _, args := range [][]string{
		{"key", "new", "--name", "test.example", key},
		{"crawl", "--job", dir, "--config", config, "--allow-private", "--quiet", "--delay", "1ms", "--index", "--warc", site.URL + "/"},
		{"export", "graph", "--job", dir},
		{"submit", "--job", dir, site.URL + "/later"},
	} {
		mustRun(t, args...)
	}
	return dir, strings.TrimPrefix(site.URL, "http://")
}

// TestEveryCommand_OnlyFiles puts a pipe, a device without end and a file that is far too large in the place of each file of a job,
// and lets every command that reads jobs look. None waits, and who fails names the file.
func TestEveryCommand_OnlyFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every command many times")
	}
	t.Parallel()
	honest, host := fullJob(t)
	// commands returns those that look at a job, and then those that work on it.
	commands := func(out string) [][]string {
		return [][]string{
			{"verify"}, {"verify", "--replay"}, {"verify", "--host", host, "--bundle", filepath.Join(out, "b.zip")}, {"check"}, {"status"},
			{"explain", "http://" + host + "/a"}, {"explain", host}, {"explain", "--traps"}, {"robots", "history", host}, {"plan"},
			{"export", "links"}, {"export", "pages", "--text"}, {"export", "dead-links"}, {"export", "site", filepath.Join(out, "site")},
			{"search", "page"}, {"search", "--why", "http://" + host + "/a"}, {"changes"}, {"archive", "check"},
			{"archive", "wacz", filepath.Join(out, "x.wacz")}, {"export", "sqlite", filepath.Join(out, "x.db")},

			{"report"}, {"care"}, {"export", "graph"}, {"index"}, {"submit", "http://" + host + "/more"}, {"repair"},
			{"crawl", "--allow-private", "--quiet", "--max-time", "2s", "--patience", "100ms", "--delay-factor", "0"},
		}
	}
	zero := zeroDevice(t)
	irregular := map[string]func(name string) error{ // puts something else in the place of a file
		"a pipe":   func(name string) error { return errors.Join(os.Remove(name), syscall.Mkfifo(name, 0o600)) },
		"a device": func(name string) error { return errors.Join(os.Remove(name), os.Symlink(zero, name)) },
		"sparse":   func(name string) error { return os.Truncate(name, 1<<40) },
	}
	err := filepath.WalkDir(honest, func(name string, d fs.DirEntry, err error) error {
		file, rerr := filepath.Rel(honest, name)
		if err != nil || rerr != nil || d.IsDir() {
			return errors.Join(err, rerr)
		}
		for kind, put := range irregular {
			t.Run(filepath.ToSlash(file)+" is "+kind, func(t *testing.T) {
				t.Parallel()
				job, out := filepath.Join(t.TempDir(), "job"), t.TempDir()
				if err := errors.Join(os.CopyFS(job, os.DirFS(honest)), put(filepath.Join(job, file))); err != nil {
					t.Fatal(err)
				}
				for _, args := range commands(out) {
					if info, err := os.Stat(filepath.Join(job, file)); err != nil || info.Mode().IsRegular() && info.Size() < 1<<40 {
						break // the command before has put it in order
					}
					mustEndAndName(t, file, append(args, "--job", job))
				}
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// zeroDevice returns a device without end: one of its own where that may be made, as root could replace that of the system.
func zeroDevice(t *testing.T) string {
	t.Helper()
	const system = "/dev/zero"
	var info syscall.Stat_t
	if err := syscall.Stat(system, &info); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(t.TempDir(), "zero")
	if err := syscall.Mknod(own, syscall.S_IFCHR|0o600, int(info.Rdev)); err != nil {
		return system
	}
	return own
}

// mustEndAndName runs a command, which must end soon, well or with an error that names the file. An exit code of 1 may also be what
// it found in the job otherwise.
func mustEndAndName(t *testing.T, file string, args []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	ended := make(chan int, 1)
	var out, errs bytes.Buffer
	go func() { ended <- run(ctx, args, nil, &out, &errs) }()
	select {
	case code := <-ended:
		if ctx.Err() != nil {
			t.Errorf("%q did not end by itself", args)
		}
		if code > 1 && !strings.Contains(out.String()+errs.String(), filepath.Base(file)) {
			t.Errorf("%q: exit code %d, and does not name the file:\n%s%s", args, code, &out, &errs)
		}
	case <-time.After(40 * time.Second):
		t.Fatalf("%q hangs", args)
	}
}

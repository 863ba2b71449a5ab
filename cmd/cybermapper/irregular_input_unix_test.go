//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestEveryInput_OnlyFiles gives commands a pipe that nobody writes to, a device without end, a socket, a directory and a file that
// is far too large, where they want a file to read or to write. Each ends with an error, and what was there is there afterwards.
func TestEveryInput_OnlyFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for pipes")
	}
	t.Parallel()
	job, host := fullJob(t)
	site := []string{"verify", "--job", job, "--host", host}
	read := func(name string) [][]string {
		return [][]string{
			{"audit", name}, {"verify", name}, {"verify", "--job", name}, {"serve", "--job", name, "--listen", "127.0.0.1:0"},
			{"verify", "--job", job, "--checkpoint", name}, append(site, "--access-log", name), {"key", "show", name},
		}
	}
	written := func(name string) [][]string {
		return [][]string{
			append(site, "--bundle", name), append(site, "--certificate", name), {"export", "sqlite", "--job", job, name},
			{"archive", "wacz", "--job", job, name},
		}
	}
	for kind, put := range map[string]func(name string) error{
		"a pipe":      func(name string) error { return syscall.Mkfifo(name, 0o600) },
		"a device":    func(name string) error { return os.Symlink(zeroDevice(t), name) },
		"a socket":    func(name string) error { return listenAt(t, name) },
		"a directory": func(name string) error { return os.Mkdir(name, 0o700) },
		"sparse":      func(name string) error { return errors.Join(os.WriteFile(name, nil, 0o600), os.Truncate(name, 1<<40)) },
	} {
		t.Run(kind, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "in") // the name of a socket must be short
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(dir) })
			name := filepath.Join(dir, "x.wacz")
			if err := put(name); err != nil {
				t.Fatal(err)
			}
			before, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, args := range read(name) {
				mustRefuse(t, args)
			}
			if before.Mode().IsRegular() || isSystems(t, name) {
				return // may be replaced, or must not be tried
			}
			for _, args := range written(name) {
				mustRefuse(t, args)
			}
			if after, err := os.Stat(name); err != nil || !os.SameFile(before, after) {
				t.Errorf("it was replaced: %v", err)
			}
		})
	}
}

// isSystems reports whether a name leads to a device of the system, which root could replace.
func isSystems(t *testing.T, name string) bool {
	t.Helper()
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(target) == "/dev"
}

func listenAt(t *testing.T, name string) error {
	l, err := net.Listen("unix", name)
	if err == nil {
		t.Cleanup(func() { l.Close() })
	}
	return err
}

// mustRefuse runs a command, which must end by itself, and not well.
func mustRefuse(t *testing.T, args []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	var out bytes.Buffer
	if code := run(ctx, args, nil, &out, &out); code == 0 || ctx.Err() != nil {
		t.Errorf("%q: exit code %d, %v\n%s", args, code, ctx.Err(), &out)
	}
}

//go:build unix

package pipe_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/pipe"
)

func newFIFO(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// A pipe that somebody writes to is read, also when they come a little later.
func TestOpen_AWriter(t *testing.T) {
	name := newFIFO(t)
	wrote := make(chan error, 1)
	go func() { wrote <- os.WriteFile(name, []byte("a line\n"), 0) }()
	f, err := pipe.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if data, err := io.ReadAll(f); string(data) != "a line\n" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if err := <-wrote; err != nil {
		t.Error(err)
	}
}

// Whoever waits for a writer hears of an interrupt.
func TestOpen_Interrupted(t *testing.T) {
	name := newFIFO(t)
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if _, err := pipe.Open(ctx, name); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// A pipe without a writer is given up.
func TestOpen_Nobody(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for 10 seconds")
	}
	if _, err := pipe.Open(t.Context(), newFIFO(t)); err == nil || !strings.Contains(err.Error(), "nobody writes to") {
		t.Errorf("error %v", err)
	}
}

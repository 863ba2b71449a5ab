package engine_test

import (
	"io"
	"os"
	"syscall"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/engine"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
)

// An unread is a pipe whose reader has gone, or does not read.
type unread struct{}

func (unread) Write([]byte) (int, error) { return 0, syscall.EPIPE }

// A log that cannot be written is not told of on stderr, past the screen that gave it up: that would wait for ever.
func TestNewLogger_Unread(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	stderr := os.Stderr
	os.Stderr = w
	defer func() { os.Stderr = stderr }()
	engine.NewLogger(config.Log{Level: "info"}, progress.NewScreen(unread{}, false), false).Info("crawl starts")
	w.Close()
	if told, err := io.ReadAll(r); err != nil || len(told) > 0 {
		t.Errorf("stderr has %q, %v, want nothing", told, err)
	}
}

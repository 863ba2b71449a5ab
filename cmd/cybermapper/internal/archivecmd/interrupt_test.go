package archivecmd_test

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/archivecmd"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// TestInterrupt: no command reads an archive to its end, which may be of any size, after it was interrupted.
func TestInterrupt(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.warc")
	filetest.Write(t, name, strings.Join([]string{"WARC/1.1", "WARC-Type: resource",
		"WARC-Record-ID: <urn:uuid:12345678-1234-4234-8234-123456789abc>", "WARC-Date: 2026-03-01T12:00:00Z",
		"WARC-Target-URI: http://a.example/", "Content-Type: text/plain", "Content-Length: 2", "", "hi", "", "",
	}, "\r\n"))
	for _, line := range []string{"check", "index", "index --quick", "list", "list --json", "extract --url http://a.example/"} {
		for _, interrupted := range []bool{false, true} {
			ctx, interrupt := context.WithCancel(t.Context())
			if interrupted {
				interrupt()
			}
			cmd := archivecmd.NewCommand()
			cmd.SetOut(io.Discard)
			cmd.SetErr(io.Discard)
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			cmd.SetArgs(append(strings.Fields(line), name))
			if err := cmd.ExecuteContext(ctx); errors.Is(err, context.Canceled) != interrupted || !interrupted && err != nil {
				t.Errorf("%s, interrupted %v: %v", line, interrupted, err)
			}
			interrupt()
		}
	}
}

// TestInterrupt_WithinARecord: nor does it write a record to its end.
func TestInterrupt_WithinARecord(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.warc")
	filetest.Write(t, name, "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.example/\r\n"+
		"Content-Length: 1000000\r\n\r\n"+strings.Repeat("x", 1_000_000)+"\r\n\r\n")
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	cmd := archivecmd.NewCommand()
	cmd.SetOut(interrupter(interrupt))
	cmd.SetErr(io.Discard)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs([]string{"extract", "--offset", "0", name})
	if err := cmd.ExecuteContext(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted by its first output: %v, want %v", err, context.Canceled)
	}
}

// An interrupter is called when something is written.
type interrupter func()

func (i interrupter) Write(p []byte) (int, error) {
	i()
	return len(p), nil
}

//go:build unix

package main

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// Each signal that asks a process to end lets a crawl save first, and a server that never answers does not keep it.
func TestSignalsEndACrawl(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			asked := make(chan struct{})
			site := webtest.New(t).Site(webtest.Pages{"/": {Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				close(asked)
				<-r.Context().Done()
			})}})
			job := filepath.Join(t.TempDir(), "job")
			var stderr bytes.Buffer
			cmd := exec.Command(self)
			cmd.Args = []string{"cybermapper", "crawl", "--job", job, "--allow-private", "--delay", "1ms", site.URL}
			cmd.Env = append(os.Environ(), "CYBERMAPPER_CRAWL_DRAIN_TIME=100ms")
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			<-asked
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != cli.ExitInterrupted {
				t.Errorf("the crawl ended with %v, want exit code %d\n%s", err, cli.ExitInterrupted, &stderr)
			}
			if code, out := runCommand(t.Context(), "check --job "+job); code != cli.ExitDone {
				t.Errorf("check: exit code %d\n%s", code, out)
			}
		})
	}
}

//go:build unix

package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
)

// Whichever store it is that cannot write into the job directory, and for whatever reason, the exit code is the one for that.
func TestCrawl_JobThatCannotBeWritten(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		w.Write([]byte(strings.Repeat("a page that is longer than a file may be\n", 100_000)))
	}))
	defer site.Close()
	cmd := exec.Command("sh", "-c", `ulimit -f 4096; exec "$0" "$@"`, commandFile(t), // blocks of 512 bytes
		"crawl", site.URL, "--job", filepath.Join(t.TempDir(), "job"), "--allow-private", "--delay", "1ms")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != cli.ExitDisk || !strings.Contains(string(out), "file too large") {
		t.Errorf("crawl: %v, want exit code %d\n%s", err, cli.ExitDisk, out)
	}
}

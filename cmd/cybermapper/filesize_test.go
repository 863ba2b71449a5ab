//go:build unix

package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/webtest"
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

// The same holds of what is written beside the job, also by way of SQLite, which does not say why it could not write.
func TestExport_FileThatCannotGrow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job")
	site := webtest.New(t).Site(webtest.Pages{"/": {Body: strings.Repeat("a page that is longer than a file may be ", 1000)}})
	mustRun(t, "crawl", "--job", dir, "--allow-private", "--quiet", "--delay", "1ms", site.URL+"/")
	out := t.TempDir()
	for _, command := range []string{
		"export sqlite " + filepath.Join(out, "crawl.db"), "export site " + filepath.Join(out, "site"), "export pages --text",
	} {
		cmd := exec.Command("sh", "-c", `ulimit -f 8; exec "$0" "$@" >"$STDOUT"`, commandFile(t)) // blocks of 512 bytes
		cmd.Args = append(append(cmd.Args, strings.Fields(command)...), "--job", dir)
		cmd.Env = append(os.Environ(), "STDOUT="+filepath.Join(out, "stdout"))
		told, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != cli.ExitDisk || !strings.Contains(string(told), "ulimit -f") {
			t.Errorf("%s: %v, want exit code %d and a word\n%s", command, err, cli.ExitDisk, told)
		}
	}
}

// Where there is no room for what care prints, the job is not said to need some.
func TestCare_NoRoomForWhatItPrints(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(t.TempDir(), "job")
	site := webtest.New(t).Site(webtest.Pages{"/": {Body: `<a href="/dead">dead</a>`}})
	mustRun(t, "crawl", "--job", dir, "--allow-private", "--quiet", "--delay", "1ms", site.URL+"/")
	cmd := exec.Command("sh", "-c", `exec "$0" care --job "$1" >/dev/full`, commandFile(t), dir)
	told, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != cli.ExitDisk || strings.Contains(string(told), "graph.db") {
		t.Errorf("care: %v, want exit code %d and no word of graph.db\n%s", err, cli.ExitDisk, told)
	}
}

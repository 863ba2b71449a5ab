//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// Each signal that asks a process to end lets a crawl save first, and a server that never answers does not keep it.
func TestSignalsEndACrawl(t *testing.T) {
	for _, number := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(number.String(), func(t *testing.T) {
			t.Parallel()
			if signal.Ignored(number) {
				t.Skip("whoever runs the tests has it ignored, as nohup does")
			}
			asked := make(chan struct{})
			site := webtest.New(t).Site(webtest.Pages{"/": {Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				close(asked)
				<-r.Context().Done()
			})}})
			job := filepath.Join(t.TempDir(), "job")
			var stderr bytes.Buffer
			cmd := process(t, "crawl", "--job", job, "--allow-private", "--delay", "1ms", site.URL)
			cmd.Env = append(os.Environ(), "CYBERMAPPER_CRAWL_DRAIN_TIME=100ms")
			cmd.Stderr = &stderr
			mustStart(t, cmd)
			<-asked
			if err := cmd.Process.Signal(number); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != cli.ExitInterrupted {
				t.Errorf("the crawl ended with %v, want exit code %d\n%s", err, cli.ExitInterrupted, &stderr)
			}
			mustRun(t, strings.Fields("check --job "+job)...)
		})
	}
}

// started runs the command in a process of its own, which asks a site that never answers, and returns when it does.
func started(t *testing.T, name string, before []string, args ...string) (cmd *exec.Cmd, stderr *safeBuffer) {
	t.Helper()
	asked := make(chan struct{})
	site := webtest.New(t).Site(webtest.Pages{"/": {Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	})}})
	args = append(append(before, commandFile(t), "crawl", "--job", name, "--allow-private", "--delay", "1ms"), append(args, site.URL)...)
	stderr = &safeBuffer{}
	cmd = exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "CYBERMAPPER_CRAWL_DRAIN_TIME=1m")
	cmd.Stderr = stderr
	mustStart(t, cmd)
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	<-asked
	return cmd, stderr
}

// A safeBuffer is a bytes.Buffer for a process that writes and a test that reads.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// A shell script starts what is in the background with SIGINT ignored. Sent all the same, the first one drains and the second one
// ends at once.
func TestInterruptTwiceInTheBackground(t *testing.T) {
	job := filepath.Join(t.TempDir(), "job")
	cmd, stderr := started(t, job, []string{"sh", "-c", `trap "" INT; exec "$@"`, "sh"})
	cmd.Process.Signal(syscall.SIGINT)
	eventually(t, "it says that it finishes", func() bool { return strings.Contains(stderr.String(), "interrupt again") })
	time.Sleep(2 * echo)
	cmd.Process.Signal(syscall.SIGINT)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != cli.ExitInterrupted {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the second signal did nothing")
	}
	mustRun(t, strings.Fields("check --job "+job)...)
}

// A signal that comes once more at once, as from timeout, which sends it to a process and to the group of it, is no second one: the
// crawl drains and says how it stands.
func TestSignalWithAnEcho(t *testing.T) {
	cmd, stderr := started(t, filepath.Join(t.TempDir(), "job"), []string{"env", "CYBERMAPPER_CRAWL_DRAIN_TIME=100ms"})
	for range 5 {
		cmd.Process.Signal(syscall.SIGTERM)
		time.Sleep(time.Millisecond)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != cli.ExitInterrupted {
		t.Errorf("it ended with %v, want exit code %d", err, cli.ExitInterrupted)
	}
	if !strings.Contains(stderr.String(), "crawl ends") {
		t.Errorf("it does not say how it ends:\n%s", stderr)
	}
}

// Who reads the log of a crawl is gone with the Ctrl-C that ends both, as tee is, or just goes: the crawl saves all the same.
func TestReaderOfTheLogGoes(t *testing.T) {
	tests := []struct {
		interrupt bool
		lines     string
	}{{true, "--json=false"}, {false, "--json=false"}, {true, "--json"}, {false, "--json"}}
	for _, test := range tests {
		job := filepath.Join(t.TempDir(), "job")
		asked := make(chan struct{})
		pages := webtest.Pages{}
		for i := range 50 {
			pages["/"+strconv.Itoa(i)] = webtest.Page{Body: "<a href=/" + strconv.Itoa(i+1) + ">next</a>"}
		}
		pages["/3"] = webtest.Page{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			close(asked)
			io.WriteString(w, "<a href=/4>next</a>")
		})}
		site := webtest.New(t).Site(pages)
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd := process(t, "crawl", "--job", job, "--allow-private", "--delay", "50ms", "--log-level", "debug",
			test.lines, site.URL+"/0")
		cmd.Stdout, cmd.Stderr = w, w
		mustStart(t, cmd)
		w.Close()
		go io.CopyN(io.Discard, r, 1)
		<-asked
		if test.interrupt {
			cmd.Process.Signal(syscall.SIGINT)
		}
		r.Close()
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != cli.ExitInterrupted {
			t.Errorf("%+v: it ended with %v, want exit code %d", test, err, cli.ExitInterrupted)
		}
		out := mustRun(t, strings.Fields("status --job "+job)...)
		if !strings.Contains(out, "interrupted") {
			t.Errorf("%+v: status says:\n%s", test, out)
		}
	}
}

// Who reads the log of a crawl may have stopped reading, as a log driver does that is stuck: a signal ends the crawl all the same.
func TestReaderOfTheLogStops(t *testing.T) {
	job := filepath.Join(t.TempDir(), "job")
	site := webtest.New(t).Site(webtest.Pages{"/": {Body: "a page"}})
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	fillPipe(t, w)
	cmd := process(t, "crawl", "--job", job, "--allow-private", "--delay", "1ms", site.URL)
	cmd.Stdout, cmd.Stderr = w, w
	mustStart(t, cmd)
	w.Close()
	eventually(t, "the job is there", func() bool { _, err := os.Stat(filepath.Join(job, "job.yaml")); return err == nil })
	cmd.Process.Signal(syscall.SIGTERM)
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != cli.ExitInterrupted {
		t.Errorf("it ended with %v, want exit code %d", err, cli.ExitInterrupted)
	}
	mustRun(t, strings.Fields("check --job "+job)...)
}

// fillPipe writes into a pipe until it takes no more.
func fillPipe(t *testing.T, w *os.File) {
	t.Helper()
	w.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	for {
		if _, err := w.Write(make([]byte, 1024)); errors.Is(err, os.ErrDeadlineExceeded) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// SIGPIPE comes for a connection that breaks as well, and is then no reason to end.
func TestBrokenConnectionEndsNoCrawl(t *testing.T) {
	job := filepath.Join(t.TempDir(), "job")
	asked, goOn := make(chan struct{}), make(chan struct{})
	site := webtest.New(t).Site(webtest.Pages{
		"/": {Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			close(asked)
			<-goOn
			io.WriteString(w, "<a href=/next>next</a>")
		})},
		"/next": {Body: "the end"},
	})
	cmd := process(t, "crawl", "--job", job, "--allow-private", "--delay", "1ms", site.URL+"/")
	out := &safeBuffer{}
	cmd.Stdout, cmd.Stderr = out, out // by a pipe
	mustStart(t, cmd)
	<-asked
	cmd.Process.Signal(syscall.SIGPIPE)
	time.Sleep(50 * time.Millisecond)
	close(goOn)
	if err := cmd.Wait(); err != nil || site.Hits().Count("/next") != 1 {
		t.Errorf("it ended with %v\n%s", err, out)
	}
}

// A log file that was moved away is begun anew at SIGUSR1, and all lines are of one kind.
func TestLogFileIsReopened(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	cmd, stderr := started(t, filepath.Join(dir, "job"), nil, "--log-file", log, "--log-format", "json", "--log-level", "debug")
	if err := os.Rename(log, log+".1"); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Signal(syscall.SIGUSR1)
	eventually(t, "a new file is there", func() bool { _, err := os.Stat(log); return err == nil })
	cmd.Process.Signal(syscall.SIGTERM)
	eventually(t, "it says that it finishes", func() bool {
		data, _ := os.ReadFile(log)
		return strings.Contains(string(data), `"msg":"finishing`)
	})
	time.Sleep(2 * echo)
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if stderr.String() != "" {
		t.Errorf("stderr has %q", stderr)
	}
	for _, name := range []string{log, log + ".1"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		}
		for line := range strings.Lines(string(data)) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%s: %q is no JSON", name, line)
			}
		}
	}
}

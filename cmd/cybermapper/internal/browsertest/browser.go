package browsertest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"
	"time"
)

// patience bounds the wait for an answer of the browser, on a machine that is busy with much else, too.
const patience = 2 * time.Minute

// A Browser is a running Chromium. It is safe for concurrent use.
type Browser struct {
	in      io.WriteCloser
	reading sync.WaitGroup

	mu      sync.Mutex // guards the following
	last    int
	waiting map[int]chan message
	pages   map[string]*Page // by session
	err     error            // why it says nothing more
}

// A message goes to the browser or comes from it.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// starts is how many browsers are started until one shows a page: some end as they begin, on a machine that is busy with much else.
const starts = 3

// Start starts a browser for the time of the test, which is skipped when there is none.
func Start(t testing.TB) *Browser {
	t.Helper()
	program := find()
	if program == "" || runtime.GOOS == "windows" {
		t.Skip("no chromium: what a browser makes of the page is not tested here")
	}
	return StartProgram(t, program)
}

// StartProgram starts the browser that a program is. The test fails if it shows no page, with what the last one said.
func StartProgram(t testing.TB, program string) *Browser {
	t.Helper()
	for n := 1; ; n++ {
		var said bytes.Buffer
		b, end := launch(t, program, &said)
		err := b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, nil)
		if err == nil {
			t.Cleanup(end)
			return b
		}
		end()
		if n == starts {
			t.Fatalf("%s shows no page: %v\n%s", program, err, said.String())
		}
	}
}

// launch starts a program with a profile of its own. end waits until it has ended; what it said is written then.
func launch(t testing.TB, program string, said io.Writer) (b *Browser, end func()) {
	t.Helper()
	toBrowser, in, err1 := os.Pipe()
	out, fromBrowser, err2 := os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-quic", "--no-first-run",
		"--disable-gpu", "--enable-unsafe-swiftshader", // WebGL without one
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--remote-debugging-pipe", "--user-data-dir="+t.TempDir(), "about:blank")
	cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser} // 3 and 4, as the flag demands
	cmd.Stderr, cmd.WaitDelay = said, patience
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatalf("start %s: %v", program, err)
	}
	toBrowser.Close()
	fromBrowser.Close()
	b = &Browser{in: in, waiting: map[int]chan message{}, pages: map[string]*Page{}}
	b.reading.Go(func() { b.read(out) })
	return b, func() {
		b.call("", "Browser.close", nil, nil) // a browser that is gone already has closed too
		in.Close()
		kill := time.AfterFunc(patience, cancel)
		cmd.Wait()
		kill.Stop()
		cancel()
		b.reading.Wait()
		out.Close()
	}
}

// find returns the program to start; nothing when there is none.
func find() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if program, err := exec.LookPath(name); err == nil {
			return program
		}
	}
	return ""
}

// read hands out what the browser says until it says no more.
func (b *Browser) read(out io.Reader) {
	r := bufio.NewReader(out)
	for {
		data, err := r.ReadBytes(0)
		if err != nil {
			b.end(err)
			return
		}
		var m struct {
			message
			Params json.RawMessage `json:"params"`
		}
		if err := json.Unmarshal(data[:len(data)-1], &m); err != nil {
			b.end(err)
			return
		}
		b.mu.Lock()
		answer, page := b.waiting[m.ID], b.pages[m.Session]
		delete(b.waiting, m.ID)
		b.mu.Unlock()
		switch {
		case answer != nil:
			answer <- m.message
		case page != nil:
			page.hear(m.Method, m.Params)
		}
	}
}

// end tells all who wait that there are no more answers.
func (b *Browser) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err = fmt.Errorf("the browser has ended: %w", err)
	for id, answer := range b.waiting {
		close(answer)
		delete(b.waiting, id)
	}
}

// call sends a command and waits for the answer, which is put into result unless that is nil.
func (b *Browser) call(session, method string, params, result any) error {
	answer := make(chan message, 1)
	b.mu.Lock()
	b.last++
	data, err := json.Marshal(message{ID: b.last, Session: session, Method: method, Params: params})
	if err = errors.Join(err, b.err); err == nil {
		b.waiting[b.last] = answer
		_, err = b.in.Write(append(data, 0)) // a pipe with a reader; under the lock, so that messages stay whole
	}
	b.mu.Unlock()
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case m, ok := <-answer:
		switch {
		case !ok:
			return fmt.Errorf("%s: %w", method, io.ErrUnexpectedEOF)
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-time.After(patience):
		return fmt.Errorf("%s: no answer in %v", method, patience)
	}
}

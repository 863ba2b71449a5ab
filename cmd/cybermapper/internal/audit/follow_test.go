package audit

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// A followed is a command that follows a log, and what it says.
type followed struct {
	t      *testing.T
	log    string
	events chan event
	done   chan error
	stop   context.CancelFunc
}

// startFollowing follows a log that has one line, under a robots.txt that closes /private/.
func startFollowing(t *testing.T) *followed {
	t.Helper()
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	f := &followed{t: t, log: filepath.Join(dir, "access.log"), events: make(chan event, 1000), done: make(chan error, 1), stop: stop}
	f.write(f.log, "/robots.txt")
	rules := filepath.Join(dir, "robots.txt")
	filetest.Write(t, rules, "User-agent: *\nDisallow: /private/\n")
	cmd := NewCommand()
	out, in := io.Pipe()
	cmd.SetOut(in)
	cmd.SetErr(io.Discard)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs([]string{"--follow", "--every", "50ms", "--json", "--robots", rules, "--robots-since", "2020-01-01", f.log})
	go func() {
		f.done <- cmd.ExecuteContext(ctx)
		in.Close()
	}()
	go func() {
		defer close(f.events)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<22)
		for lines.Scan() {
			var e event
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				t.Errorf("%s: %v", lines.Bytes(), err)
			}
			f.events <- e
		}
	}()
	return f
}

// write appends a request of a robot to a file.
func (f *followed) write(file, target string) {
	f.t.Helper()
	out, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		f.t.Fatal(err)
	}
	_, err = fmt.Fprintf(out, "192.0.2.1 - - [%s] \"GET %s HTTP/1.1\" 200 5 \"-\" \"NewsBot/1.0 (+http://news.example/bot)\"\n",
		time.Now().UTC().Format("02/Jan/2006:15:04:05 -0700"), target)
	if err != nil || out.Close() != nil {
		f.t.Fatal(err)
	}
}

// until waits for an event.
func (f *followed) until(what string, is func(event) bool) event {
	f.t.Helper()
	late := time.After(30 * time.Second)
	for {
		select {
		case e, ok := <-f.events:
			if ok && is(e) {
				return e
			}
			if !ok {
				f.t.Fatalf("it ended before %s: %v", what, <-f.done)
			}
		case <-late:
			f.t.Fatalf("no %s", what)
		}
	}
}

func (f *followed) untilBroken(path string) {
	f.t.Helper()
	f.until("word of "+path, func(e event) bool {
		return e.Broken != nil && e.Broken.Evidence != nil && e.Broken.Evidence.Path == path
	})
}

// TestFollow: what is written while a log is followed is told, whether the log is moved away, cut off after it was copied, or not
// there for a while; and when it is interrupted the report is whole.
func TestFollow(t *testing.T) {
	f := startFollowing(t)
	f.until("word of who is here", func(e event) bool {
		return e.Now != nil && len(e.Now.Visitors) == 1 && e.Now.Visitors[0].Name == "NewsBot" && e.Now.Visitors[0].Minute == 1
	})
	f.write(f.log, "/private/1")
	f.untilBroken("/private/1")

	if err := os.Rename(f.log, f.log+".1"); err != nil { // as logrotate does
		t.Fatal(err)
	}
	f.write(f.log+".1", "/private/2") // the server has not noticed yet
	f.write(f.log, "/private/3")
	f.untilBroken("/private/3")

	whole, err := os.ReadFile(f.log)
	if err == nil { // as its copytruncate does
		err = os.WriteFile(f.log+".2", whole, 0o600)
	}
	if err == nil {
		err = os.Truncate(f.log, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.until("word that nothing happens", func(e event) bool { return e.Now != nil })
	f.write(f.log, "/private/4")
	f.untilBroken("/private/4")

	if err := os.Truncate(f.log, 0); err != nil { // and it is longer than it was before anybody looks
		t.Fatal(err)
	}
	for i := range 10 {
		f.write(f.log, fmt.Sprintf("/private/again/%d", i))
	}
	f.untilBroken("/private/again/9")

	f.stop()
	end := f.until("report", func(e event) bool { return e.Event == "end" })
	one := end.Report.Robots[0]
	if one.Requests != 15 || one.Disallowed.Count != 14 || len(one.Faults) != 1 || one.Faults[0].Code != audit.FaultDisallowed {
		t.Errorf("%d requests, %d disallowed, %+v", one.Requests, one.Disallowed.Count, one.Faults)
	}
	lines := map[string]int64{}
	for _, e := range one.Disallowed.Evidence {
		lines[e.Path] = e.Line
	}
	if lines["/private/1"] != 2 || lines["/private/2"] != 3 || lines["/private/3"] != 1 || lines["/private/4"] != 1 || lines["/private/again/0"] != 1 {
		t.Errorf("the evidence is in lines %v", lines)
	}
	if err := <-f.done; err == nil {
		t.Error("rules were broken, and the exit status is 0")
	}
}

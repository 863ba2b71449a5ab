package progress

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// A Screen is stderr with, on a terminal, a last line that is kept up to date while others write above it. Its lines may go to a
// file instead, and may be JSON objects, all of them. It is safe for concurrent use.
type Screen struct {
	out      io.Writer
	terminal *os.File // nil when out is not a terminal
	isJSON   bool
	name     string // of the file that lines go to; "" when they go to out

	mu   sync.Mutex // guards the writing, line, idle and file
	line string     // what stands in the last line; empty when there is none
	idle bool       // the line is that of Busy
	file *os.File
	full bool // the file could not be written, which has been told
}

// NewScreen returns a screen on w. It keeps a line only if w is a terminal and quiet is not asked for. Where w is a screen, it is
// that one.
func NewScreen(w io.Writer, quiet bool) *Screen {
	if s, ok := w.(*Screen); ok && !quiet {
		return s
	}
	s := &Screen{out: w}
	if f, ok := w.(*os.File); ok && !quiet && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		s.terminal = f
	}
	return s
}

// IsTerminal reports whether somebody may type into r.
func IsTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// IsTerminal reports whether the screen keeps a line.
func (s *Screen) IsTerminal() bool { return s.terminal != nil }

// keepsLine reports whether a line may stand there: where lines are JSON, and go to the terminal as well, it would be none of them.
func (s *Screen) keepsLine() bool { return s.IsTerminal() && (!s.isJSON || s.name != "") }

// Log makes lines JSON objects, or lets them go to a file, "" for none, to whose end they are written. It is called before anybody
// writes, and Close afterwards.
func (s *Screen) Log(isJSON bool, file string) error {
	s.isJSON, s.name = isJSON, file
	return s.Reopen()
}

// Reopen opens the file anew, by its name: the old one has been moved away. When it cannot be opened, the old one goes on.
func (s *Screen) Reopen() error {
	if s.name == "" {
		return nil
	}
	f, err := os.OpenFile(s.name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o640)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file != nil {
		s.file.Close()
	}
	s.file, s.full = f, false
	return nil
}

// Close closes the file. What is written from then on goes to the screen.
func (s *Screen) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}

// IsJSON reports whether lines are JSON objects.
func (s *Screen) IsJSON() bool { return s.isJSON }

// HasFile reports whether lines go to a file.
func (s *Screen) HasFile() bool { return s.name != "" }

// Write writes whole lines for people above the one that is kept. Where lines are JSON each becomes an object.
func (s *Screen) Write(p []byte) (int, error) { return s.write(p, "") }

// Errors returns a writer of lines about what ends the program.
func (s *Screen) Errors() io.Writer {
	return writerFunc(func(p []byte) (int, error) { return s.write(p, "error") })
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func (s *Screen) write(p []byte, level string) (int, error) {
	if !s.isJSON && s.name == "" {
		return s.writeRaw(p)
	}
	var b bytes.Buffer
	for line := range strings.Lines(string(p)) {
		level, text := levelOf(strings.TrimRight(line, "\n"), level)
		s.encode(&b, level, text, nil)
	}
	if _, err := s.writeRaw(b.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// levelOf takes the beginnings off a line that a log tells otherwise.
func levelOf(line, level string) (_, text string) {
	text = strings.TrimPrefix(line, "cybermapper: ")
	if rest, ok := strings.CutPrefix(text, "warning: "); ok {
		return "warn", rest
	}
	if level == "" || strings.HasPrefix(text, "hint: ") {
		level = "info"
	}
	return level, text
}

// Event writes a line about what data holds, as text where lines are text.
func (s *Screen) Event(name, text string, data any) {
	var b bytes.Buffer
	if s.isJSON {
		s.encode(&b, "info", name, data)
	} else if s.name != "" {
		s.encode(&b, "info", text, nil)
	} else {
		b.WriteString(text + "\n")
	}
	s.writeRaw(b.Bytes())
}

// encode writes one line as the log does.
func (s *Screen) encode(b *bytes.Buffer, level, text string, data any) {
	now := time.Now().Format(time.RFC3339Nano)
	if !s.isJSON {
		fmt.Fprintf(b, "%s\t%s\t%s\n", now, level, text)
		return
	}
	line := struct {
		Level   string `json:"level"`
		Time    string `json:"ts"`
		Message string `json:"msg"`
		Data    any    `json:"data,omitempty"`
	}{level, now, text, data}
	if err := json.NewEncoder(b).Encode(line); err != nil {
		fmt.Fprintf(b, `{"level":"error","ts":%q,"msg":"a line that cannot be written"}`+"\n", now)
	}
}

// Records returns the writer of a log, whose lines are what lines are here already.
func (s *Screen) Records() io.Writer { return writerFunc(s.writeRaw) }

// writeRaw writes whole lines as they are. What the file does not take goes to the screen.
func (s *Screen) writeRaw(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return s.showLocked(p)
	}
	n, err := s.file.Write(p)
	if err == nil {
		return n, nil
	}
	var b bytes.Buffer
	if !s.full {
		s.encode(&b, "warn", fmt.Sprintf("the log goes on here while its file cannot be written: %v", err), nil)
		s.full = true
	}
	b.Write(p[n:])
	if _, err := s.showLocked(b.Bytes()); err != nil {
		return n, err
	}
	return len(p), nil
}

// showLocked writes whole lines to the screen, above the line that is kept.
func (s *Screen) showLocked(p []byte) (int, error) {
	if s.line == "" {
		return s.out.Write(p)
	}
	if _, err := fmt.Fprintf(s.out, "\r\x1b[K%s%s", p, s.line); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Keep replaces the last line. An empty text takes it away. It does nothing when the screen is not a terminal.
func (s *Screen) Keep(text string) {
	if s.terminal == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = false
	s.keepLocked(text)
}

// keepIdle replaces the last line if nobody else keeps one.
func (s *Screen) keepIdle(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line == "" || s.idle {
		s.idle = true
		s.keepLocked(text)
	}
}

func (s *Screen) keepLocked(text string) {
	if width, _, err := term.GetSize(int(s.terminal.Fd())); err == nil {
		text = say.Clip(text, width-1)
	}
	if text == s.line {
		return
	}
	s.line = text
	fmt.Fprintf(s.out, "\r\x1b[K%s", text)
}

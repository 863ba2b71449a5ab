package progress

import (
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// A Screen is stderr with, on a terminal, a last line that is kept up to date while others write above it. It is safe for
// concurrent use.
type Screen struct {
	out      io.Writer
	terminal *os.File // nil when out is not a terminal

	mu   sync.Mutex // guards the writing, and line
	line string     // what stands in the last line; empty when there is none
}

// NewScreen returns a screen on w. It keeps a line only if w is a terminal and quiet is not asked for.
func NewScreen(w io.Writer, quiet bool) *Screen {
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

// Write writes whole lines above the one that is kept.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
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
	if width, _, err := term.GetSize(int(s.terminal.Fd())); err == nil {
		text = say.Clip(text, width-1)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if text == s.line {
		return
	}
	s.line = text
	fmt.Fprintf(s.out, "\r\x1b[K%s", text)
}

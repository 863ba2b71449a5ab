package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"
)

// A screen is stderr with, on a terminal, a last line that is kept up to date while others write above it. It is safe for
// concurrent use.
type screen struct {
	out      io.Writer
	terminal *os.File // nil when out is not a terminal

	mu   sync.Mutex // guards the writing, and line
	line string     // what stands in the last line; empty when there is none
}

// newScreen returns a screen on w. It keeps a line only if w is a terminal and quiet is not asked for.
func newScreen(w io.Writer, quiet bool) *screen {
	s := &screen{out: w}
	if f, ok := w.(*os.File); ok && !quiet && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		s.terminal = f
	}
	return s
}

// isTerminal reports whether the screen keeps a line.
func (s *screen) isTerminal() bool { return s.terminal != nil }

// Write writes whole lines above the one that is kept.
func (s *screen) Write(p []byte) (int, error) {
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

// keep replaces the last line. An empty text takes it away. It does nothing when the screen is not a terminal.
func (s *screen) keep(text string) {
	if s.terminal == nil {
		return
	}
	if width, _, err := term.GetSize(int(s.terminal.Fd())); err == nil {
		text = clip(text, width-1)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if text == s.line {
		return
	}
	s.line = text
	fmt.Fprintf(s.out, "\r\x1b[K%s", text)
}

// clip cuts text to at most width characters.
func clip(text string, width int) string {
	text = printable(text)
	if width < 1 || utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width])
}

// printable replaces control characters: what servers say must not steer the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return utf8.RuneError
		}
		return r
	}, s)
}

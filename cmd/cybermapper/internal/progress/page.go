package progress

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// A Page is a terminal whose whole text is replaced again and again.
type Page struct{ out *os.File }

// NewPage returns a page on w; nil if that is no terminal.
func NewPage(w io.Writer) *Page {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		return &Page{f}
	}
	return nil
}

// size returns how many columns and lines there are.
func (p *Page) size() (width, height int) {
	width, height, err := term.GetSize(int(p.out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// Height returns how many lines there are.
func (p *Page) Height() int {
	_, height := p.size()
	return height
}

// Draw replaces the text. Lines are cut off where the terminal ends.
func (p *Page) Draw(text string) error {
	width, _ := p.size()
	var out strings.Builder
	out.WriteString("\x1b[H\x1b[J")
	for line := range strings.Lines(text) {
		out.WriteString(say.Clip(strings.TrimRight(line, "\n"), width-1) + "\n")
	}
	_, err := p.out.WriteString(out.String())
	return err
}

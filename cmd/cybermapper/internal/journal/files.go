package journal

import (
	"sync"

	"github.com/cybermapper/cybermapper/storage/pages"
)

// Files remembers where pages were stored until the outcomes of their URLs are written. It is safe for concurrent use, and holds
// the pages that are being settled only.
type Files struct {
	mu    sync.Mutex // guards lines
	lines map[string]pages.Line
}

// NewFiles returns an empty Files.
func NewFiles() *Files { return &Files{lines: map[string]pages.Line{}} }

// Keep is for pages.Options.Stored.
func (f *Files) Keep(l pages.Line) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lines[l.FinalURL] = l
}

// take returns where the page at url was stored, once. Nil Files know nothing.
func (f *Files) take(url string) (pages.Line, bool) {
	if f == nil {
		return pages.Line{}, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	l, ok := f.lines[url]
	delete(f.lines, url)
	return l, ok
}

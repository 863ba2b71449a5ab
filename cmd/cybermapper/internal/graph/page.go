package graph

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// Bounds of a page.
const (
	maxBody  = 16 << 20 // bytes that are looked at
	maxLinks = 5000     // to different URLs
)

// A page is one that was read.
type page struct {
	pages.Line
	html      bool
	canonical string  // that it names, if another
	links     []int64 // names of the URLs that it links to
}

// A reader reads stored pages. It is safe for concurrent use.
type reader struct {
	root      *os.Root
	extractor *extract.Extractor
}

func newReader(dir string) (*reader, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open pages of the job: %w", err)
	}
	return &reader{root: root, extractor: extract.New(extract.Options{Budget: 64 << 20})}, nil
}

func (r *reader) close() error { return r.root.Close() }

// readAll reads pages, several at once.
func (r *reader) readAll(ctx context.Context, lines []pages.Line) ([]page, error) {
	seen := make([]page, len(lines))
	next := make(chan int)
	var working sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 8) {
		working.Go(func() {
			for i := range next {
				seen[i] = r.read(ctx, lines[i])
			}
		})
	}
	for i := range lines {
		next <- i
	}
	close(next)
	working.Wait()
	return seen, ctx.Err()
}

// read reads a page as the engine does. One that is gone or no page of hypertext has no links.
func (r *reader) read(ctx context.Context, l pages.Line) page {
	p := page{Line: l, html: l.Type == "text/html" || l.Type == "application/xhtml+xml"}
	u, err := frontier.ParseURL(l.FinalURL)
	if err != nil {
		return p
	}
	var body []byte
	if p.html {
		body = r.body(l.File)
	}
	reading, err := crawler.Read(ctx, r.extractor, "", u, l.Answer(), body) // no link depends on terms that name a robot
	if err != nil {
		return p
	}
	if c := reading.Canonical; !c.IsZero() && c != u {
		p.canonical = c.String()
	}
	met := map[int64]bool{}
	for _, o := range reading.Outlinks {
		if o.URL.IsZero() || o.URL == u || len(met) >= maxLinks {
			continue
		}
		if id := idOf(o.URL.String()); !met[id] {
			met[id] = true
			p.links = append(p.links, id)
		}
	}
	return p
}

// body returns the beginning of a stored file; nothing when it is gone.
func (r *reader) body(file string) []byte {
	if info, err := r.root.Stat(file); err != nil || !info.Mode().IsRegular() { // opening a pipe would wait for ever
		return nil
	}
	f, err := r.root.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, maxBody))
	if err != nil {
		return nil
	}
	return body
}

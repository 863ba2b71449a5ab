package indexer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/cespare/xxhash/v2"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/crawler/simhash"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/index"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// maxPage bounds the bytes of a page that are looked at.
const maxPage = 16 << 20

// document makes a document of a stored page. An error says that its file cannot be read.
func (d *Indexer) document(ctx context.Context, l *pages.Line) (index.Document, error) {
	doc := index.Document{
		URL: l.FinalURL, File: l.File, Digest: string(l.Digest), Fetched: l.Fetched, Modified: l.LastMod, Lang: l.Lang,
		Type: l.Type, Depth: l.Depth,
		Source: l.Start, MaxSnippet: maxSnippet(l.Directives), NoArchive: slices.Contains(l.Directives, "noarchive"),
	}
	if l.URL != l.FinalURL {
		doc.Asked = l.URL
	}
	if l.MirrorBy == "canonical" {
		doc.Canonical = l.MirrorOf
	}
	doc.Expires, _ = d.judge.expires(l)
	doc.Text = index.Text{Title: l.Title, Description: l.Description, Keywords: strings.Join(l.Keywords, "\n")}
	if !hasText(l.Type) {
		doc.Text.Title = cmp.Or(doc.Text.Title, path.Base(l.FinalURL))
		return doc, nil
	}
	c, err := d.content(ctx, l)
	if err != nil {
		return doc, err
	}
	t := &doc.Text
	t.Title = cmp.Or(t.Title, c.Title)
	if t.Title == "" && len(c.Headings) > 0 {
		t.Title = c.Headings[0].Text
	}
	t.Emphasis, t.Lead = c.Emphasis, c.Lead
	text := d.near([]byte(c.Body))
	doc.Exact, doc.Near, doc.Words = wordsHash(c.Body), text.Hash, text.Words
	doc.Lang = language(cmp.Or(l.Lang, c.Lang), ownText(c))
	d.headings(t, c)
	doc.Links = d.links(l.FinalURL, c)
	return doc, nil
}

// content returns what a stored page says.
func (d *Indexer) content(ctx context.Context, l *pages.Line) (*extract.Content, error) {
	body, err := d.body(l.File)
	if err != nil {
		return nil, err
	}
	mediaType := l.Type
	if l.Charset != "" {
		mediaType += "; charset=" + l.Charset
	}
	return d.extract.Content(ctx, extract.Input{URL: l.FinalURL, Header: http.Header{"Content-Type": {mediaType}}, Body: body})
}

// ownText returns the part of a text that its language is told by, if it is enough: all but the lists of links at its end, which
// have many names and few small words.
func ownText(c *extract.Content) string {
	if c.Lists < leastGuess {
		return c.Body
	}
	return c.Body[:c.Lists]
}

// near returns the hash that nearly the same texts have in common nearly.
func (d *Indexer) near(text []byte) simhash.Text {
	r, _ := d.readers.Get().(*simhash.Reader)
	if r == nil {
		r = new(simhash.Reader)
	}
	defer d.readers.Put(r)
	return r.Of(text)
}

// wordsHash is the same for texts with the same words in the same order, as package extract makes them: with one blank or the end
// of a line between two words. It is that of the words with a blank behind each.
func wordsHash(text string) uint64 {
	h := xxhash.New()
	for len(text) > 0 {
		n := strings.IndexByte(text, '\n')
		if n < 0 {
			n = len(text)
		}
		if n > 0 {
			h.WriteString(text[:n])
			h.WriteString(" ")
		}
		text = text[min(n+1, len(text)):]
	}
	return h.Sum64()
}

// headings takes in the text with its headings. What must not be shown is set between marks, which move the headings behind it.
func (d *Indexer) headings(t *index.Text, c *extract.Content) {
	var b strings.Builder
	at, moved := 0, make([]int, len(c.Headings))
	for _, r := range c.Hidden {
		b.WriteString(c.Body[at:r.Start])
		b.WriteRune(index.NoSnippetOn)
		b.WriteString(c.Body[r.Start:r.End])
		b.WriteRune(index.NoSnippetOff)
		at = r.End
		for i, h := range c.Headings {
			if h.At >= r.Start {
				moved[i]++
			}
			if h.At >= r.End {
				moved[i]++
			}
		}
	}
	b.WriteString(c.Body[at:])
	t.Body = b.String()
	for i, h := range c.Headings {
		hidden := slices.ContainsFunc(c.Hidden, func(r extract.Range) bool { return h.At >= r.Start && h.At < r.End })
		if !hidden {
			t.Headings = append(t.Headings, index.Heading{Level: h.Level, ID: h.ID, Text: h.Text, At: h.At + moved[i]})
		}
	}
}

// links returns what the page calls others of the job.
func (d *Indexer) links(from string, c *extract.Content) []index.Link {
	u, err := frontier.ParseURL(from)
	if err != nil {
		return nil
	}
	base := u
	if c.Base != "" {
		if b, err := u.Resolve(c.Base); err == nil {
			base = b
		}
	}
	var links []index.Link
	seen := map[index.Link]bool{}
	for _, l := range c.Links {
		if len(links) >= index.MaxLinks {
			break
		}
		to, err := base.Resolve(l.Href)
		if err != nil || to == u || !d.isHost(to.Site()) {
			continue
		}
		link := index.Link{URL: to.String(), Text: l.Text}
		if !seen[link] {
			seen[link] = true
			links = append(links, link)
		}
	}
	return links
}

// body reads a stored page.
func (d *Indexer) body(file string) ([]byte, error) {
	f, err := d.root.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // opening a pipe would wait for ever
	if err != nil {
		return nil, fmt.Errorf("read page: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", file)
	}
	if err != nil {
		return nil, fmt.Errorf("read page: %w", err)
	}
	body := make([]byte, min(info.Size(), maxPage))
	n, err := io.ReadFull(f, body)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("read page: %w", err)
	}
	return body[:n], nil
}

// openRoot opens the directory of the pages.
func openRoot(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

// hasOtherPages reports whether the directory of the pages is another one than when it was opened, as when the job was started
// over.
func (d *Indexer) hasOtherPages() bool {
	opened, err := d.root.Stat(".")
	if err != nil {
		return false
	}
	there, err := os.Stat(filepath.Join(d.dir, job.PagesDir))
	return err == nil && !os.SameFile(opened, there)
}

// hasText reports whether a stored page of that type has words.
func hasText(mediaType string) bool {
	switch mediaType {
	case "application/xhtml+xml":
		return true
	case "text/calendar", "text/vcard":
		return false
	}
	return strings.HasPrefix(mediaType, "text/")
}

// maxSnippet returns how many characters may be shown of a page; negative for no bound.
func maxSnippet(directives []string) int {
	most := -1
	for _, d := range directives {
		if d == "nosnippet" {
			return 0
		}
		if text, ok := strings.CutPrefix(d, "max-snippet:"); ok {
			if n, err := strconv.Atoi(text); err == nil && n >= 0 {
				most = n
			}
		}
	}
	return most
}

package wacz

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cybermapper/cybermapper/storage/warc"
)

// Bounds of what is said of a page.
const (
	maxTitle    = 1 << 10  // bytes
	maxText     = 64 << 10 // bytes: the lists are read as a whole by replay tools
	maxMetadata = 64 << 10 // bytes of a block
	maxCopies   = 1 << 14  // that are remembered, so that each is listed once
)

// A page is a line of pages.jsonl.
type page struct {
	ID    string `json:"id"`
	URL   string `json:"url"`
	Time  string `json:"ts"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"`

	record string // its id
	linked bool   // it is no seed
}

func newPage(rec *warc.Record, title, text string) *page {
	at := rec.Date().Format(time.RFC3339)
	sum := sha256.Sum256([]byte(rec.URI() + " " + at))
	return &page{
		ID: hex.EncodeToString(sum[:8]), URL: rec.URI(), Time: at, Title: cut(title, maxTitle), Text: cut(text, maxText),
		record: rec.ID(),
	}
}

// learn reads from a metadata record how many links from a seed the page is, if it is about that page. The page may be nil.
func (p *page) learn(rec *warc.Record) error {
	of := rec.Header.Get("WARC-Concurrent-To") + rec.Header.Get("WARC-Refers-To")
	if p == nil || !strings.Contains(of, p.record) {
		return nil
	}
	block, err := io.ReadAll(io.LimitReader(rec.Block, maxMetadata))
	if err != nil {
		return err
	}
	p.linked = strings.Trim(warc.ParseFields(block).Get("hopsFromSeed"), "R") != ""
	return nil
}

func cut(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// A list is a list of pages in a temporary file.
type list struct {
	f *os.File
	w *bufio.Writer
	n int
}

func newList(dir, head string) (*list, error) {
	f, err := os.CreateTemp(dir, "cybermapper-pages-*")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name()) // so that a kill leaves nothing; Windows does it when the file is closed
	l := &list{f: f, w: bufio.NewWriterSize(f, 64<<10)}
	_, err = l.w.WriteString(head + "\n")
	return l, err
}

func (l *list) add(p *page) error {
	l.n++
	e := json.NewEncoder(l.w)
	e.SetEscapeHTML(false)
	return e.Encode(p)
}

func (l *list) writeTo(w io.Writer) error {
	err := l.w.Flush()
	if err == nil {
		_, err = l.f.Seek(0, io.SeekStart)
	}
	if err == nil {
		_, err = io.Copy(w, l.f)
	}
	return err
}

func (l *list) close() error {
	err := l.f.Close()
	if removed := os.Remove(l.f.Name()); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}

// addPages adds the lists of pages.
func (p *packer) addPages() error {
	if err := p.add("pages/pages.jsonl", p.lists[0].writeTo); err != nil || p.lists[1].n == 0 {
		return err
	}
	return p.add("pages/extraPages.jsonl", p.lists[1].writeTo)
}

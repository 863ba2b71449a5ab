package pages

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path"
	"path/filepath"

	"github.com/cybermapper/cybermapper/storage/internal/contents"
	"github.com/cybermapper/cybermapper/storage/jsonline"
)

// contentsName is the file of a store that says which URLs are not in which stretch of the list.
const contentsName = "contents"

const (
	stretchSize = 1 << 20 // bytes of lines that are described together, or a little more
	atOnce      = 16      // stretches that one Sync describes at most
)

// A stretch is some lines of the list, one after the other. They are taken for the same lines as long as the last one is where it
// was: then none of those before it can have come or gone.
type stretch struct {
	Start int64  `json:"start"`
	Last  int64  `json:"last"` // start of the last line
	End   int64  `json:"end"`
	Lines int    `json:"lines"`
	Sum   string `json:"sum"` // of the last line, its fingerprint in hexadecimal
}

// isIn reports whether a stretch is in the list as it was.
func (s stretch) isIn(list io.ReaderAt) bool {
	if s.Start < 0 || s.Last < s.Start || s.End-s.Last < 1 || s.End-s.Last > maxLine || s.Lines < 1 {
		return false
	}
	line := make([]byte, s.End-s.Last)
	_, err := list.ReadAt(line, s.Last)
	n := len(line) - 1
	sum := hashLine(line[:n])
	return (err == nil || errors.Is(err, io.EOF)) && line[n] == '\n' && hex.EncodeToString(sum[:]) == s.Sum
}

// urlKey is the key of lines with this URL, as it was asked for or as it answered.
func urlKey(url string) contents.Key { return contents.KeyOf('u', url) }

// stretches iterates over what the contents of the store in dir describe, with the part that does. An error ends it.
func stretches(dir string) iter.Seq2[stretch, contents.Part] {
	return func(yield func(stretch, contents.Part) bool) {
		for p, err := range contents.Scan(filepath.Join(dir, ownFolder, contentsName)) {
			s := stretch{}
			if err != nil || json.Unmarshal(p.Head, &s) == nil && !yield(s, p) {
				return
			}
		}
	}
}

// A describer writes the contents of a store.
type describer struct {
	table contents.Table
	end   int64 // of what is described, or cannot be
}

// openDescriber goes on with the contents of the store in dir, or begins anew when they are of another list.
func openDescriber(dir string, list io.ReaderAt) describer {
	d := describer{table: contents.Table{Name: filepath.Join(dir, ownFolder, contentsName)}}
	for s := range stretches(dir) {
		if s.Start < d.end || !s.isIn(list) {
			d.end = 0
			os.Remove(d.table.Name) // or what is left of it counts for nothing
			break
		}
		d.end = s.End
	}
	return d
}

// extend describes the list as far as it goes, but not more than so many stretches. Contents may be lost: a stretch that cannot be
// described, or has what is no line, has none.
func (d *describer) extend(list io.ReaderAt, size int64, most int) {
	for ; most > 0 && size-d.end >= stretchSize; most-- {
		s, keys, isSound := describe(io.NewSectionReader(list, d.end, size-d.end), d.end)
		if s.Lines == 0 {
			return
		}
		d.end = s.End
		head, err := json.Marshal(s)
		if err != nil || !isSound {
			continue
		}
		if d.table.Append(contents.NewPart(head, keys)) != nil {
			return
		}
	}
}

// describe reads the first lines of a list, or of the rest of one from an offset on.
func describe(list io.Reader, offset int64) (s stretch, keys []contents.Key, isSound bool) {
	s, isSound = stretch{Start: offset, End: offset}, true
	var l Line
	for raw, err := range rawLines(list) {
		if err != nil {
			return s, nil, false
		}
		s.Lines++
		s.Last, s.End = s.End, s.End+int64(len(raw))+1
		isSound = isSound && decodeLine(raw, &l) == nil
		keys = append(keys, urlKey(l.URL), urlKey(l.FinalURL))
		if s.End-s.Start >= stretchSize {
			sum := hashLine(raw)
			s.Sum = hex.EncodeToString(sum[:])
			break
		}
	}
	return s, keys, isSound && s.Sum != ""
}

// Describe makes the contents anew, for the whole list.
func (s *Store) Describe() error {
	s.syncMu.Lock()
	defer s.syncMu.Unlock()
	if err := s.tree.root.RemoveAll(path.Join(ownFolder, contentsName)); err != nil {
		return fmt.Errorf("pages: describe: %w", err)
	}
	s.contents = openDescriber(s.dir, s.list)
	s.contents.extend(s.list, s.end.Load(), math.MaxInt)
	return nil
}

// checkContents compares what the contents say with the list.
func (c *checker) checkContents(dir string) error {
	list, err := openLines(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer list.Close()
	for s, p := range stretches(dir) {
		if !s.isIn(list) {
			continue
		}
		found, keys, isSound := describe(io.NewSectionReader(list, s.Start, s.End-s.Start), s.Start)
		head, err := json.Marshal(found)
		if err != nil {
			return err
		}
		if !isSound || !p.Equal(contents.NewPart(head, keys)) {
			name := path.Join(ownFolder, contentsName)
			c.add(fmt.Sprint(name, s.Start), Problem{File: name, What: fmt.Sprintf(
				"does not say what is in the list from byte %d to %d", s.Start, s.End)})
		}
	}
	return nil
}

// ReadURL is Read of the lines of one URL, as it was asked for or as it answered. It reads those stretches of the list that may
// hold one, as far as the contents say, which are believed: Check compares them. A line that somebody has changed in its place,
// without a change to the last line of its stretch, may be missed.
func ReadURL(dir, url string) iter.Seq2[Line, error] {
	lines := decoded(dir, func(list io.ReaderAt) iter.Seq2[numbered, error] { return linesOf(list, dir, url) })
	return func(yield func(Line, error) bool) {
		for l, err := range lines {
			if (err != nil || l.URL == url || l.FinalURL == url) && !yield(l, err) {
				return
			}
		}
	}
}

// linesOf iterates over the lines of a list in which a URL stands, wherever.
func linesOf(list io.ReaderAt, dir, url string) iter.Seq2[numbered, error] {
	return func(yield func(numbered, error) bool) {
		w := wanted{list: list, quoted: jsonline.AppendString(nil, url), yield: yield}
		for s, p := range stretches(dir) {
			if s.Start < w.start || !s.isIn(list) {
				continue
			}
			if !w.read(s.Start) {
				return
			}
			if w.start == s.Start && !p.May(urlKey(url)) {
				w.n, w.start = w.n+s.Lines, s.End
			}
		}
		w.read(1 << 62)
	}
}

// A wanted hands out the lines of a list in which something stands.
type wanted struct {
	list   io.ReaderAt
	quoted []byte
	yield  func(numbered, error) bool
	n      int   // lines that lie behind
	start  int64 // of what lies ahead
}

// read goes on to an offset, or to the end of the list.
func (w *wanted) read(to int64) bool {
	for raw, err := range rawLines(io.NewSectionReader(w.list, w.start, to-w.start)) {
		w.n++
		at := w.start
		w.start += int64(len(raw)) + 1
		if (err != nil || bytes.Contains(raw, w.quoted)) && !w.yield(numbered{w.n, at, raw}, err) {
			return false
		}
	}
	return true
}

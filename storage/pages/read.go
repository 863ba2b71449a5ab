package pages

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"

	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/internal/ahead"
)

// Read iterates over the lines of the store in dir in the order of storing. It may run while a process stores pages: it sees
// what was there, and a last line that is not whole yet is no error. A line that cannot be read is yielded as an error that
// names it, with a zero Line, and the iteration goes on; after any other error it ends. A store that does not exist has no
// lines.
func Read(dir string) iter.Seq2[Line, error] { return read(dir, 0) }

// ReadFrom is Read from an offset on: 0, or the Start or End of a line that was read.
func ReadFrom(dir string, offset int64) iter.Seq2[Line, error] { return read(dir, offset) }

// LineAt returns the line that starts at an offset. The error is fs.ErrNotExist when no line starts there.
func LineAt(dir string, offset int64) (l Line, err error) {
	f, err := openLines(dir)
	if err != nil {
		return l, err
	}
	defer f.Close()
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return l, fmt.Errorf("pages: read: %w", err)
	}
	for raw, err := range rawLines(f) {
		if err != nil {
			return l, err
		}
		if decodeLine(raw, &l) != nil {
			break
		}
		l.Listing, l.Start, l.End = storage.DigestOf(raw), offset, offset+int64(len(raw))+1
		return l, nil
	}
	return Line{}, fmt.Errorf("pages: no line at %d of %s: %w", offset, linesName, fs.ErrNotExist)
}

func read(dir string, offset int64) iter.Seq2[Line, error] {
	return decoded(dir, func(list io.ReaderAt) iter.Seq2[numbered, error] {
		return numberedLines(rawLines(io.NewSectionReader(list, offset, math.MaxInt64-offset)), offset)
	})
}

// decoded iterates over the lines that are chosen of a list; there are none when there is no list.
func decoded(dir string, choose func(list io.ReaderAt) iter.Seq2[numbered, error]) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		f, err := openLines(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer f.Close()
		for r, err := range ahead.Map(choose(f), 0, keepLine, readLine) {
			var l Line
			if err == nil {
				l, err = r.line, r.err
			}
			if !yield(l, err) {
				return
			}
		}
	}
}

// A numbered is a line as written.
type numbered struct {
	n     int
	start int64 // where it stands in the list
	raw   []byte
}

// numberedLines numbers lines.
func numberedLines(lines iter.Seq2[[]byte, error], offset int64) iter.Seq2[numbered, error] {
	return func(yield func(numbered, error) bool) {
		n, start := 0, offset
		for raw, err := range lines {
			n++
			if !yield(numbered{n, start, raw}, err) {
				return
			}
			start += int64(len(raw)) + 1
		}
	}
}

func keepLine(l numbered, memory []byte) (numbered, []byte) {
	start := len(memory)
	memory = append(memory, l.raw...)
	return numbered{l.n, l.start, memory[start:len(memory):len(memory)]}, memory
}

// A reading is what a line says.
type reading struct {
	line Line
	err  error // it says nothing
}

func readLine(l numbered, r *reading) {
	r.err = nil
	if decodeLine(l.raw, &r.line) != nil {
		r.line, r.err = Line{}, &badLine{l.n}
		return
	}
	r.line.Listing, r.line.Start, r.line.End = storage.DigestOf(l.raw), l.start, l.start+int64(len(l.raw))+1
}

// ReadLast is Read of the lines that lie wholly within the last size bytes of the list, without those that cannot be read.
func ReadLast(dir string, size int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		f, err := openLines(dir)
		if errors.Is(err, os.ErrNotExist) {
			return
		}
		var info fs.FileInfo
		if err == nil {
			defer f.Close()
			info, err = f.Stat()
		}
		if err != nil {
			yield(Line{}, fmt.Errorf("pages: read: %w", err))
			return
		}
		from := max(info.Size()-size-1, 0) // what ends there is no whole line
		isPart := from > 0
		for raw, err := range rawLines(io.NewSectionReader(f, from, info.Size()-from)) {
			l := Line{Listing: storage.DigestOf(raw)}
			if isPart || err == nil && json.Unmarshal(raw, &l) != nil {
				isPart = false
				continue
			}
			if !yield(l, err) {
				return
			}
		}
	}
}

// openLines opens the list to read it.
func openLines(dir string) (*os.File, error) {
	name := filepath.Join(dir, linesName)
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() { // opening a pipe would wait for ever
		return nil, fmt.Errorf("pages: read: %s is not a regular file", linesName)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("pages: read: %w", err)
	}
	return f, nil
}

// Body returns the body of a line, if that is still what was stored.
func (s *Store) Body(l Line) ([]byte, error) {
	if !isTreeName(l.File) {
		return nil, fmt.Errorf("pages: read %s: not the name of a page", l.File)
	}
	info, err := s.tree.root.Stat(l.File)
	if err == nil && (!info.Mode().IsRegular() || info.Size() != l.Bytes) { // opening a pipe would wait for ever
		return nil, fmt.Errorf("pages: read %s: not what was stored", l.File)
	}
	body, err := s.tree.root.ReadFile(l.File)
	if err == nil && storage.DigestOf(body) != l.Digest {
		err = errors.New("not what was stored")
	}
	if err != nil {
		return nil, fmt.Errorf("pages: read %s: %w", l.File, err)
	}
	return body, nil
}

// A badLine is the number of a line that is not a Line.
type badLine struct{ n int }

func (e *badLine) Error() string { return fmt.Sprintf("pages: %s line %d: not a page", linesName, e.n) }

// rawLines iterates over the whole lines of r, without their newlines. A line is valid until the next.
func rawLines(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		s := bufio.NewScanner(r)
		s.Buffer(make([]byte, 0, 64<<10), maxLine)
		s.Split(func(data []byte, _ bool) (int, []byte, error) {
			end := bytes.IndexByte(data, '\n')
			if end < 0 {
				return 0, nil, nil
			}
			return end + 1, data[:end], nil
		})
		for s.Scan() {
			if !yield(s.Bytes(), nil) {
				return
			}
		}
		if err := s.Err(); err != nil {
			yield(nil, fmt.Errorf("pages: read %s: %w", linesName, err))
		}
	}
}

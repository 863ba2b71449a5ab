package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sort"
)

// maxIndexLine is the longest line of an index that is read.
const maxIndexLine = 1 << 20

// Lookup returns the lines that a sorted CDXJ index has for a key, see [SURT], in the order of their times. However long the index
// is, it reads little more than them. An error is the last it yields.
func Lookup(name, key string) iter.Seq2[Capture, error] {
	return func(yield func(Capture, error) bool) {
		if err := lookup(name, key, func(c Capture) bool { return yield(c, nil) }); err != nil {
			yield(Capture{}, fmt.Errorf("read %s: %w", name, err))
		}
	}
}

func lookup(name, key string, yield func(Capture) bool) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	var (
		failed error
		r      = bufio.NewReaderSize(f, 4<<10)
		wanted = append([]byte(key), ' ')
	)
	begin := sort.Search(int(size), func(at int) bool {
		line, err := lineFrom(f, r, int64(at))
		if err != nil && !errors.Is(err, io.EOF) {
			failed = err
		}
		return err != nil || bytes.Compare(line, wanted) >= 0
	})
	if failed != nil {
		return failed
	}
	line, err := lineFrom(f, r, int64(begin))
	for ; err == nil && bytes.HasPrefix(line, wanted); line, err = readLine(r, maxIndexLine) {
		c, err := ParseCapture(line)
		if err != nil {
			return err
		}
		if !yield(c) {
			return nil
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// lineFrom returns the first line that begins at a place of a file or behind it, and lets r go on behind that.
func lineFrom(f *os.File, r *bufio.Reader, at int64) ([]byte, error) {
	if _, err := f.Seek(max(at-1, 0), io.SeekStart); err != nil {
		return nil, err
	}
	r.Reset(f)
	if at > 0 {
		if _, err := readLine(r, maxIndexLine); err != nil {
			return nil, err
		}
	}
	return readLine(r, maxIndexLine)
}

package changescmd

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
)

// found are changes, and give them back in order. Beyond what may be held in memory they are in temporary files, each of them
// sorted. It is not safe for concurrent use.
type found struct {
	order func(a, b *Change) int
	most  int64     // bytes that may be held, about
	held  []*Change // not in a file yet
	bytes int64     // that those take
	files []*os.File
}

// add takes in a change.
func (f *found) add(c *Change) error {
	f.held = append(f.held, c)
	if f.bytes += c.size(); f.bytes < f.most {
		return nil
	}
	return f.spill()
}

// size returns how much memory a change takes, about.
func (c *Change) size() int64 {
	const fixed = 160 // of the structure, and what holds it
	n := fixed + len(c.URL) + len(c.To) + len(c.Why) + len(c.Diff)
	for _, v := range []*Version{c.Before, c.After} {
		if v != nil {
			n += fixed + len(v.Title) + len(v.Digest) + len(v.File) + len(v.url) + len(v.media) + len(v.charset)
		}
	}
	return int64(n)
}

// spill writes what is held into a file.
func (f *found) spill() error {
	file, err := os.CreateTemp("", "cybermapper-changes-*")
	if err != nil {
		return fmt.Errorf("sort changes: %w", err)
	}
	os.Remove(file.Name()) // so that a kill, or a pipe that is closed, leaves nothing; Windows does it when the file is closed
	f.files = append(f.files, file)
	slices.SortFunc(f.held, f.order)
	b := bufio.NewWriter(file)
	e := gob.NewEncoder(b)
	for _, c := range f.held {
		if err := e.Encode(c); err != nil {
			return fmt.Errorf("sort changes: %w", err)
		}
	}
	f.held, f.bytes = nil, 0
	if err := b.Flush(); err != nil {
		return fmt.Errorf("sort changes: %w", err)
	}
	return nil
}

// A rest is what is left of some changes that are sorted.
type rest struct {
	next func() (*Change, error)
	head *Change
}

// all yields the changes in order. It may be asked for several times, one after the other.
func (f *found) all() iter.Seq2[*Change, error] {
	return func(yield func(*Change, error) bool) {
		rests, err := f.open()
		for err == nil && len(rests) > 0 {
			first := 0
			for i := range rests {
				if f.order(rests[i].head, rests[first].head) < 0 {
					first = i
				}
			}
			if !yield(rests[first].head, nil) {
				return
			}
			if rests[first].head, err = rests[first].next(); errors.Is(err, io.EOF) {
				rests, err = slices.Delete(rests, first, first+1), nil
			}
		}
		if err != nil {
			yield(nil, fmt.Errorf("read changes: %w", err))
		}
	}
}

// open returns the files, and what is held, from their beginnings.
func (f *found) open() (rests []*rest, err error) {
	slices.SortFunc(f.held, f.order)
	held := f.held
	rests = append(rests, &rest{next: func() (c *Change, err error) {
		if len(held) == 0 {
			return nil, io.EOF
		}
		c, held = held[0], held[1:]
		return c, nil
	}})
	for _, file := range f.files {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		d := gob.NewDecoder(bufio.NewReader(file))
		rests = append(rests, &rest{next: func() (*Change, error) {
			c := new(Change)
			return c, d.Decode(c)
		}})
	}
	if len(held) == 0 {
		rests = rests[1:]
	}
	for _, r := range rests { // no file is empty
		if r.head, err = r.next(); err != nil {
			return nil, err
		}
	}
	return rests, nil
}

// close removes the files.
func (f *found) close() error {
	var errs []error
	for _, file := range f.files {
		errs = append(errs, file.Close())
		if err := os.Remove(file.Name()); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	f.files = nil
	return errors.Join(errs...)
}

// byKind is the order of a report: by kind, those of the same text last, and by URL.
func byKind(a, b *Change) int {
	if n := slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind); n != 0 {
		return n
	}
	switch {
	case a.SameText == b.SameText:
		return strings.Compare(a.URL, b.URL)
	case b.SameText:
		return -1
	}
	return 1
}

// latestFirst is the order of a feed.
func latestFirst(a, b *Change) int {
	if n := b.Time.Compare(a.Time); n != 0 {
		return n
	}
	return byKind(a, b)
}

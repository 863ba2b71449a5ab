package warc

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// sorterMemory is what a Sorter holds in memory by default.
const sorterMemory = 16 << 20

// A Sorter puts lines in the order of their bytes. What memory has no room for lies in temporary files. The zero Sorter is empty
// and ready. It is not safe for concurrent use.
type Sorter struct {
	Dir    string // for temporary files; "" is that of the system
	Memory int    // bytes of lines in memory; 0 means 16 MiB

	text  []byte
	lines []span
	runs  []*os.File
	n     int64
}

type span struct{ from, to int }

// Add adds a line, which has no newline.
func (s *Sorter) Add(line []byte) error {
	s.n++
	s.lines = append(s.lines, span{len(s.text), len(s.text) + len(line)})
	s.text = append(s.text, line...)
	if len(s.text)+16*len(s.lines) < cmp.Or(s.Memory, sorterMemory) {
		return nil
	}
	return s.spill()
}

// Len returns how many lines were added.
func (s *Sorter) Len() int64 { return s.n }

func (s *Sorter) sort() {
	slices.SortFunc(s.lines, func(a, b span) int { return bytes.Compare(s.text[a.from:a.to], s.text[b.from:b.to]) })
}

// spill writes what is in memory to a file of its own, sorted.
func (s *Sorter) spill() error {
	s.sort()
	f, err := os.CreateTemp(s.Dir, "cybermapper-sort-*")
	if err != nil {
		return err
	}
	os.Remove(f.Name()) // so that a kill leaves nothing; Windows does it when the file is closed
	s.runs = append(s.runs, f)
	w := bufio.NewWriterSize(f, 256<<10)
	for _, l := range s.lines {
		w.Write(s.text[l.from:l.to])
		w.WriteByte('\n')
	}
	s.text, s.lines = s.text[:0], s.lines[:0]
	err = w.Flush()
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	return err
}

// Each calls f with each line in order, without its newline; of equal lines with one. The line is good until f returns.
func (s *Sorter) Each(f func(line []byte) error) error {
	s.sort()
	m := merge{}
	for _, l := range s.runs {
		m.add(bufio.NewReaderSize(l, 64<<10))
	}
	for _, l := range s.lines {
		line := s.text[l.from:l.to]
		if err := m.until(line, f); err != nil {
			return err
		}
		if err := m.give(line, f); err != nil {
			return err
		}
	}
	return errors.Join(m.until(nil, f), m.err)
}

// Close removes the temporary files.
func (s *Sorter) Close() error {
	var errs []error
	for _, f := range s.runs {
		errs = append(errs, f.Close())
		if err := os.Remove(f.Name()); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	s.runs, s.text, s.lines = nil, nil, nil
	return errors.Join(errs...)
}

// A merge goes through sorted runs at once.
type merge struct {
	runs    []*run
	last    []byte
	started bool
	err     error
}

type run struct {
	r    *bufio.Reader
	line []byte
}

// add adds a run that is not empty.
func (m *merge) add(r *bufio.Reader) {
	if x := (&run{r: r}); m.advance(x) {
		heap.Push(m, x)
	}
}

// advance reads the next line of a run.
func (m *merge) advance(x *run) bool {
	line, err := readLine(x.r, 64<<20)
	x.line = append(x.line[:0], bytes.TrimSuffix(line, []byte("\n"))...)
	if err != nil && !errors.Is(err, io.EOF) {
		m.err = fmt.Errorf("read sorted lines: %w", err)
	}
	return err == nil
}

// until gives all lines of the runs that come before limit; nil is no limit.
func (m *merge) until(limit []byte, f func([]byte) error) error {
	for len(m.runs) > 0 && (limit == nil || bytes.Compare(m.runs[0].line, limit) < 0) {
		if err := m.give(m.runs[0].line, f); err != nil {
			return err
		}
		if m.advance(m.runs[0]) {
			heap.Fix(m, 0)
		} else {
			heap.Pop(m)
		}
	}
	return nil
}

// give calls f, unless the line is the one before.
func (m *merge) give(line []byte, f func([]byte) error) error {
	if m.started && bytes.Equal(line, m.last) {
		return nil
	}
	m.started = true
	m.last = append(m.last[:0], line...)
	return f(m.last)
}

func (m *merge) Len() int           { return len(m.runs) }
func (m *merge) Less(i, j int) bool { return bytes.Compare(m.runs[i].line, m.runs[j].line) < 0 }
func (m *merge) Swap(i, j int)      { m.runs[i], m.runs[j] = m.runs[j], m.runs[i] }
func (m *merge) Push(x any)         { m.runs = append(m.runs, x.(*run)) }
func (m *merge) Pop() any {
	last := m.runs[len(m.runs)-1]
	m.runs = m.runs[:len(m.runs)-1]
	return last
}

package accesslog

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// sorted puts lines in order of time that come in any: runs that fit into memory are sorted and written to temporary files, which
// are merged.
type sorted struct {
	arena   []byte // records of the present run
	index   []recordAt
	runs    []*os.File
	layouts []*layout // of lines whose fields another line names
	maximum int
	dir     string
}

// A recordAt is where a record of the present run is, and its place in the order.
type recordAt struct {
	at         int64 // nanoseconds
	source     int32
	layout     int32 // counted from 1; 0 for none
	epoch      int32
	line       int64
	start, end int
}

func (a recordAt) compare(b recordAt) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.source, b.source), cmp.Compare(a.line, b.line))
}

// recordHead is the size of what stands before the text of a record in a temporary file.
const recordHead = 8 + 4 + 8 + 4 + 4 + 4

// add takes in a line.
func (s *sorted) add(r recordAt, l *layout, text []byte) error {
	const perRecord = 48
	if len(s.arena)+len(text)+len(s.index)*perRecord > s.maximum && len(s.index) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	if n := len(s.layouts); l != nil && (n == 0 || s.layouts[n-1] != l) {
		s.layouts = append(s.layouts, l)
	}
	if l != nil {
		r.layout = int32(len(s.layouts))
	}
	r.start = len(s.arena)
	s.arena = append(s.arena, text...)
	r.end = len(s.arena)
	s.index = append(s.index, r)
	return nil
}

// spill writes the present run into a temporary file, which has no name any more where that is possible.
func (s *sorted) spill() error {
	slices.SortFunc(s.index, recordAt.compare)
	f, err := os.CreateTemp(s.dir, "cybermapper-sort-")
	if err != nil {
		return fmt.Errorf("sort the log: %w", err)
	}
	s.runs = append(s.runs, f)
	w := bufio.NewWriterSize(f, 1<<18)
	var head [recordHead]byte
	for _, r := range s.index {
		binary.LittleEndian.PutUint64(head[:], uint64(r.at))
		binary.LittleEndian.PutUint32(head[8:], uint32(r.source))
		binary.LittleEndian.PutUint64(head[12:], uint64(r.line))
		binary.LittleEndian.PutUint32(head[20:], uint32(r.end-r.start))
		binary.LittleEndian.PutUint32(head[24:], uint32(r.layout))
		binary.LittleEndian.PutUint32(head[28:], uint32(r.epoch))
		w.Write(head[:]) // the error is that of Flush
		w.Write(s.arena[r.start:r.end])
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("sort the log, which is not in order of time: %w", err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("sort the log: %w", err)
	}
	s.arena, s.index = s.arena[:0], s.index[:0]
	return nil
}

// close removes the temporary files.
func (s *sorted) close() (err error) {
	for _, f := range s.runs {
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	s.runs = nil
	return err
}

// A run is a temporary file that is read.
type run struct {
	in   *bufio.Reader
	head recordAt
	text []byte
}

// next reads the next record; io.EOF at the end.
func (r *run) next() error {
	var head [recordHead]byte
	if _, err := io.ReadFull(r.in, head[:]); err != nil {
		return err
	}
	r.head = recordAt{
		at: int64(binary.LittleEndian.Uint64(head[:])), source: int32(binary.LittleEndian.Uint32(head[8:])),
		line: int64(binary.LittleEndian.Uint64(head[12:])), layout: int32(binary.LittleEndian.Uint32(head[24:])),
		epoch: int32(binary.LittleEndian.Uint32(head[28:])),
	}
	n := int(binary.LittleEndian.Uint32(head[20:]))
	if cap(r.text) < n {
		r.text = make([]byte, n)
	}
	r.text = r.text[:n]
	_, err := io.ReadFull(r.in, r.text)
	return err
}

// runHeap orders runs by their present records.
type runHeap []*run

func (h runHeap) Len() int           { return len(h) }
func (h runHeap) Less(i, j int) bool { return h[i].head.compare(h[j].head) < 0 }
func (h runHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *runHeap) Push(x any)        { *h = append(*h, x.(*run)) }
func (h *runHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// each calls do for each line, in order.
func (s *sorted) each(do func(r recordAt, text []byte)) error {
	if len(s.runs) == 0 {
		slices.SortFunc(s.index, recordAt.compare)
		for _, r := range s.index {
			do(r, s.arena[r.start:r.end])
		}
		return nil
	}
	if err := s.spill(); err != nil {
		return err
	}
	s.arena, s.index = nil, nil
	var h runHeap
	for _, f := range s.runs {
		r := &run{in: bufio.NewReaderSize(f, 1<<16)}
		if err := r.next(); errors.Is(err, io.EOF) {
			continue
		} else if err != nil {
			return fmt.Errorf("read what was sorted: %w", err)
		}
		h = append(h, r)
	}
	heap.Init(&h)
	for len(h) > 0 {
		r := h[0]
		do(r.head, r.text)
		switch err := r.next(); {
		case errors.Is(err, io.EOF):
			heap.Pop(&h)
		case err != nil:
			return fmt.Errorf("read what was sorted: %w", err)
		default:
			heap.Fix(&h, 0)
		}
	}
	return nil
}

// readSorted reads the logs, sorts their lines, and calls do for each.
func (m *Merge) readSorted(do func(e *Entry, file string, line int64, text []byte)) (err error) {
	m.sorted = &sorted{maximum: m.MaxMemory, dir: m.TempDir}
	defer func() { err = errors.Join(err, m.sorted.close()) }()
	for i, source := range m.sources {
		if err := m.spillSource(i, source); err != nil {
			return err
		}
	}
	p := Parser{Format: m.Format, Trusted: m.Trusted}
	var e Entry
	return m.sorted.each(func(r recordAt, text []byte) {
		p.layout = nil
		if r.layout > 0 {
			p.layout = m.sorted.layouts[r.layout-1]
		}
		p.hasQueries = m.whole[r.source]
		if p.Parse(text, &e) == nil {
			if host := m.sources[r.source].Host; host != "" && len(e.Host) == 0 {
				e.Host = []byte(host)
			}
			e.Epoch = int(r.epoch)
			do(&e, m.sources[r.source].Name, r.line, text)
		}
	})
}

// spillSource takes in the lines of a log.
func (m *Merge) spillSource(number int, source Source) error {
	s := &stream{Source: source, number: number}
	if err := s.start(m); err != nil {
		return err
	}
	defer s.in.Close()
	for s.reader.Next() {
		if err := s.twice(); err != nil {
			return err
		}
		e := s.reader.Entry()
		at := recordAt{at: e.Time.UnixNano(), source: int32(number), line: s.reader.Line(), epoch: int32(e.Epoch)}
		if err := m.sorted.add(at, s.reader.parser.layout, s.reader.Text()); err != nil {
			return err
		}
	}
	m.tallies[number], m.whole[number] = s.reader.Tally(), s.reader.parser.hasQueries
	if err := s.reader.Err(); err != nil {
		return fmt.Errorf("read %s: %w", s.Name, err)
	}
	return nil
}

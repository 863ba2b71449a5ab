package accesslog

import "hash/maphash"

// How many lines at the beginning of logs are compared, and how many lines in a row are in two logs only if one is a copy of a part
// of the other: two front ends may log the same request in the same second, but not so often.
const (
	headLines = 20
	twinLines = 100
	twinRing  = 1 << 13 // lines that are remembered
)

// twins find lines that are in two logs, while these are read side by side.
type twins struct {
	seed   maphash.Seed
	ring   []uint64
	next   int
	source map[uint64]int32 // of the lines in the ring, and by how many sources
	same   map[int]*twinRun
}

// A twinRun is how many lines of a source in a row were in another.
type twinRun struct {
	with  int32
	lines int
	first int64
}

// hashHead hashes the first lines of a stream, and notes when the first of them was.
func (s *stream) hashHead(m *Merge) {
	if m.twins.ring == nil {
		m.twins.seed, m.twins.ring = maphash.MakeSeed(), make([]uint64, twinRing)
		m.twins.source, m.twins.same = map[uint64]int32{}, map[int]*twinRun{}
	}
	for len(s.head) < headLines {
		if !s.reader.Next() {
			return
		}
		if len(s.head) == 0 {
			s.first = s.reader.Entry().Time
		}
		s.head = append(s.head, maphash.Bytes(m.twins.seed, s.reader.Text()))
	}
}

// compare finds out whether two logs begin with the same lines: all of them, or many.
func (s *stream) compare(o *stream) error {
	n := min(len(s.head), len(o.head))
	for i := range n {
		if s.head[i] != o.head[i] {
			return nil
		}
	}
	if n < headLines && len(s.head) != len(o.head) {
		return nil
	}
	return &DuplicateError{o.Name, s.Name, 1}
}

// check looks whether the present line of a stream was in another a moment ago.
func (t *twins) check(m *Merge, s *stream) error {
	h := maphash.Bytes(t.seed, s.reader.Text())
	own := int32(s.number + 1)
	other, known := t.source[h]
	run := t.same[s.number]
	if run == nil {
		run = &twinRun{}
		t.same[s.number] = run
	}
	if !known || other == own {
		run.lines = 0
		t.remember(h, own)
		return nil
	}
	if run.lines == 0 || run.with != other {
		*run = twinRun{with: other, first: s.reader.Line()}
	}
	if run.lines++; run.lines < twinLines {
		return nil
	}
	return &DuplicateError{m.sources[run.with-1].Name, s.Name, run.first}
}

// remember notes a line, in place of the oldest.
func (t *twins) remember(h uint64, source int32) {
	i := t.next % twinRing
	if t.next >= twinRing {
		delete(t.source, t.ring[i])
	}
	t.ring[i], t.source[h] = h, source
	t.next++
}

package accesslog

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"time"
)

// A Source is a log that is read together with others.
type Source struct {
	Name string
	Host string // whose log it is, if its lines do not say; may be empty
	// Open returns the text of the log from its beginning, and may be called again when the last text was closed.
	Open func() (io.ReadCloser, error)
}

// A Merge reads the entries of several logs in order of time, as if they were one: front ends write a log each, virtual hosts too,
// and old logs are put away. Logs may overlap in any way. It holds open only those that overlap at present.
//
// Lines may be late by Window. A log that has more such lines than one in a hundred is not in order: then all lines are sorted, in
// memory up to MaxMemory and beyond that in temporary files. The same lines in two logs are a [DuplicateError], and so is a log
// that was put behind itself.
type Merge struct {
	Format    Format
	Trusted   []netip.Prefix // see Parser
	Window    time.Duration  // default 10s
	MaxMemory int            // for sorting; default 64 MiB
	TempDir   string         // default os.TempDir

	sources  []Source
	waiting  []*stream // in order of time of their first entries; not open
	open     []*stream
	sorted   *sorted // nil unless lines had to be sorted
	twins    twins
	newest   int64 // nanoseconds; of the lines so far
	lines    int64
	late     int64
	veryLate int64
	tallies  []Tally
	whole    []bool // whether each source has queries, if lines had to be sorted
}

// NewMerge returns a Merge of logs.
func NewMerge(sources ...Source) *Merge {
	return &Merge{Window: 10 * time.Second, MaxMemory: 64 << 20, sources: sources, tallies: make([]Tally, len(sources)),
		whole: make([]bool, len(sources))}
}

// A stream is a source that is read.
type stream struct {
	Source
	number int
	in     io.ReadCloser
	reader *Reader
	first  time.Time
	head   []uint64 // hashes of the first lines
}

// A DuplicateError says that two logs have the same lines, or that one has them twice, which would all count twice.
type DuplicateError struct {
	A, B string // names of the logs; the same for one log
	Line int64  // of B, that is in A too
}

// Error names both files and the first line that is the same.
func (e *DuplicateError) Error() string {
	if e.A == e.B {
		return fmt.Sprintf("%s has the lines from its beginning once more, from line %d on", e.B, e.Line)
	}
	return fmt.Sprintf("%s and %s have the same lines, from line %d of the latter on", e.A, e.B, e.Line)
}

// errDisorder says that a log is not in order of time.
var errDisorder = errors.New("the log is not in order of time")

// Each calls do for each entry, in order of time. An entry and its text are valid until do returns. begin is called before the
// first entry and must forget what came before: it is called again when it turned out that lines have to be sorted first.
func (m *Merge) Each(begin func(), do func(e *Entry, file string, line int64, text []byte)) error {
	begin()
	err := m.read(do)
	if errors.Is(err, errDisorder) {
		begin()
		err = m.readSorted(do)
	}
	return err
}

// read reads the logs as they are.
func (m *Merge) read(do func(e *Entry, file string, line int64, text []byte)) (err error) {
	defer func() { err = errors.Join(err, m.closeAll()) }()
	if err := m.look(); err != nil {
		return err
	}
	for {
		s, err := m.next()
		if s == nil || err != nil {
			return err
		}
		if err := s.twice(); err != nil {
			return err
		}
		e := s.reader.Entry()
		if m.isOutOfOrder(e.Time) {
			return errDisorder
		}
		if len(m.open) > 1 {
			if err := m.twins.check(m, s); err != nil {
				return err
			}
		}
		do(e, s.Name, s.reader.Line(), s.reader.Text())
		if err := m.advance(s); err != nil {
			return err
		}
	}
}

// A server that notes when a request began logs it when it has been answered: some lines come late. Lines that are so late, or so
// many, are of a log that was put together out of several.
const (
	fewLate  = 20
	veryLate = 10 * time.Minute
)

// isOutOfOrder counts a line that is later than it may be, and reports whether there are too many of them.
func (m *Merge) isOutOfOrder(at time.Time) bool {
	m.lines++
	now := at.UnixNano()
	if now > m.newest || m.lines == 1 {
		m.newest = now
		return false
	}
	behind := time.Duration(m.newest - now)
	if behind <= m.Window {
		return false
	}
	m.late++
	if behind > veryLate {
		m.veryLate++
	}
	return m.late > fewLate && m.late*100 > m.lines || m.veryLate > fewLate || m.veryLate > 0 && m.lines < 100*fewLate
}

// look finds out when each log begins, and whether two begin with the same lines.
func (m *Merge) look() error {
	m.waiting = nil
	for i, source := range m.sources {
		s := &stream{Source: source, number: i}
		if err := s.start(m); err != nil {
			return err
		}
		m.open = append(m.open, s)
		s.hashHead(m)
		err := errors.Join(s.reader.Err(), s.in.Close())
		m.open = m.open[:0]
		if err != nil {
			return fmt.Errorf("read %s: %w", s.Name, err)
		}
		if len(s.head) == 0 {
			m.tallies[i] = s.reader.Tally()
			continue
		}
		for _, o := range m.waiting {
			if err := s.compare(o); err != nil {
				return err
			}
		}
		m.waiting = append(m.waiting, s)
	}
	slices.SortStableFunc(m.waiting, func(a, b *stream) int { return a.first.Compare(b.first) })
	return nil
}

// start opens a source.
func (s *stream) start(m *Merge) (err error) {
	if s.in, err = s.Open(); err != nil {
		return err
	}
	s.reader = NewReader(s.in, m.Format)
	s.reader.Trust(m.Trusted)
	s.reader.Host(s.Host)
	return nil
}

// twice returns an error if the log has its lines twice.
func (s *stream) twice() error {
	if c := &s.reader.echo; c.found {
		return &DuplicateError{s.Name, s.Name, c.first}
	}
	return nil
}

// next returns the stream whose entry is next; nil at the end.
func (m *Merge) next() (*stream, error) {
	var least *stream
	for _, s := range m.open {
		if least == nil || s.reader.Entry().Time.Before(least.reader.Entry().Time) {
			least = s
		}
	}
	if len(m.waiting) > 0 && (least == nil || !m.waiting[0].first.After(least.reader.Entry().Time)) {
		s := m.waiting[0]
		m.waiting = m.waiting[1:]
		if err := s.start(m); err != nil {
			return nil, err
		}
		m.open = append(m.open, s)
		slices.SortFunc(m.open, func(a, b *stream) int { return cmp.Compare(a.number, b.number) })
		if err := m.advance(s); err != nil {
			return nil, err
		}
		return m.next()
	}
	return least, nil
}

// advance goes on to the next entry of a stream, and closes it when there is none.
func (m *Merge) advance(s *stream) error {
	if s.reader.Next() {
		return nil
	}
	m.tallies[s.number] = s.reader.Tally()
	m.open = slices.DeleteFunc(m.open, func(o *stream) bool { return o == s })
	if err := errors.Join(s.reader.Err(), s.in.Close()); err != nil {
		return fmt.Errorf("read %s: %w", s.Name, err)
	}
	return nil
}

func (m *Merge) closeAll() (err error) {
	for _, s := range m.open {
		err = errors.Join(err, s.in.Close())
	}
	m.open = nil
	return err
}

// Sources returns the logs.
func (m *Merge) Sources() []Source { return m.sources }

// Tally returns what was counted in the source of that number, at the end.
func (m *Merge) Tally(source int) Tally { return m.tallies[source] }

package pages

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/cybermapper/cybermapper/storage"
)

// An entry is a line that is to be appended to the list.
type entry struct {
	line *Line
	fp   fingerprint
	data []byte // the line, with its newline

	done bool // guarded by Store.append, as is err
	err  error
}

// addLine writes the line of a page. Whoever comes while others write waits for them, and then writes all lines that wait with one
// call, so that many workers cost the list little more than one.
func (s *Store) addLine(l *Line, fp fingerprint) error {
	data, err := l.appendTo(make([]byte, 0, usualLine))
	if err != nil {
		return err
	}
	l.Listing = storage.DigestOf(data[:len(data)-1])
	e := &entry{line: l, fp: fp, data: data}
	s.mu.Lock()
	if s.err != nil {
		s.mu.Unlock()
		return s.err
	}
	s.waiting = append(s.waiting, e)
	s.mu.Unlock()

	s.append.Lock()
	defer s.append.Unlock()
	if !e.done {
		s.appendLocked(s.takeWaiting())
	}
	return e.err
}

func (s *Store) takeWaiting() []*entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting := s.waiting
	s.waiting = nil
	return waiting
}

// appendLocked writes lines to the end of the list and hands them to the index: all of them, or none.
func (s *Store) appendLocked(entries []*entry) {
	data, start := entries[0].data, s.end.Load()
	if len(entries) > 1 {
		data = nil
		for _, e := range entries {
			data = append(data, e.data...)
		}
	}
	err := s.failure()
	if err == nil {
		err = s.write(data, start)
	}
	for _, e := range entries {
		e.done, e.err = true, err
	}
	if err != nil {
		return
	}
	s.end.Store(start + int64(len(data)))
	last := entries[len(entries)-1].data
	end := s.end.Load()
	s.fail(s.index.add(entries, position{Start: end - int64(len(last)), End: end, Sum: hashLine(last[:len(last)-1])}))
}

// write writes data to the list at start, as a whole or not at all.
func (s *Store) write(data []byte, start int64) error {
	if _, err := s.list.WriteAt(data, start); err != nil {
		err = fmt.Errorf("pages: append to %s: %w", linesName, err)
		if undo := s.list.Truncate(start); undo != nil {
			err = errors.Join(err, undo)
			s.fail(err)
		}
		return err
	}
	return nil
}

// fail makes err, if it is one, what every call returns from now on.
func (s *Store) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

// hashLine returns the hash of a line without its newline.
func hashLine(line []byte) fingerprint {
	sum := sha256.Sum256(line)
	return fingerprint(sum[:])
}

package pages

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// startedSize is the size at which the next note is begun.
const startedSize = 256 << 10

// started is the intent log of a store: it notes the names of files before they come into being, so that a file whose line
// never came can be found after a crash. It keeps notes: small files that begin with an offset into the list. Lines for the
// names in a note lie behind it.
type started struct {
	root *os.Root
	end  func() int64 // of the list

	writing sync.Mutex // held to write to the last note; goes before mu

	mu      sync.Mutex // guards the following
	waiting []*intent  // to be noted
	notes   []*note    // oldest first; the last is being written
	next    int
}

type note struct {
	name string
	file *os.File
	size int64 // guarded by started.writing
	open int   // names whose line has not been written yet
}

// An intent is a name that is to be noted.
type intent struct {
	name string

	done bool // guarded by started.writing, as are the following
	note *note
	err  error
}

// begin notes name. finish must be called when its line is written, or will never be. Whoever comes while others write waits for
// them, and then writes all names that wait with one call.
func (s *started) begin(name string) (finish func(), err error) {
	i := &intent{name: name}
	s.mu.Lock()
	s.waiting = append(s.waiting, i)
	s.mu.Unlock()

	s.writing.Lock()
	defer s.writing.Unlock()
	if !i.done {
		s.noteWaiting()
	}
	if i.err != nil {
		return nil, i.err
	}
	n := i.note
	return func() { s.ended(n, 1) }, nil
}

// noteWaiting writes all names that wait: all of them, or none. It is called with writing held.
func (s *started) noteWaiting() {
	intents, n, err := s.takeWaiting()
	if err == nil {
		var lines strings.Builder
		for _, i := range intents {
			lines.WriteString(i.name)
			lines.WriteByte('\n')
		}
		if err = n.write(lines.String()); err != nil {
			s.ended(n, len(intents))
		}
	}
	for _, i := range intents {
		i.done, i.note, i.err = true, n, err
	}
}

// takeWaiting returns the names that wait, and the note that is open for them.
func (s *started) takeWaiting() ([]*intent, *note, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	intents := s.waiting
	s.waiting = nil
	if len(s.notes) == 0 || s.notes[len(s.notes)-1].size >= startedSize {
		if err := s.addLocked(); err != nil {
			return intents, nil, err
		}
	}
	n := s.notes[len(s.notes)-1]
	n.open += len(intents)
	return intents, n, nil
}

// ended says that the lines of so many names in n are written, or will never be.
func (s *started) ended(n *note, names int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n.open -= names
}

// write appends lines to n.
func (n *note) write(lines string) error {
	if _, err := n.file.WriteAt([]byte(lines), n.size); err != nil {
		return fmt.Errorf("pages: note a page: %w", err)
	}
	n.size += int64(len(lines))
	return nil
}

// addLocked begins the next note.
func (s *started) addLocked() error {
	s.next++
	name := fmt.Sprintf("%s/started-%d", ownFolder, s.next)
	f, err := s.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return fmt.Errorf("pages: note a page: %w", err)
	}
	n := &note{name: name, file: f}
	if err := n.write(strconv.FormatInt(s.end(), 10) + "\n"); err != nil {
		return errors.Join(err, f.Close())
	}
	s.notes = append(s.notes, n)
	return nil
}

// done returns how many of the oldest notes are not needed any more once everything so far is on stable storage.
func (s *started) done() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := 0
	for i < len(s.notes)-1 && s.notes[i].open == 0 {
		i++
	}
	return i
}

// drop removes the n oldest notes.
func (s *started) drop(n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, n := range s.notes[:n] {
		errs = append(errs, n.file.Close(), s.root.Remove(n.name))
	}
	s.notes = s.notes[n:]
	return errors.Join(errs...)
}

// close removes all notes if the store is as it should be, and leaves them to the next Open otherwise.
func (s *started) close(sound bool) error {
	if sound {
		return s.drop(len(s.notes))
	}
	var errs []error
	for _, n := range s.notes {
		errs = append(errs, n.file.Close())
	}
	return errors.Join(errs...)
}

// readStarted returns the names in the notes in dir and the offset in the list behind which their lines lie, or -1 when there
// are none. Notes are not synced: after power loss there may be zeros where a name was, which is passed over.
func readStarted(dir string) (names set, from int64, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "started-*"))
	if err != nil {
		return nil, 0, err
	}
	names, from = set{}, -1
	for _, file := range files {
		f, err := os.Open(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, 0, fmt.Errorf("pages: read notes: %w", err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 4*startedSize) // all that may have become zeros
		lines.Scan()
		offset, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err == nil && (from < 0 || offset < from) {
			from = offset
		}
		for err == nil && lines.Scan() {
			if name := lines.Text(); isTreeName(name) {
				names[name] = struct{}{}
			}
		}
		if err := errors.Join(lines.Err(), f.Close()); err != nil {
			return nil, 0, fmt.Errorf("pages: read notes: %w", err)
		}
	}
	return names, from, nil
}

// isTreeName says that name can be that of a page, and of nothing else in the store or outside of it.
func isTreeName(name string) bool {
	return strings.Contains(name, "/") && !strings.HasPrefix(name, ".") && !strings.Contains(name, "\x00") &&
		filepath.IsLocal(filepath.FromSlash(name))
}

// removeStarted removes the notes of earlier processes from dir.
func removeStarted(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "started-*"))
	for _, file := range files {
		err = errors.Join(err, os.Remove(file))
	}
	if err != nil {
		return fmt.Errorf("pages: remove notes: %w", err)
	}
	return nil
}

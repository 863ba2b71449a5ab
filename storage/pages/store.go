package pages

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cybermapper/cybermapper/storage"
)

var (
	// ErrInUse is returned by Open when another process, or this one, has opened the store already.
	ErrInUse = errors.New("pages: in use by another process")
	// ErrClosed is returned by Put, Sync, Has, Knows and Remove after Close.
	ErrClosed = errors.New("pages: closed")
)

// Options say who listens to a store.
type Options struct {
	// Stored is called by Put with the line of each page that is stored, be the line new or not. It is called while other
	// pages are being stored, also by itself, and must not call the store. Nil means that nobody listens.
	Stored func(Line)
}

// A Store keeps pages in a directory. It is safe for concurrent use.
type Store struct {
	dir      string
	opts     Options
	recovery Recovery
	lock     *pebble.Lock
	tree     *tree
	name     func(url string) string // FileName, or what the file system can take of it
	disk     disk
	claims   claims
	started  *started
	index    *index

	open     sync.RWMutex // held for reading while a page is being stored or looked for
	syncMu   sync.Mutex   // held by Sync; guards synced and contents
	synced   int64        // how much of the list is on stable storage
	contents describer

	list   *os.File
	end    atomic.Int64 // of the list; changes under append
	append sync.Mutex   // held to append to the list; goes before mu

	mu      sync.Mutex // guards the following
	waiting []*entry   // to be appended
	err     error      // set by the first failure that leaves the store in doubt, and by Close
}

var (
	_ storage.Sink   = (*Store)(nil)
	_ storage.Syncer = (*Store)(nil)
)

// Put stores p and its line. It returns when both have been handed to the operating system, so that they survive the death of
// the process. If a page with the same body is stored already, its file gets another name; if that page is p itself, and nothing
// else has changed but the time, nothing is stored.
//
// A page whose URL is being stored, or whose body is, waits for the other. An error leaves the store as it was, with two
// exceptions after which every later call returns the same error: when a half-written line cannot be taken back, and when
// the index fails. p must not be nil.
func (s *Store) Put(ctx context.Context, p *storage.Page) error {
	s.open.RLock()
	defer s.open.RUnlock()
	if err := s.failure(); err != nil {
		return err
	}
	l := newLine(p)
	release, err := s.claims.take(ctx, l.URL, string(l.Digest))
	if err != nil {
		return err
	}
	defer release()
	if err := s.put(&l, p.Body); err != nil {
		return err
	}
	if s.opts.Stored != nil {
		s.opts.Stored(l)
	}
	if s.tree.isDirty() {
		return s.Sync()
	}
	return nil
}

// Knows reports whether the list has a line of the page that was queued as url, or of one with that body.
func (s *Store) Knows(url string, body storage.Digest) (bool, error) {
	same, known, err := s.look(body, url)
	return known || same != "", err
}

// Has reports whether the list has a line of the page that was queued as url.
func (s *Store) Has(url string) (bool, error) {
	_, known, err := s.look("", url)
	return known, err
}

// look asks the index, which Remove and Close take away.
func (s *Store) look(body storage.Digest, url string) (same string, known bool, err error) {
	s.open.RLock()
	defer s.open.RUnlock()
	if err := s.failure(); err != nil {
		return "", false, err
	}
	same, _, known, err = s.index.find(body, url)
	return same, known, err
}

// put stores the page of a line that lacks File and SameAs.
func (s *Store) put(l *Line, body []byte) error {
	fp, err := l.fingerprint()
	if err != nil {
		return err
	}
	same, before, known, err := s.index.find(l.Digest, l.URL)
	if err != nil {
		return err
	}
	l.File = s.name(l.URL)
	if !known && same == "" {
		return s.addFile(l, fp, body)
	}
	later := laterName(l.File, l.Digest)
	if known && before.fp == fp {
		l.File = before.file
		return s.restore(l, same, body)
	}
	if same == l.File || same == later { // a version of this page has this body
		if s.tree.has(same, l.Bytes) {
			l.File = same
			return s.addLine(l, fp)
		}
		same = ""
	}
	if same != "" && !s.tree.has(same, l.Bytes) {
		same = ""
	}
	l.SameAs = same
	if known {
		for _, name := range []string{l.File, later} {
			if same != "" && (s.tree.isLink(name, same) || s.tree.holds(name, l)) {
				l.File = name
				return s.addLine(l, fp)
			}
		}
		if s.tree.exists(l.File) {
			l.File = later
		}
	}
	return s.addFile(l, fp, body)
}

// restore gives a page that has its line already the file that it has lost, if it has. same is the file of the first page
// with that body.
func (s *Store) restore(l *Line, same string, body []byte) error {
	if same != l.File {
		l.SameAs = same
	}
	if own := s.name(l.URL); l.File != own && l.File != laterName(own, l.Digest) {
		l.SameAs = l.File // as it was when pages shared one name
	}
	if s.tree.holds(l.File, l) {
		return nil
	}
	return s.tree.write(l.File, body)
}

// addFile makes the file of a page, which is that of SameAs under another name if there is one, and writes its line.
func (s *Store) addFile(l *Line, fp fingerprint, body []byte) error {
	finish, err := s.started.begin(l.File)
	if err != nil {
		return err
	}
	defer finish()
	if l.SameAs != "" {
		err = s.tree.link(l.SameAs, l.File, body)
	} else {
		err = s.tree.write(l.File, body)
	}
	if err != nil {
		return err
	}
	if err := s.addLine(l, fp); err != nil {
		return errors.Join(err, s.tree.remove(l.File))
	}
	return nil
}

// failure returns the error that every call returns from now on, if there is one.
func (s *Store) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Sync brings everything put before to stable storage: files, folders and lines. It costs nothing when nothing was. Putting goes
// on meanwhile. After an error nobody knows what is on the disk: every later call returns the same error.
func (s *Store) Sync() error {
	s.syncMu.Lock()
	defer s.syncMu.Unlock()
	if err := s.failure(); err != nil {
		return err
	}
	end, notes, d := s.end.Load(), s.started.done(), s.tree.takeDirty()
	if end == s.synced && len(d.files) == 0 && len(d.folders) == 0 {
		return nil
	}
	err := s.disk.sync(s.tree.paths(d.files), s.tree.paths(d.folders), s.list)
	if err == nil {
		s.synced = end
		s.contents.extend(s.list, end, atOnce)
		err = s.started.drop(notes)
	}
	if err == nil {
		return nil
	}
	s.fail(fmt.Errorf("pages: sync: %w", err))
	return s.failure()
}

// Close waits for pages that are being stored, brings everything to stable storage and closes the store. Closing twice returns nil.
func (s *Store) Close() error {
	s.open.Lock()
	defer s.open.Unlock()
	err := s.Sync()
	if errors.Is(err, ErrClosed) {
		return nil
	}
	s.mu.Lock()
	s.err = ErrClosed
	s.mu.Unlock()
	return errors.Join(err, s.close(err == nil))
}

// close closes whatever of the store is open. sound says that nothing is left to the next Open to repair.
func (s *Store) close(sound bool) error {
	var errs []error
	if s.index != nil {
		errs = append(errs, s.index.close())
	}
	if s.started != nil {
		errs = append(errs, s.started.close(sound))
	}
	if s.list != nil {
		errs = append(errs, s.list.Close())
	}
	if s.tree != nil {
		errs = append(errs, s.tree.close())
	}
	return errors.Join(append(errs, s.lock.Close())...)
}

// inside returns the path of one of the store's own files.
func (s *Store) inside(name string) string { return filepath.Join(s.dir, ownFolder, name) }

package pages

import (
	"context"
	"crypto/sha256"
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
	// ErrClosed is returned by Put and Sync after Close.
	ErrClosed = errors.New("pages: closed")
)

// Options are the bounds of a store and who listens to it. Zero means the default, and so does a negative value.
type Options struct {
	IndexMemory int64 // bytes of the index kept in memory; default 32 MiB
	// Stored is called by Put with the line of each page that is stored, be the line new or not. It is called while other
	// pages are being stored, also by itself, and must not call the store. Nil means that nobody listens.
	Stored func(Line)
}

func (o Options) withDefaults() Options {
	if o.IndexMemory <= 0 {
		o.IndexMemory = 32 << 20
	}
	return o
}

// A Store keeps pages in a directory. It is safe for concurrent use.
type Store struct {
	dir      string
	opts     Options
	recovery Recovery
	lock     *pebble.Lock
	tree     *tree
	disk     disk
	claims   claims
	started  *started
	index    *index

	open   sync.RWMutex // held for reading while a page is being stored
	syncMu sync.Mutex   // held by Sync; guards synced
	synced int64        // how much of the list is on stable storage

	list *os.File
	end  atomic.Int64 // of the list; changes under mu
	mu   sync.Mutex   // guards the following, and is held to append to the list
	err  error        // set by the first failure that leaves the store in doubt, and by Close
}

var (
	_ storage.Sink   = (*Store)(nil)
	_ storage.Syncer = (*Store)(nil)
)

// Put stores p and its line. It returns when both have been handed to the operating system, so that they survive the death of
// the process. If a page with the same body is stored already, only a line is written; if that page is p itself, and nothing
// else has changed but the time, nothing is.
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
	name := FileName(l.URL)
	release, err := s.claims.take(ctx, name, string(l.Digest))
	if err != nil {
		return err
	}
	defer release()
	if err := s.put(&l, name, p.Body); err != nil {
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

// put stores the page with the given name, whose line lacks File and SameAs.
func (s *Store) put(l *Line, name string, body []byte) error {
	fp, err := l.fingerprint()
	if err != nil {
		return err
	}
	same, err := s.index.body(l.Digest)
	if err != nil {
		return err
	}
	l.File = name
	if same != "" || s.tree.exists(name) { // otherwise the page is new
		before, known, err := s.index.page(name)
		switch {
		case err != nil:
			return err
		case known && before.fp == fp:
			l.pointTo(before.file, name)
			return s.restore(l, body)
		case known && s.tree.exists(name):
			l.File = laterName(name, l.Digest)
		}
	}
	if same == "" || !s.tree.has(same, l.Bytes) {
		return s.addFile(l, name, fp, body)
	}
	l.pointTo(same, name)
	return s.addLine(l, name, fp)
}

// pointTo makes file, which exists, that of the page with the given name.
func (l *Line) pointTo(file, name string) {
	l.File = file
	if file != name && file != laterName(name, l.Digest) {
		l.SameAs = file
	}
}

// restore writes the file of a page that has its line already, if it was lost.
func (s *Store) restore(l *Line, body []byte) error {
	if s.tree.holds(l) {
		return nil
	}
	return s.tree.write(l.File, body)
}

// addFile writes the file of a page, and its line.
func (s *Store) addFile(l *Line, name string, fp fingerprint, body []byte) error {
	finish, err := s.started.begin(l.File)
	if err != nil {
		return err
	}
	defer finish()
	if err := s.tree.write(l.File, body); err != nil {
		return err
	}
	if err := s.addLine(l, name, fp); err != nil {
		return errors.Join(err, os.Remove(s.tree.path(l.File)))
	}
	return nil
}

// addLine writes the line of a page.
func (s *Store) addLine(l *Line, name string, fp fingerprint) error {
	data, err := l.encode()
	if err != nil {
		return err
	}
	at := position{Sum: hashLine(data[:len(data)-1])}
	l.Listing = storage.DigestOf(data[:len(data)-1])
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	at.Start = s.end.Load()
	at.End = at.Start + int64(len(data))
	if _, err := s.list.WriteAt(data, at.Start); err != nil {
		err = fmt.Errorf("pages: append to %s: %w", linesName, err)
		if undo := s.list.Truncate(at.Start); undo != nil {
			err = errors.Join(err, undo)
			s.err = err
		}
		return err
	}
	s.end.Store(at.End)
	s.err = s.index.add(l, name, fp, at) // the page is stored; the next call returns the error
	return nil
}

// hashLine returns the hash of a line without its newline.
func hashLine(line []byte) fingerprint {
	sum := sha256.Sum256(line)
	return fingerprint(sum[:])
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
		err = s.started.drop(notes)
	}
	if err == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = fmt.Errorf("pages: sync: %w", err)
	}
	return s.err
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
	return errors.Join(append(errs, s.lock.Close())...)
}

// inside returns the path of one of the store's own files.
func (s *Store) inside(name string) string { return filepath.Join(s.dir, ownFolder, name) }

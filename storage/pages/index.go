package pages

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/database"
)

// An index finds pages by digest and by URL. It follows from the list, up to a position it remembers, and may be lost.
//
//	b HASH(DIGEST) -> name of the file with this body
//	p HASH(URL)    -> the newest line of the page with this URL: fingerprint, name of its file
//	y              -> position
//
// Stores of earlier versions know pages by the names of their files, and have z for y: their lists are read again.
type index struct {
	db      *pebble.DB
	all     *keyFilter    // of an index that was empty when it was opened; nil for one that was not
	failure error         // of the database in the background; set before failed is closed
	failed  chan struct{} // closed by the first failure
	once    sync.Once
}

// A position is how far into the list the index has read: the last line lies from Start to End and has the hash Sum.
type position struct {
	Start, End int64
	Sum        fingerprint
}

// A prior is what the index knows of the newest line of a page.
type prior struct {
	fp   fingerprint
	file string
}

const (
	kindBody     = 'b'
	kindPage     = 'p'
	kindPosition = 'y'
	kindNone     = 'z' // no key is of it
)

const indexMemory = 32 << 20 // bytes of the index kept in memory

// openIndex opens the index in dir, or makes an empty one.
func openIndex(dir string, memory int64) (*index, error) {
	x := &index{failed: make(chan struct{})}
	o := &pebble.Options{
		FS:                 vfs.Default, // the default also watches the disk, in a goroutine that outlives a failed Open
		FormatMajorVersion: pebble.FormatNewest,
		Logger:             quietLogger{x},
		EventListener:      &pebble.EventListener{BackgroundError: x.fail},
		CacheSize:          memory,
		MemTableSize:       uint64(memory / 16), // of which there are three; Open reads again after a crash what was in them
		MaxOpenFiles:       100,
		DisableWAL:         true,
	}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	db, isAbandoned, err := database.Open(dir, o, func() {})
	err = database.Plain(err)
	if isAbandoned {
		err = abandonedError{err}
	}
	if err != nil {
		return nil, fmt.Errorf("pages: open index: %w", err)
	}
	x.db = db
	if err = goesOn(db); err == nil {
		x.all, err = filterOf(db)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("pages: open index: %w", err), db.Close())
	}
	return x, nil
}

// goesOn returns an error if what is written now would have a number that something in the tables has: when the list of tables has
// lost its end, Pebble begins again where that was, and ends the process when it merges two of the same number.
func goesOn(db *pebble.DB) error {
	levels, err := db.SSTables()
	if err != nil {
		return err
	}
	var last pebble.SeqNum
	for _, tables := range levels {
		for _, t := range tables {
			last = max(last, t.LargestSeqNum)
		}
	}
	b := db.NewBatch()
	defer b.Close()
	if err := errors.Join(b.Delete([]byte{kindNone}, nil), b.Commit(pebble.NoSync)); err != nil {
		return err
	}
	if b.SeqNum() <= last {
		return errors.New("its list of tables has lost its end")
	}
	return nil
}

// An abandonedError says why an index cannot be written. This process still has it: there is no making a new one in its place.
type abandonedError struct{ error }

func (e abandonedError) Unwrap() error { return e.error }

// A quietLogger keeps Pebble from writing to the standard logger, and from ending the process.
type quietLogger struct{ x *index }

func (quietLogger) Infof(string, ...any)  {}
func (quietLogger) Errorf(string, ...any) {}
func (l quietLogger) Fatalf(format string, args ...any) {
	l.x.fail(fmt.Errorf(format, args...))
}

// fail notes that the database cannot write any more. It would try again for ever, as fast as it can, and block whoever adds.
func (x *index) fail(err error) {
	x.once.Do(func() {
		x.failure = fmt.Errorf("pages: write index: %w", err)
		close(x.failed)
	})
}

// err returns what has broken the index.
func (x *index) err() error {
	select {
	case <-x.failed:
		return x.failure
	default:
		return nil
	}
}

// key returns the key for what is called name.
func key(kind byte, name string) []byte {
	sum := sha256.Sum256([]byte(name))
	return append([]byte{kind}, sum[:20]...)
}

// find returns the file with the body of this digest, or nothing, and the newest line of the page at url; known says that there is
// one. Other than DB.Get, an iterator uses the Bloom filters of the bottom level, and most bodies are new.
func (x *index) find(d storage.Digest, url string) (same string, p prior, known bool, err error) {
	body, page := key(kindBody, string(d)), key(kindPage, url)
	mayHaveBody, mayHavePage := x.all.mayHave(body), x.all.mayHave(page)
	if !mayHaveBody && !mayHavePage {
		return "", p, false, nil
	}
	it, err := x.db.NewIter(&pebble.IterOptions{UseL6Filters: true})
	if err != nil {
		return "", p, false, fmt.Errorf("pages: read index: %w", err)
	}
	if mayHaveBody && it.SeekPrefixGE(body) {
		same = string(it.Value())
	}
	if it.Error() == nil && mayHavePage && it.SeekPrefixGE(page) {
		known, p.file = true, string(it.Value()[copy(p.fp[:], it.Value()):])
	}
	if err := errors.Join(it.Error(), it.Close()); err != nil {
		return "", p, false, fmt.Errorf("pages: read index: %w", database.Plain(err))
	}
	return same, p, known, nil
}

// add takes up lines, the last of which lies at position at.
func (x *index) add(entries []*entry, at position) error {
	b := x.db.NewBatch()
	var errs []error
	set := func(key, value []byte) {
		x.all.add(key)
		errs = append(errs, b.Set(key, value, nil))
	}
	for _, e := range entries {
		set(key(kindPage, e.line.URL), append(e.fp[:], e.line.File...))
		if e.line.SameAs == "" {
			set(key(kindBody, string(e.line.Digest)), []byte(e.line.File))
		}
	}
	errs = append(errs, b.Set([]byte{kindPosition}, at.encode(), nil))
	return errors.Join(append(errs, b.Commit(pebble.NoSync), b.Close(), x.err())...)
}

func (p position) encode() []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(p.Start))
	b = binary.BigEndian.AppendUint64(b, uint64(p.End))
	return append(b, p.Sum[:]...)
}

// position returns how far the index has read; the zero position if it is empty.
func (x *index) position() (p position, err error) {
	v, closer, err := x.db.Get([]byte{kindPosition})
	if errors.Is(err, pebble.ErrNotFound) {
		return p, nil
	}
	if err != nil {
		return p, fmt.Errorf("pages: read index: %w", database.Plain(err))
	}
	defer closer.Close()
	if len(v) != 16+len(p.Sum) {
		return p, errors.New("pages: read index: not a position")
	}
	p.Start, p.End = int64(binary.BigEndian.Uint64(v)), int64(binary.BigEndian.Uint64(v[8:]))
	copy(p.Sum[:], v[16:])
	return p, nil
}

// close writes what is in memory, if that is possible, and closes the index.
func (x *index) close() error {
	if written, err := x.db.AsyncFlush(); err == nil {
		select {
		case <-written:
		case <-x.failed:
		}
	}
	err := x.db.Close()
	if err != nil {
		err = fmt.Errorf("pages: close index: %w", err)
	}
	return errors.Join(x.err(), err)
}

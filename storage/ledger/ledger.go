package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/storage/bootclock"
	"github.com/cybermapper/cybermapper/storage/durable"
)

// ErrClosed is returned by every method after Close.
var ErrClosed = errors.New("ledger: closed")

// ErrNewer is what a *[CorruptError] is when a later version of this package wrote the file: nothing of it is damaged.
var ErrNewer = errors.New("ledger: written by a newer version")

// Options are the bounds of a ledger. Zero means the default, and so does a negative value.
type Options struct {
	MaxFile int64 // a file that has grown to this size is ended and the next begun; default 4 MiB
	Buffer  int   // bytes of records that may wait in memory; default 64 KiB
	Plain   bool  // files that have ended stay as they are, and are not packed

	// Began is when the program looked at the clock first, as [time.Now] told it: a wall clock that was set since then is noticed.
	// The zero time means the call of Open.
	Began time.Time
}

func (o Options) withDefaults() Options {
	o.MaxFile = cmp.Or(max(o.MaxFile, 0), 4<<20)
	o.Buffer = cmp.Or(max(o.Buffer, 0), 64<<10)
	if o.Began.IsZero() {
		o.Began = time.Now()
	}
	return o
}

// A Ledger appends records. It is safe for concurrent use. One goroutine packs files that have ended, until Close.
type Ledger struct {
	dir  string
	opts Options
	torn int64

	syncMu sync.Mutex // held by Sync and Close; taken before mu
	head   *os.File   // holds the mark

	packing  sync.WaitGroup
	stopPack context.CancelFunc
	ended    chan int // number of a file: those before it have ended and are on stable storage; one waits here

	mu      sync.Mutex // guards the following
	err     error      // set by the first failure, and by Close
	clock   wallClock
	out     []byte     // lines that are not in the file yet
	file    *os.File   // the last one
	segment int        // its number
	line    int        // lines in it, with those that wait in out
	size    int64      // of these lines, in bytes
	retired []*os.File // written and left behind since the last Sync
	created bool       // the directory has an entry that is not synced
	last    mark       // the last record appended
	next    Record     // the one that is being appended
	synced  uint64     // number of the last record that is on stable storage
}

// Open opens the ledger in dir, which it creates if need be, to append to it. It cuts off what was never finished (see
// [Ledger.Torn]) and verifies the records since the last Sync. If the ledger does not continue what was on disk then, the
// error is a *[CorruptError] that names the record, and nothing is changed.
func Open(dir string, o Options) (*Ledger, error) {
	o = o.withDefaults()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("ledger: open: %w", err)
	}
	if err := removeUnfinished(dir); err != nil {
		return nil, fmt.Errorf("ledger: open: %w", err)
	}
	end, err := findEnd(dir)
	if err != nil {
		return nil, err
	}
	return openAfter(dir, o, end)
}

// openAfter opens the ledger in dir to append to it after its end.
func openAfter(dir string, o Options, end end) (*Ledger, error) {
	head, err := os.OpenFile(filepath.Join(dir, markName), os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("ledger: open head: %w", err)
	}
	file, err := openAt(dir, end.segment, end.size)
	if err != nil {
		return nil, errors.Join(err, head.Close())
	}
	l := &Ledger{
		dir: dir, opts: o, torn: end.torn, clock: newWallClock(o.Began, setBefore(dir, o.Began)),
		head: head, ended: make(chan int, 1),
		file: file, segment: end.segment, line: end.line, size: end.size, created: true, last: end.last,
	}
	ctx, stop := context.WithCancel(context.Background())
	l.stopPack = stop
	if !o.Plain {
		l.packing.Go(func() { l.pack(ctx) })
	}
	l.ended <- l.segment
	return l, nil
}

// packPatience is how long Close waits for a file that is being packed; the next Open begins again.
const packPatience = time.Second

// pack packs and describes the files that have ended until ctx ends. One that cannot be packed stays as it is until the ledger is
// opened again, and so does one that cannot be described: it can be read all the same.
func (l *Ledger) pack(ctx context.Context) {
	tried, w := 0, newDescriber(l.dir)
	for {
		select {
		case <-ctx.Done():
			return
		case last, more := <-l.ended:
			if !more {
				return
			}
			list, _ := segments(l.dir) // whoever reads the ledger says what is wrong
			for _, n := range list {
				if n > tried && n < last && ctx.Err() == nil {
					_ = w.pack(ctx, n)
				}
			}
			tried = max(tried, last-1)
		}
	}
}

// Torn returns how many bytes of an unfinished record Open cut off. After a crash that is the start of the record that was being
// written; 0 otherwise.
func (l *Ledger) Torn() int64 { return l.torn }

// Append adds a record to the end of the ledger. It sets Seq, Prev, Format, and Time and Boot if these are zero.
// When the wall clock was set since the last call, or forward since the last record that tells of another clock, a record of
// EventClock goes before it. The record waits in memory
// until Options.Buffer bytes do, or until Sync. A record with a time outside the years 0 to 9999 is refused; any other error is
// final.
func (l *Ledger) Append(r Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if by := l.clock.step(now); by != 0 {
		if err := l.appendLocked(Record{Type: Run, Event: EventClock, Set: Millis(by), Time: now}); err != nil {
			return err
		}
	}
	if l.clock.set != 0 {
		l.clock.reframe(&r, now)
	}
	return l.appendLocked(r)
}

func (l *Ledger) appendLocked(record Record) error {
	if l.err == nil && l.size >= l.opts.MaxFile {
		l.err = l.rotateLocked()
	}
	if l.err != nil {
		return l.err
	}
	l.next = record
	r := &l.next
	r.Seq, r.Prev, r.Format = l.last.Seq+1, l.last.Sum, 0
	if l.size == 0 {
		r.Format = Format
	}
	if r.Time.IsZero() {
		r.Time = time.Now()
	}
	if r.Boot == "" && (r.Type == Run || l.size == 0) {
		r.stamp(bootclock.Read)
	}
	out, err := appendLine(l.out, r)
	if err != nil {
		return fmt.Errorf("ledger: encode record: %w", err)
	}
	line := out[len(l.out):]
	l.out = out
	l.line++
	l.last = mark{File: l.segment, Line: l.line, Offset: l.size, Seq: r.Seq, Prev: r.Prev, Sum: hash(line[:len(line)-1])}
	l.size += int64(len(line))
	if len(l.out) >= l.opts.Buffer {
		l.err = l.flushLocked()
	}
	return l.err
}

// Flush hands everything appended before to the operating system, so that it survives the death of the process.
func (l *Ledger) Flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil && len(l.out) > 0 {
		l.err = l.flushLocked()
	}
	return l.err
}

// flushLocked hands what waits in memory to the operating system, which only copies it.
func (l *Ledger) flushLocked() error {
	if _, err := l.file.Write(l.out); err != nil {
		return fmt.Errorf("ledger: append: %w", err)
	}
	l.out = l.out[:0]
	return nil
}

// rotateLocked ends the file and begins the next.
func (l *Ledger) rotateLocked() error {
	if err := l.flushLocked(); err != nil {
		return err
	}
	next, err := openAt(l.dir, l.segment+1, 0)
	if err != nil {
		return err
	}
	l.retired = append(l.retired, l.file)
	l.file, l.segment, l.line, l.size, l.created = next, l.segment+1, 0, 0, true
	return nil
}

// Sync brings everything appended before to stable storage. It costs nothing when nothing was. Appending goes on meanwhile.
func (l *Ledger) Sync() error {
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	return l.syncHeld()
}

// Synced returns the number of the last record on stable storage; 0 when none is.
func (l *Ledger) Synced() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.synced
}

// syncHeld is Sync for who holds syncMu.
func (l *Ledger) syncHeld() error {
	l.mu.Lock()
	if l.err == nil && l.last.Seq > l.synced {
		l.err = l.flushLocked()
	}
	if l.err != nil || l.last.Seq == l.synced {
		defer l.mu.Unlock()
		return l.err
	}
	files, last, created := append(l.retired, l.file), l.last, l.created
	l.retired, l.created = nil, false
	l.mu.Unlock()

	err := l.syncFiles(files, created)
	if err == nil {
		err = last.write(l.head)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil && l.err == nil {
		l.err = err
	}
	l.synced = last.Seq
	if err == nil && len(files) > 1 {
		select {
		case <-l.ended: // an older number, which this one stands for as well
		default:
		}
		l.ended <- last.File
	}
	return err
}

// syncFiles brings files, and the directory if asked to, to stable storage, and closes all files but the last.
func (l *Ledger) syncFiles(files []*os.File, dir bool) error {
	var errs []error
	for i, f := range files {
		errs = append(errs, f.Sync())
		if i < len(files)-1 {
			errs = append(errs, f.Close())
		}
	}
	if dir {
		errs = append(errs, durable.SyncDir(l.dir), durable.SyncDir(filepath.Dir(l.dir)))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("ledger: sync: %w", err)
	}
	return nil
}

// Close brings everything to stable storage and closes the ledger. It waits a second for files that are still to be packed. Closing
// twice returns nil.
func (l *Ledger) Close() error {
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	err := l.syncHeld()
	if errors.Is(err, ErrClosed) {
		return nil
	}
	close(l.ended)
	patience := time.AfterFunc(packPatience, l.stopPack)
	l.packing.Wait()
	patience.Stop()
	l.stopPack()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = ErrClosed
	err = errors.Join(err, l.head.Sync()) // while records are added an older mark will do
	for _, f := range append(l.retired, l.file, l.head) {
		err = errors.Join(err, f.Close())
	}
	return err
}

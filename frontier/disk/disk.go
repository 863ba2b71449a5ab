package disk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/frontier"
)

// Errors of Open, and of a frontier that was opened for reading.
var (
	// ErrInUse says that another process, or this one, has the directory open.
	ErrInUse = errors.New("frontier: in use by another process")
	// ErrReadOnly is returned by what would change a frontier that was opened with Options.ReadOnly.
	ErrReadOnly = errors.New("frontier: opened for reading only")
	// ErrNotExist says that there is no frontier to read.
	ErrNotExist = errors.New("frontier: does not exist")
	// ErrNewer says that a later version of this package, or of its database, wrote what is there: nothing of it is damaged.
	ErrNewer = errors.New("frontier: made by a newer version")
)

var errLeaseClosed = errors.New("frontier: lease is closed")

// A Frontier keeps a crawl in a directory. It is safe for concurrent use by one process.
type Frontier struct {
	opts     Options
	dir      string
	core     core
	lock     *pebble.Lock
	cache    *pebble.Cache
	held     *heldCache // a part of cache
	unclean  bool       // the last process did not close the frontier, or had another machine's clock
	reliesOn uint64     // when it was opened
	opened   time.Time  // from when on gaps are waited for if they begin anew
	tookOver bool       // it has a log, and another process, of another machine perhaps, had it before
	tail     tail       // of the log; for who leads the committer, opens or closes
	record   []byte     // likewise: room for the next

	salvaged error // see Contradiction

	known     knownCache
	passed    *passedCache // of links to sites of other frontiers; nil if there are none
	committer committer

	using sync.WaitGroup // operations under way

	mu       sync.Mutex // guards what follows, and the sites and leases; never held during I/O
	err      error      // why nothing can be written any more
	closing  bool
	closed   chan struct{} // closed by Close
	failed   chan struct{} // closed when err is set
	totals   totals        // as of the last batch
	out      outgoing      // likewise
	taken    uint64        // likewise
	sites    siteCache
	schedule schedule
	leases   map[*lease]struct{} // that are out
	asked    bool                // a lease has been out
	opening  int                 // Lease calls that look at a site which is not in the schedule meanwhile
	changed  chan struct{}       // closed when Lease should look again; nil when nobody waits
	woken    chan struct{}       // has something in it when Options.Notify is to be called; nil without that
}

var _ frontier.Frontier = (*Frontier)(nil)

// maxAdd is how many links go into one batch, if a caller adds more at once.
const maxAdd = 10_000

// Add implements frontier.Frontier. When ctx ends while links are on their way to the disk, Add waits all the same and
// tells how it ended. Of more than 10,000 links some may have been added when it returns an error.
func (f *Frontier) Add(ctx context.Context, links []frontier.Link) (res frontier.AddResult, err error) {
	if err := f.beginWrite(ctx); err != nil {
		return res, err
	}
	defer f.using.Done()
	if err := checkLinks(links); err != nil {
		return res, err
	}
	for some := range slices.Chunk(links, maxAdd) {
		r := newRequest(len(some))
		f.offer(r, some)
		added, err := f.do(r)
		if err != nil {
			return res, err
		}
		res.Known += added.Known
		res.New += added.New
		res.Passed += added.Passed
	}
	return res, nil
}

func checkLinks(links []frontier.Link) error {
	for i := range links {
		if links[i].URL.IsZero() {
			return fmt.Errorf("frontier: add link %d of %d: no URL", i+1, len(links))
		}
	}
	return nil
}

// do returns when r is durable, and with it all that r relies on.
func (f *Frontier) do(r *request) (res frontier.AddResult, err error) {
	if len(r.ops) == 0 && len(r.out) == 0 && r.passed == 0 && r.taken == 0 {
		err = f.sync() // what made the links known
	} else {
		err = f.commit(r)
	}
	if err != nil {
		return frontier.AddResult{}, err
	}
	return r.result, nil
}

// begin lets an operation start that only reads. It must end with f.using.Done.
func (f *Frontier) begin(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.beginLocked(ctx)
}

// beginWrite lets an operation start that writes. It must end with f.using.Done.
func (f *Frontier) beginWrite(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.beginWriteLocked(ctx)
}

func (f *Frontier) beginLocked(ctx context.Context) error {
	if f.closing {
		return frontier.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	f.using.Add(1)
	return nil
}

func (f *Frontier) beginWriteLocked(ctx context.Context) error {
	if !f.closing && f.opts.ReadOnly {
		return ErrReadOnly
	}
	if !f.closing && f.err != nil {
		return f.err
	}
	return f.beginLocked(ctx)
}

// fail notes the first reason why nothing can be written any more, and returns it.
func (f *Frontier) fail(err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = fmt.Errorf("frontier: %s cannot be written any more: %w", f.dir, err)
		level := zap.ErrorLevel
		if errors.Is(err, frontier.ErrLost) {
			level = zap.WarnLevel // another process goes on with it
		}
		f.opts.Logger.Log(level, f.err.Error())
		close(f.failed)
		f.wakeLocked()
		for _, s := range f.sites.sites {
			s.wakeLocked()
		}
	}
	return f.err
}

// Err returns why nothing can be written any more; nil while that is not so.
func (f *Frontier) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Close implements frontier.Frontier. It records when each site was last asked, so that the next process need not wait
// longer than it must. After a failure to write it only lets go of the directory, and returns nil: the failure was
// reported to whom it concerned.
func (f *Frontier) Close() error {
	if !f.beginClose() {
		return nil
	}
	f.using.Wait()
	var err error
	if !f.opts.ReadOnly && f.Err() == nil {
		err = f.farewell()
	}
	return errors.Join(err, f.closeStore())
}

func (f *Frontier) beginClose() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closing {
		return false
	}
	f.closing = true
	close(f.closed)
	for l := range f.leases {
		l.cancel()
	}
	return true
}

// maxReplay is how much of its own log, about, the store may leave for the next Open to replay. A log elsewhere is farther away.
const maxReplay = 1 << 20

// farewell writes what is only in memory and says that the frontier was closed properly.
func (f *Frontier) farewell() error {
	s := &f.committer.step
	s.batch, s.err, s.now = f.core.db.NewBatch(), nil, f.core.clock.now()
	defer s.batch.Close()
	s.gather(nil)
	f.mu.Lock()
	for id, site := range f.sites.sites {
		if site.dirty {
			s.changeOf(id, func() string { return site.name })
		}
	}
	f.mu.Unlock()
	err := f.pin(s)
	if err == nil {
		err = s.write()
	}
	if err == nil {
		err = f.passBarrier()
	}
	if err == nil {
		err = f.keepReach()
	}
	if err != nil {
		return fmt.Errorf("close the frontier: %w", err)
	}
	if f.asked || !f.unclean { // else the time of the last request is as unknown as before
		s.fail(s.batch.Delete([]byte{kindOpen}, nil))
	}
	if err := errors.Join(s.err, f.write(s.batch), f.sync()); err != nil {
		return err
	}
	if f.opts.Log != nil || f.core.db.Metrics().MemTable.Size > maxReplay {
		return f.flush()
	}
	return nil
}

// flush writes what the store holds in memory to tables. The store would try that for as long as the disk is full; what was to be
// flushed is in its log, or that elsewhere.
func (f *Frontier) flush() error { return f.flushUnless(f.failed, f.Err) }

// Keep writes what the store has in memory to its files, also after its log took nothing any more: when that log is lost, there is
// nothing else. It is called before Close; ctx bounds it.
func (f *Frontier) Keep(ctx context.Context) error {
	if err := f.begin(ctx); err != nil {
		return err
	}
	defer f.using.Done()
	return f.flushUnless(ctx.Done(), ctx.Err)
}

// flushUnless is flush until stop is closed, for a reason.
func (f *Frontier) flushUnless(stop <-chan struct{}, why func() error) error {
	flushed, err := f.core.db.AsyncFlush()
	if err != nil {
		return fmt.Errorf("flush the frontier: %w", err)
	}
	select {
	case <-flushed:
		return nil
	case <-stop:
		return why()
	}
}

// sleep returns nil when change is closed or until has come, if it is not 0; and an error when the frontier is closed, ctx
// ends, or stop is closed.
func (f *Frontier) sleep(ctx context.Context, stop, change <-chan struct{}, until int64) error {
	var due <-chan time.Time
	if until != 0 {
		timer := time.NewTimer(time.Duration(until - f.core.clock.now()))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-change:
	case <-due:
	case <-f.closed:
		return frontier.ErrClosed
	case <-stop:
		return errLeaseClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// waitLocked returns a channel that is closed when Lease should look again.
func (f *Frontier) waitLocked() <-chan struct{} {
	if f.changed == nil {
		f.changed = make(chan struct{})
	}
	return f.changed
}

// wakeLocked lets Lease look again, and those who are told of it.
func (f *Frontier) wakeLocked() {
	select {
	case f.woken <- struct{}{}:
	default: // who will look sees this too, or there is nobody
	}
	if f.changed != nil {
		close(f.changed)
		f.changed = nil
	}
}

package disk

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/storage/database"
)

// Open opens the frontier in dir, and makes one if there is none. It fails with ErrInUse when dir is open already, by
// whatever process, unless Options.ReadOnly is set; with ErrNotExist when that is set and there is nothing to read; and with
// ErrDiverged when it and its log contradict each other.
func Open(dir string, o Options) (*Frontier, error) {
	f := newFrontier(dir, o)
	if err := f.lockDir(); err != nil {
		return nil, err
	}
	if err := f.openStore(); err != nil {
		return nil, errors.Join(fmt.Errorf("open the frontier in %s: %w", dir, err), f.closeStore())
	}
	return f, nil
}

// newFrontier returns one that nothing is open of.
func newFrontier(dir string, o Options) *Frontier {
	o = o.withDefaults()
	f := &Frontier{
		opts:     o,
		dir:      dir,
		closed:   make(chan struct{}),
		failed:   make(chan struct{}),
		known:    newKnownCache(o.Memory / 16),
		sites:    newSiteCache(o.ActiveSites, o.Memory/16),
		schedule: newSchedule(o.ActiveSites),
		leases:   make(map[*lease]struct{}),
	}
	switch {
	case o.Foreign == nil:
	case o.Budget != nil:
		f.passed = o.Budget.passed
	default:
		f.passed = newPassedCache(o.Memory / 16)
	}
	if o.Notify != nil {
		f.woken = make(chan struct{}, 1)
	}
	f.core.clock = clock{start: o.Began, boot: o.Boot, roams: o.Log != nil, skew: o.Skew}
	f.core.filter = newSeenFilter(o.Memory / 4)
	f.committer.gathering = gathering{came: make(chan struct{}, 1), of: make(map[*lease]int)}
	f.committer.step = step{core: &f.core, index: make(map[siteID]int32)}
	return f
}

// lockDir makes the directory, if it may, and claims it.
func (f *Frontier) lockDir() (err error) {
	files := f.opts.FS
	if f.opts.ReadOnly {
		files = unlockedFS{files}
		if _, err := files.Stat(f.dir); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: %s", ErrNotExist, f.dir)
		}
	} else if err := files.MkdirAll(f.dir, 0o755); err != nil {
		return fmt.Errorf("make the directory of the frontier: %w", err)
	}
	if f.lock, err = pebble.LockDirectory(f.dir, files); err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok { // it cannot be opened
		return fmt.Errorf("lock the directory of the frontier: %w", err)
	}
	return fmt.Errorf("%w: %s (%v)", ErrInUse, f.dir, err)
}

// An unlockedFS is for who only looks. The lock of Pebble is for one alone, and is written to.
type unlockedFS struct{ vfs.FS }

// Lock implements vfs.FS.
func (unlockedFS) Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }

func (f *Frontier) openStore() error {
	if err := f.openReplayed(); err != nil {
		return err
	}
	if err := f.readMeta(); err != nil {
		return err
	}
	f.totals, f.out, f.taken = f.core.totals, f.core.out, f.core.taken
	if err := f.Err(); err != nil {
		return err // while nobody uses the store
	}
	if !f.opts.ReadOnly {
		if err := f.fillFilter(); err != nil {
			return err
		}
		f.using.Go(f.watchClock)
		if f.opts.Notify != nil {
			f.using.Go(f.notify)
		}
	}
	return nil
}

// openReplayed opens the database, and brings it to where the log ends.
func (f *Frontier) openReplayed() (err error) {
	o := f.opts.store()
	f.openCache(o)
	o.FS = &logFiles{FS: o.FS, fail: f.fail}
	o.Lock = f.lock
	o.Logger = storeLogger{f}
	o.LoggerAndTracer = nil
	o.EventListener = &pebble.EventListener{
		BackgroundError: func(err error) { f.fail(err) },
		FlushEnd:        func(flush pebble.FlushInfo) { f.held.grew(sizeOf(flush.Output)) },
		CompactionEnd: func(merge pebble.CompactionInfo) {
			if merge.Err != nil {
				return
			}
			grown := sizeOf(merge.Output.Tables)
			for _, level := range merge.Input {
				grown -= sizeOf(level.Tables)
			}
			f.held.grew(grown)
		},
	}
	if f.core.db, err = f.openDB(o); err != nil {
		if errors.Is(err, pebble.ErrDBDoesNotExist) {
			return ErrNotExist
		}
		if f.isNewer() {
			return fmt.Errorf("%w: %w", ErrNewer, err)
		}
		return storeError{database.Plain(err)}
	}
	f.held.has(f.core.db.Metrics().Total().TablesSize)
	return f.replay()
}

// isNewer reports whether a later version of the database wrote the directory, which the name of a file tells:
// marker.format-version, how often it was changed, and the format.
func (f *Frontier) isNewer() bool {
	names, err := f.opts.FS.List(f.dir)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(names, func(name string) bool {
		marker, _ := strings.CutPrefix(name, "marker.format-version.")
		_, format, _ := strings.Cut(marker, ".")
		n, err := strconv.ParseUint(format, 10, 64)
		return err == nil && marker != name && n > uint64(pebble.FormatNewest)
	})
}

// openDB opens the database. One that cannot write what its log says is left to itself, with the directory.
func (f *Frontier) openDB(o *pebble.Options) (*pebble.DB, error) {
	cache, lock := f.cache, f.lock
	db, isAbandoned, err := database.Open(f.dir, o, func() {
		cache.Unref()
		lock.Close()
	})
	if isAbandoned {
		f.cache, f.lock = nil, nil
	}
	return db, err
}

// fillFilter begins to bring what was seen into the filter. Nothing has been written yet. When reading fails the store has
// said so, and all look-ups go on without the filter.
func (f *Frontier) fillFilter() error {
	it, err := f.core.db.NewIter(keysOf(kindSeen))
	if err != nil {
		return err
	}
	f.using.Go(func() {
		defer it.Close()
		if err := f.core.filter.fill(it, f.closed); err != nil {
			f.opts.Logger.Warn("read what was seen", zap.Error(err))
		}
	})
	return nil
}

// readMeta reads what concerns the frontier as a whole, and says that it is open.
func (f *Frontier) readMeta() error {
	r, err := f.core.reader()
	if err != nil {
		return err
	}
	defer r.Close()
	found, err := f.core.readMeta(r)
	if err != nil {
		return err
	}
	r.key = append(r.key[:0], kindOpen)
	open, err := r.get()
	if err != nil {
		return err
	}
	f.unclean = open != nil || f.core.clock.moved
	if f.reliesOn, err = r.number(kindReach, "what is relied on"); err != nil {
		return err
	}
	f.opened = f.core.clock.start
	if f.opts.ReadOnly {
		if !found {
			return ErrNotExist
		}
		return nil
	}
	b := f.core.db.NewBatch()
	defer b.Close()
	if !found {
		if _, err := rand.Read(f.core.secret[:]); err != nil {
			return err
		}
		if err := b.Set([]byte{kindMeta}, append([]byte{recordVersion}, f.core.secret[:]...), nil); err != nil {
			return err
		}
	}
	if err := b.Set([]byte{kindOpen}, []byte{recordVersion}, nil); err != nil {
		return err
	}
	if f.opts.Log == nil {
		return f.core.db.Apply(b, pebble.Sync)
	}
	s := &f.committer.step
	s.batch, s.now = b, f.core.clock.now()
	s.keepClock()
	err = errors.Join(s.err, f.write(b))
	f.opened, f.tookOver = time.Now(), found // until now another one may have had it, and may have made requests
	return err
}

// readMeta reads what a core is but for its database; found is false in a new store.
func (c *core) readMeta(r *reader) (found bool, err error) {
	r.key = append(r.key[:0], kindMeta)
	v, err := r.get()
	if err != nil || v == nil {
		return false, err
	}
	switch {
	case len(v) > 0 && v[0] > recordVersion:
		return true, ErrNewer
	case len(v) != 1+len(c.secret) || v[0] != recordVersion:
		return true, fmt.Errorf("meta record: %w", errRecord)
	}
	copy(c.secret[:], v[1:])
	r.key = append(r.key[:0], kindClock)
	clock, known, err := record(r, decodeClock)
	if err != nil {
		return true, err
	}
	if known {
		c.clock.takeUp(clock)
	}
	if c.taken, err = r.number(kindTaken, "what was taken"); err != nil {
		return true, err
	}
	r.key = append(r.key[:0], kindTotals)
	if c.totals, known, err = record(r, decodeTotals); err != nil || !known {
		return true, err
	}
	c.out, err = c.readOut(r)
	return true, err
}

// closeStore lets go of the directory.
func (f *Frontier) closeStore() error {
	var errs []error
	if f.core.db != nil {
		errs = append(errs, f.core.db.Close())
	}
	if f.cache != nil {
		f.cache.Unref()
	}
	if f.lock != nil {
		errs = append(errs, f.lock.Close())
	}
	return errors.Join(errs...)
}

// storeLogger hears what the store has to say.
type storeLogger struct{ f *Frontier }

func (l storeLogger) Infof(format string, args ...any) {
	if l.f.opts.Logger.Core().Enabled(zap.DebugLevel) {
		l.f.opts.Logger.Debug(fmt.Sprintf(format, args...))
	}
}

func (l storeLogger) Errorf(format string, args ...any) {
	l.f.opts.Logger.Warn(fmt.Sprintf(format, args...))
}

// Fatalf is called when the store cannot go on. It returns, unlike that of other loggers: a library does not end the
// process. Nobody is told of success from then on.
func (l storeLogger) Fatalf(format string, args ...any) { l.f.fail(fmt.Errorf(format, args...)) }

package disk

import (
	"cmp"
	"runtime"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/storage/bootclock"
)

// Options configure a frontier. Zero means the default, and so does a negative value: a frontier to write to, of moderate
// size.
type Options struct {
	// Memory bounds, in bytes, what the store keeps in memory: blocks of its tables, and what it has not written to tables
	// yet; default 64 MiB. Less than 16 MiB is taken for 16 MiB. A third more goes to what tells quickly whether a URL is
	// known, enough for ten million URLs with the default. Sites come on top, see ActiveSites; and as long as nobody tells
	// it otherwise, Go's collector lets the process grow to twice what it keeps.
	Memory int64

	// ActiveSites is how many sites are held in memory, about 600 bytes each: those due first, and those in use. All others
	// are found on disk when their time comes. Default 10,000.
	ActiveSites int

	// Budget, if not nil, is the memory that this frontier shares with others. Memory is that of the budget then, and ActiveSites
	// how many sites of all its frontiers together are held in memory, of which an equal part is for this one.
	Budget *Budget

	// Barrier, if not nil, is called before each batch is written, after all operations in it were begun, and returns when
	// what they rely on is durable: the pages that are to be called done, say. Calls do not overlap. If it fails, so do the
	// operations, and nothing can be written any more. It returns how far that reaches, such as the number of the last record of
	// a ledger, which is kept with the batch, but not in a Log, which others may take over: see ReliesOn.
	Barrier func() (reach uint64, err error)

	// DefaultDelay is the gap owed to a site without SitePolicy.Delay after a restart; default none.
	DefaultDelay time.Duration

	// Began is when the program looked at the clock first, as [time.Now] told it: a wall clock that was set since then is noticed.
	// The zero time means the call of Open.
	Began time.Time

	// Boot reads the clock of the machine that nobody sets; nil means [bootclock.Read]. It must go as that of time.Now does.
	Boot func() bootclock.Reading

	// Notify, if not nil, is called whenever a call of Lease that waits would look again, for who calls TryLease instead: from a
	// goroutine of the frontier, with nothing locked, often, and sometimes in vain. Close waits for it, so it must not call Close.
	Notify func()

	// Log, if not nil, is where the frontier keeps its write-ahead log, and its directory is no more than a start for whoever
	// replays that. Such a frontier cannot be opened without, but for reading: then it shows what the directory holds.
	Log Log

	// Gather is how long what is settled waits for company, and with a Log all that is to be committed: a sync costs the same for
	// one page as for many, and so does an append whoever keeps the log. It waits less when enough have come, when no page is under
	// way that could bring more, or when a site could go on with what is committed. Default 5 ms, with a Log 100 ms; a negative
	// value means that nothing waits.
	Gather time.Duration

	// LogFrom is the place from which on the log is whole; 0 for all of it. What is before may have been forgotten: a directory
	// that ends before that place is not opened, see ErrBehind.
	LogFrom uint64

	// Salvage opens a frontier although its log contradicts it: what follows from it in the log is replayed, up to the first
	// contradiction, and it goes on from there with the next record, which is appended after all that is in the log. Nobody else
	// can replay that log from before that record.
	Salvage bool

	// Skew is by how much the wall clocks of two machines may differ, for a frontier with a Log: when it was last open on another
	// machine, or before this one was started anew, blocks last longer by as much, and what is tried again later is put off.
	// The time between two requests is waited for from Open then, whole. Default a second.
	Skew time.Duration

	// Drift, for a frontier with a Log, is by how much the clocks of two machines may differ for which what both write down of
	// their requests shall prove the time between them: the first request to each site waits so much longer, and its Grant knows of
	// none before. Default none.
	Drift time.Duration

	// ReadOnly opens a frontier that exists and leaves its files as they are: what would change it returns ErrReadOnly. It may be
	// open so any number of times. No other process is kept away: that none changes it meanwhile is for the caller to see to.
	ReadOnly bool

	// Foreign, if not nil, says of a site that it is the affair of another frontier. Links to it that Settle and Add are given
	// are kept until they were passed on, see Frontier.Outgoing. It is called from many goroutines, and says the same always.
	Foreign func(site string) bool

	// Logger hears of what an operator should know. nil means silence.
	Logger *zap.Logger

	// FS is the file system; nil means that of the operating system.
	FS vfs.FS
}

const (
	minMemory   = 16 << 20 // what a store of its own needs to work at all
	usualMemory = 64 << 20
	usualSites  = 10_000
	usualGather = 5 * time.Millisecond

	usualLogGather = 100 * time.Millisecond
)

// withDefaults returns a copy that is complete.
func (o Options) withDefaults() Options {
	if o.Budget != nil {
		o.Budget.share(&o)
	} else {
		o.Memory = max(cmp.Or(max(o.Memory, 0), usualMemory), minMemory)
		o.ActiveSites = cmp.Or(max(o.ActiveSites, 0), usualSites)
	}
	o.DefaultDelay = max(o.DefaultDelay, 0)
	if o.Gather == 0 {
		o.Gather = usualGather
		if o.Log != nil {
			o.Gather = usualLogGather
		}
	}
	o.Skew = cmp.Or(max(o.Skew, 0), time.Second)
	if o.Began.IsZero() {
		o.Began = time.Now()
	}
	if o.Boot == nil {
		o.Boot = bootclock.Read
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	if o.FS == nil {
		o.FS = vfs.Default
	}
	return o
}

// store returns the options of the store. Pebble charges its memtables, of which there are three at most, to the cache. What they
// leave must hold the Bloom filters and the indices of the tables, or every look-up reads and checks them anew: so the cache is
// eight times a memtable.
//
// Most of the work is merging tables, and how much depends on how much is merged at once: nineteen tables of a memtable each at
// the top, though a look-up must pass them, make millions of URLs a fifth cheaper than twelve do, and cost the settling of a page
// nothing that can be measured. Smaller memtables are dearer, larger ones no cheaper. The level below is best
// about as large as the mean (geometric) of what is merged into it and what it is merged into, here for ten million URLs.
func (o Options) store() *pebble.Options {
	p := &pebble.Options{
		Comparer:                    newComparer(),
		FS:                          o.FS,
		ReadOnly:                    o.ReadOnly,
		DisableWAL:                  o.Log != nil,
		ErrorIfNotExists:            o.ReadOnly,
		FormatMajorVersion:          pebble.FormatTableFormatV6,
		MemTableSize:                o.memtable(),
		MemTableStopWritesThreshold: 3,
		L0CompactionThreshold:       19,
		L0StopWritesThreshold:       38,
		LBaseMaxBytes:               256 << 20,
		CompactionConcurrencyRange:  func() (int, int) { return 1, min(2, runtime.GOMAXPROCS(0)) },
	}
	p.Experimental.EnableValueBlocks = func() bool { return false } // entries of a queue are no versions of each other
	for i := range p.Levels {
		p.Levels[i].BlockSize = 16 << 10
		p.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	for i := range p.TargetFileSizes {
		p.TargetFileSizes[i] = 8 << 20 << min(i, 3)
	}
	return p
}

package disk

import (
	"cmp"

	"github.com/cockroachdb/pebble/v2"
)

// A Budget is memory that the frontiers of one process share, as partitions of a crawl do: one cache of blocks for all of them, and
// of the rest an equal part for each. A quarter more goes to what tells of a link to a site of another frontier (Options.Foreign)
// whether any of them has taken it to be passed on: so links that are on every page of a site are passed on once. It is safe for
// concurrent use.
type Budget struct {
	memory, frontiers int64
	cache             *pebble.Cache
	files             *pebble.FileCache
	held              *heldCache
	passed            *passedCache
}

const (
	leastShare    = 1 << 20   // of the memory of a Budget for one frontier
	leastMemtable = 256 << 10 // what the store begins with
	leastSites    = 200       // of Options.ActiveSites
	sharedFiles   = 2000      // tables of all frontiers of a Budget that are open at a time
)

// NewBudget returns a budget of as many bytes as Options.Memory says for one frontier, for up to so many frontiers that are open at
// a time. More take more, by a mebibyte each at least; fewer leave some unused.
func NewBudget(memory int64, frontiers int) *Budget {
	b := &Budget{memory: max(cmp.Or(max(memory, 0), usualMemory), minMemory), frontiers: int64(max(frontiers, 1))}
	b.cache = pebble.NewCache(b.memory)
	b.files = pebble.NewFileCache(4, sharedFiles)
	b.held = &heldCache{} // nothing is held back: what all of them have written to tables is soon as much as one large store has
	b.passed = newPassedCache(b.memory / 4)
	return b
}

// ForgetPassed lets links be passed on that were before: for when a frontier may have lost what it was passed.
func (b *Budget) ForgetPassed() { b.passed.forget() }

// Close lets go of the memory, when the last frontier that was opened with the budget has been closed.
func (b *Budget) Close() {
	b.files.Unref()
	b.cache.Unref()
}

// share sets what one frontier of the budget may take for itself.
func (b *Budget) share(o *Options) {
	o.Memory = max(b.memory/b.frontiers, leastShare)
	o.ActiveSites = max(cmp.Or(max(o.ActiveSites, 0), usualSites)/int(b.frontiers), leastSites)
}

// memtable returns how much of the store is in memory before it is written to a table: an eighth of the memory, as Options.store
// explains. What it is in a budget of many stores is what leaves the most to the cache: tables of twice the size, and half the
// cache held back as a store of its own does, took three to four times the processor time for 16 and 64 stores.
func (o Options) memtable() uint64 { return uint64(max(o.Memory/8, leastMemtable)) }

// openCache gives the frontier its own cache, or that of its budget.
func (f *Frontier) openCache(o *pebble.Options) {
	if b := f.opts.Budget; b != nil {
		b.cache.Ref()
		f.cache, f.held, o.FileCache = b.cache, b.held, b.files
	} else {
		f.cache = pebble.NewCache(f.opts.Memory)
		f.held = holdCache(f.cache, f.opts.Memory)
	}
	o.Cache = f.cache
}

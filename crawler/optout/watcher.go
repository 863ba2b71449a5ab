package optout

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"os"
	"sync/atomic"
	"time"
)

// Options say what a Watcher watches. The zero value holds an empty list for good.
type Options struct {
	File  string        // read again when it changes; "" is no file, and then Kept holds as it is
	Kept  *List         // what held before: it holds on as long as the file does not lift it
	Every time.Duration // how often the file is looked at; default 1 s
}

// A Change tells that the file was read.
type Change struct {
	Added   []string // entries that it did not have before
	Lifted  []string // entries that it had before
	Problem error    // why nothing is lifted now; nil when the file is in order
}

// A Watcher holds the list of a file. It is safe for concurrent use.
type Watcher struct {
	options Options
	list    atomic.Pointer[List]

	// Of Watch, which runs once.
	seen    stamp // the file that was read last
	settled bool  // and it was found unchanged since
	problem string
}

// A stamp tells whether a file has changed.
type stamp struct {
	modified time.Time
	size     int64
	whole    bool // its last line ends; unknown before it is read
}

// lifts returns why entries are not lifted that a file does not have whose last line has no end: there may have been more.
func lifts(name string, entries []string) error {
	if len(entries) == 0 {
		return nil
	}
	return fmt.Errorf("%s has no end of its last line, as if it was cut short; with one this is lifted: %s", name, brief(entries))
}

// brief names the first of some entries.
func brief(entries []string) string {
	if n := len(entries) - 1; n > 0 {
		return fmt.Sprintf("%s and %d more", entries[0], n)
	}
	return entries[0]
}

// Open reads the file. An error of the file, or a *FileError for its bad lines, means that there is nothing to begin with:
// whoever crawls all the same could visit the one that the bad line was about. What Kept has and the file has not is
// lifted; what became of Kept is for the caller to compare.
func Open(o Options) (*Watcher, error) {
	o.Every = cmp.Or(max(o.Every, 0), time.Second)
	w := &Watcher{options: o, settled: true}
	w.list.Store(o.Kept)
	if o.File == "" {
		return w, nil
	}
	list, seen, err := read(o.File)
	if err == nil && !seen.whole {
		err = lifts(o.File, o.Kept.Missing(list))
	}
	if err != nil {
		return nil, fmt.Errorf("opt-out: %w", err)
	}
	w.seen = seen
	w.list.Store(list)
	return w, nil
}

// read reads the whole file. With a *FileError comes what the good lines say.
func read(name string) (*List, stamp, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, stamp{}, err
	}
	if !info.Mode().IsRegular() {
		return nil, stamp{}, fmt.Errorf("%s is no regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, stamp{}, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, stamp{}, err
	}
	at := stamp{modified: info.ModTime(), size: info.Size()}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, at.size-1); err == nil {
		at.whole = last[0] == '\n'
	}
	list, bad, err := Parse(f)
	if err != nil {
		return nil, at, fmt.Errorf("%s: %w", name, err)
	}
	if len(bad) > 0 {
		return list, at, &FileError{File: name, Bad: bad}
	}
	return list, at, nil
}

// List returns the list that holds now; it may be nil.
func (w *Watcher) List() *List { return w.list.Load() }

// Host is List.Host of the list that holds now.
func (w *Watcher) Host(host string) (entry string, out bool) { return w.List().Host(host) }

// Address is List.Address of the list that holds now.
func (w *Watcher) Address(a netip.Addr) (entry string, out bool) { return w.List().Address(a) }

// Watch looks at the file until ctx ends, and calls changed when the list, or what is wrong with the file, has become another.
// The list holds by then. It may be called once.
func (w *Watcher) Watch(ctx context.Context, changed func(Change)) {
	if w.options.File == "" {
		return
	}
	tick := time.NewTicker(w.options.Every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			w.look(changed)
		case <-ctx.Done():
			return
		}
	}
}

// look reads the file if it may have changed. Entries are added at once, and lifted only if a second look finds the file as it
// was, and in order.
func (w *Watcher) look(changed func(Change)) {
	info, err := os.Stat(w.options.File)
	if err == nil && w.settled && w.seen == (stamp{info.ModTime(), info.Size(), w.seen.whole}) {
		return
	}
	list, at, err := read(w.options.File)
	w.settled = err == nil && at == w.seen
	w.seen = at
	before := w.List()
	if w.settled && !at.whole {
		err = lifts(w.options.File, before.Missing(list))
	}
	if !w.settled || err != nil {
		list = before.With(list)
	}
	c := Change{Added: list.Missing(before), Lifted: before.Missing(list), Problem: err}
	w.list.Store(list)
	problem := ""
	if err != nil {
		problem = err.Error()
	}
	if len(c.Added)+len(c.Lifted) > 0 || problem != w.problem {
		w.problem = problem
		changed(c)
	}
}

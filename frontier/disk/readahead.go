package disk

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/cybermapper/cybermapper/frontier"
)

// How many entries a lease reads from disk at once: few at first, since the lease may be short, then twice as many each
// time.
const (
	minAhead = 4
	maxAhead = 64
)

// A readAhead is what has been read of the queue of a site and not been taken.
type readAhead struct {
	queue   []taken  // in order
	cursor  position // what comes before is in queue, or was taken
	drained bool     // nothing is behind cursor
}

// arrived takes in that entries came in from low on.
func (a *readAhead) arrived(low position) {
	if low != maxPosition {
		a.drained = false
	}
	if low.compare(a.cursor) < 0 {
		if len(a.queue) > 0 && a.queue[0].place.compare(low) < 0 {
			low = a.queue[0].place
		}
		a.queue, a.cursor = nil, low
	}
}

// head returns a place in the queue before which there is nothing but what was taken.
func (a *readAhead) head() position {
	if len(a.queue) > 0 && a.queue[0].place.compare(a.cursor) < 0 {
		return a.queue[0].place
	}
	return a.cursor
}

// Next implements frontier.Lease.
func (l *lease) Next(ctx context.Context) (e frontier.Entry, ok bool, err error) {
	if err := l.begin(ctx); err != nil {
		return frontier.Entry{}, false, err
	}
	defer l.end()
	l.read.Lock()
	defer l.read.Unlock()
	for {
		e, ok, want := l.take()
		if ok || want == nothing {
			return e, ok, nil
		}
		if err := l.load(want); err != nil {
			return frontier.Entry{}, false, err
		}
	}
}

// What take wants to be read before it can tell which entry is next.
type want int

const (
	nothing want = iota
	wantRetries
	wantQueue
)

// take takes the next entry from what has been read. Retries that are due come before the queue.
func (l *lease) take() (e frontier.Entry, ok bool, w want) {
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	switch {
	case len(l.retries) > 0:
		e, l.retries = l.takeLocked(l.retries)
		return e, true, nothing
	case l.retryAt <= l.f.core.clock.now():
		return e, false, wantRetries
	case len(l.queue) > 0:
		e, l.queue = l.takeLocked(l.queue)
		return e, true, nothing
	case !l.drained:
		return e, false, wantQueue
	}
	return e, false, nothing
}

func (l *lease) takeLocked(from []taken) (frontier.Entry, []taken) {
	t := from[0]
	from[0] = taken{} // the others keep its memory
	l.holdLocked(&t)
	return t.entry, from[1:]
}

// load reads entries from disk, and again if more came in meanwhile.
func (l *lease) load(w want) error {
	l.f.mu.Lock()
	version, cursor, retryAt, now, n := l.version, l.cursor, l.retryAt, l.f.core.clock.now(), l.portion
	l.f.mu.Unlock()
	r, err := l.f.core.reader()
	if err != nil {
		return err
	}
	defer r.Close()
	var found []taken
	var end bool
	if w == wantRetries {
		found, retryAt, err = l.loadRetries(r, retryAt, now)
	} else {
		found, cursor, end, err = l.loadQueue(r, cursor, n)
	}
	if err != nil {
		return fmt.Errorf("read the queue of %s: %w", l.site.name, err)
	}
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	if l.version != version {
		return nil // take will ask for it again
	}
	l.shareChunksLocked(found)
	found = slices.DeleteFunc(found, func(t taken) bool { return l.taken[t.entry.ID] != nil })
	if w == wantRetries {
		l.retries, l.retryAt = found, retryAt
	} else {
		l.readAhead, l.portion = readAhead{found, cursor, end}, min(2*n, maxAhead)
	}
	return nil
}

// loadQueue reads the next n entries of the queue, and whole chunks, and returns where the rest begins.
func (l *lease) loadQueue(r *reader, from position, n int) (found []taken, rest position, end bool, err error) {
	err = r.queue(&l.f.core, l.site.id, l.site.name, from, func(key position, live []placed) error {
		if len(found) >= n {
			return errStop
		}
		chunk := &chunkLeft{key: key, left: len(live)}
		for _, p := range live {
			found = append(found, taken{entry: p.entry, place: p.position, chunk: chunk})
		}
		from = key.next()
		return nil
	})
	if errors.Is(err, errStop) {
		return found, from, false, nil
	}
	return found, from, true, err
}

// shareChunksLocked lets entries that were read count on what is counted for entries of the same chunk that are taken.
func (l *lease) shareChunksLocked(found []taken) {
	for i := range found {
		if found[i].retry {
			continue
		}
		if chunk, ok := l.chunks[found[i].chunk.key]; ok {
			found[i].chunk = chunk
		}
	}
}

// loadRetries reads retries that are due, and returns until when it has read all.
func (l *lease) loadRetries(r *reader, from, now int64) (found []taken, until int64, err error) {
	until = math.MaxInt64
	err = r.retries(l.site.id, l.site.name, from, func(p retryPlace, e frontier.Entry) error {
		last := len(found) - 1
		if p.due > now || len(found) >= maxAhead && p.due != found[last].due {
			until = p.due
			return errStop
		}
		found = append(found, taken{entry: e, place: p.position, due: p.due, retry: true})
		return nil
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return found, until, err
}

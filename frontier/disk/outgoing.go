package disk

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cybermapper/cybermapper/frontier"
)

// outgoing are the numbers of the keys that hold links to be passed on: those after passed, up to last.
type outgoing struct {
	passed uint64
	last   uint64
}

// An outLink is a link to be passed on.
type outLink struct {
	key  seenKey
	link *frontier.Link
}

// maxOut is how many links to be passed on share a key.
const maxOut = 1000

func appendOutKey(dst []byte, number uint64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, kindOut), number)
}

func parseOutKey(key []byte) (number uint64, ok bool) {
	if len(key) != 1+8 {
		return 0, false
	}
	return binary.BigEndian.Uint64(key[1:]), true
}

// readOut finds what is to be passed on.
func (c *core) readOut(r *reader) (o outgoing, err error) {
	if o.passed, err = r.number(kindPassed, "what was passed on"); err != nil {
		return o, err
	}
	o.last = o.passed
	it, err := c.db.NewIter(keysOf(kindOut))
	if err != nil {
		return o, err
	}
	defer it.Close()
	if it.Last() {
		n, ok := parseOutKey(it.Key())
		if !ok {
			return o, fmt.Errorf("key %x of links to be passed on: %w", it.Key(), errRecord)
		}
		o.last = max(o.last, n)
	}
	return o, it.Error()
}

// writeOut writes the links that are to be passed on, each once, and forgets those that were.
func (s *step) writeOut() {
	o := &s.core.out
	var out []outLink
	for _, q := range s.reqs {
		if q.err != nil {
			continue
		}
		out = append(out, q.out...)
		if q.passed > o.passed {
			s.fail(s.batch.DeleteRange(appendOutKey(nil, o.passed+1), appendOutKey(nil, q.passed+1), nil))
			o.passed = q.passed
			s.setNumber(kindPassed, o.passed)
		}
	}
	slices.SortStableFunc(out, func(a, b outLink) int { return a.key.compare(b.key) })
	out = slices.CompactFunc(out, func(a, b outLink) bool { return a.key == b.key && !a.link.Force && !b.link.Force })
	links := make([]frontier.Link, 0, min(len(out), maxOut))
	for some := range slices.Chunk(out, maxOut) {
		links = links[:0]
		for _, l := range some {
			links = append(links, *l.link)
		}
		o.last++
		s.key, s.value = appendOutKey(s.key[:0], o.last), AppendLinks(s.value[:0], links)
		s.set()
	}
}

// Outgoing returns links to sites of other frontiers that are to be passed on, those that were found first after others that it
// returned before, and what to tell Passed when they were; after is what it returned with those, 0 for none. It returns the links
// of at most so many commits at once, and none when none are left. The same are returned again until Passed; so whoever they are
// passed on to may get a link twice.
func (f *Frontier) Outgoing(ctx context.Context, after uint64, most int) (links []frontier.Link, upTo uint64, err error) {
	if err := f.begin(ctx); err != nil {
		return nil, 0, err
	}
	defer f.using.Done()
	f.mu.Lock()
	out := f.out
	f.mu.Unlock()
	if upTo = max(after, out.passed); out.last <= upTo {
		return nil, upTo, nil
	}
	it, err := f.core.db.NewIter(&pebble.IterOptions{
		LowerBound: appendOutKey(nil, upTo+1), UpperBound: appendOutKey(nil, cmp.Or(out.last+1, math.MaxUint64)),
	})
	if err != nil {
		return nil, 0, fmt.Errorf("read the frontier: %w", err)
	}
	defer it.Close()
	for ok := it.First(); ok && most > 0; ok = it.Next() {
		n, ok := parseOutKey(it.Key())
		if !ok {
			return nil, 0, fmt.Errorf("key %x of links to be passed on: %w", it.Key(), errRecord)
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return nil, 0, fmt.Errorf("read the frontier: %w", err)
		}
		some, err := DecodeLinks(value)
		if err != nil {
			return nil, 0, err
		}
		links, upTo = append(links, some...), n
		most--
	}
	return links, upTo, it.Error()
}

// Passed forgets the links that Outgoing returned with upTo, and those before, and is durable on return.
func (f *Frontier) Passed(ctx context.Context, upTo uint64) error {
	if err := f.beginWrite(ctx); err != nil {
		return err
	}
	defer f.using.Done()
	f.mu.Lock()
	out := f.out
	f.mu.Unlock()
	if upTo <= out.passed {
		return nil
	}
	if upTo > out.last {
		return fmt.Errorf("frontier: number %d of links passed on is beyond the last, %d", upTo, out.last)
	}
	_, err := f.do(&request{passed: upTo})
	return err
}

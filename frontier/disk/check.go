package disk

import (
	"cmp"
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cybermapper/cybermapper/frontier"
)

// maxProblems is how many problems a check tells before it says how many more there are.
const maxProblems = 100

// Check opens the frontier in dir for reading, checks it, and closes it. See Frontier.Check.
func Check(ctx context.Context, dir string) (problems []string, err error) {
	f, err := Open(dir, Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Check(ctx)
}

// Check looks for contradictions in what is on disk: every entry of a queue must be known, every URL that is said to wait
// must have an entry, counters must agree with what they count, and every site with work must be in the schedule, once. It
// returns what it found, in words; err is only for what kept it from looking. The frontier may be in use.
func (f *Frontier) Check(ctx context.Context) (problems []string, err error) {
	if err := f.begin(ctx); err != nil {
		return nil, err
	}
	defer f.using.Done()
	snap := f.core.db.NewSnapshot()
	defer snap.Close()
	c := checker{secret: f.core.secret, ctx: ctx}
	for _, kind := range []byte{kindSite, kindPolicy, kindQueue, kindRetry, kindSeen, kindReturn, kindDue, kindOut} {
		it, err := snap.NewIter(keysOf(kind))
		if err != nil {
			return nil, fmt.Errorf("check the frontier: %w", err)
		}
		defer it.Close()
		it.First()
		c.its[kind] = it
	}
	seen, err := snap.NewIter(nil)
	if err != nil {
		return nil, fmt.Errorf("check the frontier: %w", err)
	}
	defer seen.Close()
	c.seen = &reader{Iterator: seen}
	if err := c.run(); err != nil {
		return nil, fmt.Errorf("check the frontier: %w", err)
	}
	if more := c.found - len(c.problems); more > 0 {
		c.problems = append(c.problems, fmt.Sprintf("and %d more", more))
	}
	return c.problems, nil
}

// A checker walks through the kinds of keys side by side, site by site.
type checker struct {
	ctx      context.Context
	secret   hashKey
	its      ['z']*pebble.Iterator // by kind
	seen     *reader
	totals   totals
	working  int64 // sites that should be in the schedule
	found    int
	problems []string
}

func (c *checker) problem(format string, args ...any) {
	if c.found++; len(c.problems) < maxProblems {
		c.problems = append(c.problems, fmt.Sprintf(format, args...))
	}
}

func (c *checker) run() error {
	sites := c.its[kindSite]
	for ; sites.Valid(); sites.Next() {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		id, _ := siteOf(sites.Key())
		rec, err := decodeSite(sites.Value())
		if err != nil {
			c.problem("site %016x: %v", uint64(id), err)
			continue
		}
		c.site(id, rec)
	}
	c.strays(^siteID(0), "the end")
	c.schedule()
	c.outgoing()
	if err := c.sums(); err != nil {
		return err
	}
	for _, it := range c.its {
		if it != nil && it.Error() != nil {
			return it.Error()
		}
	}
	return cmp.Or(c.ctx.Err(), c.seen.Error())
}

// site compares the record of a site with everything else that is kept of it.
func (c *checker) site(id siteID, rec siteRecord) {
	if id > 0 {
		c.strays(id-1, "a site that is unknown")
	}
	name := c.policy(id)
	got := siteRecord{seq: rec.seq, head: rec.head, pages: rec.pages, bytes: rec.bytes, lastEnd: rec.lastEnd,
		gap: rec.gap, blocked: rec.blocked, since: rec.since, due: rec.due}
	entries := c.queue(id, name, &got)
	entries += c.retries(id, name, &got)
	waiting := c.urls(id, &got)
	c.returns(id, name)
	if entries != waiting {
		c.problem("site %s: %d URLs wait, but %d entries are queued", name, waiting, entries)
	}
	if got != rec {
		c.problem("site %s: record is %+v, should be %+v", name, rec, got)
	}
	if (rec.due != 0) != (rec.waiting() > 0) {
		c.problem("site %s: due %d with %d entries", name, rec.due, rec.waiting())
	}
	if rec.due != 0 {
		c.working++
		c.seen.key = appendDueKey(c.seen.key[:0], rec.due, id)
		if !c.seen.SeekGE(c.seen.key) || string(c.seen.Key()) != string(c.seen.key) {
			c.problem("site %s: not in the schedule", name)
		}
	}
	c.totals.add(&change{rec: rec})
	c.totals.known += rec.known()
}

// strays reports keys of sites up to id that nobody has asked for.
func (c *checker) strays(id siteID, of string) {
	for _, kind := range []byte{kindPolicy, kindQueue, kindRetry, kindSeen, kindReturn} {
		for it := c.its[kind]; it.Valid(); it.Next() {
			if have, ok := siteOf(it.Key()); ok && have > id {
				break
			}
			c.problem("key %q of %s", it.Key(), of)
		}
	}
}

// of reports whether it stands at a key of the site; of none once ctx has ended, for one site may have all keys.
func (c *checker) of(it *pebble.Iterator, id siteID) bool {
	if c.ctx.Err() != nil || !it.Valid() {
		return false
	}
	have, ok := siteOf(it.Key())
	return ok && have == id
}

func (c *checker) policy(id siteID) (name string) {
	it := c.its[kindPolicy]
	if !c.of(it, id) {
		c.problem("site %016x has no policy", uint64(id))
		return ""
	}
	pol, err := decodePolicy(it.Value())
	if err != nil || siteID(c.secret.hash(pol.name)) != id {
		c.problem("policy of site %016x, name %q: %v", uint64(id), pol.name, err)
	}
	it.Next()
	return pol.name
}

func (c *checker) queue(id siteID, name string, got *siteRecord) (n int64) {
	for it := c.its[kindQueue]; c.of(it, id); it.Next() {
		_, key, ok := parseQueueKey(it.Key())
		entries, err := decodeQueue(it.Value(), name, key, position{})
		if ok && err == nil && isChunk(it.Value()) {
			entries, err = c.live(id, entries)
		}
		if !ok || err != nil {
			c.problem("queue of %s: key %q: %v", name, it.Key(), err)
			continue
		}
		if len(entries) == 0 {
			c.problem("queue of %s: key %q: all of its entries are settled", name, it.Key())
		}
		for i := range entries {
			e, p := &entries[i].entry, entries[i].position
			if p.compare(got.head) < 0 {
				c.problem("queue of %s: %s comes before the head", name, e.URL)
			}
			c.entry(id, e, seenRecord{status: frontier.Queued, position: p}, got)
			n++
		}
	}
	return n
}

// live leaves those of the entries of a chunk that are not settled, and those that are not known.
func (c *checker) live(id siteID, entries []placed) (live []placed, err error) {
	for _, p := range entries {
		rec, err := c.seen.seen(seenKey{id, c.secret.hash(p.entry.URL.String())})
		if err != nil {
			return nil, err
		}
		if settled := rec.status > frontier.Queued || rec.seq > p.seq; !settled {
			live = append(live, p)
		}
	}
	return live, nil
}

func (c *checker) retries(id siteID, name string, got *siteRecord) (n int64) {
	for it := c.its[kindRetry]; c.of(it, id); it.Next() {
		_, p, ok := parseRetryKey(it.Key())
		e, err := decodeEntry(it.Value(), name)
		if !ok || err != nil {
			c.problem("retries of %s: key %q: %v", name, it.Key(), err)
			continue
		}
		if n == 0 {
			got.retry = p.due
		}
		c.entry(id, &e, seenRecord{status: frontier.Retrying, position: p.position, due: p.due}, got)
		n++
	}
	return n
}

// entry compares an entry with the record of its URL.
func (c *checker) entry(id siteID, e *frontier.Entry, want seenRecord, got *siteRecord) {
	if siteID(c.secret.hash(e.URL.Site())) != id {
		c.problem("%s is queued with another site", e.URL)
	}
	if clampDepth(e.Depth) != want.depth || e.Priority != want.priority() || want.seq > got.seq {
		c.problem("%s is queued at %+v, but says depth %d, priority %d", e.URL, want.position, e.Depth, e.Priority)
	}
	rec, err := c.seen.seen(seenKey{id, c.secret.hash(e.URL.String())})
	want.code, want.reason = rec.code, rec.reason
	if err != nil || rec != want {
		c.problem("%s is queued, but known as %+v instead of %+v (%v)", e.URL, rec, want, err)
	}
}

// urls counts the URLs of a site by status, and returns how many wait.
func (c *checker) urls(id siteID, got *siteRecord) int64 {
	for it := c.its[kindSeen]; c.of(it, id); it.Next() {
		_, ok := parseSeenKey(it.Key())
		rec, err := decodeSeen(it.Value())
		if !ok || err != nil {
			c.problem("URL %q: %v", it.Key(), err)
			continue
		}
		got.count(rec.status, 1)
	}
	return got.waiting()
}

// returns compares what is remembered of the URLs of a site with what is known of them.
func (c *checker) returns(id siteID, name string) {
	for it := c.its[kindReturn]; c.of(it, id); it.Next() {
		r, err := decodeReturn(it.Value(), name)
		key := seenKey{id, c.secret.hash(r.URL.String())}
		if err != nil || string(appendReturnKey(nil, key)) != string(it.Key()) {
			c.problem("remembered of %s: key %q: %v", name, it.Key(), err)
			continue
		}
		if rec, err := c.seen.seen(key); err != nil || rec.status == frontier.Unknown {
			c.problem("%s is remembered, but not known (%v)", r.URL, err)
		}
	}
}

// schedule finds sites that are in the schedule without need. Those that should be there have been looked for.
func (c *checker) schedule() {
	n := int64(0)
	for it := c.its[kindDue]; it.Valid(); it.Next() {
		n++
	}
	if n != c.working {
		c.problem("%d sites are scheduled, %d have work", n, c.working)
	}
}

// outgoing reads what is to be passed on.
func (c *checker) outgoing() {
	for it := c.its[kindOut]; it.Valid(); it.Next() {
		if _, err := DecodeLinks(it.Value()); err != nil {
			c.problem("links to be passed on, key %q: %v", it.Key(), err)
		}
	}
}

// sums compares the totals with the sums over all sites.
func (c *checker) sums() error {
	c.seen.key = append(c.seen.key[:0], kindTotals)
	t, known, err := record(c.seen, decodeTotals)
	switch {
	case known && err != nil:
		c.problem("%v", err)
	case err != nil:
		return err
	}
	if t != c.totals {
		c.problem("totals are %+v, should be %+v", t, c.totals)
	}
	return nil
}

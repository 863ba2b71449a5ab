package disk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cybermapper/cybermapper/frontier"
)

// A slot is one URL of a step.
type slot struct {
	key     seenKey
	rec     seenRecord
	change  int32 // index into step.changes; -1: the record stays as it is
	first   *op
	touched bool           // an op may change the record even if the URL is known
	dirty   bool           // the record has changed
	queue   *frontier.Link // to be queued
	settled *op            // with something to be remembered
}

// A change is what a step does to one site.
type change struct {
	id     siteID
	name   string
	stored bool // there is a record
	was    siteRecord
	rec    siteRecord
	policy *policyRecord // to be written; nil: as it was
	low    position      // the first of the entries that were queued
	retry  int64         // due time of the first of the entries that were put off; noRetry if there is none
	gone   []retryPlace  // the retries that were settled or put off again
	owner  *site
}

const noRetry = math.MaxInt64

// A step is one batch: many requests, done one after the other, none of which sees half of another.
type step struct {
	core    *core
	now     int64
	reqs    []*request
	order   []*op
	slots   []slot
	queued  []*slot // of slots, those with something to queue
	changes []change
	index   map[siteID]int32 // of changes
	batch   *pebble.Batch
	key     []byte
	value   []byte
	err     error
}

// gather finds the distinct URLs of all requests, in the order of their keys.
func (s *step) gather(reqs []*request) {
	s.reqs, s.order, s.slots, s.changes = reqs, s.order[:0], s.slots[:0], s.changes[:0]
	clear(s.index)
	for _, r := range reqs {
		for i := range r.ops {
			s.order = append(s.order, &r.ops[i])
		}
	}
	slices.SortStableFunc(s.order, func(a, b *op) int { return a.key.compare(b.key) })
	for _, o := range s.order {
		if n := len(s.slots); n == 0 || s.slots[n-1].key != o.key {
			s.slots = append(s.slots, slot{key: o.key, change: -1, first: o})
		}
		o.slot = int32(len(s.slots) - 1)
		switch sl := &s.slots[o.slot]; {
		case o.link == nil:
			sl.rec, sl.touched = o.taken.record(), true
		case o.link.Force:
			sl.touched = true
		}
	}
}

// look reads what is known of the URLs but those that a lease has taken, of which it knows, and finds the sites that may change.
func (s *step) look() error {
	r, err := s.core.reader()
	if err != nil {
		return err
	}
	defer r.Close()
	for i := range s.slots {
		sl := &s.slots[i]
		if sl.rec.status == frontier.Unknown && s.core.filter.mayHave(sl.key) {
			if sl.rec, err = r.seen(sl.key); err != nil {
				return err
			}
		}
		if sl.rec.status == frontier.Unknown || sl.touched {
			sl.change = s.changeOf(sl.key.site, sl.first.siteName)
		}
	}
	for _, q := range s.reqs {
		if q.site != "" {
			s.changeOf(s.core.siteID(q.site), func() string { return q.site })
		}
	}
	return nil
}

func (s *step) changeOf(id siteID, name func() string) int32 {
	i, ok := s.index[id]
	if !ok {
		i = int32(len(s.changes))
		s.index[id] = i
		s.changes = append(s.changes, change{id: id, name: name(), low: maxPosition, retry: noRetry})
	}
	return i
}

// run does the requests in order. The records of the sites must have been filled in.
func (s *step) run() {
	for _, q := range s.reqs {
		if q.err = s.check(q); q.err != nil {
			continue
		}
		for i := range q.ops {
			o := &q.ops[i]
			if o.link != nil {
				s.add(o, &q.result)
			} else {
				s.settle(o)
			}
		}
		if q.policy != nil {
			c := &s.changes[s.index[s.core.siteID(q.site)]]
			c.policy = &policyRecord{name: q.site, SitePolicy: *q.policy}
			c.rec.blocked = s.core.clock.when(q.policy.BlockedUntil)
		}
	}
}

var errNotQueued = errors.New("is not queued")

// check tells why a request cannot be done, before any of it is.
func (s *step) check(q *request) error {
	for i := range q.ops {
		o := &q.ops[i]
		if o.link != nil {
			continue
		}
		if rec := &s.slots[o.slot].rec; !rec.queued() || rec.seq != o.taken.entry.ID {
			return fmt.Errorf("settle %s: %w", o.taken.entry.URL, errNotQueued)
		}
	}
	return nil
}

// add queues the link of o unless it is known.
func (s *step) add(o *op, res *frontier.AddResult) {
	sl := &s.slots[o.slot]
	known := sl.rec.status != frontier.Unknown
	if known && (!o.link.Force || sl.rec.queued()) {
		res.Known++
		return
	}
	res.New++
	c := &s.changes[sl.change]
	if known {
		c.rec.count(sl.rec.status, -1)
	} else {
		s.core.totals.known++
	}
	if c.rec.queued == 0 {
		c.rec.since = s.now
	}
	c.rec.seq++
	s.enqueue(sl, c, o.link)
}

// enqueue puts a link at the end of the queue of its site, as its depth and priority allow.
func (s *step) enqueue(sl *slot, c *change, l *frontier.Link) {
	p := position{depth: clampDepth(l.Depth), rank: rankOf(l.Priority), seq: c.rec.seq}
	if p.compare(c.low) < 0 {
		c.low = p
	}
	c.rec.count(frontier.Queued, 1)
	sl.rec, sl.dirty, sl.queue = seenRecord{status: frontier.Queued, position: p}, true, l
}

// settle takes an entry out of its queue and records what became of it.
func (s *step) settle(o *op) {
	sl := &s.slots[o.slot]
	c := &s.changes[sl.change]
	s.dequeue(o, &sl.rec, c)
	c.rec.count(o.out.Status, 1)
	c.rec.bytes += o.out.Bytes
	if o.out.Page {
		c.rec.pages++
	}
	sl.dirty = true
	sl.rec = seenRecord{
		status: o.out.Status, position: sl.rec.position,
		code: o.out.Code, reason: o.out.Reason, settled: s.now,
	}
	switch {
	case o.out.Status == frontier.Retrying:
		s.retry(sl, c, o)
	case len(o.out.State) > 0:
		sl.settled = o
	}
}

// dequeue takes an entry out of where it waits. A key of the queue is written once, and deleted once: with the last of its
// entries.
func (s *step) dequeue(o *op, rec *seenRecord, c *change) {
	c.rec.count(rec.status, -1)
	if rec.status == frontier.Queued {
		if o.taken.chunk.left--; o.taken.chunk.left == 0 {
			s.key = appendQueueKey(s.key[:0], c.id, o.taken.chunk.key)
			s.fail(s.batch.SingleDelete(s.key, nil))
		}
		return
	}
	place := retryPlace{rec.due, rec.position}
	c.gone = append(c.gone, place)
	s.key = appendRetryKey(s.key[:0], c.id, place)
	s.fail(s.batch.Delete(s.key, nil))
}

// retry lets an entry wait for its next attempt.
func (s *step) retry(sl *slot, c *change, o *op) {
	e := o.taken.entry
	if !o.out.Unasked {
		e.Attempt++
	}
	if o.out.Excused {
		e.Excused++
	}
	sl.rec.due = max(s.core.clock.when(o.out.NotBefore), 0)
	c.retry = min(c.retry, sl.rec.due)
	s.key = appendRetryKey(s.key[:0], c.id, retryPlace{sl.rec.due, sl.rec.position})
	s.value = appendEntry(s.value[:0], c.name, &e)
	s.set()
}

// write completes the batch: the URLs and the queues, in the order of their keys, which the store likes best; the sites
// and the schedule; the totals. A step that changes nothing leaves the batch empty.
func (s *step) write() error {
	for i := range s.slots {
		if sl := &s.slots[i]; sl.dirty {
			s.key = appendSeenKey(s.key[:0], sl.key)
			s.value = sl.rec.append(s.value[:0])
			s.set()
		}
	}
	s.writeReturns()
	s.writeOut()
	s.writeTaken()
	s.writeQueue()
	for i := range s.changes {
		if err := s.writeSite(&s.changes[i]); err != nil {
			return err
		}
	}
	if !s.batch.Empty() {
		s.key = append(s.key[:0], kindTotals)
		s.value = s.core.totals.append(s.value[:0])
		s.set()
	}
	s.writeClock()
	return s.err
}

// writeQueue writes what is to be queued, in chunks.
func (s *step) writeQueue() {
	s.queued = s.queued[:0]
	for i := range s.slots {
		if sl := &s.slots[i]; sl.queue != nil {
			s.queued = append(s.queued, sl)
		}
	}
	queueSlots(s.queued)
	added := s.core.clock.wall(s.now)
	for rest := s.queued; len(rest) > 0; {
		n := nextChunk(rest)
		last, name := rest[n-1], s.changes[rest[0].change].name
		s.key = appendQueueKey(s.key[:0], last.key.site, last.rec.position)
		if n == 1 {
			s.value = appendEntry(s.value[:0], name, &frontier.Entry{Link: *last.queue, Added: added})
		} else {
			s.value = appendChunk(s.value[:0], name, added, rest[:n])
		}
		s.set()
		rest = rest[n:]
	}
}

func (s *step) writeSite(c *change) error {
	if err := s.firstRetry(c); err != nil {
		return err
	}
	if c.low != maxPosition && (c.was.queued == 0 || c.low.compare(c.rec.head) < 0) {
		c.rec.head = c.low
	}
	c.rec.due = 0
	if c.rec.waiting() > 0 {
		c.rec.due = max(c.rec.ready(), later(c.rec.lastEnd, time.Duration(c.rec.gap)), c.rec.blocked)
		c.rec.due = max(c.rec.due-int64(max(c.rec.lead(), 0)), 1)
	}
	if !c.stored && c.policy == nil {
		c.policy = &policyRecord{name: c.name}
	}
	if c.policy != nil {
		s.key = appendSite(s.key[:0], kindPolicy, c.id)
		s.value = c.policy.append(s.value[:0])
		s.set()
	}
	if c.stored && c.rec == c.was {
		return nil
	}
	s.core.totals.add(c)
	s.key = appendSite(s.key[:0], kindSite, c.id)
	s.value = c.rec.append(s.value[:0])
	s.set()
	if c.rec.due != c.was.due {
		s.reschedule(c)
	}
	return nil
}

func (s *step) reschedule(c *change) {
	if c.was.due != 0 {
		s.key = appendDueKey(s.key[:0], c.was.due, c.id)
		s.fail(s.batch.Delete(s.key, nil))
	}
	if c.rec.due != 0 {
		s.key, s.value = appendDueKey(s.key[:0], c.rec.due, c.id), s.value[:0]
		s.set()
	}
}

// firstRetry finds the due time of the first of the retries that remain.
func (s *step) firstRetry(c *change) error {
	first := int64(noRetry)
	if c.was.retrying > 0 {
		first = c.was.retry
	}
	if len(c.gone) > 0 {
		r, err := s.core.reader()
		if err != nil {
			return err
		}
		defer r.Close()
		first = noRetry
		err = r.retries(c.id, c.name, c.was.retry, func(p retryPlace, _ frontier.Entry) error {
			if slices.Contains(c.gone, p) {
				return nil
			}
			first = p.due
			return errStop
		})
		if err != nil && !errors.Is(err, errStop) {
			return err
		}
	}
	c.rec.retry = 0
	if c.rec.retrying > 0 {
		c.rec.retry = min(first, c.retry)
	}
	return nil
}

// add brings the totals up to date with one site.
func (t *totals) add(c *change) {
	t.queued += c.rec.queued - c.was.queued
	t.retrying += c.rec.retrying - c.was.retrying
	t.done += c.rec.done - c.was.done
	t.refused += c.rec.refused - c.was.refused
	t.failed += c.rec.failed - c.was.failed
	t.pages += c.rec.pages - c.was.pages
	t.bytes += c.rec.bytes - c.was.bytes
	if c.was.known() == 0 && c.rec.known() > 0 {
		t.sites++
	}
	if had, has := c.was.waiting() > 0, c.rec.waiting() > 0; had != has {
		if has {
			t.active++
		} else {
			t.active--
		}
	}
}

// setNumber puts a number that concerns the frontier as a whole into the batch.
func (s *step) setNumber(kind byte, n uint64) {
	s.key, s.value = append(s.key[:0], kind), binary.AppendUvarint(append(s.value[:0], recordVersion), n)
	s.set()
}

// set puts key and value into the batch.
func (s *step) set() { s.fail(s.batch.Set(s.key, s.value, nil)) }

// fail keeps the first error for write to return.
func (s *step) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

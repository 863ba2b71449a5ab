package verify

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A right is that of a node to ask the sites of a partition, as a request of a shared crawl names it: node/partition/epoch. Each
// that is given has a greater epoch than those before.
type right struct {
	node, partition string
	epoch           uint64
}

// rightOf returns the right that a request names; ok is false when it is none.
func rightOf(tenure string) (r right, ok bool) {
	rest, epoch, _ := cutLast(tenure)
	node, partition, found := cutLast(rest)
	n, err := strconv.ParseUint(epoch, 10, 64)
	return right{node, partition, n}, found && err == nil && n > 0
}

// cutLast cuts a text at its last slash.
func cutLast(text string) (before, after string, found bool) {
	i := strings.LastIndexByte(text, '/')
	if i < 0 {
		return "", text, false
	}
	return text[:i], text[i+1:], true
}

// epochOf returns the epoch of the right that a request names; 0 when it names none.
func epochOf(tenure string) uint64 {
	r, _ := rightOf(tenure)
	return r.epoch
}

// isLater reports whether a request left under a later right than one before it: the partition of the site had gone to another
// node, or back, before that was settled.
func isLater(tenure string, epoch uint64) bool { return epoch != 0 && epochOf(tenure) > epoch }

// isShared reports whether the first request names a right, as all of a shared crawl do, or there is none.
func (j Job) isShared() bool {
	shared := true
	j.walkWith(ledger.WalkOptions{}, func(e *ledger.Entry) bool { // an error comes again in the first pass
		if e.Type != ledger.Request {
			return true
		}
		shared = e.Tenure != ""
		return false
	})
	return shared
}

// An owner is who has the right to ask a site, as far as its requests tell.
type owner struct {
	right
	job   int
	seq   uint64  // of the first record of a request under it
	since instant // when the first request under it left
	until instant // when the last request to the site left
}

// An instant is when something happened in a job.
type instant struct {
	job int
	moment
}

// from returns how long after another instant this one is, and by how much that may be wrong.
func (p *pass) from(before, i instant) (d, drift time.Duration) {
	switch {
	case before.job != i.job:
		return i.wall.Sub(before.wall), p.opts.Drift
	case before.run != i.run: // the ledger has them in order, whatever the clock
		return time.Duration(i.run-before.run) * time.Hour, 0
	}
	return i.sub(before.moment), 0
}

// owned judges the right that a request left under: its site stays in one partition, an epoch is that of one node, and none is in
// use when a later one is. Records are in the order in which requests ended; what counts is when they left. A request to a site
// that another node owns, and has lent, names no right.
func (p *pass) owned(s *site, e *ledger.Entry, start moment) {
	if e.Tenure == "" {
		return
	}
	t, o := p.tally(Tenure), &s.owner
	r, ok := rightOf(e.Tenure)
	if !ok {
		t.refute(e, "names the right %q, which is none", e.Tenure)
		return
	}
	now := instant{p.index, start}
	record := fmt.Sprintf("record %d%s", o.seq, p.ofJob(o.job))
	switch {
	case o.epoch == 0:
		t.ok()
	case r.partition != o.partition:
		t.refute(e, "left as of partition %s; by %s its site is in partition %s", r.partition, record, o.partition)
	case r.epoch == o.epoch && r.node != o.node:
		t.refute(e, "left under epoch %d of %s, which %s has as that of %s", r.epoch, r.node, record, o.node)
	case r.epoch < o.epoch:
		p.apart(t, e, r.epoch, o.epoch, now, o.since, record)
	case r.epoch > o.epoch:
		p.apart(t, e, r.epoch, o.epoch, o.until, now, record)
	default:
		t.ok()
	}
	if r.epoch > o.epoch {
		o.right, o.job, o.seq, o.since = r, p.index, e.Seq, now
	} else if d, _ := p.from(o.since, now); r.epoch == o.epoch && d < 0 {
		o.since = now
	}
	if d, _ := p.from(o.until, now); o.until.run == 0 || d > 0 {
		o.until = now
	}
}

// apart judges whether the last request under one right left before the first one under a later right.
func (p *pass) apart(t *tally, e *ledger.Entry, epoch, other uint64, last, first instant, record string) {
	switch d, drift := p.from(first, last); {
	case d > drift:
		t.refute(e, "left under epoch %d, and %s under epoch %d: both were in use for %v", epoch, record, other, d)
	case d > -drift:
		t.lack(e, "left under epoch %d, and %s under epoch %d: both may have been in use, by clocks that may differ by %v", epoch,
			record, other, drift)
	default:
		t.ok()
	}
}

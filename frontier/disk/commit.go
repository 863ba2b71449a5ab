package disk

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cybermapper/cybermapper/frontier"
)

// A committer does group commit: requests that come at about the same time share one batch and one sync. A request that
// comes while no batch is being filled leads: it fills a batch with all requests that wait, and hands the lead over to one
// that came meanwhile. So the slower the disk, the larger the batches; and a batch is filled while the one before it is on
// its way to the disk.
type committer struct {
	mu      sync.Mutex // guards what follows
	waiting []*request
	led     bool
	written uint64 // batches
	synced  uint64 // of these, from the first

	gathering gathering
	step      step   // of the leader
	reach     uint64 // what Options.Barrier returned for it
}

// commit returns when r is durable, or will never be. It does not end with a context: what has joined a batch happens.
func (f *Frontier) commit(r *request) error {
	c := &f.committer
	r.turn = make(chan bool, 1)
	gathers := f.gathers()
	if gathers && r.until.IsZero() {
		r.until = time.Now()
		if f.opts.Log != nil {
			r.until = r.until.Add(f.opts.Gather)
		}
	}
	c.mu.Lock()
	c.waiting = append(c.waiting, r)
	follow := c.led
	c.led = true
	shorter := gathers && c.gathering.add(r)
	c.mu.Unlock()
	if follow {
		if shorter || f.opts.Log != nil { // for a log it is worth while to see that no page is under way any more
			c.gathering.poke()
		}
		if lead := <-r.turn; !lead {
			return r.err
		}
	}
	return f.lead(r)
}

// lead commits what waits, r among it.
func (f *Frontier) lead(r *request) error {
	if f.gathers() {
		f.gather()
	}
	c := &f.committer
	c.mu.Lock()
	group := c.waiting
	c.waiting = nil
	c.gathering.end()
	c.mu.Unlock()

	err := f.apply(group)

	c.mu.Lock()
	if c.led = len(c.waiting) > 0; c.led {
		c.waiting[0].turn <- true
	}
	c.mu.Unlock()

	if err == nil {
		err = f.sync()
	}
	for _, g := range group {
		if err != nil {
			g.err = err
		}
		if g != r {
			g.turn <- false
		}
	}
	return r.err
}

// apply fills a batch, waits for the barrier, and writes the batch to the store, where everybody sees it; it is not
// durable before sync. Only the leader calls it. After an error nothing is written any more.
func (f *Frontier) apply(group []*request) error {
	if err := f.Err(); err != nil {
		return err
	}
	passed := f.startBarrier()
	err := f.fill(group)
	if e := <-passed; e != nil {
		err = e
	}
	s := &f.committer.step
	if err == nil && !s.batch.Empty() {
		if err = f.keepReach(); err == nil {
			err = f.write(s.batch)
		}
	}
	if s.batch != nil {
		s.batch.Close()
	}
	if err != nil {
		return f.fail(err)
	}
	f.publish(s)
	for i := range s.slots {
		if sl := &s.slots[i]; sl.rec.status != frontier.Unknown {
			f.known.add(sl.key)
			f.core.filter.add(sl.key)
		}
	}
	for _, r := range group {
		for _, o := range r.out {
			f.passed.known.add(o.key)
		}
	}
	return nil
}

// startBarrier begins to make durable what the frontier is about to say is done. All requests of the batch are there.
func (f *Frontier) startBarrier() <-chan error {
	passed := make(chan error, 1)
	if f.opts.Barrier == nil {
		passed <- nil
		return passed
	}
	go func() { passed <- f.passBarrier() }()
	return passed
}

// passBarrier makes durable what the batch relies on, and learns how far that reaches.
func (f *Frontier) passBarrier() (err error) {
	if f.opts.Barrier == nil {
		return nil
	}
	if f.committer.reach, err = f.opts.Barrier(); err != nil {
		return fmt.Errorf("barrier: %w", err)
	}
	return nil
}

// keepReach puts into the batch how far what it relies on reaches.
func (f *Frontier) keepReach() error {
	s := &f.committer.step
	if f.committer.reach > 0 && f.opts.Log == nil {
		s.setNumber(kindReach, f.committer.reach)
	}
	return s.err
}

// fill translates a group of requests into a batch.
func (f *Frontier) fill(group []*request) error {
	s := &f.committer.step
	s.batch, s.err, s.now = f.core.db.NewBatch(), nil, f.core.clock.now()
	f.core.dropTaken(group)
	s.gather(group)
	if err := s.look(); err != nil {
		return err
	}
	if err := f.pin(s); err != nil {
		return err
	}
	s.run()
	return s.write()
}

// pin finds or reads the sites of a step, keeps them in memory until publish, and fills in their records.
func (f *Frontier) pin(s *step) error {
	f.mu.Lock()
	for _, site := range f.sites.overdue() {
		i := s.changeOf(site.id, func() string { return site.name })
		if s.changes[i].owner == nil {
			s.changes[i].owner = site
		}
	}
	var missing []*change
	for i := range s.changes {
		c := &s.changes[i]
		if c.owner == nil {
			c.owner = f.sites.pin(c.id)
		}
		if c.owner == nil {
			missing = append(missing, c)
		}
	}
	f.mu.Unlock()
	if err := f.readSites(missing); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range s.changes {
		s.changes[i].beginLocked()
	}
	return nil
}

// readSites brings the sites of changes into memory. What it reads cannot change meanwhile: only the leader writes.
func (f *Frontier) readSites(changes []*change) error {
	if len(changes) == 0 {
		return nil
	}
	slices.SortFunc(changes, func(a, b *change) int { return seenKey{site: a.id}.compare(seenKey{site: b.id}) })
	r, err := f.core.reader()
	if err != nil {
		return err
	}
	defer r.Close()
	for _, c := range changes {
		rec, stored, err := r.site(c.id)
		if err != nil {
			return err
		}
		f.mu.Lock()
		if c.owner = f.sites.pin(c.id); c.owner == nil {
			c.owner = f.newSite(c.id, c.name, rec, stored)
			f.sites.put(c.owner)
		}
		f.mu.Unlock()
	}
	return nil
}

// beginLocked takes the record of the site as the one to change, with its gate, and the head of its queue, as of now.
func (c *change) beginLocked() {
	s := c.owner
	c.was, c.rec, c.stored = s.rec, s.rec, s.stored
	c.rec.lastEnd, c.rec.gap = s.lastEnd, int64(s.gap)
	if s.lease != nil {
		c.rec.head = s.lease.headLocked()
	}
}

// publish shows everybody what the batch has changed.
func (f *Frontier) publish(s *step) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, q := range s.reqs {
		if q.lease != nil && q.err == nil {
			q.lease.settledLocked(q)
		}
	}
	for i := range s.changes {
		f.publishSiteLocked(&s.changes[i])
	}
	f.totals, f.out, f.taken = f.core.totals, f.core.out, f.core.taken
	f.sites.evict()
}

func (f *Frontier) publishSiteLocked(c *change) {
	s := c.owner
	s.rec, s.stored = c.rec, true
	if s.rec.lastEnd == s.lastEnd && s.rec.gap == int64(s.gap) {
		s.dirty = false
	}
	if c.policy != nil {
		s.policy, s.full = c.policy.SitePolicy, true
		s.wakeLocked()
	}
	if s.lease != nil {
		s.lease.arrivedLocked(c.low, c.retry)
	} else {
		f.sites.arrived(s, c.low)
		f.scheduleLocked(s)
	}
	f.sites.unpin(s)
}

// write commits the batch without waiting for the disk. A log elsewhere has it before the store.
func (f *Frontier) write(b *pebble.Batch) error {
	if f.opts.Log != nil {
		if err := f.log(b); err != nil {
			return err
		}
	}
	if err := f.core.db.Apply(b, pebble.NoSync); err != nil {
		return fmt.Errorf("write to the frontier: %w", err)
	}
	c := &f.committer
	c.mu.Lock()
	c.written++
	c.mu.Unlock()
	return f.Err()
}

// sync waits until all that was written is durable.
func (f *Frontier) sync() error {
	c := &f.committer
	c.mu.Lock()
	written, synced := c.written, c.synced
	c.mu.Unlock()
	if written > synced && f.opts.Log == nil {
		if err := f.core.db.LogData(nil, pebble.Sync); err != nil {
			return f.fail(fmt.Errorf("sync the frontier: %w", err))
		}
	}
	if err := f.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	c.synced = max(c.synced, written)
	c.mu.Unlock()
	return nil
}

package disk

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// A lease is out from Frontier.Lease until Close. Entries stay on disk until they are settled: what is taken is known to
// the lease only, and forgotten with it.
type lease struct {
	f      *Frontier
	site   *site
	ctx    context.Context // ends with the lease
	cancel context.CancelFunc
	using  sync.WaitGroup // operations under way
	read   sync.Mutex     // one Next at a time reads from disk; taken before f.mu

	// Guarded by f.mu.
	info   frontier.SiteInfo
	closed bool
	yield  time.Time
	taken  map[uint64]*taken
	queued takenHeap               // of these what is no retry
	chunks map[position]*chunkLeft // which that is in
	readAhead
	retries []taken // read from disk, in order
	retryAt int64   // what is due before is in retries, or taken
	portion int     // of the queue, to be read next
	setting int     // calls of SetPolicy under way
	version int     // counts what makes an entry come in where it may have been looked for
}

// taken is an entry that has been read from disk, and where it was.
type taken struct {
	entry    frontier.Entry
	place    position
	chunk    *chunkLeft // unless it is a retry
	due      int64      // of a retry
	retry    bool
	settling bool
	index    int // in the heap of the lease
}

// record returns what the store says of the URL until the entry is settled.
func (t *taken) record() seenRecord {
	if t.retry {
		return seenRecord{status: frontier.Retrying, position: t.place, due: t.due}
	}
	return seenRecord{status: frontier.Queued, position: t.place}
}

var _ frontier.Lease = (*lease)(nil)

// newLeaseLocked leases a pinned, full site.
func (f *Frontier) newLeaseLocked(s *site) *lease {
	l := &lease{
		f: f, site: s, info: f.infoLocked(s), taken: make(map[uint64]*taken), chunks: make(map[position]*chunkLeft),
		readAhead: f.sites.takeUp(s), retryAt: s.rec.retry, portion: minAhead,
	}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	if s.rec.retrying == 0 {
		l.retryAt = math.MaxInt64
	}
	s.lease = l
	f.leases[l], f.asked = struct{}{}, true
	return l
}

// Site implements frontier.Lease.
func (l *lease) Site() string { return l.site.name }

// Context implements frontier.Lease.
func (l *lease) Context() context.Context { return l.ctx }

// Info implements frontier.Lease.
func (l *lease) Info() frontier.SiteInfo {
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	info := l.info
	info.Policy.State = slices.Clone(info.Policy.State)
	return info
}

// begin lets an operation start, which must end with l.end.
func (l *lease) begin(ctx context.Context) error {
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	if err := l.f.beginWriteLocked(ctx); err != nil {
		return err
	}
	if l.closed {
		l.f.using.Done()
		return errLeaseClosed
	}
	l.using.Add(1)
	return nil
}

func (l *lease) end() {
	l.using.Done()
	l.f.using.Done()
}

// arrivedLocked makes Next find entries that came in from low on, and retries due from retryAt on.
func (l *lease) arrivedLocked(low position, retryAt int64) {
	l.version++
	l.readAhead.arrived(low)
	if retryAt < l.retryAt {
		if len(l.retries) > 0 {
			retryAt = min(retryAt, l.retries[0].due)
		}
		l.retries, l.retryAt = nil, retryAt
	}
}

// headLocked returns a place in the queue before which there is nothing.
func (l *lease) headLocked() position {
	low := l.readAhead.head()
	if len(l.queued) > 0 && l.queued[0].place.compare(low) < 0 {
		return l.queued[0].place
	}
	return low
}

// SetPolicy implements frontier.Lease.
func (l *lease) SetPolicy(ctx context.Context, p frontier.SitePolicy) error {
	if err := l.begin(ctx); err != nil {
		return err
	}
	defer l.end()
	p.State = slices.Clone(p.State)
	l.f.mu.Lock()
	l.setting++
	l.f.mu.Unlock()
	err := l.f.commit(&request{site: l.site.name, policy: &p})
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	if l.setting--; err == nil {
		l.info.Policy = p
	}
	return err
}

// Settle implements frontier.Lease. When ctx ends while the outcomes are on their way to the disk, Settle waits all the
// same and tells how it ended.
func (l *lease) Settle(ctx context.Context, outcomes ...frontier.Outcome) (frontier.AddResult, error) {
	if err := l.begin(ctx); err != nil {
		return frontier.AddResult{}, err
	}
	defer l.end()
	r, err := l.settlement(outcomes)
	if err != nil || len(r.ops) == 0 {
		return frontier.AddResult{}, err
	}
	for i := range outcomes {
		l.f.offer(r, outcomes[i].Links)
	}
	res, err := l.f.do(r)
	if err != nil {
		l.unsettle(r)
	}
	return res, err
}

// settlement marks the entries as being settled, and returns the request for it. If one cannot be settled, none is.
func (l *lease) settlement(outcomes []frontier.Outcome) (*request, error) {
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	r := newRequest(len(outcomes) + fewNew)
	r.lease = l
	for i := range outcomes {
		o := &outcomes[i]
		t := l.taken[o.Entry.ID]
		if err := checkOutcome(o, t); err != nil {
			l.unsettleLocked(r)
			return nil, fmt.Errorf("frontier: settle %s: %w", o.Entry.URL, err)
		}
		t.settling = true
		key := seenKey{l.site.id, l.f.core.secret.hash(t.entry.URL.String())}
		r.ops = append(r.ops, op{key: key, out: o, taken: t})
	}
	if l.f.gathers() {
		r.until = l.mayWaitLocked(time.Now())
	}
	return r, nil
}

func checkOutcome(o *frontier.Outcome, t *taken) error {
	switch {
	case t == nil || t.settling || t.entry.URL != o.Entry.URL:
		return fmt.Errorf("not taken with this lease, or settled already")
	case o.Status < frontier.Retrying || o.Status > frontier.Failed:
		return fmt.Errorf("status %d is no outcome", o.Status)
	}
	return checkLinks(o.Links)
}

func (l *lease) unsettle(r *request) {
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	l.unsettleLocked(r)
}

func (l *lease) unsettleLocked(r *request) {
	for i := range r.ops {
		if t := r.ops[i].taken; t != nil {
			t.settling = false
		}
	}
}

// settledLocked forgets the entries that r has settled.
func (l *lease) settledLocked(r *request) {
	for i := range r.ops {
		if t := r.ops[i].taken; t != nil {
			l.forgetLocked(t)
		}
	}
}

// Yield implements frontier.Lease.
func (l *lease) Yield(until time.Time) {
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	l.yield = until
}

// Close implements frontier.Lease.
func (l *lease) Close() error {
	if !l.beginClose() {
		return nil
	}
	l.cancel()
	l.using.Wait()
	f, s := l.f, l.site
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closing {
		return frontier.ErrClosed
	}
	s.lease = nil
	delete(f.leases, l)
	if len(l.taken) == 0 {
		f.sites.keep(s, l.readAhead)
	}
	s.rested = time.Now()
	if l.yield.After(s.rested) {
		s.rested = l.yield
	}
	f.scheduleLocked(s)
	f.sites.unpin(s)
	f.wakeLocked() // perhaps this was the last lease out
	f.committer.gathering.poke()
	return nil
}

func (l *lease) beginClose() bool {
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	if l.closed {
		return false
	}
	l.closed = true
	return true
}

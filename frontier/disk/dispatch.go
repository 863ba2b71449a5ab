package disk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// Lease implements frontier.Frontier.
func (f *Frontier) Lease(ctx context.Context, patience time.Duration) (frontier.Lease, error) {
	if err := f.beginWrite(ctx); err != nil {
		return nil, err
	}
	defer f.using.Done()
	for {
		l, t, err := f.leaseNow(ctx, func(now int64) (task, error) { return f.nextTaskLocked(now, patience) })
		switch {
		case err != nil:
			return nil, err
		case l != nil:
			return l, nil
		}
		if err := cmp.Or(f.sleep(ctx, nil, t.change, t.until), ctx.Err()); err != nil {
			return nil, err
		}
	}
}

// A task is what Lease and TryLease do before they look at the schedule again.
type task struct {
	read   bool            // read more of the schedule
	look   bool            // lease site id if it is due
	id     siteID          // what look is about
	change <-chan struct{} // neither: wait until this is closed
	until  int64           // or until this time, if it is not 0
}

// leaseNow does one task after the other until a site is leased, or there is nothing but to wait: then it returns for what.
func (f *Frontier) leaseNow(ctx context.Context, nextLocked func(now int64) (task, error)) (l *lease, t task, err error) {
	for err == nil {
		if t, err = f.nextTask(nextLocked); err != nil || !t.read && !t.look {
			return nil, t, err
		}
		if t.read {
			err = f.readSchedule()
		} else if l, err = f.tryLease(t.id); l != nil {
			return l, t, nil
		}
		if err == nil {
			err = ctx.Err()
		}
	}
	return nil, t, err
}

// nextTask lets one of the following look at the schedule, if the frontier can be written and is not closed.
func (f *Frontier) nextTask(nextLocked func(now int64) (task, error)) (t task, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.err != nil:
		return t, f.err
	case f.closing:
		return t, frontier.ErrClosed
	}
	return nextLocked(f.core.clock.now())
}

// nextTaskLocked says what Lease should do.
func (f *Frontier) nextTaskLocked(now int64, patience time.Duration) (t task, err error) {
	idle := len(f.leases) == 0 && f.opening == 0
	t, first, ok := f.taskLocked(now, func(a appointment) bool { return a.due <= now || idle && !a.exact })
	if t.read || t.look {
		return t, nil
	}
	t = task{change: f.waitLocked(), until: first.due}
	switch {
	case !idle:
	case !ok:
		err = frontier.ErrIdle
	case first.due > later(now, patience):
		err = frontier.ErrWaiting
	}
	return t, err
}

// taskLocked returns what to do at once, and the first appointment, if there is one, which is looked at if worth says so.
func (f *Frontier) taskLocked(now int64, worth func(appointment) bool) (t task, first appointment, ok bool) {
	if f.schedule.hungry(now) {
		f.schedule.reading = true
		f.opening++
		return task{read: true}, first, false
	}
	if first, ok = f.schedule.first(now); ok && worth(first) {
		f.schedule.remove(first.id)
		f.opening++
		return task{look: true, id: first.id}, first, true
	}
	return t, first, ok
}

// tryLease leases a site that is not in the schedule at the moment. If it is too early, or not its turn, it goes back there.
func (f *Frontier) tryLease(id siteID) (*lease, error) {
	s, err := f.pinFull(id, "")
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opening--
	f.wakeLocked()
	if err != nil {
		return nil, err
	}
	now := f.core.clock.now()
	if a, ok := f.appointmentLocked(s); ok && s.lease == nil && a.due <= now && !f.closing && !f.schedule.prefers(a, now) {
		return f.newLeaseLocked(s), nil
	}
	f.scheduleLocked(s)
	f.sites.unpin(s)
	return nil, nil
}

// scheduleLocked puts a site where it belongs in the schedule.
func (f *Frontier) scheduleLocked(s *site) {
	a, ok := f.appointmentLocked(s)
	if s.lease != nil || !ok {
		f.schedule.remove(s.id)
		return
	}
	if f.schedule.set(a) {
		f.wakeLocked()
	}
}

// appointmentLocked returns the appointment that a site should have; ok is false if there is nothing to fetch.
func (f *Frontier) appointmentLocked(s *site) (a appointment, ok bool) {
	due, ok := f.dueLocked(s)
	return appointment{due: due, id: s.id, exact: f.exactLocked(s), key: s.rec.due, lead: s.rec.lead()}, ok
}

// readSchedule brings the next sites from behind the horizon into memory.
func (f *Frontier) readSchedule() error {
	f.mu.Lock()
	from, n := f.schedule.horizon, f.schedule.portion()
	f.mu.Unlock()
	var found []appointment
	err := f.core.scheduled(appendDueKey(nil, max(from.key, 0), from.id+1), func(due int64, id siteID) error {
		if len(found) == n {
			return errStop
		}
		found = append(found, appointment{due: due, id: id, key: due})
		return nil
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range found {
		if s := f.sites.sites[a.id]; s != nil && s.lease != nil {
			continue
		}
		if !f.schedule.has(a.id) {
			f.schedule.set(a)
		}
	}
	if len(found) > 0 {
		f.schedule.horizon = found[len(found)-1]
	}
	f.schedule.whole = err == nil
	f.schedule.reading = false
	f.opening--
	f.wakeLocked()
	if err != nil && !errors.Is(err, errStop) {
		return fmt.Errorf("read the schedule: %w", err)
	}
	return nil
}

package disk

import (
	"context"
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
		next, err := f.nextSite(patience)
		switch {
		case err != nil:
			return nil, err
		case next.read:
			err = f.readSchedule()
		case next.look:
			var l *lease
			if l, err = f.lease(next.id); l != nil {
				return l, nil
			}
		default:
			err = f.sleep(ctx, nil, next.change, next.until)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
	}
}

// A next says what Lease has to do.
type next struct {
	read   bool            // read more of the schedule
	look   bool            // lease the site id if it is due
	id     siteID          //
	change <-chan struct{} // else: wait for this
	until  int64           // or this, if not zero
}

// nextSite looks at the schedule.
func (f *Frontier) nextSite(patience time.Duration) (n next, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.err != nil:
		return n, f.err
	case f.closing:
		return n, frontier.ErrClosed
	case f.schedule.hungry():
		f.schedule.reading = true
		f.opening++
		return next{read: true}, nil
	}
	now := now()
	if now < f.looked-int64(time.Second) { // the clock has been set back
		f.schedule.doubt(now)
	}
	f.looked = now
	idle := len(f.leases) == 0 && f.opening == 0
	first, ok := f.schedule.first()
	if ok && (first.due <= now || idle && !first.exact) {
		f.schedule.remove(first.id)
		f.opening++
		return next{look: true, id: first.id}, nil
	}
	n = next{change: f.waitLocked(), until: first.due}
	switch {
	case !idle:
	case !ok:
		err = frontier.ErrIdle
	case first.due > later(now, patience):
		err = frontier.ErrWaiting
	}
	return n, err
}

// lease leases a site that is not in the schedule at the moment. If it is too early, the site goes back there.
func (f *Frontier) lease(id siteID) (*lease, error) {
	s, err := f.pinFull(id, "")
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opening--
	f.wakeLocked()
	if err != nil {
		return nil, err
	}
	if due, ok := f.due(s); ok && s.lease == nil && due <= now() && !f.closing {
		return f.newLeaseLocked(s), nil
	}
	f.scheduleLocked(s)
	f.sites.unpin(s)
	return nil, nil
}

// scheduleLocked puts a site where it belongs in the schedule.
func (f *Frontier) scheduleLocked(s *site) {
	due, ok := f.due(s)
	if s.lease != nil || !ok {
		f.schedule.remove(s.id)
		return
	}
	if f.schedule.set(appointment{due: due, id: s.id, exact: f.exact(s), key: s.rec.due}) {
		f.wakeLocked()
	}
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
		if _, ok := f.schedule.place[a.id]; !ok {
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
	if err != nil && err != errStop {
		return fmt.Errorf("read the schedule: %w", err)
	}
	return nil
}

package disk

import (
	"context"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// TryLease is Lease without waiting for a site: it leases one that is due now. When none is, l is nil, and next says when to look
// again at the latest; zero when nothing is scheduled. Options.Notify tells of what makes it worth while before. So one caller can
// lease from many frontiers: after a call of Notify, and when next has come, it calls TryLease until there is nothing.
func (f *Frontier) TryLease(ctx context.Context) (l frontier.Lease, next time.Time, err error) {
	if err := f.beginWrite(ctx); err != nil {
		return nil, time.Time{}, err
	}
	defer f.using.Done()
	leased, t, err := f.leaseNow(ctx, f.nextTryLocked)
	switch {
	case err != nil:
		return nil, time.Time{}, err
	case leased != nil:
		return leased, time.Time{}, nil
	}
	return nil, f.core.clock.moment(t.until), nil
}

// nextTryLocked says what TryLease should do. To wait until t.until means to return.
func (f *Frontier) nextTryLocked(now int64) (t task, err error) {
	t, first, _ := f.taskLocked(now, func(a appointment) bool { return a.due <= now })
	if !t.read && !t.look {
		t.until = first.due
	}
	return t, nil
}

// notify calls Options.Notify when it should be, until the frontier is closed, or cannot be written: then once more.
func (f *Frontier) notify() {
	for {
		select {
		case <-f.woken:
		case <-f.failed:
			f.opts.Notify()
			return
		case <-f.closed:
			return
		}
		f.opts.Notify()
	}
}

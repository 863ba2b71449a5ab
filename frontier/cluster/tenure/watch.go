package tenure

import (
	"context"
	"errors"
	"strings"
	"time"
)

// watch watches registers until ctx ends, anew when that fails.
func (n *Node) watch(ctx context.Context, prefix string, see func(key string, val []byte, rev uint64)) {
	for {
		err := n.reg.Watch(ctx, prefix, see)
		if ctx.Err() != nil {
			return
		}
		n.mu.Lock()
		n.note(err)
		n.mu.Unlock()
		if !sleep(ctx, n.o.Retry) {
			return
		}
	}
}

// seePartition takes in a change of a partition's register. A turn follows only when it concerns this node: of the renewals of
// others the machine keeps the time, and that is all.
func (n *Node) seePartition(key string, val []byte, rev uint64) {
	i, ok := n.partitionOf(key)
	if !ok {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	p := &n.parts[i]
	held := p.held
	if p.observe(n.read(), string(val), rev) && (held || p.want || p.val == n.id) {
		n.nudge()
	}
}

// seeNode takes in a heartbeat. A turn follows when a node is new, or gone.
func (n *Node) seeNode(key string, val []byte, rev uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	before := len(n.members.by)
	id := strings.TrimPrefix(key, nodePrefix)
	n.members.see(n.read().mono, id, val, rev)
	if id == n.id {
		n.unheard = 0
	}
	if m := n.members.by[id]; len(n.members.by) != before || m != nil && m.beats < 2 {
		n.nudge()
	}
	if !n.twice && !n.leaving && n.members.isNamesake(id) {
		n.twice = true
		n.nudge()
	}
}

// beat sends heartbeats until ctx ends, then withdraws: the others make ready for what this node is about to hand over.
func (n *Node) beat(ctx, work context.Context) {
	key, rev := nodePrefix+n.id, uint64(0)
	for {
		var ok bool
		pause := n.o.Retry
		if rev, ok = n.beatOnce(work, key, rev); ok {
			n.sweep(work)
			pause = n.o.Renew
		}
		if !sleep(ctx, pause) {
			break
		}
	}
	for range 3 {
		if rev = n.withdraw(work, key, rev); rev == 0 {
			return
		}
	}
}

// withdraw deletes the heartbeat and returns the revision to try next; 0 when it is gone.
func (n *Node) withdraw(work context.Context, key string, rev uint64) uint64 {
	ctx, cancel := context.WithTimeout(work, n.o.Patience)
	defer cancel()
	err := n.reg.Delete(ctx, key, rev)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrConflict): // the acknowledgement of a heartbeat was lost
		if _, now, err := n.reg.Get(ctx, key); err == nil {
			return now
		}
	}
	return rev
}

// beatOnce writes the heartbeat and returns its revision as far as it is known; ok says whether it was written.
func (n *Node) beatOnce(work context.Context, key string, rev uint64) (now uint64, ok bool) {
	ctx, cancel := context.WithTimeout(work, n.o.Patience)
	defer cancel()
	val := []byte(n.hearing())
	newRev, err := n.reg.CompareAndSet(ctx, key, val, rev)
	if errors.Is(err, ErrConflict) { // an acknowledgement was lost, or it was swept
		if _, rev, err = n.reg.Get(ctx, key); err == nil {
			newRev, err = n.reg.CompareAndSet(ctx, key, val, rev)
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.note(err)
	if err != nil {
		return rev, false
	}
	n.unheard++
	return newRev, true
}

// hearing says whether this node sees its own heartbeats.
func (n *Node) hearing() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if time.Duration(n.unheard)*n.o.Renew >= n.o.TTL {
		return deaf
	}
	return here
}

// sweep deletes what is left of nodes that have long been gone. Another may be faster.
func (n *Node) sweep(work context.Context) {
	n.mu.Lock()
	revs := n.members.old(n.read().mono)
	n.mu.Unlock()
	for id, rev := range revs {
		ctx, cancel := context.WithTimeout(work, n.o.Patience)
		_ = n.reg.Delete(ctx, nodePrefix+id, rev) // the next heartbeat tries again
		cancel()
	}
}

// sleep waits; it returns false when ctx ends sooner.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

package tenure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// glance is how often clocks are read while there are tenures: timers stand still while the machine sleeps, and do not see the
// wall clock being set.
const glance = time.Second

// drive takes turns until ctx has ended and everything is handed over.
func (n *Node) drive(ctx, work context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	stop := ctx.Done()
	for {
		select {
		case <-n.wake:
		case <-timer.C:
		case <-stop:
			stop = nil
			n.leave()
		}
		idle, done := n.turn(work)
		n.tellNext()
		if done {
			return n.remains()
		}
		timer.Reset(idle)
	}
}

// nudge makes a turn come.
func (n *Node) nudge() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// leave makes the turns that follow hand everything over.
func (n *Node) leave() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.leaving = true
}

// turn does for each partition what is due, and says when the next turn is; done is true when there will be nothing any more.
func (n *Node) turn(work context.Context) (idle time.Duration, done bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.read()
	next := n.rebalance(now)
	done = n.leaving
	for _, held := range [...]bool{true, false} { // renewals come first
		for i := range n.parts {
			p := &n.parts[i]
			if p.held == held {
				next = min(next, n.step(work, i, now))
			}
		}
	}
	for i := range n.parts {
		p := &n.parts[i]
		mine := p.val == n.id && p.since.least(now) < n.o.TTL // later nobody waits for it any more
		done = done && p.tenure == nil && p.out.verb == rest && !mine
	}
	return max(next-now.mono, 0), done
}

// step lets the machine of a partition do what it wants to, and returns when it wants to be asked again.
func (n *Node) step(work context.Context, i int, now reading) time.Duration {
	p := &n.parts[i]
	p.expire(now)
	until := p.wait(never).sent.mono
	if n.requests < n.o.Requests { // else an answer makes the next turn come
		o := p.next(now)
		if o.verb == rest {
			until = o.sent.mono
		} else {
			n.requests++
			n.work.Go(func() { n.request(work, i, o) })
		}
	}
	n.tell(work, i)
	if p.tenure != nil {
		until = min(until, now.mono+glance)
	}
	return until
}

// tellNext tells the user which partitions this node would have if their owners went, and of another process of its name.
func (n *Node) tellNext() {
	n.mu.Lock()
	isNew, ids, target := n.isNew, n.joined, n.target
	twice := n.twice && !n.told
	n.isNew, n.told = false, n.twice
	n.mu.Unlock()
	if isNew && n.o.Next != nil {
		n.o.Next(inLine(n.id, ids, target))
	}
	if twice && n.o.Namesake != nil {
		n.o.Namesake()
	}
}

// tell tells the user of a partition what its machine knows.
func (n *Node) tell(work context.Context, i int) {
	p := &n.parts[i]
	switch {
	case p.held && p.tenure == nil:
		t := newTenure(work, i, &p.machine, n.read)
		p.tenure = t
		n.work.Go(func() {
			n.o.Hold(t)
			n.returned(i)
		})
	case p.held:
		p.tenure.renewed(p.sent)
	case p.tenure != nil:
		p.tenure.end(p.why)
	}
	if p.tenure != nil && !p.want {
		p.tenure.ask()
	}
}

// returned takes in that Hold has returned.
func (n *Node) returned(i int) {
	n.mu.Lock()
	defer n.nudge()
	defer n.mu.Unlock()
	p := &n.parts[i]
	now := n.read()
	p.returned(now)
	p.tenure.end(p.why)
	if errors.Is(p.why, ErrReturned) && !p.tenure.leaving {
		p.resting = now.mono + n.o.Rest
	}
	p.tenure = nil
}

// request sends an order of a machine to the registry and brings it the answer.
func (n *Node) request(work context.Context, i int, o order) {
	ctx, cancel := context.WithTimeout(work, n.o.Patience)
	defer cancel()
	var val []byte
	var rev uint64
	var err error
	if o.verb == look {
		val, rev, err = n.reg.Get(ctx, ownKey(i))
	} else {
		rev, err = n.reg.CompareAndSet(ctx, ownKey(i), []byte(o.val), o.rev)
	}
	n.mu.Lock()
	defer n.nudge()
	defer n.mu.Unlock()
	n.requests--
	n.note(err)
	p := &n.parts[i]
	switch now := n.read(); {
	case o.verb == set && errors.Is(err, ErrConflict):
		p.refused(now)
	case err != nil:
		p.failed(now)
	case o.verb == look:
		p.found(now, string(val), rev)
	default:
		p.acknowledged(now, rev)
	}
	n.tell(work, i)
}

// note remembers the last error of the registry.
func (n *Node) note(err error) {
	if errors.Is(err, ErrConflict) {
		err = nil
	}
	n.err = err
}

// rebalance decides which partitions this node is to have, and returns when that may change by itself.
func (n *Node) rebalance(now reading) time.Duration {
	ids, until := n.members.joined(now.mono)
	if !slices.Equal(ids, n.joined) {
		n.joined, n.target, n.isNew = ids, spread(ids, len(n.parts)), true
	}
	in := slices.Contains(ids, n.id)
	moves := n.o.Moves
	for i := range n.parts {
		if t := n.parts[i].tenure; t != nil && t.leaving {
			moves--
		}
	}
	for i := range n.parts {
		p := &n.parts[i]
		want := p.val == n.id // while too little is known of the others: what it has
		if in {
			want = n.target[i] == n.id
		}
		if p.resting > now.mono {
			want, until = false, min(until, p.resting)
		}
		switch {
		case n.leaving:
			p.want = false
		case p.tenure != nil && p.tenure.leaving: // it was asked to return, and shall
		case want || !p.held:
			p.want = want
		case p.want && moves > 0:
			p.want = false
			moves--
		}
	}
	return until
}

// remains says what could not be handed over.
func (n *Node) remains() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	left := 0
	for i := range n.parts {
		if n.parts[i].val == n.id {
			left++
		}
	}
	if left == 0 {
		return nil
	}
	if n.err != nil {
		return fmt.Errorf("tenure: %d partitions could not be given back: %w", left, n.err)
	}
	return fmt.Errorf("tenure: %d partitions could not be given back", left)
}

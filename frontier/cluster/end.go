package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/frontier"
)

// endEvery is how often a node that has nothing to do looks whether the others have.
const endEvery = 500 * time.Millisecond

// waitEvery is how often it looks when nothing is to be done anywhere until a site becomes due: each look writes all marks.
const waitEvery = 10 * endEvery

// soon is what becomes due too early for a partition to be called quiet.
const soon = 5 * time.Second

// A mark is what the owner of a partition says of it in the register. A quiet partition has no lease out, no links to pass on, and
// nothing that is due soon; before that changes, its owner takes the mark back.
type mark struct {
	Quiet bool   `json:"quiet"`
	Epoch uint64 `json:"epoch"`
	Taken uint64 `json:"taken"`          // the place in the inbox up to which it has read
	Next  int64  `json:"next,omitempty"` // when a site becomes due, in milliseconds since 1970; 0 for never

	Totals frontier.Stats `json:"totals,omitzero"` // of a partition that is quiet

	revision uint64
	isKnown  bool // the register is known to have it
}

// A verdict says that all partitions were quiet at one moment: so they stay until a site becomes due, or links come from outside.
type verdict struct {
	next   time.Time // zero for never
	totals map[int]frontier.Stats
}

// reason returns why Lease need not wait; nil if it must.
func (v *verdict) reason(now time.Time, patience time.Duration) error {
	switch {
	case v == nil:
		return nil
	case v.next.IsZero():
		return frontier.ErrIdle
	case v.next.After(now.Add(patience)):
		return frontier.ErrWaiting
	}
	return nil
}

func markKey(id int) string { return fmt.Sprintf("quiet.%d", id) }

// wakeUp takes the mark of the partition back, if there is one.
func (p *partition) wakeUp(ctx context.Context) error {
	if err := p.lend.Acquire(ctx, 1); err != nil {
		return err
	}
	defer p.lend.Release(1)
	return p.wakeUpLocked(ctx)
}

func (p *partition) wakeUpLocked(ctx context.Context) error {
	if p.mark.isKnown && !p.mark.Quiet {
		return nil
	}
	p.node.mu.Lock()
	p.node.reviveLocked()
	p.node.mu.Unlock()
	return p.setMark(ctx, mark{Epoch: p.tenure.Epoch()})
}

// reviveLocked takes back that there is nothing to do, also from whoever is about to say so.
func (f *Frontier) reviveLocked() {
	f.end = nil
	f.revived++
}

// setMark writes a mark, whatever is there. Only the owner does, but for those who look whether it is still the same.
func (p *partition) setMark(ctx context.Context, m mark) error {
	value, err := json.Marshal(m)
	if err != nil {
		return err
	}
	b := p.node.opts.Brokers
	for {
		m.revision, err = b.CompareAndSet(ctx, markKey(p.id), value, p.mark.revision)
		if err == nil {
			m.isKnown = true
			p.mark = m
			return nil
		}
		p.mark.isKnown = false
		if ctx.Err() != nil || p.isLost() {
			return err
		}
		if !errors.Is(err, ErrConflict) {
			time.Sleep(retryEvery / 10)
		}
		if _, p.mark.revision, err = b.Get(ctx, markKey(p.id)); err != nil {
			return err
		}
	}
}

// callQuiet marks the partition if it is quiet, and reports whether it is.
func (p *partition) callQuiet(ctx context.Context) (bool, error) {
	if err := p.lend.Acquire(ctx, 1); err != nil {
		return false, err
	}
	defer p.lend.Release(1)
	f, taken := p.node, p.store.Taken() // first: what is taken in after this makes the partition busy
	f.mu.Lock()
	next, isBusy := p.next, p.stale || p.changes > 0 || p.leases > 0 || p.leaving
	isBusy = isBusy || !next.IsZero() && time.Until(next) <= min(f.patience, soon)
	f.mu.Unlock()
	if isBusy {
		return false, nil
	}
	links, _, err := p.store.Outgoing(ctx, 0, 1)
	if err != nil || len(links) > 0 {
		return false, err
	}
	m := mark{Quiet: true, Epoch: p.tenure.Epoch(), Taken: taken}
	if !next.IsZero() {
		m.Next = next.UnixMilli()
	}
	if p.mark.isKnown && p.mark.Quiet && p.mark.Taken == m.Taken && p.mark.Next == m.Next {
		return true, nil
	}
	if m.Totals, err = p.store.Stats(ctx); err != nil {
		return false, err
	}
	return true, p.setMark(ctx, m)
}

// look asks whether there is anything to wait for.
func (f *Frontier) look() {
	select {
	case f.kick <- struct{}{}:
	default:
	}
}

// watchEnd finds out when there is nothing left to do, on whatever node.
func (f *Frontier) watchEnd() {
	busy, isTold := 0, false // a partition that had something to do, and whether it was said that this cannot be found out
	for {
		select {
		case <-f.kick:
		case <-f.ctx.Done():
			return
		}
		f.mu.Lock()
		revived := f.revived
		f.mu.Unlock()
		v, err := f.judge(f.ctx, &busy)
		isFailed := err != nil && !errors.Is(err, ErrConflict) && f.ctx.Err() == nil
		if isFailed && !isTold {
			f.opts.Logger.Warn("look whether the crawl is at its end", zap.Error(err))
		}
		isTold = isFailed
		f.mu.Lock()
		if f.revived != revived || !f.isQuietLocked() {
			v = nil
		}
		if now := time.Now(); v.reason(now, f.patience) != nil && f.end.reason(now, f.patience) == nil {
			f.wakeLocked()
		}
		f.end = v
		rest := time.Duration(0)
		switch {
		case errors.Is(err, ErrConflict): // nodes that look at the same time get into each other's way
			rest = endEvery/10 + rand.N(endEvery/10)
		case v != nil && v.reason(time.Now(), f.patience) == nil:
			rest = min(waitEvery, time.Until(v.next))
		}
		f.mu.Unlock()
		if rest > 0 {
			pause(f.ctx, rest) // when ctx ends the select above sees it
		}
	}
}

func (f *Frontier) isQuietLocked() bool {
	for _, p := range f.owned {
		if p.stale || p.changes > 0 || p.leases > 0 {
			return false
		}
	}
	return true
}

// judge reads all marks, then how far all inboxes go, and then whether all marks are still there. If so all partitions were quiet
// at the moment in between: none of them had sent anything since its mark was read first, and all that was sent before had been
// read. That a mark is still there is told by writing it anew, as what is read may be out of date. It begins with the partition
// that was busy the last time.
func (f *Frontier) judge(ctx context.Context, busy *int) (*verdict, error) {
	for _, p := range f.partitions() {
		if isQuiet, err := p.callQuiet(ctx); !isQuiet || err != nil {
			return nil, ignoreLost(p, err)
		}
	}
	b := f.opts.Brokers
	marks, values := make([]mark, f.opts.Partitions), make([][]byte, f.opts.Partitions)
	v := &verdict{totals: map[int]frontier.Stats{}}
	for i := range marks {
		id := (*busy + i) % len(marks)
		m := &marks[id]
		var err error
		if values[id], m.revision, err = b.Get(ctx, markKey(id)); err != nil || m.revision == 0 {
			return nil, err
		}
		if err := json.Unmarshal(values[id], m); err != nil {
			return nil, fmt.Errorf("mark of partition %d: %w", id, err)
		}
		if !m.Quiet {
			*busy = id
			return nil, nil
		}
		if m.Totals != (frontier.Stats{}) { // not of an owner of an earlier version
			v.totals[id] = m.Totals
		}
		if next := time.UnixMilli(m.Next); m.Next != 0 && (v.next.IsZero() || next.Before(v.next)) {
			v.next = next
		}
	}
	for id := range marks {
		if last, err := b.Last(ctx, id); err != nil || last > marks[id].Taken {
			return nil, err
		}
	}
	for id := range marks {
		if _, err := b.CompareAndSet(ctx, markKey(id), values[id], marks[id].revision); err != nil {
			return nil, err
		}
	}
	return v, nil
}

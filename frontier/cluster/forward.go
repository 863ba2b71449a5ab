package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/frontier"
)

const (
	forwardAtOnce = 64          // commits of each partition
	forwardLeast  = time.Second // how long links to other partitions wait for company, at least
	forwardRate   = 128         // messages of links that a node sends in a second, about, while it keeps up

	forwardPatience = 10 * time.Second // for all messages of one turn
	answerPatience  = 5 * time.Second  // for brokers to answer anything
	blockedEvery    = 5 * time.Second  // how often a partition is tried that takes no links
)

// forwardEvery returns how long links to other partitions wait for company. It grows with the partitions, as each is sent a message
// of its own: so what a link costs the brokers does not grow with the nodes of a crawl, for which there are more of them.
func forwardEvery(partitions int) time.Duration {
	return max(forwardLeast, time.Duration(partitions)*time.Second/forwardRate)
}

// A backlog is how far the links of a partition to others were passed on. It is that of Frontier.forward, as is a blockade.
type backlog struct {
	read   uint64         // up to which they were, but for those that were left behind
	behind map[int]uint64 // after which they were not, by the partition they lead to, if that took none
}

// leave leaves the links to a partition behind that come after what was read.
func (b *backlog) leave(to int) {
	if _, ok := b.behind[to]; ok {
		return
	}
	if b.behind == nil {
		b.behind = make(map[int]uint64)
	}
	b.behind[to] = b.read
}

// passed returns up to which all links were passed on.
func (b *backlog) passed() uint64 {
	n := b.read
	for _, after := range b.behind {
		n = min(n, after)
	}
	return n
}

// A blockade says of partitions that take no links when they are tried again: as a rule their log is full, or lost. Links to the
// others do not wait for them.
type blockade map[int]time.Time

func (b blockade) has(to int) bool { return time.Now().Before(b[to]) }

// forward passes links to sites of other partitions on, those of all partitions of this node together: so there is one message at
// a time for each partition that links lead to, not for each pair.
func (f *Frontier) forward() {
	tick := time.NewTicker(forwardEvery(f.opts.Partitions))
	defer tick.Stop()
	blocked := make(blockade)
	for {
		if f.forwardSome(f.ctx, blocked) {
			continue
		}
		f.catchUp(f.ctx, blocked)
		select {
		case <-tick.C:
		case <-f.ctx.Done():
			return
		}
	}
}

// forwardSome passes links on, and reports whether there are many more.
func (f *Frontier) forwardSome(ctx context.Context, blocked blockade) (more bool) {
	upTo := make(map[*partition]uint64)
	var links []frontier.Link
	for _, p := range f.partitions() {
		some, last, err := p.store.Outgoing(ctx, p.out.read, forwardAtOnce)
		if f.isOver(p, err) || len(some) == 0 {
			continue
		}
		links, upTo[p] = append(links, some...), last
	}
	if len(links) == 0 {
		return false
	}
	failed, ok := f.send(ctx, f.place.split(links), blocked)
	if !ok {
		return false
	}
	for p, last := range upTo {
		for _, to := range failed {
			p.out.leave(to)
		}
		more = more || last-p.out.read >= forwardAtOnce
		p.out.read = last
		f.isOver(p, p.store.Passed(ctx, p.out.passed()))
	}
	f.look()
	return more
}

// send passes links on and returns the partitions that took none; ok is false when nothing can be said of any, as the brokers do
// not answer.
func (f *Frontier) send(ctx context.Context, by map[int][]frontier.Link, blocked blockade) (failed []int, ok bool) {
	for to := range by {
		if blocked.has(to) {
			failed = append(failed, to)
			delete(by, to)
		}
	}
	patience, cancel := context.WithTimeout(ctx, forwardPatience)
	defer cancel()
	errs := f.pass(patience, by)
	late := 0
	for to, err := range errs {
		failed = append(failed, to)
		if errors.Is(err, context.DeadlineExceeded) {
			late++
		}
	}
	if ctx.Err() != nil || late > 0 && late == len(by) && !f.isAnswered(ctx) {
		return nil, false // the node is being closed: whoever goes on with the partitions passes them on again
	}
	for to, err := range errs {
		if _, isKnown := blocked[to]; !isKnown {
			f.opts.Logger.Warn("a partition takes no links; those to it wait", zap.Int("partition", to), zap.Error(err))
		}
		blocked[to] = time.Now().Add(blockedEvery)
	}
	return failed, true
}

// isAnswered reports whether the brokers answer anything.
func (f *Frontier) isAnswered(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	_, _, err := f.opts.Brokers.Get(ctx, markKey(0))
	return err == nil
}

// catchUp passes on what was left behind to partitions that may take links again.
func (f *Frontier) catchUp(ctx context.Context, blocked blockade) {
	for _, p := range f.partitions() {
		before := len(p.out.behind)
		for to := range p.out.behind {
			if !blocked.has(to) && f.catchUpWith(ctx, p, to, blocked) {
				delete(p.out.behind, to)
				delete(blocked, to)
			}
		}
		if before > 0 {
			f.isOver(p, p.store.Passed(ctx, p.out.passed()))
			f.look()
		}
	}
}

// catchUpWith passes on what was left behind to one partition, and reports whether that is all of it.
func (f *Frontier) catchUpWith(ctx context.Context, p *partition, to int, blocked blockade) bool {
	for p.out.behind[to] < p.out.read {
		links, last, err := p.store.Outgoing(ctx, p.out.behind[to], forwardAtOnce)
		switch {
		case f.isOver(p, err):
			return false
		case len(links) == 0:
			return true
		}
		if mine := f.place.split(links)[to]; len(mine) > 0 {
			failed, ok := f.send(ctx, map[int][]frontier.Link{to: mine}, blocked)
			if !ok { // what others left behind for it would wait as long, and all else with that
				blocked[to] = time.Now().Add(blockedEvery)
			}
			if !ok || len(failed) > 0 {
				return false
			}
		}
		p.out.behind[to] = last
	}
	return true
}

// isOver reports whether a partition could not be used. The node fails with it unless it is not its owner any more.
func (f *Frontier) isOver(p *partition, err error) bool {
	if err != nil && f.ctx.Err() == nil && ignoreLost(p, err) != nil {
		f.fail(fmt.Errorf("partition %d: %w", p.id, err))
	}
	return err != nil
}

package chaos

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A Fault is something that happens to a node or to brokers.
type Fault int

// What can happen.
const (
	KillNode Fault = iota
	LoseState
	Leave
	FreezeNode
	Join
	KillBroker
	KillBrokers
	KillAllBrokers
	FreezeBroker
	StepClock // only if Run.StepClock is set
)

var faults = []struct {
	name string
	do   func(*Run, context.Context) error
}{
	KillNode:       {"kill -9 of a node, which comes again", (*Run).killNode},
	LoseState:      {"kill -9 of a node, which comes again without its partitions", (*Run).loseState},
	Leave:          {"SIGTERM of a node, which comes again", (*Run).leave},
	FreezeNode:     {"SIGSTOP of a node, beyond its lease", (*Run).freezeNode},
	Join:           {"one more node", (*Run).joinMore},
	KillBroker:     {"kill -9 of a broker", (*Run).killBroker},
	KillBrokers:    {"kill -9 of a broker, and of the next", (*Run).killBrokers},
	KillAllBrokers: {"kill -9 of all brokers", (*Run).killAllBrokers},
	FreezeBroker:   {"SIGSTOP of a broker", (*Run).freezeBroker},
	StepClock:      {"kill -9 of a node, which comes again with a clock that is set", (*Run).stepClock},
}

// draw draws a fault that can happen in the run.
func (r *Run) draw() Fault {
	n := len(faults)
	if r.StepClock == nil {
		n = int(StepClock)
	}
	return Fault(r.rand.IntN(n))
}

func (f Fault) String() string { return faults[f].name }

func (r *Run) oneNode() *node { return r.nodes[r.rand.IntN(len(r.nodes))] }

// oneKilled allows for what a node had under way, or not yet settled: that of 0.2 s.
func (r *Run) oneKilled() { r.again += 5 + min(2*r.Hosts, int(float64(r.Hosts)*0.2/r.Delay.Seconds())) }

// oneElection allows for what all nodes had under way when no lease was renewed in time, as may be when it is shorter than brokers
// take to elect another for the one that led the register.
func (r *Run) oneElection() {
	const longest = 15 * time.Second
	if r.Lease < longest {
		r.oneKilled()
	}
}

func (r *Run) killNode(ctx context.Context) error { return r.killFor(ctx, false) }

func (r *Run) loseState(ctx context.Context) error { return r.killFor(ctx, true) }

// stepClock sets the clock of a node, back or forward, before the node has asked for much, and so that the next owner of its
// partitions has another.
func (r *Run) stepClock(ctx context.Context) error {
	n := r.oneNode()
	r.oneKilled()
	n.kill()
	by := time.Duration(r.rand.IntN(2*7200)-7200) * time.Second
	r.unsure = true
	n.env = r.StepClock(r.upTo(r.Lease), by)
	if err := n.start(); err != nil {
		return err
	}
	return sleep(ctx, r.Lease)
}

func (r *Run) killFor(ctx context.Context, lose bool) error {
	n := r.oneNode()
	r.oneKilled()
	n.kill()
	if lose {
		if err := os.RemoveAll(filepath.Join(n.job(), "partitions")); err != nil {
			return err
		}
	}
	if err := sleep(ctx, r.upTo(2*r.Lease)); err != nil {
		return err
	}
	return n.start()
}

func (r *Run) leave(ctx context.Context) error {
	n := r.oneNode()
	n.leave()
	if err := sleep(ctx, r.upTo(r.Lease)); err != nil {
		return err
	}
	return n.start()
}

func (r *Run) freezeNode(ctx context.Context) error {
	n := r.oneNode()
	r.oneKilled()
	r.unsure = true
	return freeze(ctx, n.cmd.Process, r.Lease+r.upTo(r.Lease))
}

func (r *Run) joinMore(context.Context) error {
	if len(r.nodes) >= 2*r.Nodes {
		return nil
	}
	return r.join()
}

func (r *Run) killBroker(ctx context.Context) error {
	return r.killOneBroker(ctx, r.rand.IntN(len(r.brokers.Brokers)))
}

func (r *Run) killBrokers(ctx context.Context) error {
	one := r.rand.IntN(len(r.brokers.Brokers))
	for i := range r.brokers.Brokers {
		if err := r.killOneBroker(ctx, (one+i)%len(r.brokers.Brokers)); err != nil {
			return err
		}
		if err := sleep(ctx, 5*time.Second); err != nil { // it catches up with the others
			return err
		}
	}
	return nil
}

func (r *Run) killOneBroker(ctx context.Context, i int) error {
	r.oneElection()
	b := r.brokers.Brokers[i]
	b.Kill()
	if err := sleep(ctx, r.upTo(10*time.Second)); err != nil {
		return err
	}
	return b.Start()
}

// killAllBrokers takes away all brokers at once. What nodes fetch before they notice is fetched again when the brokers are away for
// long and its site is another node's then.
func (r *Run) killAllBrokers(ctx context.Context) error {
	out := span{from: time.Now()}
	r.brokers.Stop()
	d := r.upTo(2 * r.Lease)
	if d > r.Lease/2 {
		const most = 256 // pages that a node keeps until the brokers are there again
		r.again += min(most, r.web.Total()/10)
	}
	if err := sleep(ctx, d); err != nil {
		return err
	}
	for _, b := range slices.Backward(r.brokers.Brokers) {
		if err := b.Start(); err != nil {
			return err
		}
	}
	out.to = time.Now()
	r.outages = append(r.outages, out)
	return nil
}

func (r *Run) freezeBroker(ctx context.Context) error {
	r.oneElection()
	b := r.brokers.Brokers[r.rand.IntN(len(r.brokers.Brokers))]
	return freeze(ctx, b.Process(), r.upTo(2*r.Lease))
}

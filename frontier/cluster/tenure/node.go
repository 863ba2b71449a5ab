package tenure

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options say what New needs to know. All nodes of a cluster have the same Partitions and the same bounds.
type Options struct {
	Name       string // of this node, as configured: letters, digits, "-", "_", and "." between them; no other node has it
	Partitions int    // into how many the frontier is cut: at most MaxPartitions

	// Hold is called, in a goroutine of its own, when a tenure has begun. It returns when nothing is done under the tenure any
	// more and nothing will be: soon after Tenure.Context has ended, and, with its work brought to an end, after Tenure.Asked is
	// closed. The partition is not had again, nor given away, before. Who returns unasked does not want the partition for now:
	// this node lets it be for Rest.
	Hold func(*Tenure)

	// Next, if not nil, is called with the partitions that this node would have if their owners went, in order, whenever those have
	// changed, one call at a time. It does not block.
	Next func(partitions []int)

	// Namesake, if not nil, is called when another process that lives has the name of this one: it was heard a TTL after this one
	// began. One of the two has no partitions then. It does not block, and is called once.
	Namesake func()

	TTL      time.Duration // how long a register must not change for its owner to count as gone; default 20 s
	Margin   time.Duration // by how much sooner an owner stops; for clock rates and what dies slowly; default TTL/10, at least 2 s
	Renew    time.Duration // how often a tenure is renewed, and a heartbeat sent; default TTL/4
	Settle   time.Duration // how long a node must be there before partitions are spread over it; default TTL/2
	Patience time.Duration // how long an answer of the registry is waited for; default TTL/4
	Retry    time.Duration // how long after a request that failed the next one comes; default TTL/40
	Rest     time.Duration // how long a partition is let be that Hold gave back unasked; default TTL
	Sweep    time.Duration // after what silence the heartbeat of a node is deleted; default 10 TTL
	Moves    int           // how many partitions are given to other nodes at once; default 8
	Requests int           // how many requests to the registry are under way at once, besides heartbeats; default 16
}

// MaxPartitions bounds Options.Partitions.
const MaxPartitions = 4096

const (
	maxParts = 9  // of the name of a node
	maxPart  = 64 // bytes
)

// isName reports whether a node may be called so.
func isName(s string) bool {
	parts := strings.Split(s, ".")
	return len(parts) <= maxParts && !slices.ContainsFunc(parts, func(p string) bool {
		return p == "" || len(p) > maxPart || strings.ContainsFunc(p, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
		})
	})
}

func (o Options) withDefaults() (Options, error) {
	setTime := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	setTime(&o.TTL, 20*time.Second)
	setTime(&o.Margin, max(2*time.Second, o.TTL/10))
	setTime(&o.Renew, o.TTL/4)
	setTime(&o.Settle, o.TTL/2)
	setTime(&o.Patience, o.TTL/4)
	setTime(&o.Retry, o.TTL/40)
	setTime(&o.Rest, o.TTL)
	setTime(&o.Sweep, 10*o.TTL)
	o.Moves = cmp.Or(o.Moves, 8)
	o.Requests = cmp.Or(o.Requests, 16)
	switch {
	case !isName(o.Name):
		return o, fmt.Errorf("tenure: %q is no name for a node: up to %d parts with dots between them, each of letters, digits, "+
			"- and _, %d at most", o.Name, maxParts, maxPart)
	case o.Partitions < 1 || o.Partitions > MaxPartitions:
		return o, fmt.Errorf("tenure: %d partitions: between 1 and %d", o.Partitions, MaxPartitions)
	case o.Hold == nil:
		return o, errors.New("tenure: Options.Hold is missing")
	case o.Moves < 1 || o.Requests < 1 || o.Patience <= 0 || o.Retry <= 0 || o.Settle < 0 || o.Rest < 0:
		return o, errors.New("tenure: a bound is negative")
	case o.Margin < o.TTL/20 || o.Renew <= 0 || 2*o.Renew > o.TTL-o.Margin:
		return o, fmt.Errorf("tenure: a TTL of %v less a margin of %v leaves no room for two renewals, %v apart",
			o.TTL, o.Margin, o.Renew)
	case o.Sweep < 2*o.TTL:
		return o, fmt.Errorf("tenure: a sweep after %v would delete the heartbeats of nodes that live", o.Sweep)
	}
	return o, nil
}

// A Node is this process among those that share the partitions. It is safe for concurrent use.
type Node struct {
	reg  Registry
	o    Options
	id   string
	read func() reading
	wake chan struct{} // holds one token when there is something for the next turn
	work sync.WaitGroup

	mu       sync.Mutex // guards following
	ran      bool
	leaving  bool
	parts    []part
	members  members
	unheard  int      // own heartbeats that were acknowledged since one was seen
	joined   []string // as partitions were last spread
	target   []string // ids by partition
	isNew    bool     // joined and target, to Options.Next
	twice    bool     // another process has the name, too
	told     bool     // to Options.Namesake
	requests int      // under way
	err      error    // of the last request that failed; nil after one that did not
}

// A part is a partition as this node knows it.
type part struct {
	machine
	tenure  *Tenure       // whose Hold has not returned
	resting time.Duration // until when it is let be
}

// New returns a node with a random incarnation, which has nothing and wants nothing before Run.
func New(reg Registry, o Options) (*Node, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	n := &Node{
		reg: reg, o: o, id: o.Name + "." + strings.ToLower(rand.Text()), read: readClocks(), wake: make(chan struct{}, 1),
		parts: make([]part, o.Partitions),
	}
	n.members = members{n.id, &n.o, map[string]*member{}}
	b := &bounds{o.TTL, o.Margin, o.Renew, o.Retry}
	for p := range n.parts {
		n.parts[p].machine = machine{me: n.id, b: b}
	}
	return n, nil
}

// Run takes part until ctx ends, then hands everything over and returns. It waits for every Hold. The error says what it could
// not give back: that is taken over when its time is up. Run may be called once.
func (n *Node) Run(ctx context.Context) error {
	n.mu.Lock()
	ran := n.ran
	n.ran = true
	n.mu.Unlock()
	if ran {
		return errors.New("tenure: Run was called before")
	}
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	n.work.Go(func() { n.watch(work, ownPrefix, n.seePartition) })
	n.work.Go(func() { n.watch(work, nodePrefix, n.seeNode) })
	n.work.Go(func() { n.beat(ctx, work) })
	err := n.drive(ctx, work)
	stop()
	n.work.Wait()
	return err
}

// Keys of the registers.
const (
	ownPrefix  = "own."
	nodePrefix = "node."
)

func ownKey(partition int) string { return fmt.Sprintf("%s%04d", ownPrefix, partition) }

// OwnerOf returns the id of the node that a registry names as the owner of a partition; empty when there is none.
func OwnerOf(ctx context.Context, reg Registry, partition int) (id string, err error) {
	value, _, err := reg.Get(ctx, ownKey(partition))
	if err != nil || string(value) == free {
		return "", err
	}
	return string(value), nil
}

// partitionOf is the inverse of ownKey; ok is false for other keys and partitions there are not.
func (n *Node) partitionOf(key string) (p int, ok bool) {
	p, err := strconv.Atoi(strings.TrimPrefix(key, ownPrefix))
	return p, err == nil && p >= 0 && p < len(n.parts) && key == ownKey(p)
}

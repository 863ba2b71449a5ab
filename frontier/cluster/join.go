package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
	"github.com/cybermapper/cybermapper/frontier/cluster/tenure"
	"github.com/cybermapper/cybermapper/frontier/disk"
)

// JoinOptions say how a node takes part in a crawl at brokers.
type JoinOptions struct {
	// Node is the name of this node, which no other has.
	Node string
	// Stream says where the brokers are, and which crawl it is.
	Stream stream.Options
	// Tenure bounds how long a node that is silent counts as the owner of its partitions. Name, Partitions and what it
	// calls are set here.
	Tenure tenure.Options
	// Frontier is how partitions are kept. Node, Partitions, Secret, Brokers and Tenures are set here. Without Snapshots they are
	// kept at the brokers.
	Frontier Options
}

// A Member is a Frontier with its own connection to the brokers.
type Member struct {
	*Frontier
	name    string
	brokers *stream.Brokers
}

// Name returns the name of this node.
func (m *Member) Name() string { return m.name }

// Begun returns when the crawl began.
func (m *Member) Begun() time.Time { return m.brokers.Begun() }

// Join connects to the brokers, makes there what the crawl needs if nobody has, and begins to take part. ctx bounds the connecting.
// Options that cannot be are told before.
func Join(ctx context.Context, o JoinOptions) (*Member, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.Stream.Node = o.Node
	s, err := stream.Connect(ctx, o.Stream)
	if err != nil {
		return nil, err
	}
	m := &Member{name: o.Node, brokers: s}
	if m.Frontier, err = Open(o.at(s)); err != nil {
		s.Close()
		return nil, err
	}
	return m, nil
}

// check says what package tenure would refuse when the node has begun; how many partitions there may be package stream says.
func (o JoinOptions) check() error {
	t := o.Tenure
	t.Name, t.Partitions, t.Hold = o.Node, 1, func(*tenure.Tenure) {}
	_, err := tenure.New(nil, t)
	return err
}

// at returns the options of a frontier at brokers.
func (o JoinOptions) at(s *stream.Brokers) Options {
	t := o.Tenure
	t.Name, t.Partitions = o.Node, o.Stream.Partitions
	f := o.Frontier
	f.Node, f.Partitions, f.Secret, f.Brokers = o.Node, o.Stream.Partitions, s.Secret(), brokers{s}
	var r *reach
	if f.Logger != nil {
		r = &reach{logger: f.Logger}
		t.Namesake = func() {
			f.Logger.Error("another process is a node of the same name, and one of the two has no partitions: give each its own",
				zap.String("node", o.Node))
		}
	}
	if f.Tenures = (nodes{registry{s, r}, t}); f.Snapshots == nil {
		f.Snapshots = s.Objects()
	}
	return f
}

// Close gives all partitions back and ends the connection.
func (m *Member) Close() error {
	err := m.Frontier.Close()
	m.brokers.Close()
	return err
}

// brokers are the Brokers that package stream knows.
type brokers struct{ *stream.Brokers }

// Own implements Brokers.
func (b brokers) Own(ctx context.Context, partition int, epoch uint64) (disk.Log, error) {
	l, err := b.Brokers.Own(ctx, partition, epoch)
	if err != nil {
		return nil, err
	}
	return l, nil
}

// CompareAndSet implements Brokers.
func (b brokers) CompareAndSet(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	next, err := b.Brokers.CompareAndSet(ctx, key, value, revision)
	return next, translated(err, ErrConflict)
}

// translated makes an error of package stream one of another package.
func translated(err, conflict error) error {
	if errors.Is(err, stream.ErrConflict) {
		return fmt.Errorf("%w: %w", conflict, err)
	}
	return err
}

// A registry is the register of the brokers as package tenure knows it.
type registry struct {
	*stream.Brokers
	reach *reach
}

// CompareAndSet implements tenure.Registry.
func (r registry) CompareAndSet(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	begun := time.Now()
	next, err := r.Brokers.CompareAndSet(ctx, key, value, revision)
	r.reach.note(begun, err)
	return next, translated(err, tenure.ErrConflict)
}

// Delete implements tenure.Registry.
func (r registry) Delete(ctx context.Context, key string, revision uint64) error {
	return translated(r.Brokers.Delete(ctx, key, revision), tenure.ErrConflict)
}

// nodes are Tenures of nodes that share a registry.
type nodes struct {
	registry tenure.Registry
	options  tenure.Options
}

// Run implements Tenures.
func (n nodes) Run(ctx context.Context, own func(Tenure), next func(partitions []int)) error {
	o := n.options
	o.Hold, o.Next = func(t *tenure.Tenure) { own(t) }, next
	node, err := tenure.New(n.registry, o)
	if err != nil {
		return err
	}
	return node.Run(ctx)
}

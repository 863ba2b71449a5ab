package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/cybermapper/cybermapper/frontier/disk"
)

// Brokers keep what the nodes of a cluster share: for each partition a log of its owner and an inbox of links for it, both
// replicated; and a register of small values. Their methods are safe for concurrent use.
type Brokers interface {
	// Own returns the log of a partition for its owner of an epoch. From its return on no owner of an earlier epoch can append. The
	// log is of use until ctx ends.
	Own(ctx context.Context, partition int, epoch uint64) (disk.Log, error)

	// Replay calls f for the records of the log of a partition after a place, in order, up to where it ends at the time of the
	// call, for who does not own it. It returns the error of f, then at once.
	Replay(ctx context.Context, partition int, after uint64, f func(at uint64, record []byte) error) error

	// Send puts a message into the inbox of a partition and returns when a quorum has it on stable storage. Of two with one id,
	// which is not empty, sent within two minutes, one is kept.
	Send(ctx context.Context, partition int, id string, message []byte) error
	// Receive calls f for the messages of the inbox of a partition after a place, in order, and waits for more, until ctx ends or f
	// fails, whose error it returns.
	Receive(ctx context.Context, partition int, after uint64, f func(at uint64, message []byte) error) error
	// Last returns the place of the last message that the inbox of a partition ever got; 0 when it got none. It never misses one
	// whose Send has returned.
	Last(ctx context.Context, partition int) (uint64, error)

	// Trim forgets what the log of a partition has before the record at a place, and its inbox before another. The last of each
	// stays.
	Trim(ctx context.Context, partition int, log, inbox uint64) error
	// Extent returns the places of the first and the last message of a partition, of its log or its inbox, and how many bytes both
	// have, about.
	Extent(ctx context.Context, partition int) (first, last, bytes uint64, err error)
	// Recreate removes log and inbox of a partition and makes empty ones, whose first place comes after another.
	Recreate(ctx context.Context, partition int, after uint64) error

	// Get returns a value of the register and its revision, which may be out of date; revision 0 when there is none.
	Get(ctx context.Context, key string) (value []byte, revision uint64, err error)
	// CompareAndSet replaces a value if it is still of a revision, which is 0 when there shall be none. An error that wraps
	// ErrConflict says that it is not. After another error nobody knows.
	CompareAndSet(ctx context.Context, key string, value []byte, revision uint64) (uint64, error)

	// Serve answers the calls to a partition until ctx ends, many at a time.
	Serve(ctx context.Context, partition int, answer func(ctx context.Context, call []byte) []byte) error
	// Call asks the owner of a partition. It fails when none answers before ctx ends, or is there.
	Call(ctx context.Context, partition int, call []byte) ([]byte, error)
}

// ErrConflict says that a value of the register is not of the revision expected.
var ErrConflict = errors.New("cluster: the value was changed by another node")

// Tenures say which partitions a node owns.
type Tenures interface {
	// Run calls own, in a goroutine of its own, for each partition that this node comes to own, until ctx ends. When own returns
	// the partition is given back, for others to own at once. Run returns when all have been. It calls next with the partitions
	// that this node would own if their owners went, in order, whenever they have changed; next does not block, and
	// may be nil.
	Run(ctx context.Context, own func(Tenure), next func(partitions []int)) error
}

// A Tenure is the exclusive, expiring right to own a partition.
type Tenure interface {
	// Partition returns which it is.
	Partition() int
	// Epoch grows with each owner of the partition.
	Epoch() uint64
	// Context ends before the right can end.
	Context() context.Context
	// Valid reports whether the right holds now, however long this process was asleep.
	Valid() bool
	// Age returns how long ago the right was renewed.
	Age() time.Duration
	// Asked is closed when the partition should be given back, in good order.
	Asked() <-chan struct{}
}

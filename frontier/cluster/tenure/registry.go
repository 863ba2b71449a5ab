package tenure

import (
	"context"
	"errors"
)

// ErrConflict is what CompareAndSet returns when the register has another revision.
var ErrConflict = errors.New("tenure: the register has another revision")

// A Registry is a set of registers that all nodes share, such as a NATS JetStream key-value bucket. What this package needs of
// it, and all it needs:
//
//   - CompareAndSet is atomic and lasting: of several on one revision at most one takes place, and what it acknowledged is not
//     undone. It may take place long after its context ended, or its error was returned.
//   - Each change of a register gives it a revision that is greater than all it had before, a deletion too.
//   - Get and Watch show what was there at some time, none of it before it took place. They may be late, and Get may answer with
//     an older revision than the one before. Watch shows the last change sooner or later.
//   - Nobody else writes registers whose keys begin with "own." or "node.".
//
// Keys consist of letters, digits, "-", "_" and ".". Values are at most 100 bytes. Methods are safe for concurrent use and return
// soon after their context ends.
type Registry interface {
	// Get returns what a register holds, with its revision: 0 when there is none, or it was deleted.
	Get(ctx context.Context, key string) (val []byte, rev uint64, err error)

	// CompareAndSet writes a register that has revision rev, where 0 stands for one that does not exist, and returns its new
	// revision; ErrConflict, maybe wrapped, when it has another. After any other error it may have taken place or not.
	CompareAndSet(ctx context.Context, key string, val []byte, rev uint64) (newRev uint64, err error)

	// Delete removes a register that has revision rev; errors are those of CompareAndSet.
	Delete(ctx context.Context, key string, rev uint64) error

	// Watch calls see for each register whose key begins with prefix and then for each change, one call at a time. Of several
	// changes of one register only the last need be shown; val is nil for a deletion. It returns when ctx ends, or when it cannot
	// go on, with the reason, and will be called anew. see does not block.
	Watch(ctx context.Context, prefix string, see func(key string, val []byte, rev uint64)) error
}

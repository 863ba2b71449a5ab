package tenure

import (
	"context"
	"sync/atomic"
	"time"
)

// A Tenure is the exclusive, expiring, fenced right of this node to act for one partition. Its methods are safe for concurrent
// use and go on to answer when it has ended.
type Tenure struct {
	partition int
	epoch     uint64
	ctx       context.Context
	cancel    context.CancelCauseFunc
	asked     chan struct{}
	leaving   bool // asked is closed; guarded by Node.mu

	b    *bounds
	read func() reading
	sent atomic.Pointer[reading] // when the last acknowledged renewal was ordered; nil when the tenure has ended
}

func newTenure(ctx context.Context, partition int, m *machine, read func() reading) *Tenure {
	t := &Tenure{partition: partition, epoch: m.epoch, asked: make(chan struct{}), b: m.b, read: read}
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	t.renewed(m.sent)
	return t
}

// Partition returns the number of the partition.
func (t *Tenure) Partition() int { return t.partition }

// Epoch returns a number that is greater than that of every earlier tenure of the partition, whoever had it. Renewals do not
// change it.
func (t *Tenure) Epoch() uint64 { return t.epoch }

// Context ends before the right can end, unless the machine sleeps meanwhile: then it ends within a second of waking, and Valid
// is false at once. What is done under the tenure must use it. context.Cause then says ErrExpired, ErrTaken or ErrReturned.
func (t *Tenure) Context() context.Context { return t.ctx }

// Asked is closed when another node is to have the partition, or this one stops: Hold should bring its work to an end and
// return. Until it does the tenure is renewed as before. Asked need not be closed when Context ends.
func (t *Tenure) Asked() <-chan struct{} { return t.asked }

// Valid reads the clocks and says whether the right lasts. It is the last check before a byte is sent, and takes less than a
// microsecond. What is sent must take less than Options.Margin to arrive where it takes effect, or be fenced there.
func (t *Tenure) Valid() bool {
	sent := t.sent.Load()
	return sent != nil && t.b.valid(*sent, t.read())
}

// Age returns how long ago it was renewed; 0 when it has ended.
func (t *Tenure) Age() time.Duration {
	sent := t.sent.Load()
	if sent == nil {
		return 0
	}
	return sent.most(t.read())
}

// renewed takes in that the tenure lasts longer.
func (t *Tenure) renewed(sent reading) {
	if last := t.sent.Load(); last == nil || *last != sent {
		t.sent.Store(&sent)
	}
}

// end ends the tenure; a second call does nothing.
func (t *Tenure) end(why error) {
	t.sent.Store(nil)
	t.cancel(why)
}

// ask asks the user to return.
func (t *Tenure) ask() {
	if !t.leaving {
		t.leaving = true
		close(t.asked)
	}
}

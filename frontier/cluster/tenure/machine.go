package tenure

import (
	"errors"
	"time"
)

// Why a tenure ended; see Tenure.Context.
var (
	// ErrExpired says that no renewal was acknowledged before the deadline.
	ErrExpired = errors.New("tenure: not renewed in time")
	// ErrTaken says that the register names another owner, or none.
	ErrTaken = errors.New("tenure: the register was written by another")
	// ErrReturned says that Options.Hold returned.
	ErrReturned = errors.New("tenure: handed back")
)

// free is what the register of a partition holds that nobody has. The id of a node always has a dot.
const free = "free"

// never is a time that does not come.
const never = time.Duration(1<<63 - 1)

// A verb is what a machine wants done.
type verb uint8

const (
	rest verb = iota // nothing before order.sent.mono
	look             // read the register
	set              // compare-and-set it
)

// An order is a request to the registry, or to be asked again later.
type order struct {
	verb verb
	val  string  // set: what to write,
	rev  uint64  // on which revision
	sent reading // when it was given; for rest, when to ask again
}

// A machine is the protocol for one partition at one node. It is pure: it is told what was seen, and when, and says what to do.
// Whoever runs it calls next after every other call, sends what it orders and tells the answer, lets nobody act under a tenure
// that is not valid, and calls returned when nobody does any more.
type machine struct {
	me  string
	b   *bounds
	now reading // of the last call

	want bool // this node is to have the partition

	held  bool    // a tenure began and has not ended
	busy  bool    // its user has not returned
	why   error   // why it ended; nil when it has not
	epoch uint64  // the revision it began with
	sent  reading // when the last acknowledged renewal was ordered

	known bool   // the register was seen
	val   string // what it held; empty when it did not exist
	rev   uint64
	since reading // when that revision was seen first

	out   order   // what was ordered and is not answered
	tried reading // when the last order was given
	stale bool    // there is a newer revision: an order was refused
	pause bool    // the last order failed, or brought nothing new
}

// bounds are those of Options that the protocol knows.
type bounds struct{ ttl, margin, renew, retry time.Duration }

// valid says whether a tenure whose last acknowledged renewal was ordered at sent lasts.
func (b *bounds) valid(sent, now reading) bool {
	return sent.most(now) < b.ttl-b.margin
}

// valid says whether this node may act for the partition.
func (m *machine) valid(now reading) bool { return m.held && m.b.valid(m.sent, now) }

// expire ends the tenure at its deadline. Every call begins with it.
func (m *machine) expire(now reading) {
	m.now = now
	if m.held && !m.valid(now) {
		m.held, m.why = false, ErrExpired
	}
}

// observe takes in that the register held val at revision rev at some time not after now. It says whether that is new.
func (m *machine) observe(now reading, val string, rev uint64) bool {
	m.expire(now)
	if m.known && rev <= m.rev {
		return false
	}
	m.known, m.val, m.rev, m.since = true, val, rev, now
	m.stale, m.pause = false, false
	if m.held && val != m.me {
		m.held, m.why = false, ErrTaken
	}
	return true
}

// acknowledged takes in that the set ordered last has made revision rev.
func (m *machine) acknowledged(now reading, rev uint64) {
	o := m.out
	m.out = order{}
	m.observe(now, o.val, rev)
	switch {
	case rev != m.rev || o.val != m.me: // not the last word, or a release
	case m.held:
		m.sent = o.sent
	case m.want && !m.busy && m.b.valid(o.sent, now):
		m.held, m.busy, m.why, m.epoch, m.sent = true, true, nil, rev, o.sent
	}
}

// found takes in the answer to the look ordered last.
func (m *machine) found(now reading, val string, rev uint64) {
	m.out, m.stale = order{}, false
	m.pause = !m.observe(now, val, rev)
}

// refused takes in that the set ordered last met another revision.
func (m *machine) refused(now reading) {
	m.expire(now)
	m.stale = m.rev == m.out.rev
	m.out = order{}
}

// failed takes in that nobody knows what became of the order given last.
func (m *machine) failed(now reading) {
	m.expire(now)
	m.out, m.pause = order{}, true
}

// returned takes in that nobody acts under the tenure any more.
func (m *machine) returned(now reading) {
	m.expire(now)
	if m.held {
		m.why = ErrReturned
	}
	m.held, m.busy = false, false
}

// next says what to do now. Until an order is answered there is no other.
func (m *machine) next(now reading) order {
	m.expire(now)
	if m.out.verb != rest {
		return m.wait(never)
	}
	o := m.choose()
	if o.verb == rest {
		return o
	}
	if again := m.tried.mono + m.b.retry; m.pause && now.mono < again {
		return m.wait(again)
	}
	o.sent, m.tried, m.pause = now, now, false
	m.out = o
	return o
}

// choose picks what is to be done, whenever.
func (m *machine) choose() order {
	mine := m.known && m.val == m.me
	switch {
	case m.held && m.now.mono < m.sent.mono+m.b.renew:
		return m.wait(m.sent.mono + m.b.renew)
	case m.busy && !m.held, !m.want && !mine:
		return m.wait(never)
	case !m.want && !m.held && m.since.least(m.now) >= m.b.ttl: // it is mine, and who wants it need not wait any more
		return m.wait(never)
	case !m.known || m.stale:
		return order{verb: look}
	case m.held, mine && m.want, m.val == free, m.rev == 0:
		return m.write(m.me)
	case mine:
		return m.write(free)
	}
	return m.besiege()
}

// besiege waits for a silent owner's tenure to end: a whole TTL from when the revision was seen first.
func (m *machine) besiege() order {
	left := m.b.ttl - m.since.least(m.now)
	if left <= 0 {
		return m.write(m.me)
	}
	poll := max(m.tried.mono, m.since.mono) + m.b.renew // in case the watch is deaf
	if m.now.mono >= poll {
		return order{verb: look}
	}
	return m.wait(min(poll, m.now.mono+left))
}

func (m *machine) write(val string) order { return order{verb: set, val: val, rev: m.rev} }

// wait orders rest until the monotonic clock shows until, or until the tenure ends.
func (m *machine) wait(until time.Duration) order {
	if m.held {
		until = min(until, m.sent.mono+m.b.ttl-m.b.margin)
	}
	return order{sent: reading{mono: until}}
}

package tenure

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"time"
)

// A world is a register, a fenced log, and some nodes with the machine that is shipped, the user of its tenures, its clocks and
// what of it is on the wire. It is a value: a copy is another world. A tick is a nanosecond.
type world struct {
	now     int // true time, which nobody knows
	reg     record
	past    record // what the register held before: an answer that is late, or stale
	log     fencedLog
	nodes   [3]worldNode
	clocks  int          // how often they did what clocks should not do
	late    [2]request   // sets that nobody waits for any more and that may yet take place
	lateLog [1]logAppend // likewise
}

type record struct {
	val string
	rev uint64
}

type request struct {
	val string
	rev uint64
}

// A fencedLog accepts an append only when the writer knows the last record.
type fencedLog struct {
	seq  int
	last logAppend
	top  uint64 // the highest epoch announced
}

type logAppend struct {
	epoch    uint64
	announce bool // an epoch record; else what the owner did
	after    int  // the last sequence the writer knows
}

// A wire says where a request is.
type wire uint8

const (
	nowhere wire = iota
	sentOut
	accepted
	rejected
)

type worldNode struct {
	m     machine
	lives int // restarts
	drift int // by how much its clock is ahead of the true time
	clock reading

	wire    wire // of m.out
	wireRev uint64

	// the user of a tenure, and his request to the log
	user    userState
	epoch   uint64
	expect  int
	logWire wire
	logSeq  int
}

type userState uint8

const (
	away     userState = iota
	reading_           // must learn the last record
	announce           // its epoch record is under way
	open               // may append
	append_            // an append is under way
	fenced             // was told that there is another
)

// A setting says what may happen in a world.
type setting struct {
	nodes    int
	b        bounds
	drift    int // by how many ticks the clocks of two nodes may come apart
	restarts int // of each node
	late     int // requests that may take place after nobody waits for them
	stale    bool
	log      bool
	clocks   int // how often a wall clock is set or a machine sleeps
	mutant   mutant
}

// A mutant is a mistake in the protocol. Its functions change what the shipped machine did right.
type mutant struct {
	name         string
	b            func(*bounds)
	acknowledged func(m *machine, now reading)                  // after it
	observed     func(m *machine, before machine, now reading)  // after it
	next         func(m *machine, now reading)                  // before it
	returned     func(w *world, i int)                          // before the machine's
	valid        func(m *machine, now reading) (valid, is bool) // instead of it
	oneID        bool                                           // of all nodes
	noFence      bool
	noEpoch      bool // who takes over does not look at the epoch of the last record
}

var ids = [3][3]string{{"a.0", "a.1", "a.2"}, {"b.0", "b.1", "b.2"}, {"c.0", "c.1", "c.2"}}

func newWorld(s *setting) world {
	var w world
	for i := range s.nodes {
		w.nodes[i].m = machine{me: ids[i][0], b: &s.b}
		if s.mutant.oneID {
			w.nodes[i].m.me = ids[0][0]
		}
	}
	return w
}

// An action is one thing that happens: what, to which node, and how.
type action struct{ kind, node, arg uint8 }

const (
	actTick uint8 = iota
	actStep
	actDeliver
	actAnswer
	actTimeout
	actWatch
	actLate
	actCrash
	actReturn
	actLog
	actLogDeliver
	actLogAnswer
	actLogTimeout
	actLogLate
	actWall
	actSleep
)

var (
	errOverlap = errors.New("two nodes hold valid tenures")
	errUnread  = errors.New("the log took a record of an owner after the epoch record of a later one, who will not have read it")
)

// actions lists what may happen; some of it may change nothing.
func (s *setting) actions() []action {
	var all []action
	add := func(kind uint8, args int) {
		for i := range s.nodes {
			for a := range args {
				all = append(all, action{kind, uint8(i), uint8(a)})
			}
		}
	}
	ticks := 1
	for range s.nodes {
		ticks *= s.drift + 1
	}
	for a := range ticks {
		all = append(all, action{actTick, 0, uint8(a)})
	}
	views := 1
	if s.stale {
		views = 2
	}
	add(actStep, 2)
	add(actDeliver, 1)
	add(actAnswer, views)
	add(actTimeout, 1)
	add(actWatch, views)
	for k := range s.late {
		all = append(all, action{actLate, 0, uint8(k)})
	}
	if s.restarts > 0 {
		add(actCrash, 1)
	}
	add(actReturn, 1)
	if s.log {
		add(actLog, 1)
		add(actLogDeliver, 1)
		add(actLogAnswer, 1)
		add(actLogTimeout, 1)
		all = append(all, action{actLogLate, 0, 0})
	}
	if s.clocks > 0 {
		add(actWall, 2)
		add(actSleep, 1)
	}
	return all
}

// do makes an action happen; it returns false when it cannot, and an error when it must not.
func (s *setting) do(w *world, a action) (bool, error) {
	n := &w.nodes[a.node]
	switch a.kind {
	case actTick:
		s.tick(w, int(a.arg))
	case actStep: // args are whether the node is to have the partition
		n.m.want = a.arg == 1
		s.step(w, n)
	case actDeliver:
		if n.m.out.verb != set || n.wire != sentOut {
			return false, nil
		}
		if !w.set(n.m.out.val, n.m.out.rev) {
			n.wire = rejected
			break
		}
		n.wire, n.wireRev = accepted, w.reg.rev
	case actAnswer:
		return s.answer(w, n, int(a.arg))
	case actTimeout:
		if n.m.out.verb == rest {
			return false, nil
		}
		w.forget(s, n)
		n.m.failed(n.clock)
	case actWatch:
		r := w.view(int(a.arg))
		if r.rev == 0 || n.m.known && r.rev <= n.m.rev {
			return false, nil
		}
		s.observe(n, func() { n.m.observe(n.clock, r.val, r.rev) })
	case actLate:
		l := w.late[a.arg]
		if l.val == "" || !w.set(l.val, l.rev) {
			return false, nil
		}
		w.late[a.arg] = request{}
	case actCrash:
		if n.lives >= s.restarts {
			return false, nil
		}
		s.crash(w, int(a.node))
	case actReturn:
		if !n.m.busy {
			return false, nil
		}
		s.giveBack(w, int(a.node))
	case actWall, actSleep:
		if w.clocks >= s.clocks {
			return false, nil
		}
		w.clocks++
		if a.kind == actWall {
			n.clock.wall += 10 * time.Duration(1-2*int(a.arg))
			break
		}
		for range s.b.ttl { // the monotonic clock does not count them
			s.tick(w, w.drifts(s))
			n.clock.mono--
		}
	default:
		return s.doLog(w, n, a)
	}
	return true, s.check(w)
}

func (s *setting) check(w *world) error {
	valid := 0
	for i := range s.nodes {
		if s.valid(&w.nodes[i]) {
			valid++
		}
	}
	if valid > 1 {
		return errOverlap
	}
	return nil
}

func (s *setting) valid(n *worldNode) bool {
	if s.mutant.valid != nil {
		if v, is := s.mutant.valid(&n.m, n.clock); is {
			return v
		}
	}
	return n.m.valid(n.clock)
}

// tick lets a tick of true time pass, in which each clock advances such that it is then ahead as arg says.
func (s *setting) tick(w *world, arg int) {
	w.now++
	for i := range s.nodes {
		n := &w.nodes[i]
		d := arg % (s.drift + 1)
		arg /= s.drift + 1
		by := time.Duration(1 + d - n.drift)
		n.drift = d
		n.clock.mono += by
		n.clock.boot += by
		n.clock.wall += by
	}
}

// drifts is the arg with which tick leaves all drifts as they are.
func (w *world) drifts(s *setting) int {
	arg := 0
	for i := s.nodes - 1; i >= 0; i-- {
		arg = arg*(s.drift+1) + w.nodes[i].drift
	}
	return arg
}

func (s *setting) step(w *world, n *worldNode) {
	if s.mutant.next != nil {
		s.mutant.next(&n.m, n.clock)
	}
	if o := n.m.next(n.clock); o.verb != rest {
		n.wire, n.wireRev = sentOut, 0
		if o.verb == set && o.rev != w.reg.rev {
			n.wire = rejected
		}
	}
}

// answer brings a node what became of its order.
func (s *setting) answer(w *world, n *worldNode, view int) (bool, error) {
	switch {
	case n.m.out.verb == look:
		r := w.view(view)
		if view > 0 && r.rev == w.reg.rev {
			return false, nil
		}
		s.observe(n, func() { n.m.found(n.clock, r.val, r.rev) })
	case n.m.out.verb == rest || view > 0:
		return false, nil
	case n.wire == accepted:
		held := n.m.held
		s.observe(n, func() { n.m.acknowledged(n.clock, n.wireRev) })
		if s.mutant.acknowledged != nil {
			s.mutant.acknowledged(&n.m, n.clock)
		}
		if n.m.held && !held {
			n.user, n.epoch = reading_, n.m.epoch
		}
	case n.wire == rejected:
		n.m.refused(n.clock)
	default:
		return false, nil
	}
	n.wire, n.wireRev = nowhere, 0
	return true, s.check(w)
}

func (s *setting) observe(n *worldNode, f func()) {
	before := n.m
	f()
	if s.mutant.observed != nil {
		s.mutant.observed(&n.m, before, n.clock)
	}
}

func (s *setting) giveBack(w *world, i int) {
	n := &w.nodes[i]
	if s.mutant.returned != nil {
		s.mutant.returned(w, i)
	}
	w.forgetLog(s, n)
	n.user, n.epoch, n.expect = away, 0, 0
	n.m.returned(n.clock)
}

func (s *setting) crash(w *world, i int) {
	n := &w.nodes[i]
	if n.m.out.verb != rest {
		w.forget(s, n)
	}
	w.forgetLog(s, n)
	lives := n.lives + 1
	*n = worldNode{m: machine{me: ids[i][lives], b: &s.b, want: n.m.want}, lives: lives, drift: n.drift, clock: n.clock}
}

// view returns the register as it is, or as it was.
func (w *world) view(arg int) record {
	if arg == 0 {
		return w.reg
	}
	return w.past
}

// set is the registry's compare-and-set.
func (w *world) set(val string, rev uint64) bool {
	if rev != w.reg.rev {
		return false
	}
	w.past = w.reg
	w.reg = record{val, rev + 1}
	for i := range w.nodes {
		if n := &w.nodes[i]; n.wire == sentOut && n.m.out.verb == set {
			n.wire = rejected // as it will be when it gets there
		}
	}
	for i := range w.late {
		if w.late[i].rev != w.reg.rev {
			w.late[i] = request{} // it can never take place
		}
	}
	return true
}

// forget makes nobody wait for the order of a node. It may still be on its way.
func (w *world) forget(s *setting, n *worldNode) {
	o := n.m.out
	if r := (request{o.val, o.rev}); o.verb == set && n.wire == sentOut && o.rev == w.reg.rev && !slices.Contains(w.late[:], r) {
		for k := range s.late {
			if w.late[k].val == "" {
				w.late[k] = r
				break
			}
		}
	}
	n.wire, n.wireRev = nowhere, 0
}

// doLog does what has to do with the log.
func (s *setting) doLog(w *world, n *worldNode, a action) (bool, error) {
	switch a.kind {
	case actLog: // what the user does next; he may have looked whether he may before he froze
		switch {
		case n.user == reading_ && w.log.last.epoch > n.epoch && !s.mutant.noEpoch:
			n.user = fenced
		case n.user == reading_:
			n.user, n.expect, n.logWire = announce, w.log.seq, sentOut
		case n.user == open:
			n.user, n.logWire = append_, sentOut
		default:
			return false, nil
		}
	case actLogDeliver:
		if n.logWire != sentOut {
			return false, nil
		}
		ok, err := s.append(w, logAppend{n.epoch, n.user == announce, n.expect})
		n.logWire, n.logSeq = rejected, 0
		if ok {
			n.logWire, n.logSeq = accepted, w.log.seq
		}
		return true, err
	case actLogAnswer:
		switch {
		case n.logWire == accepted:
			n.user, n.expect = open, n.logSeq
		case n.logWire == rejected && n.user == announce:
			n.user = reading_
		case n.logWire == rejected:
			n.user = fenced
		default:
			return false, nil
		}
		n.logWire, n.logSeq = nowhere, 0
	case actLogTimeout: // the same record is sent again; the first may yet arrive
		if n.logWire == nowhere {
			return false, nil
		}
		user, expect := n.user, n.expect
		w.forgetLog(s, n)
		n.user, n.expect, n.logWire = user, expect, sentOut
	case actLogLate:
		l := w.lateLog[0]
		if l.epoch == 0 {
			return false, nil
		}
		w.lateLog[0] = logAppend{}
		_, err := s.append(w, l)
		return true, err
	}
	return true, nil
}

// append appends a record if its writer knows the last one, or if it is that.
func (s *setting) append(w *world, a logAppend) (bool, error) {
	switch {
	case w.log.last == a:
		return true, nil
	case a.after != w.log.seq && !s.mutant.noFence:
		return false, nil
	case a.epoch < w.log.top:
		return true, errUnread
	}
	w.log.seq++
	w.log.last = a
	w.log.top = max(w.log.top, a.epoch)
	return true, nil
}

// forgetLog makes nobody wait for the append of a node.
func (w *world) forgetLog(s *setting, n *worldNode) {
	if n.logWire == sentOut && (n.expect == w.log.seq || s.mutant.noFence) {
		w.lateLog[0] = logAppend{n.epoch, n.user == announce, n.expect}
	}
	n.logWire, n.logSeq = nowhere, 0
}

// orders are the ways to number nodes: worlds that differ in nothing else have the same key.
var orders = [][][]int{2: {{0, 1}, {1, 0}}, 3: {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}}

// key tells worlds apart that can have different futures: of times only what has passed counts, up to the longest time that
// anybody waits for; of revisions and epochs how they compare, where anybody compares them; and no field that nobody will read.
func (s *setting) key(w *world, buf *[2][]byte) []byte {
	least := s.keyIn(w, orders[s.nodes][0], buf[0][:0])
	other := buf[1]
	if !s.mutant.oneID {
		for _, order := range orders[s.nodes][1:] {
			if other = s.keyIn(w, order, other[:0]); bytes.Compare(other, least) < 0 {
				least, other = other, least
			}
		}
	}
	*buf = [2][]byte{least, other}
	return least
}

func (s *setting) keyIn(w *world, order []int, b []byte) []byte {
	b = append(appendName(b, w.reg.val, order), flags(w.reg.rev == 0), byte(w.clocks))
	if s.stale {
		b = append(appendName(b, w.past.val, order), flags(w.past.rev == 0))
	}
	for _, l := range w.late { // they are on the present revision
		b = appendName(b, l.val, order)
	}
	for _, i := range order {
		b = append(b, 0xff)
		b = s.nodeKey(w, &w.nodes[i], order, b)
	}
	if s.log {
		b = s.logKey(w, order, b)
	}
	return b
}

func (s *setting) nodeKey(w *world, n *worldNode, order []int, b []byte) []byte {
	m := &n.m
	age := func(r reading, longest time.Duration) {
		b = append(b, byte(min(n.clock.boot-r.boot, longest)))
		if w.clocks > 0 {
			b = append(b, byte(min(n.clock.mono-r.mono, longest)), byte(min(n.clock.wall-r.wall, longest)))
		}
	}
	mutated := time.Duration(0)
	if s.mutant.name != "" {
		mutated = s.b.margin
	}
	wanted := m.want && !m.busy && m.out.verb == set // else a step decides anew
	b = append(b, byte(n.lives), byte(n.drift), byte(m.out.verb), flags(wanted, m.held, m.busy, m.known, m.stale, m.pause))
	if s.mutant.name != "" {
		b = append(b, flags(s.valid(n)))
	}
	b = appendName(b, m.val, order)
	b = append(b, compared(m.rev, w.reg.rev))
	if s.stale {
		b = append(b, compared(m.rev, w.past.rev))
	}
	foreign := m.known && m.rev != 0 && m.val != m.me && m.val != free
	if foreign || m.val == m.me && !m.held {
		age(m.since, s.b.ttl)
	}
	if m.pause || foreign && m.tried.mono > m.since.mono {
		age(m.tried, s.b.renew)
	}
	if m.held || s.mutant.name != "" {
		age(m.sent, s.b.ttl-s.b.margin+mutated)
	}
	if m.out.verb == set {
		b = append(appendName(b, m.out.val, order), byte(n.wire), compared(m.out.rev, m.rev))
		age(m.out.sent, s.b.ttl-s.b.margin)
		if n.wire == accepted {
			b = append(b, compared(n.wireRev, m.rev))
		}
	}
	return b
}

func (s *setting) logKey(w *world, order []int, b []byte) []byte {
	var epochs [12]uint64
	all := append(epochs[:0], w.log.top, w.log.last.epoch, w.lateLog[0].epoch)
	for i := range s.nodes {
		all = append(all, w.nodes[i].epoch, w.nodes[i].wireRev)
	}
	slices.Sort(all)
	rank := func(r uint64) byte {
		k, _ := slices.BinarySearch(all, r)
		return byte(k)
	}
	entry := func(a logAppend) {
		b = append(b, rank(a.epoch), flags(a.announce), byte(min(w.log.seq-a.after, 3)))
	}
	b = append(b, 0xff, rank(w.log.top))
	entry(w.log.last)
	entry(w.lateLog[0])
	for _, i := range order {
		n := &w.nodes[i]
		b = append(b, byte(n.user), byte(n.logWire), byte(min(w.log.seq-n.expect, 3)), byte(min(w.log.seq-n.logSeq, 3)),
			rank(n.epoch), rank(n.wireRev))
	}
	return b
}

func appendName(b []byte, val string, order []int) []byte {
	switch val {
	case "":
		return append(b, 0)
	case free:
		return append(b, 1)
	}
	return append(b, byte(2+slices.Index(order, int(val[0]-'a'))), val[2])
}

func compared(a, b uint64) byte { return byte(1 + cmp.Compare(a, b)) }

func flags(set ...bool) byte {
	var b byte
	for i, f := range set {
		if f {
			b |= 1 << i
		}
	}
	return b
}

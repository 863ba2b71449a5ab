package tenure

import (
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
)

// An explorer visits every world that a setting can lead to, breadth first, so that what it finds is as short as can be.
type explorer struct {
	s       *setting
	most    int // worlds
	actions []action
	seeds   [2]maphash.Seed
	known   map[[2]uint64]struct{}
	steps   []step // by number of the world
}

// A step is how a world was come to first.
type step struct {
	from int32
	by   action
}

type found struct {
	worlds   int
	depth    int  // actions from the beginning
	complete bool // there are no others
	err      error
	trace    string // what led to err
}

func (s *setting) explore(most int) found {
	if s.mutant.b != nil {
		s.mutant.b(&s.b)
	}
	e := &explorer{
		s: s, most: most, actions: s.actions(), seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
		known: map[[2]uint64]struct{}{},
	}
	level := []world{newWorld(s)}
	numbers := []int32{0}
	var buf [2][]byte
	e.isNew(s.key(&level[0], &buf))
	e.steps = append(e.steps, step{from: -1})
	f := found{worlds: 1}
	for len(level) > 0 {
		var next []world
		var nextNumbers []int32
		for k := range level {
			if err := s.settles(&level[k]); err != nil {
				f.err, f.trace = err, e.trace(numbers[k], nil)
				return f
			}
			w, touched := level[k], false
			for _, a := range e.actions {
				if touched {
					w = level[k]
				}
				ok, err := s.do(&w, a)
				touched = ok
				if err != nil {
					f.err, f.trace = err, e.trace(numbers[k], &a)
					return f
				}
				if !ok {
					continue
				}
				if !e.isNew(s.key(&w, &buf)) {
					continue
				}
				if len(e.steps) >= most {
					return f
				}
				nextNumbers = append(nextNumbers, int32(len(e.steps)))
				e.steps = append(e.steps, step{numbers[k], a})
				next = append(next, w)
			}
		}
		f.worlds = len(e.steps)
		if len(next) > 0 {
			f.depth++
		}
		level, numbers = next, nextNumbers
	}
	f.complete = true
	return f
}

// isNew says whether a key is met for the first time. Two that share 128 bits are taken for one.
func (e *explorer) isNew(key []byte) bool {
	h := [2]uint64{maphash.Bytes(e.seeds[0], key), maphash.Bytes(e.seeds[1], key)}
	if _, ok := e.known[h]; ok {
		return false
	}
	e.known[h] = struct{}{}
	return true
}

// trace tells how a world came about, and what happened last.
func (e *explorer) trace(number int32, last *action) string {
	var path []action
	for k := number; k > 0; k = e.steps[k].from {
		path = append(path, e.steps[k].by)
	}
	slices.Reverse(path)
	if last != nil {
		path = append(path, *last)
	}
	var t strings.Builder
	w := newWorld(e.s)
	for _, a := range path {
		what := e.s.describe(&w, a)
		_, _ = e.s.do(&w, a)
		fmt.Fprintf(&t, "%3d  %-58s %s\n", w.now, what, e.s.show(&w))
	}
	return t.String()
}

func (s *setting) describe(w *world, a action) string {
	n := &w.nodes[a.node]
	me := n.m.me
	switch a.kind {
	case actTick:
		return "a tick"
	case actStep:
		c := n.m
		c.want = a.arg == 1
		if s.mutant.next != nil {
			s.mutant.next(&c, n.clock)
		}
		if o := c.next(n.clock); o.verb == look {
			return me + " asks for the register"
		} else if o.verb == set {
			return fmt.Sprintf("%s asks to write %q on revision %d", me, o.val, o.rev)
		}
		return fmt.Sprintf("%s looks at its clocks, wants it: %v", me, c.want)
	case actDeliver:
		return fmt.Sprintf("the registry gets %s's %q on %d", me, n.m.out.val, n.m.out.rev)
	case actAnswer:
		if n.m.out.verb == look {
			r := w.view(int(a.arg))
			return fmt.Sprintf("%s is told that %d is %q", me, r.rev, r.val)
		}
		return fmt.Sprintf("%s gets the answer", me)
	case actTimeout:
		return me + " gives up waiting for the answer"
	case actWatch:
		r := w.view(int(a.arg))
		return fmt.Sprintf("%s sees that %d is %q", me, r.rev, r.val)
	case actLate:
		return fmt.Sprintf("the registry gets a late %q on %d", w.late[a.arg].val, w.late[a.arg].rev)
	case actCrash:
		return me + " crashes and starts anew"
	case actReturn:
		return me + "'s user returns"
	case actLog:
		return me + "'s user goes on with the log"
	case actLogDeliver:
		return fmt.Sprintf("the log gets a record of epoch %d after %d from %s", n.epoch, n.expect, me)
	case actLogAnswer:
		return me + "'s user gets the answer of the log"
	case actLogTimeout:
		return me + "'s user sends the record again"
	case actLogLate:
		return fmt.Sprintf("the log gets a late record of epoch %d after %d", w.lateLog[0].epoch, w.lateLog[0].after)
	case actWall:
		return me + "'s wall clock is set"
	case actSleep:
		return "a tick, in which " + me + " sleeps"
	}
	return "?"
}

// show tells what is registered, what the nodes think, and how their clocks stand.
func (s *setting) show(w *world) string {
	t := fmt.Sprintf("| %q at %d", w.reg.val, w.reg.rev)
	for i := range s.nodes {
		n := &w.nodes[i]
		t += fmt.Sprintf(" | %s %+d", n.m.me, n.drift)
		if s.valid(n) {
			t += " valid"
		}
	}
	return t
}

// settles says whether, if all faults stop here, any node that alone wants the partition gets it, within a bounded time, and can
// append to the log.
func (s *setting) settles(start *world) error {
	if s.mutant.name != "" {
		return nil // the shipped protocol's affair
	}
	for i := range s.nodes {
		w := *start
		n := &w.nodes[i]
		// What was on the wire is answered; then another's tenure has its time, and a failed request its pause.
		limit := w.now + int(s.b.ttl+2*s.b.retry) + s.drift + 8
		for !n.m.valid(n.clock) || s.log && n.user != open {
			if w.now > limit {
				return fmt.Errorf("%s wants it, nobody else does, and does not get it: %s", n.m.me, s.show(&w))
			}
			if err := s.calm(&w, i); err != nil {
				return err
			}
			s.tick(&w, w.drifts(s))
		}
	}
	return nil
}

// calm makes everything happen that does when nothing goes wrong and only one wants the partition, until only time can bring more.
func (s *setting) calm(w *world, who int) error {
	for more := true; more; {
		more = false
		for k := range s.nodes {
			n := &w.nodes[k]
			do := func(kind uint8, arg int) (err error) {
				ok, err := s.do(w, action{kind, uint8(k), uint8(arg)})
				more = more || ok && kind != actStep
				return err
			}
			want := 0
			if k == who {
				want = 1
			}
			err := errors.Join(do(actDeliver, 0), do(actAnswer, 0), do(actWatch, 0), do(actStep, want))
			more = more || n.m.out.verb != rest
			if n.m.busy && (!n.m.held || !n.m.want || n.user == fenced) {
				err = errors.Join(err, do(actReturn, 0))
			}
			if s.log {
				err = errors.Join(err, do(actLogDeliver, 0), do(actLogAnswer, 0))
			}
			if s.log && n.user != open {
				err = errors.Join(err, do(actLog, 0))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

package tenure

import (
	"errors"
	"testing"
	"time"
)

// What cannot be given back is let be when nobody waits for it any more: Run must end.
func TestMachine_CannotGiveBack(t *testing.T) {
	m := machine{me: "a.1", b: &bounds{ttl: 20 * time.Second, margin: 2 * time.Second, renew: 5 * time.Second, retry: time.Second}}
	at := func(s int) reading { d := time.Duration(s) * time.Second; return reading{d, d, d} }
	m.observe(at(1), m.me, 7)
	if o := m.next(at(2)); o.verb != set || o.val != free {
		t.Fatalf("ordered %+v, want the register to be given back", o)
	}
	m.refused(at(3))
	for s := 4; s < 40; s++ {
		switch o := m.next(at(s)); {
		case o.verb == look && s < 21:
			m.failed(at(s))
		case o.verb != rest:
			t.Fatalf("ordered %+v after %d s", o, s)
		}
	}
}

// A tenure begins and goes on only by an acknowledgement that is in time.
func TestMachine_LateAcknowledgement(t *testing.T) {
	b := &bounds{ttl: 20 * time.Second, margin: 2 * time.Second, renew: 5 * time.Second, retry: time.Second}
	at := func(s int) reading { d := time.Duration(s) * time.Second; return reading{d, d, d} }
	claim := func() *machine {
		m := &machine{me: "a.1", b: b, want: true}
		m.observe(at(0), free, 1)
		m.next(at(0))
		return m
	}
	m := claim()
	if m.acknowledged(at(18), 2); m.held {
		t.Error("a tenure begins that is over")
	}
	m = claim()
	m.want = false
	if m.acknowledged(at(1), 2); m.held {
		t.Error("a tenure begins that nobody wants any more")
	}
	m = claim()
	m.acknowledged(at(1), 2)
	m.next(at(15))
	if m.acknowledged(at(19), 3); m.held || m.valid(at(19)) {
		t.Error("a tenure that has ended goes on, or another begins while its user is busy")
	}
	m.returned(at(20))
	m.next(at(20))
	if m.acknowledged(at(21), 4); !m.valid(at(21)) || m.epoch != 4 {
		t.Errorf("no new tenure after the user returned: %+v", m)
	}
	if m.observe(at(22), "b.1", 5); m.held || !errors.Is(m.why, ErrTaken) {
		t.Error("a tenure goes on that another has taken")
	}
}

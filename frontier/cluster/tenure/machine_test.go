package tenure

import (
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

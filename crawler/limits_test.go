package crawler

import (
	"context"
	"net/netip"
	"testing"
	"testing/synctest"
)

func TestBudget_NeverMoreThanAskedFor(t *testing.T) {
	b := newBudget(Limits{Pages: 3}, 1, 0)
	for range 2 {
		if !b.reserve() {
			t.Fatal("two of three pages are left, but cannot be reserved")
		}
	}
	if b.reserve() {
		t.Fatal("a third page was reserved where two are left")
	}
	ok, end, changed := b.room()
	if ok || end != "" {
		t.Fatalf("room with all reserved = %v, %q; want to wait", ok, end)
	}
	b.settle(false, 10)
	select {
	case <-changed:
	default:
		t.Error("giving a reservation back was not told")
	}
	b.settle(true, 10)
	if !b.reserve() {
		t.Fatal("a page that was given back cannot be reserved")
	}
	b.settle(true, 10)
	if ok, end, _ := b.room(); ok || end != EndPages {
		t.Errorf("room after the last page = %v, %q; want max-pages", ok, end)
	}
}

func TestBudget_Bytes(t *testing.T) {
	b := newBudget(Limits{Bytes: 100}, 0, 0)
	b.reserve()
	b.settle(true, 100)
	if ok, end, _ := b.room(); ok || end != EndBytes {
		t.Errorf("room = %v, %q; want max-bytes", ok, end)
	}
}

func TestAddressGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newAddressGate(2)
		a, b := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
		leave1, _ := g.enter(t.Context(), a)
		leave2, _ := g.enter(t.Context(), a)
		if !g.busy(a) || g.busy(b) {
			t.Errorf("busy(a) = %v, busy(b) = %v; want true, false", g.busy(a), g.busy(b))
		}
		entered := make(chan func(), 1)
		go func() {
			leave, _ := g.enter(t.Context(), a)
			entered <- leave
		}()
		synctest.Wait()
		select {
		case <-entered:
			t.Fatal("a third request entered an address with two slots")
		default:
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := g.enter(ended, a); err == nil {
			t.Error("enter with an ended context: no error")
		}
		leave1()
		(<-entered)()
		leave2()
		if len(g.slots) != 0 {
			t.Errorf("%d addresses are remembered after the last request, want none", len(g.slots))
		}
	})
}

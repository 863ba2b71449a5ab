package crawler

import (
	"context"
	"net/netip"
	"testing"
	"testing/synctest"
)

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

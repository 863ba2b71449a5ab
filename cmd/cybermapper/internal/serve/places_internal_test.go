package serve

import (
	"testing"
	"testing/synctest"
	"time"
)

// Ensure that who finds all places taken waits for one, but not longer than is allowed.
func TestPlaces_Await(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlaces(1)
		leave, ok := p.take()
		if !ok {
			t.Fatal("no place is free at first")
		}
		began := time.Now()
		if _, ok := p.await(t.Context(), 2*time.Second); ok || time.Since(began) != 2*time.Second {
			t.Errorf("ok %v after %v, want none after 2s", ok, time.Since(began))
		}
		time.AfterFunc(time.Second, leave)
		began = time.Now()
		leave, ok = p.await(t.Context(), 2*time.Second)
		if !ok || time.Since(began) != time.Second {
			t.Errorf("ok %v after %v, want a place after 1s", ok, time.Since(began))
		}
		leave()
	})
}

package crawler

import (
	"sync"
	"testing"
	"testing/synctest"
)

func TestCrew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(2)
		var mu sync.Mutex
		calls := 0
		for round := range 3 {
			hold := make(chan struct{})
			for range 5 { // all at once, however few wait
				c.Go(func() {
					<-hold
					mu.Lock()
					defer mu.Unlock()
					calls++
				})
			}
			close(hold)
			synctest.Wait()
			if want := 5 * (round + 1); calls != want {
				t.Errorf("%d calls, want %d", calls, want)
			}
			if len(c.waiting) != 2 {
				t.Errorf("%d goroutines wait for more, want 2", len(c.waiting))
			}
		}
		ended := false
		c.Go(func() { ended = true })
		c.end()
		if !ended {
			t.Error("a function was still being called at the end")
		}
	})
}

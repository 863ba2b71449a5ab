package fetch

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Whatever many bodies claim in whatever order, all complete, the pool is never overdrawn, and at the end all is free.
// A deadlock fails the bubble.
func TestMemory_AllBodiesComplete(t *testing.T) {
	for seed := range uint64(50) {
		synctest.Test(t, func(t *testing.T) {
			const reserve = 1000
			rnd := rand.New(rand.NewPCG(seed, 1))
			m := newMemory(reserve+int64(rnd.IntN(3000)), reserve)
			total := m.free
			var wg sync.WaitGroup
			for range 40 {
				claims := make([]int64, 1+rnd.IntN(5))
				for i := range claims {
					claims[i] = 1 + rnd.Int64N(reserve/int64(len(claims)))
				}
				wg.Go(func() { live(t, m, claims) })
			}
			wg.Wait()
			if m.free != total || m.borrower != nil || len(m.queue) != 0 {
				t.Errorf("seed %d: %d of %d free at the end, borrower %v, %d waiting", seed, m.free, total, m.borrower, len(m.queue))
			}
		})
	}
}

// live is the life of a body that makes these claims.
func live(t *testing.T, m *memory, claims []int64) {
	s := &share{memory: m}
	var sum int64
	for _, n := range claims {
		if err := s.claim(t.Context(), nil, n); err != nil {
			t.Error(err)
		}
		sum += n
		time.Sleep(time.Second)
		m.mu.Lock()
		if m.free < 0 || m.borrower != s && s.held != sum || m.borrower == s && s.held != 0 {
			t.Errorf("%d free, body holds %d of %d, borrower %v", m.free, s.held, sum, m.borrower == s)
		}
		m.mu.Unlock()
	}
	s.settle(sum / 2)
	time.Sleep(time.Second)
	s.release()
	s.release()
}

func TestMemory_ServesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(100, 0)
		first, borrower := &share{memory: m}, &share{memory: m}
		first.claim(t.Context(), nil, 100)
		borrower.claim(t.Context(), nil, 1)
		var order []int64
		for _, n := range []int64{100, 1} {
			s := &share{memory: m}
			go func() {
				s.claim(t.Context(), nil, n)
				order = append(order, n)
				s.release()
			}()
			synctest.Wait()
		}
		if late := (&share{memory: m}); late.try(1) {
			t.Error("a newcomer overtook the queue")
		}
		first.release()
		synctest.Wait()
		if len(order) != 2 || order[0] != 100 {
			t.Errorf("served %v, want the larger claim first, which came first", order)
		}
	})
}

func TestMemory_WithdrawnClaimLetsOthersPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(100, 0)
		first, borrower := &share{memory: m}, &share{memory: m}
		first.claim(t.Context(), nil, 50)
		borrower.claim(t.Context(), nil, 60)
		ctx, cancel := context.WithCancelCause(t.Context())
		gaveUp := errors.New("gave up")
		var big error
		go func() { big = (&share{memory: m}).claim(ctx, nil, 90) }()
		synctest.Wait()
		small := false
		go func() { small = (&share{memory: m}).claim(t.Context(), nil, 10) == nil }()
		synctest.Wait()
		if small {
			t.Fatal("the later claim overtook the earlier one")
		}
		cancel(gaveUp)
		synctest.Wait()
		if !errors.Is(big, gaveUp) || !small {
			t.Errorf("withdrawn claim: %v, later claim granted: %v", big, small)
		}
	})
}

func TestMemory_PrepaidClaimsDoNotWait(t *testing.T) {
	m := newMemory(100, 0)
	s, borrower := &share{memory: m}, &share{memory: m}
	if err := s.prepay(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	borrower.try(1)
	if !s.try(60) || !s.try(40) || s.try(1) {
		t.Error("a prepaid share did not get just what it had paid for")
	}
	s.settle(30)
	if m.free != 70 {
		t.Errorf("%d free after settling for 30 of 100", m.free)
	}
}

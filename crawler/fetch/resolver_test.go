package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cybermapper/cybermapper/crawler/fetch"
)

var someAddr = netip.MustParseAddr("192.0.2.7")

// A names answers lookups in a test and counts them.
type names struct {
	takes time.Duration
	err   error
	asked atomic.Int32
}

func (n *names) lookup(ctx context.Context, _ string) ([]netip.Addr, error) {
	n.asked.Add(1)
	select {
	case <-time.After(n.takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if n.err != nil {
		return nil, n.err
	}
	return []netip.Addr{someAddr}, nil
}

// resolve runs test with a resolver over n in a bubble.
func resolve(t *testing.T, n *names, o fetch.ResolverOptions, test func(t *testing.T, r *fetch.Resolver)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if o.Lookup == nil {
			o.Lookup = n.lookup
		}
		r := fetch.NewResolver(o)
		defer r.Close()
		test(t, r)
	})
}

func TestResolver_RemembersAnswers(t *testing.T) {
	for _, test := range []struct {
		err error
		ttl time.Duration
	}{{nil, 10 * time.Minute}, {&net.DNSError{IsNotFound: true}, time.Minute}} {
		n := &names{err: test.err}
		resolve(t, n, fetch.ResolverOptions{}, func(t *testing.T, r *fetch.Resolver) {
			for _, host := range []string{"a.test", "A.Test", "a.test."} {
				if _, err := r.Lookup(t.Context(), host); !errors.Is(err, test.err) {
					t.Errorf("Lookup(%s): %v, want %v", host, err, test.err)
				}
			}
			time.Sleep(test.ttl - 1)
			r.Lookup(t.Context(), "a.test")
			if got := n.asked.Load(); got != 1 {
				t.Errorf("asked %d times within %v, want once", got, test.ttl)
			}
			time.Sleep(time.Nanosecond)
			r.Lookup(t.Context(), "a.test")
			if got := n.asked.Load(); got != 2 {
				t.Errorf("asked %d times after %v, want twice", got, test.ttl)
			}
		})
	}
}

func TestResolver_AsksOnceForMany(t *testing.T) {
	n := &names{takes: time.Second}
	resolve(t, n, fetch.ResolverOptions{}, func(t *testing.T, r *fetch.Resolver) {
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if addrs, err := r.Lookup(t.Context(), "a.test"); err != nil || addrs[0] != someAddr {
					t.Errorf("got %v, %v", addrs, err)
				}
			})
		}
		wg.Wait()
		if got := n.asked.Load(); got != 1 {
			t.Errorf("asked %d times, want once", got)
		}
	})
}

func TestResolver_AnswersLiteralsAtOnce(t *testing.T) {
	n := &names{}
	resolve(t, n, fetch.ResolverOptions{}, func(t *testing.T, r *fetch.Resolver) {
		r.Close()
		for _, host := range []string{"192.0.2.7", "::ffff:192.0.2.7"} {
			if addrs, err := r.Lookup(t.Context(), host); err != nil || addrs[0] != someAddr {
				t.Errorf("Lookup(%s) = %v, %v", host, addrs, err)
			}
		}
		if n.asked.Load() != 0 {
			t.Error("asked for a literal")
		}
	})
}

func TestResolver_GoesOnWhenTheCallerLeaves(t *testing.T) {
	n := &names{takes: 5 * time.Second}
	resolve(t, n, fetch.ResolverOptions{}, func(t *testing.T, r *fetch.Resolver) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.Lookup(ctx, "slow.test"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the context's", err)
		}
		time.Sleep(5 * time.Second)
		start := time.Now()
		if _, err := r.Lookup(t.Context(), "slow.test"); err != nil || time.Since(start) != 0 || n.asked.Load() != 1 {
			t.Errorf("error %v after %v and %d lookups, want an answer from memory", err, time.Since(start), n.asked.Load())
		}
	})
}

// A burst of names that do not resolve stalls nobody else.
func TestResolver_DeadNamesHoldUpNobody(t *testing.T) {
	lookup := func(ctx context.Context, host string) ([]netip.Addr, error) {
		if host == "good.test" {
			return []netip.Addr{someAddr}, nil
		}
		<-ctx.Done() // no name server answers
		return nil, ctx.Err()
	}
	resolve(t, nil, fetch.ResolverOptions{Lookup: lookup}, func(t *testing.T, r *fetch.Resolver) {
		start := time.Now()
		var wg sync.WaitGroup
		for i := range 500 {
			wg.Go(func() {
				if _, err := r.Lookup(t.Context(), fmt.Sprintf("dead%d.test", i)); err == nil {
					t.Error("a dead name has an address")
				}
			})
		}
		synctest.Wait()
		if _, err := r.Lookup(t.Context(), "good.test"); err != nil || time.Since(start) != 0 {
			t.Errorf("good name: %v after %v, want at once", err, time.Since(start))
		}
		wg.Wait()
		if took := time.Since(start); took != 10*time.Second {
			t.Errorf("dead names took %v, want 10s", took)
		}
	})
}

func TestResolver_KeepsToItsConcurrency(t *testing.T) {
	var now, most atomic.Int32
	lookup := func(context.Context, string) ([]netip.Addr, error) {
		most.Store(max(most.Load(), now.Add(1)))
		time.Sleep(time.Second)
		now.Add(-1)
		return []netip.Addr{someAddr}, nil
	}
	resolve(t, nil, fetch.ResolverOptions{Lookup: lookup, Concurrency: 3}, func(t *testing.T, r *fetch.Resolver) {
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() { r.Lookup(t.Context(), fmt.Sprint("h", i)) })
		}
		wg.Wait()
		if most.Load() != 3 {
			t.Errorf("%d lookups at once, want 3", most.Load())
		}
	})
}

func TestResolver_KeepsToItsEntries(t *testing.T) {
	n := &names{}
	resolve(t, n, fetch.ResolverOptions{MaxEntries: 10}, func(t *testing.T, r *fetch.Resolver) {
		for i := range 100 {
			r.Lookup(t.Context(), fmt.Sprint("h", i))
		}
		n.asked.Store(0)
		for i := range 100 {
			r.Lookup(t.Context(), fmt.Sprint("h", i))
		}
		if got := n.asked.Load(); got < 90 {
			t.Errorf("asked for %d of 100 names again, want at least 90 with room for 10", got)
		}
	})
}

func TestResolver_NoAddressIsAnError(t *testing.T) {
	lookup := func(context.Context, string) ([]netip.Addr, error) { return nil, nil }
	resolve(t, nil, fetch.ResolverOptions{Lookup: lookup}, func(t *testing.T, r *fetch.Resolver) {
		var e *net.DNSError
		if _, err := r.Lookup(t.Context(), "empty.test"); !errors.As(err, &e) || !e.IsNotFound {
			t.Errorf("error %v, want not found", err)
		}
	})
}

func TestResolver_CloseEndsLookups(t *testing.T) {
	n := &names{takes: 9 * time.Second}
	resolve(t, n, fetch.ResolverOptions{Concurrency: 1}, func(t *testing.T, r *fetch.Resolver) {
		start := time.Now()
		var wg sync.WaitGroup
		for _, host := range []string{"running.test", "queued.test"} {
			wg.Go(func() {
				if _, err := r.Lookup(t.Context(), host); err == nil {
					t.Errorf("%s has an address", host)
				}
			})
		}
		synctest.Wait()
		r.Close()
		r.Close()
		wg.Wait()
		if _, err := r.Lookup(t.Context(), "new.test"); !errors.Is(err, fetch.ErrClosed) {
			t.Errorf("error %v after Close, want %v", err, fetch.ErrClosed)
		}
		if time.Since(start) != 0 {
			t.Errorf("Close took %v", time.Since(start))
		}
	})
}

package frontiertest

import (
	"errors"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

func closePromises() []promise {
	return []promise{
		{"Lease.Close/twice does nothing", leaseCloseTwice},
		{"Lease.Close/ends the context", leaseCloseContext},
		{"Lease.Close/makes the lease useless", leaseCloseUseless},
		{"Close/makes everything useless", closeAll},
		{"Close/twice returns nil", closeTwice},
		{"Close/wakes those who wait", closeWakes},
		{"Close/a request may end after it", closeDone},
	}
}

func leaseCloseTwice(r *run) {
	r.queue("http://a/1", "http://b/1")
	l := r.lease("")
	r.close(l)
	r.close(l)
	other, again := r.lease(""), r.lease("")
	r.close(l) // it is not l's any more
	r.stats(frontier.Stats{Known: 2, Queued: 2, Sites: 2, Leased: 2})
	r.close(other)
	r.close(again)
	r.stats(frontier.Stats{Known: 2, Queued: 2, Sites: 2})
}

func leaseCloseContext(r *run) {
	l := r.leased()
	if err := l.Context().Err(); err != nil {
		r.Fatalf("the context of a lease has ended: %v", err)
	}
	r.close(l)
	if l.Context().Err() == nil {
		r.Error("the context of a closed lease has not ended")
	}
}

func leaseCloseUseless(r *run) {
	l := r.leased()
	r.close(l)
	if e, ok, err := l.Next(r.ctx); err == nil {
		r.Errorf("Next of a closed lease = %s, %v, want an error", e.URL, ok)
	}
	if err := l.SetPolicy(r.ctx, frontier.SitePolicy{Failures: 1}); err == nil {
		r.Error("SetPolicy of a closed lease, want an error")
	}
	l.Yield(time.Now().Add(time.Hour)) // too late
	if again := r.lease("a"); again.Info().Policy.Failures != 0 {
		r.Error("a closed lease has set the policy")
	}
}

func closeAll(r *run) {
	r.queue("http://a/1", "http://a/2")
	l := r.lease("a")
	e := r.next(l, "http://a/1")
	if err := r.f.Close(); err != nil {
		r.Fatalf("Close: %v", err)
	}
	if l.Context().Err() == nil {
		r.Error("the context of the lease has not ended")
	}
	for name, call := range map[string]func() error{
		"Add":             func() error { _, err := r.f.Add(r.ctx, Links(r, "http://a/3")); return err },
		"Lease":           func() error { _, err := r.f.Lease(r.ctx, 0); return err },
		"Lookup":          func() error { _, err := r.f.Lookup(r.ctx, e.URL); return err },
		"Sites":           func() error { _, err := sites(r.ctx, r.f); return err },
		"Site":            func() error { _, _, err := r.f.Site(r.ctx, "a"); return err },
		"Stats":           func() error { _, err := r.f.Stats(r.ctx); return err },
		"Lease.Next":      func() error { _, _, err := l.Next(r.ctx); return err },
		"Lease.Permit":    func() error { _, err := l.Permit(r.ctx, "a"); return err },
		"Lease.SetPolicy": func() error { return l.SetPolicy(r.ctx, frontier.SitePolicy{}) },
		"Lease.Settle": func() error {
			_, err := l.Settle(r.ctx, frontier.Outcome{Entry: e, Status: frontier.Done})
			return err
		},
	} {
		if err := call(); !errors.Is(err, frontier.ErrClosed) {
			r.Errorf("%s after Close: %v, want %v", name, err, frontier.ErrClosed)
		}
	}
	if l.Site() != "a" || l.Info().Site != "a" {
		r.Errorf("after Close the lease is of %q, %q", l.Site(), l.Info().Site)
	}
	l.Yield(time.Now())
	if err := l.Close(); err != nil && !errors.Is(err, frontier.ErrClosed) {
		r.Errorf("close the lease after Close: %v", err)
	}
}

func closeTwice(r *run) {
	for range 2 {
		if err := r.f.Close(); err != nil {
			r.Errorf("Close: %v", err)
		}
	}
}

func closeWakes(r *run) {
	l, g := r.asking()
	lease := r.leaseLater(r.ctx, 0)
	permit := r.permitLater(r.ctx, l, "a")
	if err := r.f.Close(); err != nil {
		r.Fatalf("Close: %v", err)
	}
	for name, c := range map[string]<-chan result{"Lease": lease, "Permit": permit} {
		if res := r.returns(c, name); !errors.Is(res.err, frontier.ErrClosed) {
			r.Errorf("%s: %v, want %v", name, res.err, frontier.ErrClosed)
		}
	}
	g.Done(0)
}

func closeDone(r *run) {
	_, g := r.asking()
	if err := r.f.Close(); err != nil {
		r.Fatalf("Close: %v", err)
	}
	g.Done(r.unit)
}

package memory

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// A Frontier keeps a crawl in memory. Make one with New. It is safe for concurrent use.
type Frontier struct {
	mu          sync.Mutex // guards all below, and all sites and records
	urls        map[frontier.URL]*record
	sites       map[string]*site
	schedule    schedule
	serial      uint64        // the ID of the youngest entry
	prioritized bool          // some link has a priority
	leases      int           // out now
	changed     chan struct{} // closed and replaced when Lease should look again
	closed      chan struct{} // closed by Close
}

var _ frontier.Frontier = (*Frontier)(nil)

// New returns an empty frontier.
func New() *Frontier {
	return &Frontier{
		urls:    make(map[frontier.URL]*record),
		sites:   make(map[string]*site),
		changed: make(chan struct{}),
		closed:  make(chan struct{}),
	}
}

// Add implements frontier.Frontier. A link without URL is an error, and then no link is added.
func (f *Frontier) Add(ctx context.Context, links []frontier.Link) (frontier.AddResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.usableLocked(ctx); err != nil {
		return frontier.AddResult{}, err
	}
	if err := checkLinks(links); err != nil {
		return frontier.AddResult{}, err
	}
	return f.addLocked(links), nil
}

func checkLinks(links []frontier.Link) error {
	for i := range links {
		if links[i].URL.IsZero() {
			return fmt.Errorf("frontier: add link %d of %d: no URL", i+1, len(links))
		}
	}
	return nil
}

func (f *Frontier) addLocked(links []frontier.Link) (added frontier.AddResult) {
	now := time.Now()
	for _, l := range links {
		r := f.urls[l.URL]
		if r != nil && (!l.Force || r.waits()) {
			added.Known++
			continue
		}
		if r == nil {
			r = &record{site: f.siteLocked(l.URL.Site())}
			r.site.links++
			f.urls[l.URL] = r
		}
		added.New++
		f.serial++
		f.prioritized = f.prioritized || l.Priority != 0
		l.Priority = min(max(l.Priority, -frontier.MaxPriority), frontier.MaxPriority)
		l.Hops, l.State = append([]frontier.URL(nil), l.Hops...), bytes.Clone(l.State)
		r.site.count(r.info.Status, -1)
		r.info = frontier.Info{
			Status: frontier.Queued,
			Entry:  frontier.Entry{Link: l, ID: f.serial, Added: now},
			Depth:  l.Depth,
		}
		r.site.count(frontier.Queued, +1)
		r.site.enqueue(r, now)
		f.rescheduleLocked(r.site)
	}
	return added
}

// siteLocked returns the site of that name, known or new.
func (f *Frontier) siteLocked(name string) *site {
	s := f.sites[name]
	if s == nil {
		s = newSite(name)
		f.sites[name] = s
	}
	return s
}

// Lookup implements frontier.Frontier. A URL never added is Unknown, and no error.
func (f *Frontier) Lookup(ctx context.Context, u frontier.URL) (frontier.Info, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.usableLocked(ctx); err != nil {
		return frontier.Info{}, err
	}
	if r := f.urls[u]; r != nil {
		return r.describe(), nil
	}
	return frontier.Info{Entry: frontier.Entry{Link: frontier.Link{URL: u}}}, nil
}

// Site implements frontier.Frontier.
func (f *Frontier) Site(ctx context.Context, site string) (frontier.SiteInfo, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.usableLocked(ctx); err != nil {
		return frontier.SiteInfo{}, false, err
	}
	if s := f.sites[site]; s != nil && s.links > 0 {
		return s.describe(), true, nil
	}
	return frontier.SiteInfo{}, false, nil
}

// Sites implements frontier.Frontier. It shows the sites as they were when the iteration began.
func (f *Frontier) Sites(ctx context.Context) iter.Seq2[frontier.SiteInfo, error] {
	return all(ctx, f.siteInfos)
}

// all iterates over what list returns.
func all[T any](ctx context.Context, list func(context.Context) ([]T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		found, err := list(ctx)
		if err != nil {
			yield(none, err)
			return
		}
		for _, v := range found {
			if err := ctx.Err(); err != nil {
				yield(none, err)
				return
			}
			if !yield(v, nil) {
				return
			}
		}
	}
}

func (f *Frontier) siteInfos(ctx context.Context) ([]frontier.SiteInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.usableLocked(ctx); err != nil {
		return nil, err
	}
	infos := make([]frontier.SiteInfo, 0, len(f.sites))
	for _, s := range f.sites {
		if s.links > 0 {
			infos = append(infos, s.describe())
		}
	}
	return infos, nil
}

// Returns implements frontier.Frontier. It shows what was remembered when the iteration began.
func (f *Frontier) Returns(ctx context.Context) iter.Seq2[frontier.Return, error] {
	return all(ctx, f.returns)
}

func (f *Frontier) returns(ctx context.Context) (all []frontier.Return, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.usableLocked(ctx); err != nil {
		return nil, err
	}
	for _, r := range f.urls {
		if r.remembered != nil {
			all = append(all, *r.remembered)
		}
	}
	return all, nil
}

// Stats implements frontier.Frontier.
func (f *Frontier) Stats(ctx context.Context) (frontier.Stats, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.usableLocked(ctx); err != nil {
		return frontier.Stats{}, err
	}
	now := time.Now()
	var st frontier.Stats
	for _, site := range f.sites {
		if site.links == 0 {
			continue
		}
		due, _ := site.due()
		s := site.info
		st.Known += s.Queued + s.Retrying + s.Done + s.Refused + s.Failed
		st.Queued += s.Queued
		st.Retrying += s.Retrying
		st.Done += s.Done
		st.Refused += s.Refused
		st.Failed += s.Failed
		st.Pages += s.Pages
		st.Bytes += s.Bytes
		st.Sites++
		switch {
		case site.lease != nil:
			st.Leased++
		case due.After(now):
			st.Waiting++
		}
	}
	return st, nil
}

// Close implements frontier.Frontier.
func (f *Frontier) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closedLocked() {
		return nil
	}
	close(f.closed)
	for _, s := range f.sites {
		if s.lease != nil {
			s.lease.cancel()
		}
	}
	return nil
}

func (f *Frontier) closedLocked() bool {
	select {
	case <-f.closed:
		return true
	default:
		return false
	}
}

func (f *Frontier) usableLocked(ctx context.Context) error {
	if f.closedLocked() {
		return frontier.ErrClosed
	}
	return ctx.Err()
}

// wait returns nil when changed is closed or until has come, if it is not zero, and an error when the frontier is closed
// or ctx ends. The mutex must not be held.
func (f *Frontier) wait(ctx context.Context, changed <-chan struct{}, until time.Time) error {
	var due <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(time.Until(until))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-changed:
	case <-due:
	case <-f.closed:
		return frontier.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// broadcast closes *c, for those who wait, and replaces it.
func broadcast(c *chan struct{}) {
	close(*c)
	*c = make(chan struct{})
}

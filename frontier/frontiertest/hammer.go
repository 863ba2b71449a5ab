package frontiertest

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// hammer crawls a made-up web with many goroutines and watches from the outside that no site is leased twice at once,
// none has more requests in flight than its policy admits or sooner than the gap owed, and that each of its pages is
// settled exactly once.
func hammer(r *run) {
	w := &web{run: r, sites: make(map[string]*watch), settled: make(map[frontier.URL]int)}
	for i := range webSites {
		name := fmt.Sprintf("s%d", i)
		w.sites[name] = &watch{connections: 1 + i%3}
		r.queue("http://" + name + "/0")
	}
	var wg sync.WaitGroup
	for worker := range 16 {
		wg.Go(func() { w.crawl(worker) })
	}
	wg.Wait()
	for name := range w.sites {
		for page := range webPages {
			if n := w.settled[URL(r, fmt.Sprintf("http://%s/%d", name, page))]; n != 1 {
				r.Errorf("http://%s/%d was settled %d times, want once", name, page, n)
			}
		}
	}
	all := int64(webSites * webPages)
	r.stats(frontier.Stats{Known: all, Done: all, Pages: all, Bytes: all, Sites: webSites})
}

const (
	webSites = 7
	webPages = 40 // of each site
)

// A web is what the hammer crawls: page i of a site links to the pages 2i+1 and 2i+2 of it and of the next site.
type web struct {
	*run
	mu      sync.Mutex // guards all below
	sites   map[string]*watch
	settled map[frontier.URL]int
}

// A watch is what can be seen of a site from outside.
type watch struct {
	connections int
	leased      bool
	inFlight    int
	notBefore   time.Time // when the next request may leave
}

// crawl leases sites until nothing is left.
func (w *web) crawl(worker int) {
	for turn := worker; ; turn++ {
		l, err := w.f.Lease(w.ctx, time.Hour)
		if errors.Is(err, frontier.ErrIdle) {
			return
		}
		if err != nil {
			w.Errorf("Lease: %v", err)
			return
		}
		if err := w.visit(l, turn); err != nil {
			w.Error(err)
			return
		}
	}
}

// visit takes entries of a leased site, fetches some, and gives others back.
func (w *web) visit(l frontier.Lease, turn int) (err error) {
	w.mu.Lock()
	s := w.sites[l.Site()]
	if s.leased {
		w.Errorf("%s is leased twice at once", l.Site())
	}
	s.leased = true
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		s.leased = false
		w.mu.Unlock()
		err = errors.Join(err, l.Close())
	}()
	if err := l.SetPolicy(w.ctx, frontier.SitePolicy{Connections: s.connections}); err != nil {
		return fmt.Errorf("SetPolicy: %w", err)
	}
	if turn%3 == 0 { // as a robots.txt that has moved
		if err := w.request(l, fmt.Sprintf("s%d", turn%webSites), turn); err != nil {
			return err
		}
	}
	if turn%5 == 0 {
		if _, _, err := l.Next(w.ctx); err != nil { // and leave it
			return fmt.Errorf("next: %w", err)
		}
	}
	return w.fetchSome(l, s, turn)
}

// fetchSome fetches up to twice as many entries as may be in flight, all at once.
func (w *web) fetchSome(l frontier.Lease, s *watch, turn int) error {
	var wg sync.WaitGroup
	errs := make([]error, 2*s.connections)
	for i := range errs {
		e, ok, err := l.Next(w.ctx)
		if err != nil {
			return fmt.Errorf("next: %w", err)
		}
		if ok {
			wg.Go(func() { errs[i] = w.fetch(l, e, turn+i) })
		}
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (w *web) fetch(l frontier.Lease, e frontier.Entry, turn int) error {
	if err := w.request(l, l.Site(), turn); err != nil {
		return err
	}
	o := frontier.Outcome{Entry: e, Status: frontier.Done, Page: true, Bytes: 1}
	if (turn+e.Attempt)%7 == 0 {
		o = frontier.Outcome{Entry: e, Status: frontier.Retrying, NotBefore: time.Now().Add(w.unit / 16)}
	} else {
		o.Links = w.linksOf(e.URL)
		w.mu.Lock()
		w.settled[e.URL]++
		w.mu.Unlock()
	}
	if _, err := l.Settle(w.ctx, o); err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	return nil
}

// request makes a request, looking on.
func (w *web) request(l frontier.Lease, site string, turn int) error {
	s := w.sites[site]
	owed := w.owed(s)
	g, err := l.Permit(w.ctx, site)
	if err != nil {
		return fmt.Errorf("permit: %w", err)
	}
	now := time.Now()
	if s.connections == 1 { // then the last one has ended, even if it had not before
		owed = w.owed(s)
	}
	if now.Before(owed) {
		w.Errorf("a request to %s left %v too soon", site, owed.Sub(now))
	}
	if n := w.fly(s, +1); n > s.connections {
		w.Errorf("%d requests to %s in flight, want at most %d", n, site, s.connections)
	}
	time.Sleep(w.unit / 64)
	w.fly(s, -1)
	gap := time.Duration(turn%3) * w.unit / 16
	end := time.Now()
	if s.connections == 1 {
		w.owe(s, end.Add(gap))
	}
	g.Done(gap)
	w.owe(s, end.Add(gap)) // before Done, another could have left rightly
	return nil
}

func (w *web) owed(s *watch) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return s.notBefore
}

func (w *web) owe(s *watch, until time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if until.After(s.notBefore) {
		s.notBefore = until
	}
}

// fly counts the requests in flight.
func (w *web) fly(s *watch, n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.inFlight += n
	return s.inFlight
}

// linksOf returns the links of a page.
func (w *web) linksOf(u frontier.URL) (links []frontier.Link) {
	var site, page int
	if _, err := fmt.Sscanf(u.String(), "http://s%d/%d", &site, &page); err != nil {
		w.Errorf("page %s: %v", u, err)
	}
	for _, s := range []int{site, (site + 1) % webSites} {
		for _, p := range []int{2*page + 1, 2*page + 2} {
			if p < webPages {
				links = append(links, Links(w, fmt.Sprintf("http://s%d/%d", s, p))...)
			}
		}
	}
	return links
}

package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sync/errgroup"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// A tree is a web of sites, each a tree of pages with links across: a link that is lost loses all below.
type tree struct {
	sites, pages, fan int
	beside            int // how many pages of a site are settled while further ones are asked for; one after the other if 0

	before func(context.Context) // called before each request, if not nil

	mu       sync.Mutex
	asked    map[string]int // how often
	inFlight map[string]int // by site
	lastEnd  map[string]time.Time
	wrong    []string
}

const gap = 100 * time.Millisecond

func newTree(sites, pages int) *tree {
	return &tree{
		sites: sites, pages: pages, fan: 3,
		asked: map[string]int{}, inFlight: map[string]int{}, lastEnd: map[string]time.Time{},
	}
}

func (w *tree) url(t testing.TB, site, page int) frontier.URL {
	return frontiertest.URL(t, fmt.Sprintf("http://site%d.test/%d", site, page))
}

// links returns those of a page: its children, and the roots of other sites.
func (w *tree) links(t testing.TB, u frontier.URL) (links []frontier.Link) {
	var site, page int
	if _, err := fmt.Sscanf(u.String(), "http://site%d.test/%d", &site, &page); err != nil {
		t.Fatal(err)
	}
	for i := range w.fan {
		if child := page*w.fan + i + 1; child < w.pages {
			links = append(links, frontier.Link{URL: w.url(t, site, child), Via: u})
		}
	}
	h := fnv.New32()
	fmt.Fprint(h, u)
	for _, other := range []int{site*2 + 1, site*2 + 2, int(h.Sum32())} {
		links = append(links, frontier.Link{URL: w.url(t, other%w.sites, 0), Via: u})
	}
	return links
}

// begin is the start of a request, as the server sees it.
func (w *tree) begin(site string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.inFlight[site]++; w.inFlight[site] > 1 {
		w.wrong = append(w.wrong, site+" is asked twice at once")
	}
	if since := time.Since(w.lastEnd[site]); since < gap {
		w.wrong = append(w.wrong, fmt.Sprintf("%s is asked %v after the last request", site, since))
	}
}

func (w *tree) end(site string, u frontier.URL) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inFlight[site]--
	w.lastEnd[site] = time.Now()
	w.asked[u.String()]++
}

// sum returns how many pages were asked for, each as often as it was.
func (w *tree) sum() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, times := range w.asked {
		n += times
	}
	return n
}

// crawl visits what the frontier of a node gives, until there is nothing left or ctx ends.
func (w *tree) crawl(ctx context.Context, t testing.TB, f frontier.Frontier) error {
	var hosts sync.WaitGroup
	defer hosts.Wait()
	for {
		l, err := f.Lease(ctx, time.Hour)
		if err != nil {
			return err
		}
		hosts.Go(func() {
			defer l.Close()
			if err := w.visit(ctx, t, l); err != nil && ctx.Err() == nil && !errors.Is(err, frontier.ErrLost) &&
				!errors.Is(err, frontier.ErrClosed) && l.Context().Err() == nil {
				t.Errorf("%s: %v", l.Site(), err)
			}
		})
	}
}

func (w *tree) visit(ctx context.Context, t testing.TB, l frontier.Lease) error {
	p := l.Info().Policy
	if p.Delay = gap; l.Info().Policy.Delay != gap {
		if err := l.SetPolicy(ctx, p); err != nil {
			return err
		}
	}
	var settling errgroup.Group
	defer settling.Wait()
	settling.SetLimit(max(w.beside, 1))
	for {
		e, ok, err := l.Next(ctx)
		if err != nil || !ok {
			return errors.Join(err, settling.Wait())
		}
		if w.before != nil {
			w.before(l.Context())
		}
		g, err := l.Permit(ctx, l.Site())
		if err != nil {
			return err
		}
		w.begin(l.Site())
		select {
		case <-time.After(time.Duration(rand.IntN(20)) * time.Millisecond):
		case <-l.Context().Done():
		}
		w.end(l.Site(), e.URL)
		g.Done(gap)
		if l.Context().Err() != nil {
			return l.Context().Err()
		}
		o := frontier.Outcome{Entry: e, Status: frontier.Done, Page: true, Links: w.links(t, e.URL)}
		settling.Go(func() error { _, err := l.Settle(ctx, o); return err })
		if w.beside == 0 {
			if err := settling.Wait(); err != nil {
				return err
			}
		}
	}
}

// check tells what went wrong, and returns how many requests there were beyond one for each page.
func (w *tree) check(t testing.TB) (again int) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, s := range w.wrong {
		if t.Error(s); i == 10 {
			t.Fatalf("and %d more", len(w.wrong)-i)
		}
	}
	if got, want := len(w.asked), w.sites*w.pages; got != want {
		t.Errorf("%d pages were asked for, want %d", got, want)
	}
	for _, n := range w.asked {
		again += n - 1
	}
	return again
}

// Ensure that two nodes share a crawl: every page is asked for once, and both end when nothing is left anywhere.
func TestCrawl_TwoNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const partitions = 8
		w, b := newTree(40, 100), newBroker(partitions)
		nodes := []*node{newNode(t, b, vfs.NewMem(), partitions), newNode(t, b, vfs.NewMem(), partitions)}
		for p := range partitions {
			nodes[p%2].tenures.give(b, p)
		}
		var running sync.WaitGroup
		for _, n := range nodes {
			running.Go(func() {
				if _, err := n.Add(t.Context(), []frontier.Link{{URL: w.url(t, 0, 0)}}); err != nil {
					t.Error(err)
				}
				if err := w.crawl(t.Context(), t, n); !errors.Is(err, frontier.ErrIdle) {
					t.Errorf("Lease: %v, want %v", err, frontier.ErrIdle)
				}
			})
		}
		running.Wait()
		if again := w.check(t); again != 0 {
			t.Errorf("%d pages were asked for twice", again)
		}
		for _, n := range nodes {
			if st, err := n.Stats(t.Context()); err != nil || st.Queued != 0 || st.Done == 0 {
				t.Errorf("Stats = %+v, %v", st, err)
			}
			n.Close()
		}
	})
}

// Ensure that partitions change hands while a crawl goes on, in good order and without, and that no site hears of it.
func TestCrawl_PartitionsChangeHands(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { changeHands(t, seed) })
		})
	}
}

func changeHands(t *testing.T, seed uint64) {
	const partitions = 6
	rng := rand.New(rand.NewPCG(seed, 1))
	w, b := newTree(30, 60), newBroker(partitions)
	fs := []vfs.FS{vfs.NewMem(), vfs.NewMem()}
	nodes := []*node{newNode(t, b, fs[0], partitions), newNode(t, b, fs[1], partitions)}
	owner, held := make([]int, partitions), make([]*given, partitions)
	for p := range partitions {
		held[p] = nodes[0].tenures.give(b, p)
	}
	var running sync.WaitGroup
	for _, n := range nodes {
		running.Go(func() {
			if _, err := n.Add(t.Context(), []frontier.Link{{URL: w.url(t, 0, 0)}}); err != nil {
				t.Error(err)
			}
			if err := w.crawl(t.Context(), t, n); !errors.Is(err, frontier.ErrIdle) {
				t.Errorf("Lease: %v, want %v", err, frontier.ErrIdle)
			}
		})
	}
	ended := make(chan struct{})
	running2 := sync.WaitGroup{}
	running2.Go(func() {
		for {
			select {
			case <-time.After(time.Duration(rng.IntN(1000)) * time.Millisecond):
			case <-ended:
				return
			}
			p := rng.IntN(partitions)
			if rng.IntN(2) == 0 {
				held[p].ask()
			} else {
				held[p].end()
			}
			<-held[p].back
			owner[p] = rng.IntN(2)
			held[p] = nodes[owner[p]].tenures.give(b, p)
		}
	})
	running.Wait()
	close(ended)
	running2.Wait()
	t.Logf("%d pages were asked for again", w.check(t))
	for _, n := range nodes {
		n.Close()
	}
}

// Ensure that links of any length are passed on, in messages that brokers take.
func TestAdd_LongLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(1)
		n := newNode(t, b, vfs.NewMem(), 1)
		defer n.Close()
		var links []frontier.Link
		for i := range 2000 {
			links = append(links, frontier.Link{URL: frontiertest.URL(t, fmt.Sprintf("http://site.test/%d/%s", i, strings.Repeat("x", 1500)))})
		}
		if _, err := n.Add(t.Context(), links); err != nil { // nobody owns the partition yet
			t.Fatal(err)
		}
		n.tenures.give(b, 0)
		for range links {
			l := frontiertest.MustLease(t, n, time.Hour)
			for {
				e, ok, err := l.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if !ok {
					break
				}
				frontiertest.MustSettle(t, l, frontier.Outcome{Entry: e, Status: frontier.Done})
			}
			l.Close()
			if st, err := n.Stats(t.Context()); err != nil || st.Done == int64(len(links)) {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
		}
		t.Error("links are missing")
	})
}

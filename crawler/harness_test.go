package crawler_test

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/frontier/memory"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage"
)

// bubble runs a test in its own time, against a web in memory.
func bubble(t *testing.T, f func(t *testing.T, web *webtest.Web)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, webtest.InMemory(t)) })
}

// recorder is a sink and a listener that keeps everything.
type recorder struct {
	mu       sync.Mutex
	pages    []*storage.Page
	requests []crawler.Request
	refusals []crawler.Refusal
	outcomes []crawler.Outcome
	rests    []crawler.Rest
}

func (r *recorder) Put(_ context.Context, p *storage.Page) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pages = append(r.pages, p)
	return nil
}

func keep[T any](r *recorder, list *[]T) func(T) {
	return func(v T) {
		r.mu.Lock()
		defer r.mu.Unlock()
		*list = append(*list, v)
	}
}

func (r *recorder) events() crawler.Events {
	return crawler.Events{
		Request: keep(r, &r.requests), Refusal: keep(r, &r.refusals),
		Outcome: keep(r, &r.outcomes), Rest: keep(r, &r.rests),
	}
}

// stored returns the URLs of the pages kept, sorted.
func (r *recorder) stored() []string {
	var urls []string
	for _, p := range r.pages {
		urls = append(urls, p.FinalURL)
	}
	slices.Sort(urls)
	return urls
}

// refused returns the reasons for which url was refused.
func (r *recorder) refused(url string) []crawler.Reason {
	var reasons []crawler.Reason
	for _, x := range r.refusals {
		if x.URL == url {
			reasons = append(reasons, x.Reason)
		}
	}
	return reasons
}

// parked yields what was told as looking endless.
func (r *recorder) parked(yield func(crawler.ParkedLink, error) bool) {
	r.mu.Lock()
	refusals := slices.Clone(r.refusals)
	r.mu.Unlock()
	for _, x := range refusals {
		u, err := frontier.ParseURL(x.URL)
		if x.Reason != crawler.ReasonEndless || err != nil {
			continue
		}
		if !yield(crawler.ParkedLink{Link: frontier.Link{URL: u, Via: x.Via, Depth: x.Depth}, Rule: x.Rule}, nil) {
			return
		}
	}
}

// outcome returns the last outcome of url.
func (r *recorder) outcome(url string) crawler.Outcome {
	var last crawler.Outcome
	for _, o := range r.outcomes {
		if o.URL.String() == url {
			last = o
		}
	}
	return last
}

// A job is a frontier and robots files that may see several runs.
type job struct {
	*recorder
	before    func(*crawler.Crawler) // called before each run
	web       *webtest.Web
	frontier  frontier.Frontier
	bodies    robots.Bodies
	last      *crawler.Crawler
	public    bool   // refuse private addresses
	forget    bool   // keep no pages and hear no events
	trusting  bool   // of the TLS sites of the web
	userAgent string // default cybermapper/test
	lookup    func(context.Context, string) ([]netip.Addr, error)
	wire      *fetch.WireOptions
	maxBody   int64 // default 16 MiB
	maxSpool  int64 // default 50 MiB
	access    map[string]*fetch.Access
}

func newJob(t testing.TB, web *webtest.Web) *job {
	t.Helper()
	j := &job{recorder: &recorder{}, web: web, frontier: memory.New(), bodies: robots.DirBodies(t.TempDir())}
	t.Cleanup(func() { j.frontier.Close() })
	return j
}

// run crawls from the seeds and returns why it ended. Politeness is brisk, unless change says otherwise.
func (j *job) run(t testing.TB, ctx context.Context, change func(*crawler.Config), seeds ...string) crawler.Reason {
	t.Helper()
	urls := make([]frontier.URL, len(seeds))
	for i, s := range seeds {
		urls[i] = frontiertest.URL(t, s)
	}
	resolver := fetch.NewResolver(fetch.ResolverOptions{Lookup: j.lookup})
	options := fetch.Options{
		UserAgent: cmp.Or(j.userAgent, "cybermapper/test"), AllowPrivate: !j.public, Resolver: resolver, Dial: j.web.Dial, Wire: j.wire,
		MaxBody: j.maxBody, MaxSpool: j.maxSpool, SpoolDir: t.TempDir(), Access: j.access,
	}
	if j.trusting {
		options.RootCAs = j.web.RootCAs()
	}
	client := fetch.New(options)
	cfg := crawler.Config{
		Frontier: j.frontier, Fetch: client, Resolver: resolver, Sink: j, Events: j.events(),
		Robots:     robots.NewCache(robots.CacheOptions{Product: "cybermapper", Bodies: j.bodies}),
		Politeness: crawler.Politeness{Delay: time.Second, Factor: -1, Jitter: -1},
		Scope:      crawler.Scope{Seeds: urls},
	}
	cfg.Parked = j.parked
	if j.forget {
		cfg.Sink, cfg.Events, cfg.Parked = nil, crawler.Events{}, nil
	}
	if change != nil {
		change(&cfg)
	}
	c, err := crawler.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	j.last = c
	if j.before != nil {
		j.before(c)
	}
	end, err := c.Run(ctx, urls)
	client.Close()
	resolver.Close()
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	return end
}

func wantStrings(t testing.TB, what string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s = %q, want %q", what, got, want)
	}
}

// inTurn answers with one page after the other, and the last one from then on.
func inTurn(pages ...webtest.Page) http.Handler {
	var n atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := min(int(n.Add(1))-1, len(pages)-1)
		pages[i].ServeHTTP(w, r)
	})
}

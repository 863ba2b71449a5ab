package webtest

import (
	"bufio"
	"context"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// A Hit is one request as the server saw it.
type Hit struct {
	Site   string // the URL of the site asked
	Host   string // as the request named it
	Method string
	Path   string // with its query, as sent
	Proto  string // "HTTP/1.1", "HTTP/2.0"
	Header http.Header
	Remote string // the client's address and port: one value per connection
	Status int    // 0 when the handler took over the connection or wrote nothing

	Start time.Time // the head had arrived
	End   time.Time // zero while the response is under way
}

// URL returns the URL asked for.
func (h Hit) URL() string { return h.Site + h.Path }

// Hits is a list of requests in order of their start.
type Hits []Hit

// Paths returns the path of each hit, in the same order.
func (hs Hits) Paths() []string {
	paths := make([]string, len(hs))
	for i, h := range hs {
		paths[i] = h.Path
	}
	return paths
}

// Count returns how often path was asked for.
func (hs Hits) Count(path string) int {
	n := 0
	for _, h := range hs {
		if h.Path == path {
			n++
		}
	}
	return n
}

// BySite splits the list.
func (hs Hits) BySite() map[string]Hits {
	sites := make(map[string]Hits)
	for _, h := range hs {
		sites[h.Site] = append(sites[h.Site], h)
	}
	return sites
}

// MaxInFlight returns the largest number of hits that were under way at the same instant, over all sites of the list. A
// hit that ends in the instant in which another starts does not meet it.
func MaxInFlight(hits Hits) int {
	type change struct {
		at time.Time
		by int
	}
	changes := make([]change, 0, 2*len(hits))
	for _, h := range hits {
		changes = append(changes, change{h.Start, +1})
		if !h.End.IsZero() {
			changes = append(changes, change{h.End, -1})
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return a.by - b.by
	})
	most, now := 0, 0
	for _, c := range changes {
		now += c.by
		most = max(most, now)
	}
	return most
}

// MinGap returns the shortest time from the end of a hit to the start of the next one at the same site. It is negative
// when two overlap, and the largest Duration when no site has two hits. Nothing may follow a hit that has not ended.
func MinGap(hits Hits) time.Duration {
	least := time.Duration(math.MaxInt64)
	for _, site := range hits.BySite() {
		for i := 1; i < len(site); i++ {
			least = min(least, gap(site[i-1], site[i]))
		}
	}
	return least
}

func gap(a, b Hit) time.Duration {
	if a.End.IsZero() {
		return math.MinInt64
	}
	return b.Start.Sub(a.End)
}

// Repeated returns each URL that was asked for more than once, in order of its first repetition.
func Repeated(hits Hits) []string {
	var again []string
	seen := make(map[string]int)
	for _, h := range hits {
		if seen[h.URL()]++; seen[h.URL()] == 2 {
			again = append(again, h.URL())
		}
	}
	return again
}

// A journal holds the hits of a web.
type journal struct {
	mu      sync.Mutex // guards the list and what its entries point to
	entries []*Hit
}

func (j *journal) begin(site string, r *http.Request) *Hit {
	h := &Hit{
		Site: site, Host: r.Host, Method: r.Method, Path: r.RequestURI, Proto: r.Proto,
		Header: r.Header.Clone(), Remote: r.RemoteAddr,
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	h.Start = time.Now()
	j.entries = append(j.entries, h)
	return h
}

// end records when the response to h was over; the first call counts.
func (j *journal) end(h *Hit, at time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if h.End.IsZero() {
		h.End = at
	}
}

func (j *journal) status(h *Hit, code int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	h.Status = code
}

func (j *journal) hits(which func(*Hit) bool) Hits {
	j.mu.Lock()
	defer j.mu.Unlock()
	var hits Hits
	for _, h := range j.entries {
		if which(h) {
			hits = append(hits, *h)
		}
	}
	return hits
}

// logged wraps h so that each request is in the log before h runs.
func (s *Site) logged(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.enter() {
			panic(http.ErrAbortHandler)
		}
		defer s.serving.Done()
		if _, ok := h.(quiet); ok {
			h.ServeHTTP(w, r)
			return
		}
		j := &s.web.log
		hit := j.begin(s.URL, r)
		finish := func() { j.end(hit, time.Now()) }
		defer finish()
		defer context.AfterFunc(r.Context(), finish)()
		h.ServeHTTP(&recorder{ResponseWriter: w, journal: j, hit: hit, finish: finish}, r)
	})
}

// Quiet returns a handler that does what h does and whose hits are not logged, for benchmarks.
func Quiet(h http.Handler) http.Handler { return quiet{h} }

type quiet struct{ http.Handler }

// A recorder notes status and end of a response. Where the length was declared, the end is the moment before the last
// byte is handed on, because the client may have seen it before Write returns.
type recorder struct {
	http.ResponseWriter
	journal *journal
	hit     *Hit
	finish  func()

	started bool
	left    int64 // bytes declared and not yet written; -1 when nothing was declared
}

func (r *recorder) WriteHeader(code int) {
	if code >= 200 && !r.started {
		r.started = true
		r.journal.status(r.hit, code)
		r.left = -1
		if n, err := strconv.ParseInt(r.Header().Get("Content-Length"), 10, 64); err == nil {
			r.left = n
		}
		if r.left == 0 {
			r.finish()
		}
	}
	r.ResponseWriter.WriteHeader(code)
}

func (r *recorder) Write(p []byte) (int, error) {
	if !r.started {
		r.WriteHeader(http.StatusOK)
	}
	if r.left > 0 {
		if r.left -= int64(len(p)); r.left <= 0 {
			r.finish()
		}
	}
	return r.ResponseWriter.Write(p)
}

func (r *recorder) Flush() { http.NewResponseController(r.ResponseWriter).Flush() }

// Hijack takes over the connection; the response then ends when the connection is closed.
func (r *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(r.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	return hijacked{c, r.finish}, rw, nil
}

func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

type hijacked struct {
	net.Conn
	finish func()
}

func (c hijacked) Close() error {
	c.finish()
	return c.Conn.Close()
}

// NetConn returns the connection underneath, as tls.Conn does.
func (c hijacked) NetConn() net.Conn { return c.Conn }

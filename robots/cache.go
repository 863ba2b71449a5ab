package robots

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"sync"
	"time"
)

// MaxLife is for how long a robots.txt is used at most while its origin can be reached (RFC 9309 section 2.4).
const MaxLife = 24 * time.Hour

// CacheOptions says how a Cache works. Product is required. Of every other field zero means the default; of a number or a
// duration so does a negative value, unless the field says otherwise.
type CacheOptions struct {
	// Product is the token by which user-agent lines name the crawler, and with which its User-Agent header starts (RFC 9309
	// section 2.2.1): letters, "-" and "_". A version behind a "/" is ignored.
	Product string

	Dialect Dialect // Cautious by default
	Bodies  Bodies  // keeps every file; nil keeps none, and then a file that fell out of memory is fetched again

	MaxFiles  int   // origins kept in memory; default 10,000
	MaxMemory int64 // bytes they may take up, about; default 64 MiB

	MinLife       time.Duration // an answer is used for at least so long, whatever its headers say; default 1 hour
	MaxLife       time.Duration // and at most for so long, also without headers; by default, and never above, the constant MaxLife
	BackOff       time.Duration // from a failure to the next try, doubling with each; default 5 minutes
	MaxBackOff    time.Duration // up to this; default 6 hours
	HostRest      time.Duration // after 429 and 503, which speak of the whole host, BackOff is at least so long; default 0
	MaxHostRest   time.Duration // and MaxBackOff likewise; default 0
	MaxRetryAfter time.Duration // a Retry-After is obeyed up to this; default 24 hours

	// UseLastGood keeps the last good file in force while the origin is unreachable, as RFC 9309 section 2.4 permits. By
	// default, or when there is no such file, everything is forbidden.
	UseLastGood bool
}

// withDefaults returns a copy that is complete.
func (o CacheOptions) withDefaults() CacheOptions {
	o.Product = productToken(o.Product)
	o.MaxFiles = cmp.Or(max(o.MaxFiles, 0), 10_000)
	o.MaxMemory = cmp.Or(max(o.MaxMemory, 0), 64<<20)
	o.MinLife = cmp.Or(max(o.MinLife, 0), time.Hour)
	o.MaxLife = min(cmp.Or(max(o.MaxLife, 0), MaxLife), MaxLife)
	o.BackOff = cmp.Or(max(o.BackOff, 0), 5*time.Minute)
	o.MaxBackOff = cmp.Or(max(o.MaxBackOff, 0), 6*time.Hour)
	o.MaxRetryAfter = cmp.Or(max(o.MaxRetryAfter, 0), 24*time.Hour)
	if o.Bodies == nil {
		o.Bodies = noBodies{}
	}
	return o
}

// A FetchFunc makes one exchange: a GET of url, conditional when etag or lastModified is not empty (If-None-Match,
// If-Modified-Since), with the User-Agent of the page requests, no redirect followed. It waits for whatever politeness to
// the host of url asks for. Of a longer body it returns at least MaxBytes+1 bytes and no error.
type FetchFunc func(ctx context.Context, url, etag, lastModified string) Response

// A Response is what came of one exchange.
type Response struct {
	Status int
	Header http.Header // nil is empty
	Body   []byte      // without content coding
	Err    error       // the exchange failed, or the body is not whole; the origin is Unreachable
	Abort  error       // there was no exchange, for reasons of our own: Rules returns this error and nothing changes
}

// An Answer is what a Cache knows of an origin.
type Answer struct {
	Rules   *Rules
	File    *File // the file behind Rules; nil when there is none
	State   State
	Fetched bool // State is newer than the prior one: keep it
}

// A Cache knows the rules of origins. It asks for a file once, however many want to know, and not again before the answer
// is due; it keeps every file in Bodies; and as long as it does not know, it forbids. It is safe for concurrent use and
// starts no goroutines.
type Cache struct {
	options CacheOptions

	mu      sync.Mutex // guards following; no fetch and no Bodies under it
	flights map[string]*flight
	memory  lru
}

// A flight is one caller finding out, while others wait.
type flight struct {
	done   chan struct{} // closed when the fields below are set
	answer Answer
	err    error
}

// NewCache returns an empty cache. It panics if options.Product is no token that a robots.txt file could name (see
// [IsProductToken]): the cache would obey the groups for "*" alone, whatever a file says to the crawler by its name.
func NewCache(options CacheOptions) *Cache {
	o := options.withDefaults()
	if !IsProductToken(o.Product) {
		panic(fmt.Sprintf("robots: NewCache: CacheOptions.Product is %q, want the product token of the crawler, "+
			"which is made of letters, - and _", options.Product))
	}
	return &Cache{
		options: o,
		flights: make(map[string]*flight),
		memory:  lru{maxEntries: o.MaxFiles, maxCost: o.MaxMemory},
	}
}

// Product returns the product token whose rules the cache gives.
func (c *Cache) Product() string { return c.options.Product }

// Rules returns the rules of origin (scheme://host[:port], in lower case and without the port that the scheme has anyway), and
// fetches its robots.txt when that is due. prior is what the caller kept of an earlier Answer, or zero; of what the cache and the
// caller know the newer counts. A State of another origin is ignored.
//
// Callers that ask for the same origin at the same time wait for the first of them, whose fetch is used; when that one's
// ctx ends, another takes its place. The error is ctx.Err(), an error of Bodies, Response.Abort, or about an origin that
// is none; the Rules are then nil, which forbids everything. A failing server is no error but an Answer with Unreachable.
func (c *Cache) Rules(ctx context.Context, origin string, prior State, fetch FetchFunc) (Answer, error) {
	if err := checkOrigin(origin); err != nil {
		return Answer{}, err
	}
	if prior.Origin != origin {
		prior = State{Origin: origin}
	}
	for {
		f, first := c.board(origin)
		if first {
			c.fly(ctx, f, prior, fetch)
			return f.result(prior)
		}
		select {
		case <-f.done:
		case <-ctx.Done():
			return Answer{}, ctx.Err()
		}
		if !errors.Is(f.err, context.Canceled) && !errors.Is(f.err, context.DeadlineExceeded) {
			return f.result(prior)
		}
	}
}

// Known returns the rules of origin without asking it, if an answer is at hand that is still good. prior is as for Rules.
func (c *Cache) Known(origin string, prior State) (rules *Rules, known bool) {
	if prior.Origin != origin {
		prior = State{Origin: origin}
	}
	a, remembered := c.recall(prior)
	switch {
	case remembered && !c.isDue(a.State):
		return a.Rules, true
	case remembered || c.isDue(prior):
		return nil, false
	}
	a, err := c.answer(prior, nil)
	return a.Rules, err == nil
}

// fly finds out, and tells those who wait even if fetch panics.
func (c *Cache) fly(ctx context.Context, f *flight, prior State, fetch FetchFunc) {
	defer c.land(prior.Origin, f)
	f.err = errors.New("robots: fetch did not return")
	f.answer, f.err = c.find(ctx, prior, fetch)
}

// board returns the flight of origin and whether the caller is the first on it, who has to find out and to land it.
func (c *Cache) board(origin string) (f *flight, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f, ok := c.flights[origin]; ok {
		return f, false
	}
	f = &flight{done: make(chan struct{})}
	c.flights[origin] = f
	return f, true
}

// land tells those who wait.
func (c *Cache) land(origin string, f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.flights, origin)
	close(f.done)
}

// result is what the flight brought, for somebody who knows prior.
func (f *flight) result(prior State) (Answer, error) {
	if f.err != nil {
		return Answer{}, f.err
	}
	a := f.answer
	a.Fetched = !a.State.FetchedAt.Equal(prior.FetchedAt)
	return a, nil
}

// find answers from memory or from what is known, or else asks the origin.
func (c *Cache) find(ctx context.Context, known State, fetch FetchFunc) (Answer, error) {
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	a, remembered := c.recall(known)
	if remembered {
		known = a.State
	}
	if !c.isDue(known) {
		if remembered {
			return a, nil
		}
		a, err := c.answer(known, nil)
		if !errors.Is(err, fs.ErrNotExist) { // else the body is lost: ask for it
			return a, err
		}
	}
	next, file, err := c.ask(ctx, known, fetch)
	if err != nil {
		return Answer{}, err
	}
	return c.answer(next, file)
}

// clockError is how much the clocks of two processes may differ without one of them having been set.
const clockError = time.Minute

// isAhead reports whether an answer was had in the future, which is a mistake of a clock.
func (s State) isAhead() bool { return s.FetchedAt.Sub(now()) > clockError }

// isDue reports whether the origin is to be asked now. A try that lies further ahead than any may is a mistake of a clock, too.
func (c *Cache) isDue(s State) bool {
	if s.isAhead() {
		return true
	}
	switch s.Outcome {
	case Found, Unavailable:
		return !s.Expires.After(now()) || now().Sub(s.FetchedAt) >= c.options.MaxLife // which may have been longer when it was had
	case Unreachable:
		left := s.NextTry.Sub(now())
		return left <= 0 || left > max(c.options.MaxBackOff, c.options.MaxRetryAfter)
	}
	return true
}

// answer makes an Answer of a state and remembers it. file is the file that the state names, if it is at hand.
func (c *Cache) answer(s State, file *File) (a Answer, err error) {
	a.State = s
	switch s.Outcome {
	case Found:
		if file == nil {
			if file, err = c.load(s.Digest); err != nil {
				return Answer{}, err
			}
		}
		a.File, a.Rules = file, file.RulesFor(s.Origin, c.options.Product)
	case Unavailable:
		a.Rules = AllowAll(ReasonUnavailable)
	default:
		if a.File, a.Rules, err = c.meanwhile(s); err != nil {
			return Answer{}, err
		}
	}
	c.remember(a)
	return a, nil
}

// meanwhile returns the rules in force while an origin is unreachable.
func (c *Cache) meanwhile(s State) (*File, *Rules, error) {
	if c.options.UseLastGood && s.LastGood != "" {
		file, err := c.load(s.LastGood)
		if err == nil {
			return file, file.RulesFor(s.Origin, c.options.Product), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
	}
	return nil, unreachable, nil
}

// unreachable is shared by all origins that are: there may be as many of them as memory has room for.
var unreachable = DenyAll(ReasonUnreachable)

// load returns a kept file.
func (c *Cache) load(digest string) (*File, error) {
	if digest == "" {
		return nil, fs.ErrNotExist
	}
	body, err := c.options.Bodies.Get(digest)
	if err != nil {
		return nil, err
	}
	return Parse(body, c.options.Dialect), nil
}

// recall returns what memory holds of the origin, unless known is newer. What is known by a clock that is ahead does not count as
// newer: else two processes whose clocks differ would both ask each time the site goes from one to the other.
func (c *Cache) recall(known State) (Answer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, ok := c.memory.get(known.Origin)
	return a, ok && (known.isAhead() || !a.State.FetchedAt.Before(known.FetchedAt))
}

func (c *Cache) remember(a Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.memory.put(a.State.Origin, a, a.size())
}

// size is about how many bytes an answer takes up.
func (a Answer) size() int64 {
	const fixed = 1000
	size := fixed + a.Rules.size()
	if a.File != nil {
		size += int64(len(a.File.text))
	}
	return size
}

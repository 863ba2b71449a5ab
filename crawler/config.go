package crawler

import (
	"cmp"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage"
)

// Config is where the parts of a crawl meet. Frontier, Robots, Fetch, Resolver and Product are required; every other
// field has a default, which is what zero means unless said otherwise.
type Config struct {
	Frontier frontier.Frontier
	Robots   *robots.Cache
	Fetch    *fetch.Client
	Resolver *fetch.Resolver
	Extract  *extract.Extractor // default extract.New(extract.Options{})
	Sink     storage.Sink       // nil keeps nothing
	Events   Events
	Log      *zap.Logger // nil is silent

	Product string // product token: who we are in robots.txt, META and X-Robots-Tag

	TDMFiles robots.Bodies // keeps the TDM files of origins, which are asked for; nil asks for none
	TDMLife  time.Duration // how long such a file, or its absence, is used; default 24 h

	Workers    int           // sites served at once; default 256
	Retries    int           // further attempts after a failed one; negative means the default of 2
	RetryDelay time.Duration // before the first of them, doubling after each; default 10 s
	Patience   time.Duration // how long Run waits when nothing is due; negative means not at all; default 5 min
	DrainTime  time.Duration // how long requests under way may go on after the context has ended; default 30 s

	Politeness Politeness
	Hosts      map[string]Override // by host, or host:port: loosened politeness for one's own
	Scope      Scope
	Limits     Limits
	Traps      Traps
	Actions    []string // see Actions; nil means DefaultActions
	Sitemaps   Sitemaps
	OptOut     OptOut // who asked to be left alone; nil is nobody
}

// Politeness bounds how fast a site is visited. Zero fields mean the defaults; use negative values for "none".
type Politeness struct {
	Delay          time.Duration // least gap between the end of a request and the start of the next; default 3 s
	Factor         float64       // the gap is at least this many times the last response time; default 5
	MaxDelay       time.Duration // bound of what Factor can ask for; default 30 s
	Jitter         float64       // random part added to the gap, upwards only; default 0.1
	PerAddress     int           // requests in flight per IP address; default 4
	LongDelay      time.Duration // a Crawl-delay above this is kept, for seeds alone: links of the site are not visited; default 300 s
	Rest           time.Duration // how long a failing host is left alone at first, doubling; default 1 min
	MaxRest        time.Duration // bound of that; default 6 h
	MaxRetryAfter  time.Duration // bound of what Retry-After can ask for; default 24 h
	FailuresInRow  int           // timeouts or resets in a row that make a host rest; default 5
	DenialsInRow   int           // answers 401 or 403 in a row that make a host rest for MaxRetryAfter; default 20
	SignalsPerPage int           // attempts at one page that may end in 429 or 503 before it is given up; default 10
}

// Override replaces the politeness towards one host. It is meant for hosts of one's own.
type Override struct {
	Delay       time.Duration // replaces Delay, Factor and Crawl-delay; 0 keeps them, negative means no delay at all
	Connections int           // requests in flight; 0 means 1
}

// Limits bound a job. Zero means no limit, except for Depth.
type Limits struct {
	Depth        int           // links from a seed; negative means no limit, 0 the seeds only
	Pages        int64         // pages fetched, over all runs of the job
	PagesPerHost int64         // likewise, per site
	Bytes        int64         // bytes received, over all runs of the job
	Time         time.Duration // of this run
}

// withDefaults returns a copy of c that is complete, or says what is missing.
func (c Config) withDefaults() (Config, error) {
	if c.Frontier == nil || c.Robots == nil || c.Fetch == nil || c.Resolver == nil || c.Product == "" {
		return c, errors.New("crawler: Config needs Frontier, Robots, Fetch, Resolver and Product")
	}
	if c.Extract == nil {
		c.Extract = extract.New(extract.Options{})
	}
	if c.Sink == nil {
		c.Sink = storage.Multi()
	}
	if c.Log == nil {
		c.Log = zap.NewNop()
	}
	c.Workers = cmp.Or(max(c.Workers, 0), 256)
	if c.Retries < 0 {
		c.Retries = 2
	}
	c.RetryDelay = orDefault(c.RetryDelay, 10*time.Second)
	c.Patience = orDefault(c.Patience, 5*time.Minute)
	c.TDMLife = orDefault(c.TDMLife, 24*time.Hour)
	c.DrainTime = orDefault(c.DrainTime, 30*time.Second)
	c.Politeness = c.Politeness.withDefaults()
	c.Traps = c.Traps.withDefaults()
	c.Sitemaps = c.Sitemaps.withDefaults()
	if c.Actions == nil {
		c.Actions = DefaultActions()
	}
	return c, nil
}

func (p Politeness) withDefaults() Politeness {
	p.Delay = orDefault(p.Delay, 3*time.Second)
	p.Factor = orDefault(p.Factor, 5)
	p.MaxDelay = orDefault(p.MaxDelay, 30*time.Second)
	p.Jitter = orDefault(p.Jitter, 0.1)
	p.PerAddress = orDefault(p.PerAddress, 4)
	p.LongDelay = orDefault(p.LongDelay, 300*time.Second)
	p.Rest = orDefault(p.Rest, time.Minute)
	p.MaxRest = orDefault(p.MaxRest, 6*time.Hour)
	p.MaxRetryAfter = orDefault(p.MaxRetryAfter, 24*time.Hour)
	p.FailuresInRow = orDefault(p.FailuresInRow, 5)
	p.DenialsInRow = orDefault(p.DenialsInRow, 20)
	p.SignalsPerPage = orDefault(p.SignalsPerPage, 10)
	return p
}

// orDefault reads the convention of this package's options: zero is the default, negative is none.
func orDefault[T int | int64 | float64 | time.Duration](v, def T) T {
	switch {
	case v == 0:
		return def
	case v < 0:
		return 0
	}
	return v
}

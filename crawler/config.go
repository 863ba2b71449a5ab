package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage"
)

// Config is where the parts of a crawl meet. Frontier, Robots, Fetch and Resolver are required; every other field has a
// default. What zero and negative numbers mean is one rule: see the package documentation, Options.
type Config struct {
	Frontier frontier.Frontier
	Robots   *robots.Cache // its Product is who we are, in robots.txt, META and X-Robots-Tag
	Fetch    *fetch.Client // its User-Agent names that product (RFC 9309 section 2.2.1)
	Resolver *fetch.Resolver
	Extract  *extract.Extractor // default extract.New(extract.Options{})
	Sink     storage.Sink       // nil keeps nothing
	Reuse    bool               // the memory of pages is used again once Sink has them: it keeps no Page.Body
	Archive  storage.Archive    // keeps exchanges as they were on the wire, noted by Fetch (fetch.Options.Wire); nil keeps none
	Events   Events
	Log      *zap.Logger // nil is silent

	TDMFiles robots.Bodies // keeps the TDM files of origins, which are asked for; nil asks for none

	Workers    int           // sites served at once, always; default 256
	SlowMemory int64         // bytes for sites beyond those whose request is slow (3 s), 128 KiB each; always; default 64 MiB
	Answers    int           // answers being read, stored and settled at once, each holding its links; always; default 256
	Retries    int           // further attempts after a failed one; default 2
	RetryDelay time.Duration // before the first of them, doubling after each; default 10 s
	Patience   time.Duration // how long Run waits when nothing is due, but for sites whose address seems wrong; default 5 min
	GiveUp     time.Duration // after so long without a robots.txt to be had what an origin has in the queue fails; default 30 days
	DrainTime  time.Duration // how long requests under way may go on after the end, after Limits.Time at most 2 s; default 5 s

	Politeness Politeness
	Hosts      map[string]Override // by host, or host:port: loosened politeness for one's own
	Hours      *Hours              // when any request may be made; at any time by default
	Priorities []PriorityRule      // the first that matches a URL counts, when it is found; see PriorityOf
	Scope      Scope
	MediaTypes MediaTypes
	Limits     Limits
	Quota      Quota // when other processes share Limits.Pages and Limits.Bytes; nil when none does
	Recrawl    Recrawl
	Traps      Traps
	Actions    []string // see Actions; nil means DefaultActions
	Sitemaps   Sitemaps
	Requisites Requisites
	CheckLinks bool   // links out of the scope are asked for too, once, for the head of the answer only: are they dead?
	OptOut     OptOut // who asked to be left alone; nil is nobody

	// Debts are what an earlier crawl owes to sites, of which the Frontier knows nothing: they are left alone that long.
	// EverySite stands for those that are not named.
	Debts map[string]Debt

	// Kept, if not nil, returns the answer to this visit of a page that an earlier run has fetched and stored before it was killed,
	// and not settled; nil when there is none. It is taken, once, instead of asking again, if the page may still be asked for. It
	// must be safe for concurrent use.
	Kept func(frontier.Entry) *fetch.Response

	// Removed, if not nil, reports whether what the Sink had of the page at a URL may have been taken out of it: then the page is
	// asked for whole. refused says that robots.txt has forbidden it since. Nil is for a Sink out of which nothing is taken. It
	// must be safe for concurrent use.
	Removed func(u frontier.URL, refused bool) bool

	// MoreSeeds, if not nil, yields seeds besides those of Run, a batch at a time, which is not kept: they may be more than memory
	// holds. They are taken in, and are in scope from then on, while sites are visited; what was out of scope until then is not
	// looked at again. It ends with its context, which is that of the run; its error ends the run.
	MoreSeeds func(context.Context) iter.Seq2[[]frontier.URL, error]

	// Parked, if not nil, yields what this run and earlier ones told as refused for ReasonEndless, in that order; what is not
	// parked any more, or told more than once, does no harm. When nothing else is left, it is asked last. Its error ends the run.
	Parked iter.Seq2[ParkedLink, error]

	// SeedMoved, if not nil, is called before the target of a redirect becomes a seed too, which it does when the redirect of a
	// seed leads out of the scope but not out of its registrable domain. It makes that durable; its error ends the run. It must be
	// safe for concurrent use.
	SeedMoved func(seed, target frontier.URL) error
	// RobotsComment returns what the comment of the User-Agent says besides in requests for robots.txt, "" for nothing; nil says
	// nothing. It must be safe for concurrent use, and quick.
	RobotsComment func() string
}

// Politeness bounds how fast a site is visited.
type Politeness struct {
	Delay          time.Duration // least gap between the end of a request and the start of the next; default 3 s
	Factor         float64       // the gap is at least this many times the last response time; default 5
	MaxDelay       time.Duration // bound of what Factor can ask for; default 30 s
	Jitter         float64       // random part added to the gap, upwards only; default 0.1
	PerAddress     int           // requests in flight per IP address; default 4
	LongDelay      time.Duration // with a Crawl-delay above this only seeds are visited, no links of the site; default 300 s
	Rest           time.Duration // how long a failing host is left alone at first, doubling; default 1 min
	MaxRest        time.Duration // bound of that, always; default 6 h
	MaxRetryAfter  time.Duration // bound of what Retry-After can ask for, always; default 24 h
	FailuresInRow  int           // timeouts, resets or errors of the server in a row that make a host rest; default 5
	DenialsInRow   int           // answers 401, 403 or challenges in a row after which a host may rest MaxRetryAfter; default 20
	SignalsPerPage int           // attempts at one page that may make its host rest, as 429 does, before it is given up; default 10
}

// Override replaces the politeness towards one host. It is meant for hosts of one's own.
type Override struct {
	Delay       time.Duration // replaces Delay, Factor and Crawl-delay; by default they are kept
	Connections int           // requests in flight, always; default 1
	Release     bool          // nothing of it that looks endless is parked
	Priority    int           // of all its URLs; default 0
	Hours       *Hours        // when it may be asked, besides Config.Hours
	Limits      HostLimits    // replace those of Limits; a negative number is no limit
}

// Limits bound a job. By default there is no limit.
type Limits struct {
	SeedsOnly    bool          // follow no link
	Depth        int           // links from a seed
	Pages        int64         // pages fetched, over all runs of the job
	PagesPerHost int64         // likewise, per site
	BytesPerHost int64         // bytes received for pages and sitemaps of a site, over all runs of the job
	TimePerHost  time.Duration // that requests to a site, and the pauses owed after them, take, over all runs of the job
	Bytes        int64         // bytes received, over all runs of the job
	Time         time.Duration // of this run
}

// withDefaults returns a copy of c that is complete, or says what is missing.
func (c Config) withDefaults() (Config, error) {
	if c.Frontier == nil || c.Robots == nil || c.Fetch == nil || c.Resolver == nil {
		return c, errors.New("crawler: Config needs Frontier, Robots, Fetch and Resolver")
	}
	if err := checkIdentity(c.Robots.Product(), c.Fetch.UserAgent()); err != nil {
		return c, err
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
	c.SlowMemory = cmp.Or(max(c.SlowMemory, 0), 64<<20)
	c.Answers = cmp.Or(max(c.Answers, 0), 256)
	c.Retries = max(cmp.Or(c.Retries, 2), 0)
	c.RetryDelay = max(cmp.Or(c.RetryDelay, 10*time.Second), 0)
	c.Patience = max(cmp.Or(c.Patience, 5*time.Minute), 0)
	c.GiveUp = max(cmp.Or(c.GiveUp, 30*24*time.Hour), 0)
	c.DrainTime = max(cmp.Or(c.DrainTime, 5*time.Second), 0)
	c.Politeness = c.Politeness.withDefaults()
	c.Limits = c.Limits.withDefaults()
	c.Recrawl = c.Recrawl.withDefaults()
	c.Traps = c.Traps.withDefaults()
	c.Sitemaps = c.Sitemaps.withDefaults()
	c.Requisites = c.Requisites.withDefaults()
	if c.Actions == nil {
		c.Actions = DefaultActions()
	}
	return c, nil
}

func (p Politeness) withDefaults() Politeness {
	p.Delay = max(cmp.Or(p.Delay, 3*time.Second), 0)
	p.Factor = max(cmp.Or(p.Factor, 5), 0)
	p.MaxDelay = max(cmp.Or(p.MaxDelay, 30*time.Second), 0)
	p.Jitter = max(cmp.Or(p.Jitter, 0.1), 0)
	p.PerAddress = max(cmp.Or(p.PerAddress, 4), 0)
	p.LongDelay = max(cmp.Or(p.LongDelay, 300*time.Second), 0)
	p.Rest = max(cmp.Or(p.Rest, time.Minute), 0)
	p.MaxRest = cmp.Or(max(p.MaxRest, 0), 6*time.Hour)
	p.MaxRetryAfter = cmp.Or(max(p.MaxRetryAfter, 0), 24*time.Hour)
	p.FailuresInRow = max(cmp.Or(p.FailuresInRow, 5), 0)
	p.DenialsInRow = max(cmp.Or(p.DenialsInRow, 20), 0)
	p.SignalsPerPage = max(cmp.Or(p.SignalsPerPage, 10), 0)
	return p
}

func (l Limits) withDefaults() Limits {
	l.Depth = max(l.Depth, 0)
	l.Pages = max(l.Pages, 0)
	l.PagesPerHost = max(l.PagesPerHost, 0)
	l.BytesPerHost = max(l.BytesPerHost, 0)
	l.TimePerHost = max(l.TimePerHost, 0)
	l.Bytes = max(l.Bytes, 0)
	l.Time = max(l.Time, 0)
	return l
}

// checkIdentity makes sure that the rules obeyed are those for who asks: a site knows its visitor by the User-Agent, and names
// in robots.txt a part of that.
func checkIdentity(product, userAgent string) error {
	switch {
	case product == "":
		return errors.New("crawler: Config.Robots knows no product: set robots.CacheOptions.Product")
	case !strings.Contains(strings.ToLower(userAgent), strings.ToLower(product)):
		return fmt.Errorf("crawler: the User-Agent %q does not contain the product token %q, by which robots.txt would name "+
			"this crawler (RFC 9309 section 2.2.1): "+
			"set fetch.Options.UserAgent, or robots.CacheOptions.Product", userAgent, product)
	}
	return nil
}

package crawler

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"
	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/frontier"
)

// A Crawler is one crawl. It is made by New and used for one Run.
type Crawler struct {
	Config
	scope     atomic.Pointer[scope]
	actions   actions
	traps     *trapCounters
	addresses *addressGate
	budget    *budget
	stats     *stats
	probes    probes

	refusedMu sync.Mutex
	refused   boundedMap[struct{}] // link refusals already told, by URL and reason

	sitemaps sitemapCounters
	enqueue  func(context.Context, []frontier.Link) (frontier.AddResult, error) // what sitemaps name
}

// New checks the configuration and fills in its defaults. It starts nothing.
func New(config Config) (*Crawler, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	c := &Crawler{Config: config, enqueue: config.Frontier.Add}
	scope, err := newScope(c.Scope)
	if err != nil {
		return nil, err
	}
	c.scope.Store(scope)
	c.actions = newActions(c.Actions)
	c.traps = newTrapCounters(&c.Traps)
	c.addresses = newAddressGate(c.Politeness.PerAddress)
	c.stats = newStats()
	c.refused.most, c.probes.titles.most = c.Traps.Remembered, c.Traps.Remembered
	c.sitemaps.read.most, c.sitemaps.announced.most = c.Traps.Remembered, c.Traps.Remembered
	return c, nil
}

// Extend makes more URLs seeds, which the scope follows from then on. It may be called while Run is at work, by one goroutine;
// offering them is another matter.
func (c *Crawler) Extend(seeds []frontier.URL) error {
	wider := c.scope.Load().Scope
	wider.Seeds = append(slices.Clip(wider.Seeds), seeds...)
	scope, err := newScope(wider)
	if err == nil {
		c.scope.Store(scope)
	}
	return err
}

// Recall takes in a page that an earlier run of the crawl has visited, so that a place without end is not given its bounds anew
// with each run. fresh says that no page had the same content before. It is called before Run, with the pages visited last; as
// many as Traps.Remembered matter.
func (c *Crawler) Recall(u frontier.URL, fresh bool) { c.traps.recall(u, fresh) }

// admit passes a link through every gate that can be judged without asking the site, in the order of the Gate constants.
// It returns an empty reason when the link may be queued. Of a sitemap it is enough that its host is wanted, and that a page
// it names may be: each of these is judged by itself.
func (c *Crawler) admit(l frontier.Link) (Gate, Reason, string) {
	if entry, out := c.optedOut(l.URL); out {
		return GateOptOut, ReasonOptedOut, entry
	}
	if w := c.actions.match(l.URL.PathQuery()); w != "" {
		return GateAction, ReasonAction, w
	}
	outside := c.scope.Load().refuse
	if l.Kind != kindPage {
		outside = c.scope.Load().refuseSitemap
	}
	if r, rule := outside(l.URL); r != "" {
		return GateScope, r, rule
	}
	if r := c.Traps.shape(l.URL); r != "" {
		return GateTrap, r, c.Traps.bound(r)
	}
	if l.Kind != kindPage {
		if c.Limits.Depth == 0 {
			return GateLimit, ReasonDepth, "the seeds only, so no page that it names"
		}
		return "", "", ""
	}
	if r := c.traps.host(l.URL); r != "" {
		return GateTrap, r, c.Traps.bound(r)
	}
	if c.Limits.Depth >= 0 && l.Depth > c.Limits.Depth {
		return GateLimit, ReasonDepth, fmt.Sprintf("at most %d links from a seed", c.Limits.Depth)
	}
	return "", "", ""
}

// refuseLink tells of a link that was turned away, once per URL and reason as far as memory reaches.
func (c *Crawler) refuseLink(r Refusal) {
	key := xxhash.Sum64String(string(r.Reason) + " " + r.URL)
	c.refusedMu.Lock()
	_, told := c.refused.get(key)
	if !told {
		c.refused.put(key, struct{}{})
	}
	c.refusedMu.Unlock()
	if told {
		return
	}
	c.tellRefusal(r)
}

func (c *Crawler) tellRefusal(r Refusal) {
	c.stats.reason(r.Reason)
	if e := c.Log.Check(zap.DebugLevel, "refused"); e != nil {
		e.Write(zap.String("url", r.URL), zap.String("gate", string(r.Gate)), zap.String("reason", string(r.Reason)), zap.String("rule", r.Rule))
	}
	c.Events.refusal(r)
}

func (c *Crawler) tellOutcome(o Outcome) {
	c.stats.outcome(o)
	c.Events.outcome(o)
}

func (c *Crawler) tellRequest(r Request) {
	c.stats.request(r)
	if e := c.Log.Check(zap.DebugLevel, "requested"); e != nil {
		e.Write(zap.Stringer("url", r.URL), zap.String("for", string(r.Purpose)), zap.Int("status", r.Status),
			zap.String("failure", string(r.Failure)), zap.Duration("took", r.End.Sub(r.Start)), zap.Duration("gap", r.Gap), zap.String("gap_why", r.GapWhy))
	}
	c.Events.request(r)
}

// retryTime returns when a URL is tried again after its attempt-th failure, counted from 0.
func (c *Crawler) retryTime(attempt int) time.Time {
	return time.Now().Add(c.RetryDelay << min(attempt, 16))
}

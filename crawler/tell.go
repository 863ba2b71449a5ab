package crawler

import (
	"github.com/cespare/xxhash/v2"
	"go.uber.org/zap"
)

// This file holds how a crawl tells of itself: every event is counted for Status, logged, and handed to who listens.

func (c *Crawler) tellRefusal(r Refusal) {
	c.stats.reason(r.Reason)
	if e := c.config.Log.Check(zap.DebugLevel, "refused"); e != nil {
		e.Write(zap.String("url", r.URL), zap.String("gate", string(r.Gate)), zap.String("reason", string(r.Reason)),
			zap.String("rule", r.Rule))
	}
	c.config.Events.refusal(r)
}

// tellRefusedLink tells of a link that was turned away, once per URL and reason as far as memory reaches.
func (c *Crawler) tellRefusedLink(r Refusal) {
	if c.isFirstRefusal(r) {
		c.tellRefusal(r)
	}
}

// isFirstRefusal notes that a link was turned away, and reports whether its URL was not for this reason before.
func (c *Crawler) isFirstRefusal(r Refusal) bool {
	key := xxhash.Sum64String(string(r.Reason) + " " + r.URL)
	c.refusedMu.Lock()
	defer c.refusedMu.Unlock()
	_, told := c.refused.Get(key)
	if !told {
		c.refused.Put(key, struct{}{})
	}
	return !told
}

func (c *Crawler) tellOutcome(o Outcome) {
	c.stats.outcome(o)
	c.config.Events.outcome(o)
}

func (c *Crawler) tellRequest(r Request) {
	c.stats.request(r)
	if e := c.config.Log.Check(zap.DebugLevel, "requested"); e != nil {
		e.Write(zap.Stringer("url", r.URL), zap.String("for", string(r.Purpose)), zap.Int("status", r.Status),
			zap.String("failure", string(r.Failure)), zap.Duration("took", r.End.Sub(r.Start)), zap.Duration("gap", r.Gap),
			zap.String("gap_why", r.GapWhy))
	}
	c.config.Events.request(r)
}

func (c *Crawler) tellRest(r Rest) {
	c.stats.reason(r.Reason)
	what := "site rests"
	if r.NeverAnswered && (r.Reason == ReasonDNS || r.Reason == ReasonRefused) {
		what = "site rests: nobody answers there; are its name and its port right?"
	}
	c.config.Log.Info(what, zap.String("site", r.Site), zap.String("reason", string(r.Reason)),
		zap.String("detail", r.Detail), zap.Time("until", r.Until), zap.Int("failures", r.Failures))
	c.config.Events.rest(r)
}

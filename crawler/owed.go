package crawler

import (
	"context"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// A Debt is what a crawl that is over still owes a site: to be left alone.
type Debt struct {
	Until    time.Time `json:"until"`
	Reason   string    `json:"reason"`             // why, as in SitePolicy.BlockReason
	Failures int       `json:"failures,omitempty"` // of the host in a row, which the next failure adds to
}

// payDebt makes the frontier leave the leased site alone for as long as an earlier crawl owes it, and reports whether that is still so.
func (h *host) payDebt(work context.Context) (owed bool, err error) {
	d, ok := h.config.Debts[h.site]
	if !ok || time.Until(d.Until) <= 0 {
		return false, nil
	}
	err = h.standing.takeOver(work, d)
	return true, err
}

// debtTo returns an error when a site other than the leased one, to which its robots.txt leads, is still owed rest.
func (c *Crawler) debtTo(site string) error {
	if d, ok := c.config.Debts[site]; ok && time.Until(d.Until) > 0 {
		return &frontier.BlockedError{Site: site, Until: d.Until, Reason: d.Reason}
	}
	return nil
}

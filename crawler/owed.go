package crawler

import (
	"time"
)

// A Debt is what a crawl that is over still owes a site: to be left alone.
type Debt struct {
	Until    time.Time `json:"until"`
	Reason   string    `json:"reason"`             // why, as in SitePolicy.BlockReason
	Failures int       `json:"failures,omitempty"` // of the host in a row, which the next failure adds to
}

// debtTo returns what is still owed to a site.
func (c *Crawler) debtTo(site string) (d Debt, owed bool) {
	d = c.config.Debts[site]
	return d, time.Until(d.Until) > 0
}

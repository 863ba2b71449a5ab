package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// policyRecord translates what the operator wrote into what a run promises in its ledger: bounds in force, 0 for none.
func policyRecord(c config.Config) *ledger.Policy {
	p := c.Politeness
	return &ledger.Policy{
		Dialect: c.Robots.Dialect, Delay: ledger.Millis(p.Delay), Factor: p.DelayFactor, MaxDelay: ledger.Millis(p.MaxDelay),
		MaxRetryAfter: ledger.Millis(p.RetryAfterMax), Rest: ledger.Millis(p.HostRest), MaxRest: ledger.Millis(p.HostRestMax),
		PerAddress: p.PerAddress, Workers: atOnce(c),
		MaxLife: ledger.Millis(c.Robots.MaxLife), UseLastGood: c.Robots.UseLastGood,
	}
}

// overrideRecords names the sites for which the operator has loosened the policy.
func overrideRecords(c config.Config) []ledger.Record {
	var records []ledger.Record
	for _, site := range slices.Sorted(maps.Keys(c.Hosts)) {
		h := c.Hosts[site]
		r := ledger.Record{Type: ledger.Run, Event: ledger.EventOverride, Site: site, Connections: max(h.Connections, 1),
			Why: carried(h)}
		if h.Delay != nil {
			r.Gap, r.GapWhy = ledger.Millis(time.Duration(*h.Delay)), "override"
		}
		records = append(records, r)
	}
	return records
}

// atOnce returns how many requests can be under way at once: those of the workers, and slow ones beyond.
func atOnce(c config.Config) int { return c.Crawl.Workers + int(c.Crawl.SlowMemory/crawler.SlowBytes) }

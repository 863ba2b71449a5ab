package crawler

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/cybermapper/cybermapper/crawler/internal/bounded"
	"github.com/cybermapper/cybermapper/frontier"
)

// A Crawler is one crawl. It is made by New and used for one Run, or one Survey: a second is refused with an error.
type Crawler struct {
	config     Config
	used       atomic.Bool // by Run or Survey
	scope      *scope
	keepsPages bool        // there is a sink
	given      int         // seeds of the scope when it was made
	seeding    atomic.Bool // MoreSeeds are being taken in
	actions    actions
	traps      *trapCounters
	parking    *parking
	texts      texts
	addresses  *addressGate
	budget     *budget
	stats      *stats
	probes     probes
	readers    *crew         // read and store pages
	settlers   *crew         // settle them, which is waiting for the disk: their stacks are small, and thousands may do so
	answers    chan struct{} // one for each answer that is being read, stored and settled
	unsettled  unsettled

	refusedMu sync.Mutex
	refused   bounded.Map[struct{}] // link refusals already told, by URL and reason

	errands   errands
	sitemaps  sitemapCounters
	closed    closedOrigins
	witnesses witnesses
	enqueue   func(context.Context, []frontier.Link) (frontier.AddResult, error) // what sitemaps name
}

// New checks the configuration and fills in its defaults. It starts nothing.
func New(config Config) (*Crawler, error) {
	keepsPages := config.Sink != nil
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	c := &Crawler{config: config, keepsPages: keepsPages}
	if config.hasPriorities() {
		c.config.Frontier = prioritized{config.Frontier, &c.config}
	}
	c.enqueue = c.config.Frontier.Add
	scope, err := newScope(config.Scope)
	if err != nil {
		return nil, err
	}
	c.scope = scope
	scope.requisites = config.Requisites.Hosts
	c.given = len(config.Scope.Seeds)
	c.config.Scope.Seeds = nil // they may be many, and the scope has what it needs
	c.actions = newActions(config.Actions)
	c.traps = newTrapCounters(&c.config.Traps)
	c.parking = newParking(&c.config)
	c.addresses = newAddressGate(config.Politeness.PerAddress)
	c.stats = newStats()
	c.readers, c.settlers = newCrew(idleReaders), newCrew(idleReaders)
	c.answers = make(chan struct{}, config.Answers)
	c.unsettled.most = config.Answers
	most := config.Traps.Remembered
	c.texts.most = most
	c.refused.Most, c.probes.titles.Most, c.sitemaps.read.Most, c.sitemaps.announced.Most = most, most, most, most
	c.closed.passed.Most = most
	c.witnesses.sites.Most = mostWitnesses
	return c, nil
}

// Extend makes more URLs seeds, which the scope follows from then on. It may be called while Run is at work; offering them is
// another matter.
func (c *Crawler) Extend(seeds []frontier.URL) {
	c.scope.extend(seeds)
}

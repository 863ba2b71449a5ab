package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/journal"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/memory"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
	"github.com/cybermapper/cybermapper/storage/warc"
)

// stores are the durable parts of a job, opened to write.
type stores struct {
	frontier frontier.Frontier
	own      *disk.Frontier  // the same, if it is this process's; nil otherwise
	node     *cluster.Member // the same, if other nodes share it; nil otherwise
	pages    *pages.Store
	archive  *warc.Archive // nil when none is wanted
	ledger   *ledger.Ledger
	compared bool           // the ledger was found to be what the queue relies on, or that it is not is on record
	files    *journal.Files // tells the ledger where pages are stored
	began    time.Time      // one for all: a wall clock that is set while they are opened must not be seen by some of them only
}

// openStores opens the stores of a job. The frontier commits nothing before pages and ledger are on stable storage, so that
// what it calls done is there even after power loss.
func openStores(j *job.Job, c config.Config, log *zap.Logger) (*stores, error) {
	s := stores{files: journal.NewFiles(), began: time.Now()}
	var err error
	if s.pages, err = pages.Open(j.Path(job.PagesDir), pages.Options{Stored: s.files.Keep}); err != nil {
		return nil, Damaged(c, "the pages of the job", err)
	}
	o := ledger.Options{MaxFile: int64(c.Storage.LedgerFile), Began: s.began}
	if s.ledger, err = ledger.Open(j.Path(job.LedgerDir), o); err != nil {
		return nil, errors.Join(Damaged(c, "the ledger of the job", err), s.pages.Close())
	}
	if s.archive, err = openArchive(j, c); err == nil {
		err = tellMissing(j, log)
	}
	if err != nil {
		return nil, errors.Join(err, s.archive.Close(), s.ledger.Close(), s.pages.Close())
	}
	if err := s.openQueue(j, c, log); err != nil {
		return nil, errors.Join(err, s.archive.Close(), s.ledger.Close(), s.pages.Close())
	}
	return &s, nil
}

// sync brings pages, archive and ledger to stable storage, at once: what they wait for is the same.
func (s *stores) sync() error {
	var g errgroup.Group
	g.Go(s.pages.Sync)
	g.Go(s.archive.Sync)
	return errors.Join(s.ledger.Sync(), g.Wait())
}

// barrier is sync, and returns how many records the ledger has on stable storage; 0 while it may be an older one, of which the
// queue must not forget that it had more.
func (s *stores) barrier() (records uint64, err error) {
	if err := s.sync(); err != nil || !s.compared {
		return 0, err
	}
	return s.ledger.Synced(), nil
}

// Close closes first what needs the others, and then these at once, as in sync.
func (s *stores) Close() error {
	err := s.frontier.Close()
	var g errgroup.Group
	g.Go(s.pages.Close)
	g.Go(s.archive.Close)
	return errors.Join(err, s.ledger.Close(), g.Wait())
}

// repairs returns how many bytes of unfinished lines were cut off when the stores were opened, and how many files of pages without
// a line were removed. After a clean stop, both are 0.
func (s *stores) repairs() (torn int64, unfinished int) {
	r := s.pages.Recovery()
	return s.ledger.Torn() + s.archive.Torn() + r.TornBytes, r.Unfinished
}

// An engine is a crawler with the parts that only it uses.
type engine struct {
	*crawler.Crawler
	client   *fetch.Client
	resolver *fetch.Resolver
}

// parts are what an engine is joined of, besides the stores of a job.
type parts struct {
	config  config.Config
	again   bool           // what was settled is visited another time
	seeds   []frontier.URL // in scope
	more    *seedStream    // further ones; nil when there are none
	optOuts crawler.OptOut
	events  crawler.Events
	removed func(u frontier.URL, refused bool) bool // as crawler.Config.Removed
	comment func() string                           // what requests for robots.txt say; nil: nothing
	log     *zap.Logger
}

// newEngine joins the stores of a job with an engine that does what p says.
func newEngine(j *job.Job, s *stores, p parts) (*engine, error) {
	c := p.config
	config := c.Crawler()
	config.RobotsComment, config.Recrawl.Run = p.comment, p.again
	if p.more != nil {
		config.MoreSeeds = p.more.batches
	}
	config.Scope.Seeds, config.OptOut = p.seeds, p.optOuts
	config.SeedMoved = seedMoved(j, s.ledger)
	config.Parked = parkedLinks(j.Path(job.LedgerDir), s.ledger)
	if !p.again { // all that is queued is asked for by this run
		kept, err := findKept(context.Background(), j, s)
		if err != nil {
			return nil, err
		}
		config.Kept = kept.take
	}
	var err error
	if config.Debts, err = readDebts(j.Path(job.DebtsFile)); err != nil {
		return nil, cli.DiskError(withDebtsHint(err))
	}
	config.Frontier, config.Events, config.Log = s.frontier, p.events, p.log
	if c.Storage.Pages {
		config.Sink, config.Reuse = journal.Before(s.pages, s.ledger), true
		config.Removed = p.removed
	}
	if s.node != nil {
		config.Quota = &crewQuota{node: s.node, limits: config.Limits}
	}
	var wire *fetch.WireOptions
	if s.archive != nil {
		config.Archive = journal.BeforeArchive(s.archive, s.ledger)
		config.Kept = nil // what is stored as a page may not be in the archive
		wire = &fetch.WireOptions{Dir: j.Path(job.ArchiveDir)}
	}
	if c.Robots.TDMRepFile {
		config.TDMFiles = robots.DirBodies(j.Path(job.RobotsDir))
	}
	return joinEngine(config, c, robots.DirBodies(j.Path(job.RobotsDir)), spooling{dir: j.Path(""), wire: wire})
}

// newSurveyor returns an engine that is good for a Survey: what it learns it keeps in f and nowhere else. bodies are the
// robots.txt files that are known, seeds the scope of what sitemaps may name.
func newSurveyor(f *memory.Frontier, bodies robots.Bodies, c config.Config, seeds []frontier.URL, out crawler.OptOut,
	events crawler.Events, log *zap.Logger) (*engine, error) {
	config := c.Crawler()
	config.Scope.Seeds, config.OptOut = seeds, out
	config.Frontier, config.Events, config.Log = f, events, log
	return joinEngine(config, c, bodies, spooling{})
}

// spooling says where what is fetched lies while it is needed and is too large for memory: sitemaps in dir, and exchanges as they
// are on the wire, if these are kept, as wire says. The zero one keeps none.
type spooling struct {
	dir  string // "" is that of the system
	wire *fetch.WireOptions
}

// joinEngine completes the configuration of an engine with what asks the network.
func joinEngine(config crawler.Config, c config.Config, bodies robots.Bodies, s spooling) (*engine, error) {
	authorities, err := authoritiesOf(c.Fetch.CAFile)
	if err != nil {
		return nil, err
	}
	options := c.FetchOptions(cli.ReadBuild().Version)
	options.RootCAs = authorities
	if err := setWays(&options, c); err != nil {
		return nil, err
	}
	if options.Sign, err = signRequests(c.Agent); err != nil {
		return nil, err
	}
	resolver := fetch.NewResolver(fetch.ResolverOptions{
		Fixed: c.Fixed(),
		TTL:   time.Duration(c.Fetch.DNSLife), NegativeTTL: time.Duration(c.Fetch.DNSErrorLife), Concurrency: 2 * atOnce(c),
	})
	options.Resolver, options.OptedOut = resolver, config.OptOut.Address
	options.SpoolDir, options.Wire = s.dir, s.wire
	if c.Agent.Contact == "" {
		options.Dial = dialLoopback(options.LocalAddr)
	}
	client := fetch.New(options)
	cache := c.CacheOptions()
	cache.Bodies = bodies

	config.Resolver, config.Fetch, config.Robots = resolver, client, robots.NewCache(cache)
	config.Extract = extract.New(extract.Options{
		MaxBytes: int(c.Fetch.MaxBody), Budget: int64(c.Extract.Memory),
	})
	crawl, err := crawler.New(config)
	if err != nil {
		client.Close()
		resolver.Close()
		return nil, err
	}
	return &engine{Crawler: crawl, client: client, resolver: resolver}, nil
}

// failed reports whether what ended the engine is that a store failed: it knows no files but those of the job, and a queue that
// cannot be written may name none.
func (s *stores) failed(err error) bool {
	_, ofFile := errors.AsType[*fs.PathError](err)
	return ofFile || errors.As(err, new(*os.LinkError)) || s.own != nil && s.own.Err() != nil
}

// start offers the seeds, and runs. What a seed wants besides being visited is known to Offer.
func (e *engine) start(ctx context.Context, seeds []seed.Seed) (crawler.Reason, error) {
	var plain []frontier.URL
	var links []frontier.Link
	for _, s := range seeds {
		if s.IsPlain() {
			plain = append(plain, s.URL)
		} else {
			links = append(links, s.Link())
		}
	}
	if _, err := e.Offer(ctx, links); err != nil {
		return crawler.EndFailed, fmt.Errorf("add seeds: %w", err)
	}
	return e.Run(ctx, plain)
}

// offerMarked takes in seeds that are more than a URL.
func (e *engine) offerMarked(ctx context.Context, seeds []seed.Seed) error {
	links := make([]frontier.Link, len(seeds))
	for i, s := range seeds {
		links[i] = s.Link()
	}
	e.Extend(seed.URLs(seeds))
	if _, err := e.Offer(ctx, links); err != nil {
		return fmt.Errorf("add seeds: %w", err)
	}
	return nil
}

// Close gives connections and lookups back.
func (e *engine) Close() {
	e.client.Close()
	e.resolver.Close()
}

// dialLoopback connects to this machine only, from an address of it if one is given. A crawl that names no contact begins on
// loopback, and stays there wherever links and redirects lead.
func dialLoopback(from netip.Addr) func(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{KeepAlive: -1} // as the client's own
	if from.IsValid() {
		d.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if to, err := netip.ParseAddrPort(address); err != nil || !to.Addr().Unmap().IsLoopback() {
			return nil, &fetch.ForbiddenError{Address: to.Addr(),
				Why: "not on loopback, and the crawl names no contact (--contact)"}
		}
		return d.DialContext(ctx, network, address)
	}
}

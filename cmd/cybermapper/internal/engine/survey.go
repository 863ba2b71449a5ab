package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/plan"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/memory"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage"
)

// A Survey finds out for a plan what the sites say.
type Survey struct {
	config config.Config
	view   *job.View // nil when no job is given
	log    *zap.Logger
	sites  map[string]frontier.SitePolicy // what the job remembers
	fresh  map[frontier.URL]bool          // seeds that the job does not know; none without a job

	mu       sync.Mutex                 // guards requests
	requests map[string]crawler.Request // the last one to each site
}

// NewSurvey returns a Survey for a crawl that does what c says; view is the job whose rest is planned, or nil.
func NewSurvey(c config.Config, view *job.View, screen *progress.Screen) *Survey {
	return &Survey{config: c, view: view, log: NewLogger(c.Log, screen, false), sites: map[string]frontier.SitePolicy{},
		fresh: map[frontier.URL]bool{}, requests: map[string]crawler.Request{}}
}

// Plan makes the plan of a crawl from the seeds, or of the rest of the job with seeds besides.
func (s *Survey) Plan(ctx context.Context, seeds []seed.Seed) (_ *plan.Plan, err error) {
	p := plan.New(budgetOf(s.config))
	p.Notes = notes(s.config, s.view != nil)
	var bodies robots.Bodies
	if s.view != nil {
		p.Job, bodies = s.view.Dir, knownBodies(s.view.Path(job.RobotsDir))
	}
	if err := s.queued(ctx, p); err != nil {
		return nil, err
	}
	wanted, err := s.wanted(p, seeds)
	if err != nil {
		return nil, err
	}
	if err := s.addSeeds(ctx, p, wanted); err != nil {
		return nil, err
	}
	kept := ""
	if s.view != nil {
		kept = s.view.Path(job.OptOutFile)
	}
	out, err := openOptOuts(s.config, kept)
	if err != nil {
		return nil, err
	}
	f := memory.New()
	origins := byOrigin(wanted)
	places := s.places(origins)
	e, err := newSurveyor(f, bodies, s.config, scopeOf(seed.URLs(seeds), places), out, crawler.Events{Request: s.request}, s.log)
	if err != nil {
		return nil, err
	}
	defer func() {
		e.Close()
		err = errors.Join(err, f.Close())
	}()
	if err := e.Survey(ctx, places, func(x crawler.Surveyed) { s.learn(p, e, x, origins[x.Origin]) }); err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	s.unknown(p, e)
	p.Finish()
	return p, nil
}

// maxUnwanted bounds the seeds of which a plan says that they are not visited.
const maxUnwanted = 10

// wanted returns the seeds that the operator's settings let pass, and notes in the plan which they do not. The site of those alone
// is not asked for its robots.txt, as crawl does not.
func (s *Survey) wanted(p *plan.Plan, seeds []seed.Seed) (wanted []frontier.URL, err error) {
	c := s.config.Crawler()
	c.Scope.Seeds = seed.URLs(seeds)
	gates, err := crawler.NewGates(c)
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	unwanted := 0
	for _, given := range seeds {
		r, refused := gates.Judge(given.Link())
		if !refused {
			wanted = append(wanted, given.URL)
			continue
		}
		if unwanted++; unwanted <= maxUnwanted {
			p.Notes = append(p.Notes, fmt.Sprintf("%s is not visited: %s (%s)", given.URL, say.Reason(r.Reason), r.Rule))
		}
	}
	if more := unwanted - maxUnwanted; more > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%s more are not visited for such reasons", say.Plural(more, "seed")))
	}
	return wanted, nil
}

// addSeeds adds the hosts of the seeds, and notes which of them are new to a job that goes on.
func (s *Survey) addSeeds(ctx context.Context, p *plan.Plan, seeds []frontier.URL) error {
	for _, u := range seeds {
		p.Host(u.Site())
		if s.view == nil {
			continue
		}
		known, err := s.knows(ctx, u)
		if err != nil {
			return err
		}
		s.fresh[u] = !known
	}
	return nil
}

// knows reports whether the job has heard of a URL.
func (s *Survey) knows(ctx context.Context, u frontier.URL) (bool, error) {
	if s.view.Frontier == nil {
		return false, nil
	}
	info, err := s.view.Frontier.Lookup(ctx, u)
	if err != nil {
		return false, fmt.Errorf("look up %s: %w", u, err)
	}
	return info.Status != frontier.Unknown, nil
}

// places are the origins to be surveyed: those of the seeds, and those that the job knows of sites in its queue.
func (s *Survey) places(seeds map[string][]frontier.URL) []crawler.Origin {
	urls := map[string]frontier.URL{}
	for origin, of := range seeds {
		urls[origin] = of[0]
	}
	for _, policy := range s.sites {
		for origin := range crawler.KnownRobots(policy) {
			if u, err := frontier.ParseURL(origin + "/"); err == nil {
				urls[origin] = u
			}
		}
	}
	var places []crawler.Origin
	for _, origin := range slices.Sorted(maps.Keys(urls)) {
		u := urls[origin]
		places = append(places, crawler.Origin{URL: u, Policy: s.sites[u.Site()]})
	}
	return places
}

// scopeOf returns the seeds and a URL of each place.
func scopeOf(seeds []frontier.URL, places []crawler.Origin) []frontier.URL {
	scope := slices.Clone(seeds)
	for _, p := range places {
		scope = append(scope, p.URL)
	}
	return scope
}

// request hears of every request; how long robots.txt took says how fast a site is.
func (s *Survey) request(r crawler.Request) {
	if r.Purpose != crawler.ForRobots {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests[r.Site] = r
}

// learn puts what is known of an origin into the plan.
func (s *Survey) learn(p *plan.Plan, e *engine, x crawler.Surveyed, seeds []frontier.URL) {
	s.mu.Lock()
	r := s.requests[x.Site]
	s.mu.Unlock()
	h := p.Host(x.Site)
	h.Learn(x, seeds)
	for _, u := range seeds {
		if s.fresh[u] && (x.Answer.Rules == nil || x.Answer.Rules.Test(u.PathQuery()).Allowed) {
			h.Waiting++ // one more to fetch
		}
	}
	h.SetAddress(r.Address)
	s.settings(h)
	took := r.End.Sub(r.Start)
	h.SetPace(e.Pace(x.Site, took, x.Answer.Rules), took, s.config.Hosts[x.Site].Connections, x.Answer.File)
}

// settings notes what the operator says of a host.
func (s *Survey) settings(h *plan.Host) {
	h.Priority = s.config.Hosts[h.Site].Priority
	now := time.Now()
	c := s.config.Crawler()
	if opens, by := c.Opens(h.Site, now); opens.After(now) && opens.After(h.RestsUntil) {
		h.RestsUntil, h.RestReason = opens, string(crawler.ReasonHours)+": "+by.String()
	}
}

// unknown gives the hosts of which no origin is known the pace that a site has before it says anything.
func (s *Survey) unknown(p *plan.Plan, e *engine) {
	for _, h := range p.Hosts {
		s.settings(h)
		if len(h.Origins) == 0 {
			h.SetPace(e.Pace(h.Site, 0, nil), 0, s.config.Hosts[h.Site].Connections, nil)
		}
	}
}

// knownBodies is the directory of a job with the robots.txt files that it has, which gets no new ones.
type knownBodies string

// Put keeps nothing.
func (dir knownBodies) Put(body []byte) (string, error) { return string(storage.DigestOf(body)), nil }

// Get returns a file that the job has.
func (dir knownBodies) Get(digest string) ([]byte, error) { return robots.DirBodies(dir).Get(digest) }

// budgetOf returns what bounds a crawl.
func budgetOf(c config.Config) plan.Budget {
	return plan.Budget{
		MaxPages: c.Crawl.MaxPages, MaxPagesPerHost: c.Crawl.MaxPagesPerHost, MaxTime: c.Crawl.MaxTime, Depth: c.Crawl.Depth,
		Workers: c.Crawl.Workers, PerAddress: c.Politeness.PerAddress,
	}
}

// maxPlanned bounds the hosts of a plan.
const maxPlanned = 100_000

// queued puts what waits in the queue of the job into the plan, and notes what is remembered of each site.
func (s *Survey) queued(ctx context.Context, p *plan.Plan) error {
	if s.view == nil || s.view.Frontier == nil {
		return nil
	}
	stats, err := s.view.Frontier.Stats(ctx)
	if err != nil {
		return fmt.Errorf("read frontier: %w", err)
	}
	p.Budget.Done = stats.Pages
	left := 0
	for info, err := range s.view.Frontier.Sites(ctx) {
		if err != nil {
			return fmt.Errorf("read frontier: %w", err)
		}
		if info.Queued+info.Retrying == 0 {
			continue
		}
		if len(s.sites) == maxPlanned {
			left++
			continue
		}
		s.remember(p.Host(info.Site), info)
	}
	if left > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%s more wait in the queue; a plan has at most %s", say.Plural(left, "site"),
			say.Count(maxPlanned)))
	}
	return nil
}

// remember notes what is known of a site.
func (s *Survey) remember(h *plan.Host, info frontier.SiteInfo) {
	now := time.Now()
	h.Waiting, h.Done = info.Queued+info.Retrying, info.Pages
	policy := info.Policy
	if policy.BlockedUntil.After(now) {
		h.RestsUntil, h.RestReason = policy.BlockedUntil, policy.BlockReason
	} else if info.Queued == 0 && info.Due.After(now) {
		h.RestsUntil, h.RestReason = info.Due, "retry"
	}
	last := info.LastEnd
	if last.IsZero() && info.Done+info.Failed > 0 {
		last = now // nobody knows when the last request ended
	}
	if owed := last.Add(policy.Delay); !last.IsZero() && owed.After(policy.BlockedUntil) {
		policy.BlockedUntil, policy.BlockReason = owed, "delay"
	}
	s.sites[info.Site] = policy
}

// notes says what the plan leaves out.
func notes(c config.Config, goesOn bool) []string {
	var notes []string
	if c.Crawl.Scope == "any" || c.Crawl.Scope == "domain" {
		notes = append(notes, "links may lead to hosts that are not in this plan (--scope "+c.Crawl.Scope+")")
	}
	if len(c.Priority) > 0 {
		notes = append(notes, "what matches comes earlier or later: "+strings.Join(c.Priority, ", "))
	}
	if !goesOn && c.Crawl.Depth != 0 {
		notes = append(notes, "a site may have fewer pages than are asked for")
	}
	if goesOn {
		notes = append(notes, "links that are yet to be found come on top")
	}
	return notes
}

// byOrigin sorts seeds by their origin, and drops those that are given twice.
func byOrigin(seeds []frontier.URL) map[string][]frontier.URL {
	sorted := slices.Clone(seeds)
	slices.SortFunc(sorted, func(a, b frontier.URL) int { return strings.Compare(a.String(), b.String()) })
	origins := map[string][]frontier.URL{}
	for _, u := range slices.Compact(sorted) {
		origins[u.Origin()] = append(origins[u.Origin()], u)
	}
	return origins
}

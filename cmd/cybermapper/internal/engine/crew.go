package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/cluster"
)

// What the nodes of a crawl share besides its queue and its limits: its seeds and who is left alone, as lists of texts that all of
// them read.
const (
	sharedTerms   = "terms"
	sharedSeeds   = "seeds"
	sharedOptOuts = "optouts"
)

const (
	crewEvery    = 2 * time.Second  // how often a node looks for what others have shared
	crewPatience = 20 * time.Second // how long it waits for the seeds of whoever began the crawl
)

// terms are what the first node of a crawl begins it with.
type terms struct {
	Seeds   int      `json:"seeds"`          // how many it shares
	List    bool     `json:"list,omitempty"` // they are too many to be shared: each node is given the list
	Reach   reach    `json:"reach"`
	Manners *manners `json:"manners,omitempty"` // of versions that tell them
}

// manners are what sites see of the settings of a node.
type manners struct {
	Product     string          `json:"agent.product"`
	Contact     string          `json:"agent.contact"`
	Delay       config.Duration `json:"politeness.delay"`
	DelayFactor float64         `json:"politeness.delay_factor"`
	MaxDelay    config.Duration `json:"politeness.max_delay"`
	Dialect     string          `json:"robots.dialect"`
	MaxLife     config.Duration `json:"robots.max_life"`
}

func mannersOf(c config.Config) *manners {
	return &manners{
		Product: c.Agent.Product, Contact: c.Agent.Contact, Delay: c.Politeness.Delay, DelayFactor: c.Politeness.DelayFactor,
		MaxDelay: c.Politeness.MaxDelay, Dialect: c.Robots.Dialect, MaxLife: c.Robots.MaxLife,
	}
}

// A crew is what a node has to do with the others of its crawl. nil is a crawl of one process. It is used by one goroutine at a
// time, but for share.
type crew struct {
	node   *cluster.Member
	job    *job.Job
	name   string // of the crawl
	out    io.Writer
	outs   *optOuts
	extend func([]frontier.URL)        // widens the scope of this node
	follow func(context.Context) error // takes in what the opt-outs have become

	seeds   int // texts read of the list of seeds
	optOuts sharedOuts
}

// newCrew returns nil for a job whose queue is its own.
func newCrew(j *job.Job, s *stores, name string, outs *optOuts, out io.Writer) *crew {
	if s.node == nil {
		return nil
	}
	return &crew{node: s.node, job: j, name: name, outs: outs, out: out}
}

// agree finds out with which seeds the crawl is made, and who is left alone. given are those that this node knows of; isList says
// that they are only the first ones of a list that every node is given.
func (c *crew) agree(ctx context.Context, given []seed.Seed, isList bool, own config.Config) ([]seed.Seed, error) {
	begun := terms{Seeds: len(given), List: isList, Reach: reachOf(own, ""), Manners: mannersOf(own)}
	text, err := json.Marshal(begun)
	if err != nil {
		return nil, err
	}
	text, isFirst, err := c.node.Begin(ctx, sharedTerms, text, len(given) > 0)
	if err != nil {
		return nil, err
	}
	var t terms
	switch {
	case text == nil:
		return nil, &cli.Error{Code: cli.ExitUsage, Err: fmt.Errorf("no seeds: crawl %s has not begun", c.name),
			Hint: "the first node gives them; further ones may leave them out"}
	case isFirst && !isList:
		if err := c.share(ctx, given); err != nil {
			return nil, err
		}
	}
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, fmt.Errorf("what crawl %s was begun with: %w", c.name, err)
	}
	t.Reach.Seeds = ""
	c.tellOthers(t.Reach, begun.Reach, "each node judges links by its own settings")
	if t.Manners != nil {
		c.tellOthers(t.Manners, begun.Manners, "each node asks sites by its own settings")
	}
	switch {
	case t.List && isList:
		return given, errors.Join(c.job.AddSeeds(given), c.shareOptOuts(ctx))
	case t.List:
		return c.agreeWithoutList(ctx, given, own)
	case isList && len(given) > 0:
		return nil, c.begunWithOthers()
	}
	seeds, err := c.awaitSeeds(ctx, t.Seeds, given)
	if err != nil {
		return nil, err
	}
	return seeds, c.shareOptOuts(ctx)
}

// agreeWithoutList is agree of a node without the list that the crawl was begun with: it may know of no seeds but those that were
// added since.
func (c *crew) agreeWithoutList(ctx context.Context, given []seed.Seed, own config.Config) ([]seed.Seed, error) {
	added, err := c.readSeeds(ctx)
	if err != nil {
		return nil, err
	}
	if _, found := firstUnknown(given, added); found {
		return nil, c.begunWithOthers()
	}
	if own.Crawl.Scope != string(crawler.ScopeAny) {
		return nil, &cli.Error{Code: cli.ExitUsage, Err: fmt.Errorf("no seeds: crawl %s was begun with a list of them", c.name),
			Hint: "a list of more than a few thousand seeds is given to every node, whose scope follows it"}
	}
	return added, errors.Join(c.job.AddSeeds(added), c.shareOptOuts(ctx))
}

func (c *crew) begunWithOthers() error {
	return &cli.Error{Code: cli.ExitConfig, Err: fmt.Errorf("seeds: crawl %s was begun with others", c.name),
		Hint: "a list of more than a few thousand seeds is given to every node"}
}

// firstUnknown returns the first of seeds that is not among those known, if there is one.
func firstUnknown(seeds, known []seed.Seed) (s seed.Seed, found bool) {
	urls := map[string]bool{}
	for _, s := range known {
		urls[s.URL.String()] = true
	}
	for _, s := range seeds {
		if !urls[s.URL.String()] {
			return s, true
		}
	}
	return s, false
}

// awaitSeeds returns the seeds of the crawl when all that it was begun with are there, and makes sure that given are among them.
func (c *crew) awaitSeeds(ctx context.Context, n int, given []seed.Seed) (all []seed.Seed, err error) {
	for deadline := time.Now().Add(crewPatience); ; time.Sleep(100 * time.Millisecond) {
		more, err := c.readSeeds(ctx)
		if err != nil {
			return nil, err
		}
		if all = append(all, more...); len(all) >= n {
			break
		}
		if time.Now().After(deadline) { // whoever began has died before it could share them all
			if len(given) == 0 {
				return nil, &cli.Error{Code: cli.ExitUsage, Err: fmt.Errorf("the seeds of crawl %s are not all there", c.name),
					Hint: "give this node the seeds that the crawl was begun with"}
			}
			if err := c.share(ctx, given); err != nil {
				return nil, err
			}
		}
	}
	if s, found := firstUnknown(given, all); found {
		return nil, &cli.Error{Code: cli.ExitConfig,
			Err:  fmt.Errorf("seeds: %s is none of the %s of crawl %s", s.URL, say.Plural(len(all), "seed"), c.name),
			Hint: "cybermapper submit --as-seed adds one while a node runs; frontier.cluster.crawl names another crawl"}
	}
	return all, c.job.AddSeeds(all)
}

// tellOthers warns when settings of this node are others than those of the one that began, and what follows.
func (c *crew) tellOthers(began, own any, follows string) {
	a, err := fieldsOf(began)
	b, berr := fieldsOf(own)
	if err != nil || berr != nil {
		return
	}
	var names []string
	for name := range b {
		if !bytes.Equal(a[name], b[name]) {
			names = append(names, name)
		}
	}
	if slices.Sort(names); len(names) > 0 {
		fmt.Fprintf(c.out, "cybermapper: warning: the crawl was begun with another %s; %s\n", strings.Join(names, ", "), follows)
	}
}

func fieldsOf(settings any) (fields map[string]json.RawMessage, err error) {
	text, err := json.Marshal(settings)
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	return fields, err
}

// share tells all nodes of seeds.
func (c *crew) share(ctx context.Context, seeds []seed.Seed) error {
	var text bytes.Buffer
	flush := func() error {
		if text.Len() == 0 {
			return nil
		}
		err := c.node.Share(ctx, sharedSeeds, text.Bytes())
		text.Reset()
		return err
	}
	for _, s := range seeds {
		line := s.String() + "\n"
		if text.Len()+len(line) > cluster.MaxText {
			if err := flush(); err != nil {
				return err
			}
		}
		text.WriteString(line)
	}
	return flush()
}

// readSeeds returns the seeds that were shared since it was called last.
func (c *crew) readSeeds(ctx context.Context) (seeds []seed.Seed, err error) {
	texts, err := c.node.Shared(ctx, sharedSeeds, c.seeds)
	if err != nil {
		return nil, err
	}
	c.seeds += len(texts)
	for _, text := range texts {
		some, _, err := seed.Read(bytes.NewReader(text), sharedSeeds, frontier.ParseURL)
		if err != nil {
			return nil, err
		}
		seeds = append(seeds, some...)
	}
	return seeds, nil
}

// look takes in what other nodes have shared.
func (c *crew) look(ctx context.Context) error {
	seeds, err := c.readSeeds(ctx)
	if err != nil {
		return err
	}
	if len(seeds) > 0 {
		if err := c.job.AddSeeds(seeds); err != nil {
			return cli.DiskError(err)
		}
		c.extend(seed.URLs(seeds))
	}
	if err := c.shareOptOuts(ctx); err != nil {
		return err
	}
	return cli.DiskError(c.follow(ctx))
}

// watch does so until stop is called, which waits; fail hears of what cannot be written down.
func (c *crew) watch(ctx context.Context, fail func(error)) (stop func()) {
	if c == nil {
		return func() {}
	}
	return every(ctx, crewEvery, func(ctx context.Context) {
		// that the brokers cannot be reached ends no crawl: its queue waits for them as well
		if err := c.look(ctx); err != nil && ctx.Err() == nil && cli.CodeOf(err) == cli.ExitDisk {
			fail(err)
		}
	})
}

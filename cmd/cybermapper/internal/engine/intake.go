package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/journal"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/spool"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// intakeEvery is how often a crawl looks for submissions.
const intakeEvery = 500 * time.Millisecond

// An intake takes submissions into a job that this process holds. It is used by one goroutine at a time.
type intake struct {
	spool  spool.Dir
	job    *job.Job
	crew   *crew
	engine *engine
	ledger *ledger.Ledger
	out    io.Writer
}

func newIntake(j *job.Job, s *stores, c *crew, e *engine, out io.Writer) *intake {
	return &intake{spool: spool.Dir(j.Path(job.SubmitDir)), job: j, crew: c, engine: e, ledger: s.ledger, out: out}
}

// watch takes in what is submitted until stop is called, which waits; fail hears of what cannot be written down.
func (in *intake) watch(ctx context.Context, fail func(error)) (stop func()) {
	return every(ctx, intakeEvery, func(ctx context.Context) {
		if err := in.drain(ctx); err != nil && ctx.Err() == nil {
			fail(err)
		}
	})
}

// drain takes in what is there now.
func (in *intake) drain(ctx context.Context) error {
	ids, err := in.spool.Pending()
	if err != nil {
		return err
	}
	for _, id := range ids {
		items, ok, err := in.spool.Take(id)
		switch {
		case errors.Is(err, spool.ErrDamaged):
			fmt.Fprintf(in.out, "cybermapper: warning: put aside: %v\n", err)
			err = in.spool.Reject(id)
		case err == nil && ok:
			err = in.take(ctx, id, items)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// take makes a request durable, in the order in which it must be: the scope, the queue, the ledger, the answer. Killed in between,
// it is taken once more, and finds what it did.
func (in *intake) take(ctx context.Context, id string, items []spool.Item) error {
	results := make([]spool.Result, len(items))
	var given, seeds []seed.Seed
	var at []int // place of each of given in results
	for i, item := range items {
		s, err := seed.Parse(item.Seed, frontier.ParseURL)
		if err != nil {
			results[i] = spool.Result{URL: item.Seed, Result: "refused", Gate: string(crawler.GateURL),
				Reason: string(crawler.ReasonBadURL), Rule: err.Error()}
			continue
		}
		given, at = append(given, s), append(at, i)
		if item.AsSeed {
			seeds = append(seeds, s)
		}
	}
	if err := in.extend(ctx, seeds); err != nil {
		return err
	}
	links := make([]frontier.Link, len(given))
	for i, s := range given {
		links[i] = s.Link()
	}
	fates, err := in.engine.Offer(ctx, links)
	if err != nil {
		return fmt.Errorf("queue what was submitted: %w", err)
	}
	for i, f := range fates {
		r := resultOf(links[i], f)
		results[at[i]] = r
		err := in.ledger.Append(ledger.Record{
			Type: ledger.Seed, URL: r.URL, Depth: links[i].Depth, Why: given[i].Note,
			Outcome: r.Result, Gate: r.Gate, Reason: r.Reason, Rule: r.Rule, Line: r.Line,
		})
		if err != nil {
			return fmt.Errorf("write ledger: %w", err)
		}
	}
	if err := in.ledger.Sync(); err != nil {
		return fmt.Errorf("write ledger: %w", err)
	}
	return in.spool.Answer(id, results)
}

// extend makes the scope follow seeds, durably, on all nodes.
func (in *intake) extend(ctx context.Context, seeds []seed.Seed) error {
	if len(seeds) == 0 {
		return nil
	}
	if in.crew != nil {
		if err := in.crew.share(ctx, seeds); err != nil {
			return err
		}
	}
	if err := in.job.AddSeeds(seeds); err != nil {
		return err
	}
	in.engine.Extend(seed.URLs(seeds))
	return nil
}

// resultOf says what became of a link.
func resultOf(l frontier.Link, f crawler.Disposition) spool.Result {
	r := spool.Result{URL: l.URL.String(), Result: "queued"}
	switch {
	case f.Gate != "":
		r.Result, r.Gate, r.Reason, r.Rule, r.Line = "refused", string(f.Gate), string(f.Reason), f.Rule, f.Verdict.Line
	case !f.Queued():
		r.Result, r.State, r.Code, r.Reason = "known", f.Known.Status.String(), f.Known.Code, f.Known.Reason
	}
	return r
}

// TakeIn takes all submissions into a job that rests.
func TakeIn(ctx context.Context, dir string, kind job.Kind, out *progress.Screen) (err error) {
	j, err := job.Open(dir, kind)
	if err != nil {
		return cli.JobError(err)
	}
	defer func() { err = errors.Join(err, cli.DiskError(j.Close())) }()
	c, err := config.Read(j.Path(job.ConfigFile))
	if err != nil {
		return fmt.Errorf("read job configuration: %w", err)
	}
	list, err := openOptOuts(c, j.Path(job.OptOutFile))
	if err != nil {
		return err
	}
	log := NewLogger(c.Log, out, true)
	s, err := openStores(j, c, log)
	if err != nil {
		return cli.DiskError(err)
	}
	defer func() { err = errors.Join(err, cli.DiskError(s.Close())) }()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	e, err := newEngine(j, s, parts{
		config: c, optOuts: list, events: journal.New(s.ledger, s.files, fail).Events(), log: log})
	if err != nil {
		return err
	}
	defer e.Close()
	for s, err := range job.EachSeed(dir) {
		if err != nil {
			return cli.DiskError(err)
		}
		e.Extend([]frontier.URL{s.URL})
	}
	return newIntake(j, s, newCrew(j, s, c.Frontier.Cluster.Crawl, list, out), e, out).drain(ctx)
}

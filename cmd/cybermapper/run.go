package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/journal"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A crawlPlan is a run that is about to happen.
type crawlPlan struct {
	kind   job.Kind
	config config.Config
	seeds  []seed.Seed // given now; a job has those of earlier runs besides
	dir    string
	fresh  bool
	quiet  bool
	asJSON bool
	screen *progress.Screen
	events crawler.Events // listeners besides the ledger

	page string // where the report for people lies after the run; empty when there is none
}

// checkSeeds reports what would make the run pointless or impolite. given says that seeds were asked for, so that finding
// none is a mistake.
func (p *crawlPlan) checkSeeds(given bool) error {
	if given && len(p.seeds) == 0 {
		return cli.UsageError("a seed is an absolute http or https URL, one per line", "no usable seed")
	}
	all := p.seeds
	if !p.fresh {
		earlier, err := job.Seeds(p.dir)
		if err != nil {
			return cli.DiskError(err)
		}
		all = append(earlier, all...)
	}
	if len(all) == 0 {
		return cli.UsageError("cybermapper crawl --contact you@example.org https://example.org/", "no seeds, and no job in %s to continue", p.dir)
	}
	public, private := 0, 0
	for _, s := range all {
		if cli.IsLoopback(s.URL) {
			private++
		} else {
			public++
		}
	}
	switch {
	case public > 0 && p.config.Agent.Contact == "":
		return cli.UsageError("--contact you@example.org, or agent.contact in the configuration, goes into User-Agent",
			"--contact is missing: site owners must be able to reach you")
	case private > 0 && !p.config.Fetch.AllowPrivate && public == 0:
		return cli.UsageError("--allow-private lets cybermapper visit loopback and private addresses",
			"every seed is on loopback, which is not visited unless you say so")
	}
	return nil
}

// run opens the job, crawls, and leaves a report, also as a page for people. The report is nil when the crawl did not begin.
func (p *crawlPlan) run(ctx context.Context) (r *progress.Report, err error) {
	defer relaxCollector()()
	j, err := job.Open(p.dir, p.kind, p.fresh)
	if err != nil {
		return nil, cli.JobError(err)
	}
	defer func() { err = errors.Join(err, cli.DiskError(j.Close())) }()
	r, err = p.work(ctx, j)
	if r != nil {
		p.leavePage(context.WithoutCancel(ctx), r)
	}
	return r, err
}

// leavePage makes the page of a run whose stores are closed: whoever does not want to wait for it can stop the program and loses
// nothing else. That it cannot be made is no failure of the crawl.
func (p *crawlPlan) leavePage(ctx context.Context, r *progress.Report) {
	var err error
	if p.page, err = writePage(ctx, p.dir, r); err != nil {
		fmt.Fprintf(p.screen, "cybermapper: warning: %v\n", err)
	} else if !p.quiet {
		fmt.Fprintf(p.screen, "cybermapper: report: %s\n", p.page)
	}
}

// work opens the stores of the job, crawls, and closes them.
func (p *crawlPlan) work(ctx context.Context, j *job.Job) (r *progress.Report, err error) {
	out, err := openOptOuts(p.config, j.Path(job.OptOutFile))
	if err != nil {
		return nil, err
	}
	seeds, err := p.prepare(j)
	if err != nil {
		return nil, cli.DiskError(err)
	}
	log := newLogger(p.config.Log, p.screen, p.quiet)
	s, err := openStores(j, p.config, log)
	if err != nil {
		return nil, cli.DiskError(err)
	}
	defer func() { err = errors.Join(err, cli.DiskError(s.Close())) }()
	p.tellRepairs(s)
	return p.crawl(ctx, j, s, seeds, out, log)
}

// prepare writes down what the job is, and returns all its seeds.
func (p *crawlPlan) prepare(j *job.Job) ([]seed.Seed, error) {
	c := p.config
	if p.kind == job.Demo { // its sites, and the file that names who is opted out, are gone when it ends; the job keeps what that said
		c.OptOut, c.Robots.MinLife = "", config.Default().Robots.MinLife
	}
	yaml, err := c.YAML()
	if err != nil {
		return nil, err
	}
	if err := j.WriteConfig(yaml); err != nil {
		return nil, err
	}
	return j.AddSeeds(p.seeds)
}

// crawl lets the engine run in an open job.
func (p *crawlPlan) crawl(ctx context.Context, j *job.Job, s *stores, seeds []seed.Seed, out *optOuts, log *zap.Logger) (*progress.Report, error) {
	work, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	m := p.monitor(j, s)
	own := crawler.Events{Request: m.Request, Rest: m.Rest}
	events := listeners(journal.New(s.ledger, s.files, fail).Events(), own, p.events)
	e, err := newEngine(j, s, p.config, seed.URLs(seeds), out, events, log)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	m.Status, m.OptOut = e.Status, out.State
	if err := p.recordStart(s); err != nil {
		return nil, fmt.Errorf("write ledger: %w", err)
	}
	if err := recall(j.Path(job.LedgerDir), e.Crawler); err != nil {
		return nil, cli.DiskError(err)
	}
	keeper := &optOutKeeper{optOuts: out, ledger: s.ledger, dir: j.Path(job.LedgerDir), offer: e.Offer, out: p.screen}
	if err := keeper.begin(ctx); err != nil {
		return nil, err
	}
	w := &widener{name: j.Path(job.ReachFile), dir: j.Path(job.LedgerDir), reconsider: e.Reconsider, out: p.screen}
	if err := w.follow(ctx, reachOf(p.config, seeds)); err != nil {
		return nil, cli.DiskError(err)
	}
	intake := newIntake(j, s, e, p.screen)
	if err := intake.drain(ctx); err != nil {
		return nil, err
	}
	if err := m.Save(ctx); err != nil {
		return nil, cli.DiskError(err)
	}

	unwatch, shut := keeper.watch(work, fail), intake.watch(work, fail)
	end, err := p.watched(ctx, m, func() (crawler.Reason, error) { return e.start(work, seeds) })
	unwatch()
	shut()
	if cause := context.Cause(work); cause != nil && ctx.Err() == nil {
		end, err = crawler.EndFailed, cause
	}
	err = errors.Join(err, s.ledger.Append(p.runRecord(ledger.EventStop, string(end))))
	r, rerr := p.report(context.WithoutCancel(ctx), m, s, end, err)
	if rerr == nil {
		rerr = r.Write(j.Path(job.ReportFile))
	}
	if rerr == nil {
		rerr = r.Write(j.Path(job.StatusFile))
	}
	return r, errors.Join(err, rerr)
}

// watched runs f while the monitor watches.
func (p *crawlPlan) watched(ctx context.Context, m *progress.Monitor, f func() (crawler.Reason, error)) (crawler.Reason, error) {
	watch, stop := context.WithCancel(context.WithoutCancel(ctx))
	var watching sync.WaitGroup
	watching.Go(func() { m.Watch(watch) })
	defer context.AfterFunc(ctx, func() {
		if !p.quiet {
			fmt.Fprintln(p.screen, "cybermapper: finishing the requests in flight; interrupt again to stop at once")
		}
	})()
	end, err := f()
	stop()
	watching.Wait()
	return end, err
}

func (p *crawlPlan) monitor(j *job.Job, s *stores) *progress.Monitor {
	c := p.config.Crawler()
	return &progress.Monitor{
		Screen: p.screen, Quiet: p.quiet, JSON: p.asJSON, File: j.Path(job.StatusFile), Limits: c.Limits,
		Stats: s.frontier.Stats, Sites: s.frontier.Sites, Pace: progress.UsualPace(&c),
		Base: progress.Report{
			Format: 1, Job: p.dir, Version: cli.ReadBuild().Version, UserAgent: p.config.Agent.UserAgent(cli.ReadBuild().Version),
		},
	}
}

// tellRepairs says what had to be put right because the last run was not closed.
func (p *crawlPlan) tellRepairs(s *stores) {
	torn, repaired := s.repairs()
	if torn == 0 && repaired == 0 {
		return
	}
	fmt.Fprintf(p.screen, "cybermapper: the last run was killed: cut off %s of unfinished records, repaired %s; nothing else is lost\n",
		say.Plural(torn, "byte"), say.Plural(repaired, "page"))
}

// recordStart writes down that a run begins, and what it promises to keep to.
func (p *crawlPlan) recordStart(s *stores) error {
	r := p.runRecord(ledger.EventStart, "")
	r.Policy = policyRecord(p.config)
	r.Torn, r.Repaired = s.repairs()
	if err := s.ledger.Append(r); err != nil {
		return err
	}
	for _, o := range overrideRecords(p.config) {
		if err := s.ledger.Append(o); err != nil {
			return err
		}
	}
	return s.ledger.Flush()
}

func (p *crawlPlan) runRecord(event, why string) ledger.Record {
	return ledger.Record{
		Type: ledger.Run, Event: event, Why: why, Version: cli.ReadBuild().Version, Product: p.config.Agent.Product,
		UserAgent: p.config.Agent.UserAgent(cli.ReadBuild().Version),
	}
}

// report tells how the run ended.
func (p *crawlPlan) report(ctx context.Context, m *progress.Monitor, s *stores, end crawler.Reason, err error) (*progress.Report, error) {
	now := time.Now()
	r, serr := m.Snapshot(ctx, now)
	if serr != nil {
		return nil, fmt.Errorf("report: %w", serr)
	}
	r.State, r.End, r.ETA, r.ExitCode = progress.Ended, end, progress.ETA{}, codeForEnd(end)
	if r.Seconds > 0 {
		r.Rate = float64(r.Run.Pages) / r.Seconds
	}
	if err != nil {
		r.Error, r.ExitCode = err.Error(), cli.CodeOf(err)
	}
	r.Waiting, r.WaitingN, serr = progress.Waiting(ctx, s.frontier, now, min(progress.UsualPause, time.Duration(p.config.Crawl.Patience)))
	if serr != nil {
		return nil, fmt.Errorf("report: %w", serr)
	}
	return r, nil
}

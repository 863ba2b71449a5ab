package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/storage/checkpoint"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A Session is a run that is about to happen.
type Session struct {
	Kind     job.Kind
	Config   config.Config
	Seeds    []seed.Seed // given now; a job has those of earlier runs besides
	More     io.Reader   // a list of further seeds, too long to be held; nil when there is none
	Dir      string
	Fresh    bool
	Again    Again // what is visited another time
	Quiet    bool
	Screen   *progress.Screen
	Language translate.Language // of the line of progress
	Events   []crawler.Events   // listeners besides the ledger
	Begun    func() error       // called when the job can be looked at, before the first request; its error ends the run; or nil

	Page string // where the report for people lies after the run; empty when there is none
}

// Run opens the job, crawls, and leaves a report, also as a page for people. The report is nil when the crawl did not begin.
func (p *Session) Run(ctx context.Context) (r *progress.Report, err error) {
	if _, err := openOptOuts(p.Config, ""); err != nil {
		return nil, err // before anything is changed
	}
	key, err := readKey(p.Config.Evidence.Key, p.Dir)
	if err != nil {
		return nil, err
	}
	if p.Config.Frontier.IsShared() && (p.Fresh || p.Again != AgainNone) {
		return nil, cli.UsageError("frontier.cluster.crawl names another crawl, which begins anew",
			"--fresh and --again are for a crawl of one process (frontier.mode: %s)", config.Embedded)
	}
	forgetStartUp()
	defer relaxCollector()()
	j, err := p.take(ctx)
	if err != nil {
		return nil, cli.JobError(err)
	}
	defer func() { err = errors.Join(err, cli.DiskError(j.Close())) }()
	if p.Fresh {
		if err := startOver(ctx, j, p.Kind); err != nil {
			return nil, cli.DiskError(err)
		}
	}
	r, err = p.work(ctx, j, key)
	if r != nil {
		p.leavePage(ctx, r)
		if len(r.Twins) > 0 && err == nil { // they are known now only
			err = cli.DiskError(errors.Join(r.Write(j.Path(job.ReportFile)), r.Write(j.Path(job.StatusFile))))
		}
	}
	return r, err
}

// lockPatience is how long a run waits for whoever has the job for a moment only, as submit does.
const lockPatience = 3 * time.Second

// take takes hold of the job, and waits a little if somebody has it.
func (p *Session) take(ctx context.Context) (*job.Job, error) {
	deadline := time.Now().Add(lockPatience)
	for isTold := false; ; isTold = true {
		j, err := job.Open(p.Dir, p.Kind, false)
		if !errors.Is(err, job.ErrInUse) || time.Now().After(deadline) {
			return j, err
		}
		if !isTold {
			fmt.Fprintf(p.Screen, "cybermapper: %v; waiting up to %v\n", err, lockPatience)
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// work opens the stores of the job, crawls, and closes them.
func (p *Session) work(ctx context.Context, j *job.Job, key *checkpoint.Key) (r *progress.Report, err error) {
	out, err := openOptOuts(p.Config, j.Path(job.OptOutFile))
	if err != nil {
		return nil, err
	}
	seeds, more, err := p.prepare(j)
	if err != nil {
		return nil, cli.DiskError(err)
	}
	fitDescriptors(&p.Config, cli.MaxDescriptors(), p.Screen)
	log := newLogger(p.Config.Log, p.Screen, p.Quiet)
	defer zap.RedirectStdLog(log)() // what net/http has to say
	s, err := openStores(j, p.Config, log)
	if err != nil {
		return nil, cli.DiskError(err)
	}
	defer func() { err = errors.Join(err, cli.DiskError(s.Close())) }()
	p.tellRepairs(s)
	crew := newCrew(j, s, p.Config.Frontier.Cluster.Crawl, out, p.Screen)
	if crew != nil {
		if seeds, err = crew.agree(ctx, seeds, more, reachOf(p.Config, "")); err != nil {
			return nil, err
		}
	}
	return p.crawl(ctx, j, s, crew, seeds, more, out, newSigner(j, s.ledger, key, p.Config.Evidence.Publish), log)
}

// prepare writes down what the job is, and returns its first seeds, and whether there are more.
func (p *Session) prepare(j *job.Job) (first []seed.Seed, more bool, err error) {
	c := p.Config
	// its sites, and the file that names who is opted out, are gone when it ends; the job keeps what that said
	if p.Kind == job.Demo {
		c.OptOut, c.Robots.MinLife = "", config.Default().Robots.MinLife
	}
	yaml, err := c.YAML()
	if err == nil {
		err = j.WriteConfig(yaml)
	}
	if err == nil && !c.Frontier.IsShared() {
		err = j.AddSeeds(p.Seeds)
	}
	if err != nil {
		return nil, false, err
	}
	if first, more, err = heldSeeds(j); c.Frontier.IsShared() {
		first = append(first, p.Seeds...) // not this job's alone: see crew
	}
	return first, more || p.More != nil, err
}

// crawl lets the engine run in an open job.
func (p *Session) crawl(ctx context.Context, j *job.Job, s *stores, crew *crew, seeds []seed.Seed, more bool, out *optOuts,
	sign *signer, log *zap.Logger) (*progress.Report, error) {
	work, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	m := p.monitor(j, s)
	var watch banWatch
	own := crawler.Events{Request: m.Request, Rest: m.Rest, Refusal: watch.refusal}
	events := joinEvents(append([]crawler.Events{journal.New(s.ledger, s.files, fail).Events(), own}, p.Events...)...)
	stream := &seedStream{job: j, held: len(seeds), list: p.More, out: p.Screen}
	if !more {
		stream = nil
	}
	e, err := newStreamingEngine(j, s, p.Config, p.Again, seed.URLs(seeds), stream, out, events,
		sign.comment(p.Config.Evidence.Announce), log)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	m.Status, m.OptOut = e.Status, out.State
	if err := p.recordStart(s, sign.verifier()); err != nil {
		return nil, fmt.Errorf("write ledger: %w", err)
	}
	if p.Config.Evidence.Announce { // from the first request on
		if err := sign.sign(); err != nil {
			return nil, cli.DiskError(err)
		}
	}
	if err := recall(j.Path(job.LedgerDir), e.Crawler, &watch); err != nil {
		return nil, cli.DiskError(err)
	}
	keeper := &optOutKeeper{optOuts: out, ledger: s.ledger, dir: j.Path(job.LedgerDir), offer: e.Offer, out: p.Screen}
	if err := keeper.begin(ctx); err != nil {
		return nil, err
	}
	if err := p.widen(ctx, j, e, stream); err != nil {
		return nil, err
	}
	if crew != nil {
		crew.extend, crew.follow = e.Extend, keeper.catchUp
	}
	intake := newIntake(j, s, crew, e, p.Screen)
	if err := intake.drain(ctx); err != nil {
		return nil, err
	}
	if err := p.visitAgain(ctx, j, s, e); err != nil {
		return nil, cli.DiskError(err)
	}
	if err := m.Save(ctx); err != nil {
		return nil, cli.DiskError(err)
	}
	if p.Begun != nil {
		if err := p.Begun(); err != nil {
			return nil, err
		}
	}

	pauseIndex, finishIndex := p.indexing(work)
	unwatch, shut, unsign := keeper.watch(work, fail), intake.watch(work, fail), sign.watch(work, fail)
	disband := crew.watch(work, fail)
	end, err := p.watched(ctx, m, func() (crawler.Reason, error) { return e.start(work, seeds) })
	stream.tellUnread()
	disband()
	unwatch()
	shut()
	unsign()
	if cause := context.Cause(work); cause != nil && ctx.Err() == nil {
		end, err = crawler.EndFailed, cause
	}
	if end == crawler.EndDone && err == nil && p.bounded() {
		end, err = limitOfHosts(context.WithoutCancel(ctx), j.Path(job.LedgerDir), s.frontier)
	}
	pauseIndex()
	if err == nil {
		err = cli.DiskError(p.purge(ctx, j, s, &watch))
	}
	err = errors.Join(err, s.ledger.Append(p.runRecord(ledger.EventStop, string(end))), sign.sign())
	finish, cancel := afterRun(ctx, end, indexFinish)
	defer cancel()
	finishIndex(finish)
	after, cancel := afterRun(ctx, end, reportTime)
	defer cancel()
	r, rerr := p.report(after, m, s, end, err)
	if rerr == nil {
		rerr = p.writeReport(after, r, j, s, seeds)
	}
	return r, errors.Join(err, rerr)
}

// widen takes up what the job had turned away and may have now: at once, or when all of its seeds are in.
func (p *Session) widen(ctx context.Context, j *job.Job, e *engine, stream *seedStream) error {
	w := &widener{name: j.Path(job.ReachFile), dir: j.Path(job.LedgerDir), reconsider: e.Reconsider, out: p.Screen}
	follow := func(digest string) error { return cli.DiskError(w.follow(ctx, reachOf(p.Config, digest))) }
	if stream != nil {
		w.always = true
		stream.after, stream.offer = follow, e.offerMarked
		return nil
	}
	digest, err := digestOfSeeds(j)
	if err != nil {
		return cli.DiskError(err)
	}
	return follow(digest)
}

// writeReport writes the report of a run, and with it how the job stands.
func (p *Session) writeReport(ctx context.Context, r *progress.Report, j *job.Job, s *stores, seeds []seed.Seed) error {
	var err error
	if s.node != nil { // which asks others, who may be gone
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, fateTime)
		defer cancel()
	}
	if r.Total.Pages == 0 {
		err = p.tellSeeds(ctx, r, j, s, seeds)
	} else {
		err = tellFailedSeeds(ctx, r, s.frontier, seeds)
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	if err := r.Write(j.Path(job.ReportFile)); err != nil {
		return err
	}
	return r.Write(j.Path(job.StatusFile))
}

// bounded reports whether the pages of a host have a limit.
func (p *Session) bounded() bool {
	c := p.Config.Crawl
	some := c.MaxPagesPerHost > 0 || c.MaxBytesPerHost > 0 || c.MaxTimePerHost > 0
	for _, h := range p.Config.Hosts {
		some = some || h.MaxPages > 0 || h.MaxBytes > 0 || h.MaxTime > 0
	}
	return some
}

// watched runs f while the monitor watches.
func (p *Session) watched(ctx context.Context, m *progress.Monitor, f func() (crawler.Reason, error)) (crawler.Reason, error) {
	watch, stop := context.WithCancel(context.WithoutCancel(ctx))
	var watching sync.WaitGroup
	watching.Go(func() { m.Watch(watch) })
	defer context.AfterFunc(ctx, func() {
		if !p.Quiet {
			fmt.Fprintln(p.Screen, "cybermapper: finishing the requests in flight; interrupt again to stop at once")
		}
	})()
	end, err := f()
	stop()
	watching.Wait()
	return end, err
}

func (p *Session) monitor(j *job.Job, s *stores) *progress.Monitor {
	c := p.Config.Crawler()
	m := &progress.Monitor{
		Screen: p.Screen, Quiet: p.Quiet, Language: p.Language, File: j.Path(job.StatusFile), Limits: c.Limits,
		Stats: s.frontier.Stats, Sites: s.frontier.Sites, Pace: progress.UsualPace(&c),
		Base: progress.Report{
			Format: 1, Job: p.Dir, Version: cli.ReadBuild().Version, UserAgent: p.Config.Agent.UserAgent(cli.ReadBuild().Version),
		},
	}
	if s.node != nil {
		m.Owned = s.ownedPartitions
	}
	return m
}

// tellRepairs says what had to be put right because the last run was not closed. No kill makes the index of the pages unfit.
func (p *Session) tellRepairs(s *stores) {
	if s.pages.Recovery().Rebuilt {
		fmt.Fprintln(p.Screen, "cybermapper: the index of the pages was damaged, and was built anew from their list")
	}
	torn, unfinished := s.repairs()
	switch {
	case torn > 0 || unfinished > 0:
		fmt.Fprintf(p.Screen, "cybermapper: the last run was killed: cut off %s of unfinished records, removed %s; nothing "+
			"else is lost\n", say.Plural(torn, "byte"), say.Plural(unfinished, "unfinished page"))
	case s.own != nil && s.own.Unclean():
		fmt.Fprintln(p.Screen, "cybermapper: the last run was killed; nothing is lost")
	}
}

// recordStart writes down that a run begins, and what it promises to keep to.
func (p *Session) recordStart(s *stores, key string) error {
	r := p.runRecord(ledger.EventStart, "")
	r.Policy, r.Key = policyRecord(p.Config), key
	r.Torn, r.Repaired = s.repairs()
	if err := s.ledger.Append(r); err != nil {
		return err
	}
	for _, o := range overrideRecords(p.Config) {
		if err := s.ledger.Append(o); err != nil {
			return err
		}
	}
	return s.ledger.Flush()
}

func (p *Session) runRecord(event, why string) ledger.Record {
	return ledger.Record{
		Type: ledger.Run, Event: event, Why: why, Version: cli.ReadBuild().Version, Product: p.Config.Agent.Product,
		UserAgent: p.Config.Agent.UserAgent(cli.ReadBuild().Version),
	}
}

// report tells how the run ended.
func (p *Session) report(ctx context.Context, m *progress.Monitor, s *stores, end crawler.Reason,
	err error) (*progress.Report, error) {
	now := time.Now()
	r, serr := m.Snapshot(context.WithoutCancel(ctx), now)
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
	settings := p.Config.Crawler()
	waiting, n, serr := progress.Waiting(ctx, s.frontier, &settings, now,
		min(progress.UsualPause, time.Duration(p.Config.Crawl.Patience)))
	if errors.Is(serr, context.DeadlineExceeded) {
		return r, nil // with the sites that began to rest in this run
	}
	if serr != nil {
		return nil, fmt.Errorf("report: %w", serr)
	}
	r.Waiting, r.WaitingN = waiting, n
	return r, nil
}

package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/journal"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A run is a session whose job is open.
type run struct {
	*Session
	job     *job.Job
	stores  *stores
	optOuts *optOuts
	crew    *crew       // nil for a crawl of one process
	sign    *signer     // nil without a key
	seeds   []seed.Seed // those that are held
	stream  *seedStream // the others; nil when there are none
	log     *zap.Logger

	// What join makes of these.
	engine  *engine
	monitor *progress.Monitor
	keeper  *optOutKeeper
	intake  *intake
	bans    banWatch
}

// crawl lets the engine run.
func (r *run) crawl(ctx context.Context) (*progress.Report, error) {
	work, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	if err := r.join(fail); err != nil {
		return nil, err
	}
	defer r.engine.Close()
	if err := r.begin(ctx); err != nil {
		if cli.IsInterrupt(err) {
			err = errors.Join(err, r.recordStop(crawler.EndInterrupted))
		}
		return nil, err
	}
	pauseIndex, finishIndex := r.indexing(work)
	end, err := r.visit(ctx, work, fail)
	pauseIndex()
	if err == nil {
		err = cli.DiskError(r.purge(ctx))
	}
	err = errors.Join(err, r.recordStop(end))
	finish, cancel := afterRun(ctx, end, indexFinish)
	defer cancel()
	finishIndex(finish)
	after, cancel := afterRun(ctx, end, reportTime)
	defer cancel()
	told, rerr := r.report(after, end, err)
	if rerr == nil {
		rerr = r.writeReport(after, told)
	}
	return told, errors.Join(err, rerr)
}

// join makes the engine of the stores, and what watches it; fail hears of what the ledger cannot write down.
func (r *run) join(fail context.CancelCauseFunc) (err error) {
	m := r.newMonitor()
	own := crawler.Events{Request: m.Request, Rest: m.Rest, Refusal: r.bans.refusal}
	written := journal.New(r.stores.ledger, r.stores.files, fail).Events()
	r.engine, err = newEngine(r.job, r.stores, parts{
		config: r.Config, again: r.Again != AgainNone, seeds: seed.URLs(r.seeds), more: r.stream, optOuts: r.optOuts,
		events:  joinEvents(append([]crawler.Events{written, own}, r.Events...)...),
		removed: r.isRemoved, comment: r.sign.comment(r.Config.Evidence.Announce), log: r.log,
	})
	if err != nil {
		return err
	}
	m.Status, m.OptOut = r.engine.Status, r.optOuts.State
	r.monitor = m
	r.keeper = &optOutKeeper{optOuts: r.optOuts, ledger: r.stores.ledger, dir: r.job.Path(job.LedgerDir), offer: r.engine.Offer,
		out: r.Screen}
	if r.crew != nil {
		r.crew.extend, r.crew.follow = r.engine.Extend, r.keeper.catchUp
	}
	r.intake = newIntake(r.job, r.stores, r.crew, r.engine, r.Screen)
	return nil
}

// begin does what comes before the first request: the ledger says what this run promises, and the queue learns what has changed
// since the run before.
func (r *run) begin(ctx context.Context) error {
	if err := r.recordStart(); err != nil {
		return fmt.Errorf("write ledger: %w", err)
	}
	if r.Config.Evidence.Announce { // from the first request on
		if err := r.sign.sign(); err != nil {
			return cli.DiskError(err)
		}
	}
	var queue frontier.Frontier
	if r.crew == nil {
		queue = r.stores.frontier
	}
	if err := recall(ctx, r.job.Path(job.LedgerDir), queue, r.engine.Crawler, &r.bans); err != nil {
		return cli.DiskError(err)
	}
	if err := r.keeper.begin(ctx); err != nil {
		return err
	}
	if err := r.widen(ctx); err != nil {
		return err
	}
	if err := r.intake.drain(ctx); err != nil {
		return err
	}
	if err := r.visitAgain(ctx); err != nil {
		return cli.DiskError(err)
	}
	if err := r.monitor.Save(ctx); err != nil {
		return cli.DiskError(err)
	}
	if r.Begun != nil {
		return r.Begun(r.log)
	}
	return nil
}

// visit crawls until there is a reason to end. work ends with ctx, or when fail hears of a store that failed.
func (r *run) visit(ctx, work context.Context, fail context.CancelCauseFunc) (crawler.Reason, error) {
	unwatch, shut, unsign := r.keeper.watch(work, fail), r.intake.watch(work, fail), r.sign.watch(work, fail)
	disband := r.crew.watch(work, fail)
	end, err := r.watched(ctx, func() (crawler.Reason, error) { return r.engine.start(work, r.seeds) })
	r.stream.tellUnread()
	disband()
	unwatch()
	shut()
	unsign()
	switch cause := context.Cause(work); {
	case cause != nil && ctx.Err() == nil:
		end, err = crawler.EndFailed, cause
	case ctx.Err() != nil && cli.IsInterrupt(err): // while the seeds were added
		end, err = crawler.EndInterrupted, nil
	}
	if r.stores.failed(err) {
		err = cli.DiskError(err)
	}
	if end == crawler.EndDone && err == nil && r.bounded() {
		return limitOfHosts(context.WithoutCancel(ctx), r.job.Path(job.LedgerDir), r.stores.frontier)
	}
	return end, err
}

// recordStart writes down that a run begins, and what it promises to keep to.
func (r *run) recordStart() error {
	start := r.runRecord(ledger.EventStart, "")
	start.Policy, start.Key = policyRecord(r.Config), r.sign.verifier()
	start.Torn, start.Repaired = r.stores.repairs()
	if err := r.stores.ledger.Append(start); err != nil {
		return err
	}
	for _, o := range overrideRecords(r.Config) {
		if err := r.stores.ledger.Append(o); err != nil {
			return err
		}
	}
	return r.stores.ledger.Flush()
}

// recordStop writes down that the run ends, and why.
func (r *run) recordStop(end crawler.Reason) error {
	return errors.Join(r.stores.ledger.Append(r.runRecord(ledger.EventStop, string(end))), r.sign.sign())
}

// widen takes up what the job had turned away and may have now: at once, or when all of its seeds are in.
func (r *run) widen(ctx context.Context) error {
	w := &widener{name: r.job.Path(job.ReachFile), dir: r.job.Path(job.LedgerDir), reconsider: r.engine.Reconsider, out: r.Screen}
	follow := func(digest string) error { return cli.DiskError(w.follow(ctx, reachOf(r.Config, digest))) }
	if r.stream != nil {
		w.always = true
		r.stream.after, r.stream.offer = follow, r.engine.offerMarked
		return nil
	}
	digest, err := digestOfSeeds(r.job)
	if err != nil {
		return cli.DiskError(err)
	}
	return follow(digest)
}

// watched runs f while the monitor watches.
func (r *run) watched(ctx context.Context, f func() (crawler.Reason, error)) (crawler.Reason, error) {
	watch, stop := context.WithCancel(context.WithoutCancel(ctx))
	var watching sync.WaitGroup
	watching.Go(func() { r.monitor.Watch(watch) })
	defer context.AfterFunc(ctx, func() {
		if !r.Quiet {
			fmt.Fprintln(r.Screen, "cybermapper: finishing the requests in flight; interrupt again to stop at once")
		}
	})()
	end, err := f()
	stop()
	watching.Wait()
	return end, err
}

func (r *run) newMonitor() *progress.Monitor {
	c := r.Config.Crawler()
	m := &progress.Monitor{
		Screen: r.Screen, Quiet: r.Quiet, Language: r.Language, File: r.job.Path(job.StatusFile), Limits: c.Limits,
		Stats: r.stores.frontier.Stats, Sites: r.stores.frontier.Sites, Pace: progress.UsualPace(&c),
		Base: progress.Report{
			Format: 1, Job: r.Dir, Version: cli.ReadBuild().Version, UserAgent: r.Config.Agent.UserAgent(cli.ReadBuild().Version),
		},
	}
	if r.stores.node != nil {
		m.Owned = r.stores.ownedPartitions
	}
	return m
}

// bounded reports whether the pages of a host have a limit.
func (r *run) bounded() bool {
	c := r.Config.Crawl
	some := c.MaxPagesPerHost > 0 || c.MaxBytesPerHost > 0 || c.MaxTimePerHost > 0
	for _, h := range r.Config.Hosts {
		some = some || h.MaxPages > 0 || h.MaxBytes > 0 || h.MaxTime > 0
	}
	return some
}

// report tells how the run ended.
func (r *run) report(ctx context.Context, end crawler.Reason, err error) (*progress.Report, error) {
	now := time.Now()
	told, serr := r.monitor.Snapshot(context.WithoutCancel(ctx), now)
	if serr != nil {
		return nil, fmt.Errorf("report: %w", serr)
	}
	told.State, told.End, told.ETA, told.ExitCode = progress.Ended, end, progress.ETA{}, codeForEnd(end)
	if told.Seconds > 0 {
		told.Rate = float64(told.Run.Pages+told.Run.Again) / told.Seconds
	}
	if err != nil {
		told.Error, told.ExitCode = err.Error(), cli.CodeOf(err)
	}
	settings := r.Config.Crawler()
	waiting, n, serr := progress.Waiting(ctx, r.stores.frontier, &settings, now,
		min(progress.UsualPause, time.Duration(r.Config.Crawl.Patience)))
	if errors.Is(serr, context.DeadlineExceeded) {
		return told, nil // with the sites that began to rest in this run
	}
	if serr != nil {
		return nil, fmt.Errorf("report: %w", serr)
	}
	told.Waiting, told.WaitingN = waiting, n
	return told, nil
}

// writeReport writes the report of a run, and with it how the job stands.
func (r *run) writeReport(ctx context.Context, told *progress.Report) error {
	var err error
	if r.stores.node != nil { // which asks others, who may be gone
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, fateTime)
		defer cancel()
	}
	if told.Total.Pages == 0 {
		err = r.tellSeeds(ctx, told)
	} else {
		err = errors.Join(tellFailedSeeds(ctx, told, r.stores.frontier, r.seeds), r.tellBeyond(ctx, told))
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	if err := told.Write(r.job.Path(job.ReportFile)); err != nil {
		return cli.DiskError(err)
	}
	return cli.DiskError(told.Write(r.job.Path(job.StatusFile)))
}

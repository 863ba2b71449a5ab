package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/fetch"
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
	// Begun is called, unless nil, when the job can be looked at, before the first request. Its error ends the run.
	Begun func(log *zap.Logger) error

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
	if _, byProxy := errors.AsType[*fetch.ProxyError](err); byProxy {
		err = cli.WithHint(err, proxyHint)
	}
	return r, err
}

const proxyHint = "this is of the proxy, and of no site: --proxy names another, --proxy-login where its password is; " +
	"the same command goes on"

// lockPatience is how long a run waits for whoever has the job for a moment only, as submit does.
const lockPatience = 3 * time.Second

// take takes hold of the job, and waits a little if somebody has it.
func (p *Session) take(ctx context.Context) (*job.Job, error) {
	deadline := time.Now().Add(lockPatience)
	for isTold := false; ; isTold = true {
		j, err := job.Open(p.Dir, p.Kind)
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
	fitMemory(&p.Config, cli.MaxMemory(), p.Screen)
	log := NewLogger(p.Config.Log, p.Screen, p.Quiet)
	restore, err := zap.RedirectStdLogAt(log, zap.DebugLevel) // what net/http has to say, as of bytes that nobody has asked for
	if err != nil {
		return nil, err
	}
	defer restore()
	s, err := openStores(j, p.Config, log)
	if err != nil {
		return nil, cli.DiskError(err)
	}
	defer func() { err = errors.Join(err, cli.DiskError(s.Close())) }()
	p.tellRepairs(s)
	w := &run{Session: p, job: j, stores: s, optOuts: out, log: log, seeds: seeds,
		crew: newCrew(j, s, p.Config.Frontier.Cluster.Crawl, out, p.Screen),
		sign: newSigner(j, s.ledger, key, p.Config.Evidence.Publish)}
	if w.crew != nil {
		if w.seeds, err = w.crew.agree(ctx, seeds, more, p.Config); err != nil {
			return nil, err
		}
	}
	if more {
		w.stream = &seedStream{job: j, held: len(w.seeds), list: p.More, out: p.Screen}
	}
	return w.crawl(ctx)
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

func (p *Session) runRecord(event, why string) ledger.Record {
	return ledger.Record{
		Type: ledger.Run, Event: event, Why: why, Version: cli.ReadBuild().Version, Product: p.Config.Agent.Product,
		UserAgent: p.Config.Agent.UserAgent(cli.ReadBuild().Version),
	}
}

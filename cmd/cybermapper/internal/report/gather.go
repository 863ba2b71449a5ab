package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// ErrDamaged says that ledger or pages.jsonl lack something, so that figures would not be true.
var ErrDamaged = errors.New("cannot make the report")

// ErrVersion says that a later version of cybermapper wrote the ledger.
var ErrVersion = errors.New("written by a later version")

// Options bound what is gathered. Zero values mean the defaults.
type Options struct {
	Hosts   int // sites told apart, about a kilobyte each; further ones are summed up; default 10,000
	Names   int // reasons, media types, rules and the like told apart in each table; default 1,000
	Rows    int // of each table; default 50
	Samples int // requests named as examples; default 20
	Buckets int // intervals of the time series; default 240
}

func (o Options) withDefaults() Options {
	o.Hosts = cmp.Or(max(o.Hosts, 0), 10_000)
	o.Names = cmp.Or(max(o.Names, 0), 1_000)
	o.Rows = cmp.Or(max(o.Rows, 0), 50)
	o.Samples = cmp.Or(max(o.Samples, 0), 20)
	o.Buckets = cmp.Or(max(o.Buckets, 0), 240)
	return o
}

// Gather reads ledger and pages.jsonl of the job in dir once, from the first line to the last, and returns the figures. The chain
// of the ledger is checked on the way. status
// is how the crawl stands and is passed on. It may run while the crawl goes on. A ledger or list with something missing,
// unreadable or out of order is ErrDamaged and names the place; a last line that is not whole yet is no error.
func Gather(ctx context.Context, dir string, status *progress.Report, o Options) (*Figures, error) {
	g := newGatherer(o.withDefaults())
	if err := damage(ledger.Glance(filepath.Join(dir, job.LedgerDir))); errors.Is(err, ErrVersion) {
		return nil, err
	}
	var stop error
	chain, err := ledger.Walk(filepath.Join(dir, job.LedgerDir), ledger.WalkOptions{}, func(e *ledger.Entry) bool {
		stop = g.record(ctx, &e.Record)
		return stop == nil
	})
	switch {
	case stop != nil:
		return nil, stop
	case chain.Bad != nil:
		return nil, damage(chain.Bad)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, damage(err)
	}
	for line, err := range pages.Read(filepath.Join(dir, job.PagesDir)) {
		if err != nil {
			return nil, damage(err)
		}
		if err := g.page(ctx, &line); err != nil {
			return nil, err
		}
	}
	f := g.figures()
	f.Job, f.Time, f.Status = dir, time.Now().UTC(), status
	files, err := ledger.Files(filepath.Join(dir, job.LedgerDir))
	f.Files = len(files)
	for _, file := range files[:min(len(files), maxFiles)] {
		f.FileNames = append(f.FileNames, file.Name)
	}
	return f, err
}

// damage marks the errors that no second try mends.
func damage(err error) error {
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return fmt.Errorf("gather figures: %w", err)
	}
	if bad, ok := errors.AsType[*ledger.CorruptError](err); ok && bad.Format > ledger.Format {
		return fmt.Errorf("%w: %w", ErrVersion, err)
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// A gatherer sums up records and pages as they pass by.
type gatherer struct {
	Options
	out      Figures
	timeline timeline
	hosts    hosts
	polite   politeness
	response histogram
	times    bars

	purposes, statuses, failures, cut *tally
	refusals, outcomes, rests, traps  *tally
	answers, verdicts, rules          *tally
	types, copies, twins              *tally
	expected, lines                   uint64 // number of the next record; pages seen
	latest                            []Row  // a ring
}

func newGatherer(o Options) *gatherer {
	names := func() *tally { return newTally(o.Names) }
	out := Figures{Format: 1, Runs: []Run{}}
	out.Requests.Troubled = []Moment{}
	return &gatherer{
		out:     out,
		Options: o, timeline: timeline{max: o.Buckets}, hosts: hosts{max: o.Hosts, bySite: map[string]*site{}},
		polite: newPoliteness(o), times: newBars(""),
		purposes: names(), statuses: names(), failures: names(), cut: names(),
		refusals: names(), outcomes: names(), rests: names(), traps: names(),
		answers: names(), verdicts: names(), rules: names(),
		types: names(), copies: names(), twins: names(), expected: 1,
	}
}

// record takes the next record of the ledger.
func (g *gatherer) record(ctx context.Context, r *ledger.Record) error {
	if r.Format > ledger.Format {
		return fmt.Errorf("%w: the ledger has format %d, and %d is the latest known", ErrVersion, r.Format, ledger.Format)
	}
	if r.Seq != g.expected {
		return fmt.Errorf("%w: in the ledger record %d comes where record %d should", ErrDamaged, r.Seq, g.expected)
	}
	if g.expected++; r.Seq%10_000 == 0 && ctx.Err() != nil {
		return fmt.Errorf("gather figures: %w", ctx.Err())
	}
	g.out.Records, g.out.Last = r.Seq, r.Time
	if r.Seq == 1 {
		g.out.First = r.Time
	}
	switch r.Type {
	case ledger.Run:
		g.run(r)
	case ledger.Request:
		g.request(r)
	case ledger.Refusal:
		g.refusal(r)
	case ledger.Outcome:
		g.outcomes.add(Row{Group: r.Outcome, Name: r.Reason, Bytes: r.Bytes, Sample: r.URL})
	case ledger.Rest:
		g.rests.add(Row{Name: r.Reason, Rule: r.ErrorText, Sample: r.Site})
	}
	return nil
}

func (g *gatherer) run(r *ledger.Record) {
	runs := g.out.Runs
	switch n := len(runs); {
	case r.Event == ledger.EventStart:
		g.out.RunsN++
		if n >= g.Samples {
			runs = append(runs[:0], runs[1:]...)
		}
		g.out.Runs = append(runs, Run{Start: r.Time, Version: clip(r.Version), Agent: clip(r.UserAgent)})
	case r.Event == ledger.EventStop && n > 0:
		runs[n-1].Stop, runs[n-1].Why = r.Time, clip(r.Why)
	}
}

func (g *gatherer) request(r *ledger.Record) {
	q := &g.out.Requests
	q.Count++
	q.Bytes += r.Bytes
	if r.Attempt > 1 {
		q.Retries++
	}
	b := g.timeline.at(r.End)
	b.Requests++
	b.Bytes += r.Bytes
	g.purposes.add(Row{Name: r.Purpose, Bytes: r.Bytes})
	if r.Status != 0 {
		g.statuses.add(Row{Name: fmt.Sprint(r.Status), Bytes: r.Bytes, Sample: r.URL})
	}
	took := cmp.Or(time.Duration(r.Took), max(r.End.Sub(r.Start), 0)) // early ledgers have the clock on the wall only
	g.response.add(took)
	g.times.add(took)
	g.trouble(r)
	g.polite.add(r)
	g.robots(r)
	g.hosts.request(r, took)
}

// trouble notes a request that failed or was cut.
func (g *gatherer) trouble(r *ledger.Record) {
	q := &g.out.Requests
	var what string
	if r.Error != "" {
		q.Failed++
		g.failures.add(Row{Name: r.Error, Rule: r.ErrorText, Sample: r.URL})
		what = cmp.Or(r.ErrorText, r.Error)
	}
	if r.Truncated != "" {
		q.Truncated++
		g.cut.add(Row{Name: r.Truncated, Bytes: r.Bytes, Sample: r.URL})
		what = cmp.Or(what, "cut: "+r.Truncated)
	}
	if what != "" && len(q.Troubled) < g.Samples {
		q.Troubled = append(q.Troubled, Moment{Seq: r.Seq, Start: r.Start, URL: clip(r.URL), What: clip(what)})
	}
}

func (g *gatherer) refusal(r *ledger.Record) {
	g.refusals.add(Row{Group: r.Gate, Name: r.Reason, Rule: r.Rule, Sample: r.URL})
	site := frontier.SiteOf(r.URL)
	g.hosts.refusal(site)
	switch crawler.Gate(r.Gate) {
	case crawler.GateRobots:
		g.rules.add(Row{Group: site, Name: r.Rule, Digest: r.Digest, Sample: r.URL})
	case crawler.GateTrap:
		g.traps.add(Row{Group: r.Reason, Name: site, Rule: r.Rule, Sample: r.URL})
	}
}

// page takes the next line of pages.jsonl.
func (g *gatherer) page(ctx context.Context, p *pages.Line) error {
	if g.lines++; g.lines%10_000 == 0 && ctx.Err() != nil {
		return fmt.Errorf("gather figures: %w", ctx.Err())
	}
	s := &g.out.Stored
	if !p.IsPage() {
		s.Requisites++
		s.RequisiteBytes += p.Bytes
		return nil
	}
	s.Pages++
	s.Bytes += p.Bytes
	g.timeline.at(p.Fetched).Pages++
	g.hosts.page(frontier.SiteOf(p.FinalURL))
	g.types.add(Row{Name: cmp.Or(p.Type, "not said"), Bytes: p.Bytes, Sample: p.FinalURL})
	if p.Truncated != "" {
		s.Cut++
	}
	if p.SameAs != "" {
		s.Duplicates++
		s.Saved += p.Bytes
		g.copies.add(Row{Name: p.SameAs, Bytes: p.Bytes, Sample: p.FinalURL})
	}
	if twin, ok := twinOf(p); ok {
		g.twins.add(twin)
	}
	row := Row{Name: clip(p.File), Count: 1, Bytes: p.Bytes, Rule: clip(p.Title), Sample: clip(p.FinalURL)}
	if len(g.latest) < g.Samples {
		g.latest = append(g.latest, row)
	} else {
		g.latest[int(g.lines-1)%g.Samples] = row
	}
	return nil
}

// figures returns what was summed up.
func (g *gatherer) figures() *Figures {
	f, q, s := &g.out, &g.out.Requests, &g.out.Stored
	f.Series = g.timeline.series()
	q.Purposes, q.Statuses = g.purposes.table(g.Rows), g.statuses.table(g.Rows)
	q.Failures, q.Cut = g.failures.table(g.Rows), g.cut.table(g.Rows)
	q.Response, q.Times = g.response.spread(), g.times
	s.Types, s.Copies, s.Twins = g.types.table(g.Rows), g.copies.table(g.Rows), g.twins.table(g.Rows)
	s.Latest = []Row{}
	for i := range g.latest {
		s.Latest = append(s.Latest, g.latest[(int(g.lines)+len(g.latest)-1-i)%len(g.latest)])
	}
	f.Refusals, f.Outcomes = g.refusals.table(g.Rows), g.outcomes.table(g.Rows)
	f.Rests, f.Traps = g.rests.table(g.Rows), g.traps.table(g.Rows)
	f.Hosts = g.hosts.list(g.Rows)
	f.Politeness = g.polite.politeness()
	r := &f.Robots
	r.Answers, r.Verdicts, r.Rules = g.answers.table(g.Rows), g.verdicts.table(g.Rows), g.rules.table(g.Rows)
	r.Requests = r.Answers.Total
	g.hosts.robots(r, g.Options)
	return f
}

package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/storage/checkpoint"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// A Job is the evidence.
type Job struct {
	Name    string // by which findings name it where there are several
	Running bool   // a process works on it: the end of the ledger may be missing, and pages newer than it be there

	Ledger string // directory of the ledger
	Robots string // directory of robots.txt files by digest
	Pages  string // directory of the pages; empty when they are not to be looked at

	Bundle *Bundle // in place of the directories: what there is about one site
}

// walk hands out the records of the evidence, in order, until visit returns false. An entry is valid until the next one.
func (j Job) walk(visit func(*ledger.Entry) bool) (ledger.Report, error) {
	return j.walkWith(ledger.WalkOptions{}, visit)
}

// walkAll hands out all records of the evidence, in order, unless ctx ends before.
func (j Job) walkAll(ctx context.Context, visit func(*ledger.Entry)) error {
	_, err := j.walk(func(e *ledger.Entry) bool {
		visit(e)
		return ctx.Err() == nil
	})
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	return nil
}

func (j Job) walkWith(o ledger.WalkOptions, visit func(*ledger.Entry) bool) (ledger.Report, error) {
	if j.Bundle != nil {
		return j.Bundle.walk(visit)
	}
	return ledger.Walk(j.Ledger, o, visit)
}

// robotsFile returns a stored robots.txt.
func (j Job) robotsFile(digest string) ([]byte, error) {
	if j.Bundle != nil {
		return j.Bundle.read(bundleRobots + fileName(digest))
	}
	return readRegular(filepath.Join(j.Robots, fileName(digest)), maxRobotsFile)
}

const horizon = 10 * time.Minute // for which requests of an address are remembered

// Options bound what Prove keeps in memory. Zero means the default, and so does a negative value.
type Options struct {
	Sites     int           // looked at in one pass; default 200,000
	URLs      int           // requests for pages and sitemaps looked at in one pass; default 4,000,000
	Rules     int           // bytes, about, of robots.txt kept in memory; default 64 MiB
	Addresses int           // that are in use at once; default 100,000. Of more it is not shown how busy they were
	Window    int           // latest requests remembered of an address, for ten minutes; default 1,024
	Findings  int           // kept of each kind for each promise; default 20
	Drift     time.Duration // by how much the clocks of several jobs may differ; default 100 ms, at least 2 ms

	Site      string // judge this site only; empty for all. Addresses, which sites share, are then left out
	SkipFiles bool   // do not read the files of pages, only their list

	Checkpoints []checkpoint.Checkpoint // that were kept elsewhere, for the ledger to be held against
	Heads       []checkpoint.Head       // likewise
	Keys        []string                // trusted to sign checkpoints, besides those that the runs name
}

// judges reports whether a site is one to be judged.
func (o *Options) judges(site string) bool { return o.Site == "" || o.Site == site }

func (o Options) withDefaults() Options {
	o.Sites = cmp.Or(max(o.Sites, 0), 200_000)
	o.URLs = cmp.Or(max(o.URLs, 0), 4_000_000)
	o.Rules = cmp.Or(max(o.Rules, 0), 64<<20)
	o.Addresses = cmp.Or(max(o.Addresses, 0), 100_000)
	o.Window = cmp.Or(max(o.Window, 0), 1024)
	o.Findings = cmp.Or(max(o.Findings, 0), 20)
	o.Drift = max(cmp.Or(max(o.Drift, 0), 100*time.Millisecond), wallSlack)
	return o
}

var (
	// ErrNoLedger says that there is nothing to prove anything from.
	ErrNoLedger = errors.New("verify: the ledger has no records")
	// ErrFormat says that the ledger was written by another version.
	ErrFormat = errors.New("verify: the ledger has another format")
)

// Prove checks every promise. What is wrong is in the report; the error says that the evidence could not be read, or that ctx has
// ended.
func Prove(ctx context.Context, j Job, o Options) (*Report, error) { return ProveAll(ctx, []Job{j}, o) }

// ProveAll is Prove for several jobs that are one crawl: what one of them did binds the others, in the order of time, as far as the
// clocks tell it. Each has a name of its own. Of a bundle there is only one. One that has written nothing down yet is left out, as
// that of a node that was turned away. Without any other it returns ErrNoLedger.
func ProveAll(ctx context.Context, jobs []Job, o Options) (*Report, error) {
	if len(jobs) == 0 {
		return nil, ErrNoLedger
	}
	begun := slices.DeleteFunc(slices.Clone(jobs), Job.hasNothing)
	if len(begun) == 0 {
		begun = jobs // the error names the first
	}
	pr, err := newProver(begun, o)
	if err != nil {
		return nil, err
	}
	pr.leftOut = len(jobs) - len(begun)
	return pr.prove(ctx)
}

// hasNothing reports whether a job has written nothing down yet, no record and no page.
func (j Job) hasNothing() bool {
	if j.Bundle != nil {
		return false
	}
	none := true
	chain, err := j.walkWith(ledger.WalkOptions{}, func(*ledger.Entry) bool {
		none = false
		return false
	})
	if !none || err != nil || chain.Bad != nil {
		return false
	}
	n, _, err := countPages(j.Pages)
	return n == 0 && err == nil
}

// prove checks every promise, in as many passes as there is room for.
func (pr *prover) prove(ctx context.Context) (*Report, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	sites, urls := newShard(), newShard()
	for !sites.done || !urls.done {
		p := pr.newPass(sites, urls)
		err := p.walk(ctx)
		switch {
		case err != nil:
			return nil, err
		case p.full:
			if len(p.sites) > p.opts.Sites {
				sites.halve()
			} else {
				urls.halve()
			}
			continue
		}
		pr.finish(p)
		sites.nextUnlessDone()
		urls.nextUnlessDone()
	}
	for _, w := range pr.witnesses {
		if err := pr.checkFiles(ctx, w); err != nil {
			return nil, err
		}
		if err := pr.continues(w); err != nil {
			return nil, fmt.Errorf("hold the ledger against checkpoints: %w", err)
		}
	}
	return pr.report(), nil
}

// A prover is one Prove.
type prover struct {
	witnesses []*witness
	opts      Options
	tallies   map[Name]*tally
	lostPages map[pageOf]bool // that a repair did not find again
	leftOut   int             // jobs that have written nothing down

	interrupted, unsettled, newer, asPages, handOvers, robotsAgain int64
}

// A witness is the evidence of one job, and what the first pass that went through has found out about it as a whole.
type witness struct {
	job     Job
	index   int
	shared  bool        // its crawl, as far as is known: no request says that one process made it
	lines   int         // of the list of pages, when it was running: the requests for them are in the ledger already
	list    os.FileInfo // of the list of pages then; nil if there was none
	history *history
	whole   *book
}

func newProver(jobs []Job, o Options) (*prover, error) {
	if len(jobs) == 1 && jobs[0].Bundle != nil {
		o.Site, jobs = jobs[0].Bundle.Info.Site, []Job{{Bundle: jobs[0].Bundle}}
	}
	pr := &prover{opts: o.withDefaults(), tallies: map[Name]*tally{}, lostPages: map[pageOf]bool{}}
	for i, j := range jobs {
		if len(jobs) == 1 {
			j.Name = ""
		}
		w := &witness{job: j, index: i, history: openHistory(j, &pr.opts), shared: j.isShared()}
		if j.Running {
			var err error
			if w.lines, w.list, err = countPages(j.Pages); err != nil {
				return nil, err
			}
		}
		pr.witnesses = append(pr.witnesses, w)
	}
	return pr, nil
}

// several reports whether there is more than one job.
func (pr *prover) several() bool { return len(pr.witnesses) > 1 }

// bundle is the evidence when that is a bundle, else nil.
func (pr *prover) bundle() *Bundle { return pr.witnesses[0].job.Bundle }

// finish takes over what a pass has found.
func (pr *prover) finish(p *pass) {
	for i, w := range pr.witnesses {
		p.book = p.books[i]
		if w.whole == nil {
			w.whole = p.book
			pr.tally(Address, w).merge(&p.addresses.tally)
			if i == 0 {
				pr.tally(Address, w).merge(&p.together.tally)
			}
		}
		if w.job.Pages != "" {
			p.pages(w.job.Pages)
		}
		if p.firstLost != nil && p.repairs == 0 {
			p.tally(Once).lack(p.firstLost, "is said to be lost, and no repair of the job is on record")
		}
	}
	maps.Copy(pr.lostPages, p.lostPages)
	for name, t := range p.tallies {
		pr.tally(name, pr.witnesses[0]).merge(t)
	}
	pr.interrupted += p.interrupted
	pr.unsettled += p.unsettled
	pr.newer += p.newer
	pr.asPages += p.asPages
	pr.handOvers += p.handOvers
	pr.robotsAgain += p.robotsAgain
}

// tally returns the tally of a promise, for what is found about a job.
func (pr *prover) tally(name Name, w *witness) *tally {
	t := pr.tallies[name]
	if t == nil {
		t = &tally{most: pr.opts.Findings}
		pr.tallies[name] = t
	}
	t.job = w.job.Name
	return t
}

// checkFiles compares the files of pages with their list.
func (pr *prover) checkFiles(ctx context.Context, w *witness) error {
	t := pr.tally(Pages, w)
	switch {
	case w.job.Bundle != nil:
		pr.checkBundled(w)
		return nil
	case w.job.Pages == "":
		t.lack(nil, "the pages were not looked at")
		return nil
	case pr.opts.SkipFiles || w.job.Running:
		t.lack(nil, "the files of the pages were not read")
		return nil
	}
	found, err := pages.Check(ctx, w.job.Pages)
	if err != nil {
		return fmt.Errorf("check pages: %w", err)
	}
	for _, p := range found.Problems {
		switch {
		case !pr.opts.judges(siteOf(p.URL)):
		case pr.lostPages[pageOf{w.index, p.URL}]:
			t.lack(nil, "%s; the ledger says that it was lost, and is to be asked for again", p)
		default:
			t.refute(nil, "%s", p)
		}
	}
	t.broken += found.More
	return nil
}

// plural writes a number of things.
func plural(n int, forms ...string) string {
	switch {
	case n == 1:
		return "1 " + forms[0]
	case len(forms) > 1:
		return fmt.Sprint(n, " ", forms[1])
	}
	return fmt.Sprintf("%d %ss", n, forms[0])
}

// stamp writes a time for evidence.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/storage/checkpoint"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// A Job is the evidence.
type Job struct {
	Ledger string // directory of the ledger
	Robots string // directory of robots.txt files by digest
	Pages  string // directory of the pages; empty when they are not to be looked at

	Bundle *Bundle // in place of the directories: what there is about one site
}

// walk hands out the records of the evidence, in order, until visit returns false. An entry is valid until the next one.
func (j Job) walk(visit func(*ledger.Entry) bool) (ledger.Report, error) {
	return j.walkWith(ledger.WalkOptions{}, visit)
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

// Options bound what Prove keeps in memory. Zero means the default, and so does a negative value.
type Options struct {
	Sites     int           // looked at in one pass; default 200,000
	URLs      int           // requests for pages and sitemaps looked at in one pass; default 4,000,000
	Rules     int           // bytes, about, of robots.txt kept in memory; default 64 MiB
	Addresses int           // that are in use at once; default 100,000. Of more it is not shown how busy they were
	Window    int           // latest requests remembered of an address; default 1,024
	Horizon   time.Duration // for how long; default 10 minutes
	Findings  int           // kept of each kind for each promise; default 20

	Site      string // judge this site only; empty for all. Addresses, which sites share, are then left out
	Running   bool   // a process works on the job: the end of the ledger may be missing, and pages newer than it be there
	SkipFiles bool   // do not read the files of pages, only their list

	Checkpoints []checkpoint.Checkpoint // that were kept elsewhere, for the ledger to be held against
	Heads       []checkpoint.Head       // likewise
	Keys        []string                // trusted to sign checkpoints, besides those that the runs name
}

// judges reports whether a site is one to be judged.
func (o *Options) judges(site string) bool { return o.Site == "" || o.Site == site }

func (o Options) withDefaults() Options {
	o.Sites = orDefault(o.Sites, 200_000)
	o.URLs = orDefault(o.URLs, 4_000_000)
	o.Rules = orDefault(o.Rules, 64<<20)
	o.Addresses = orDefault(o.Addresses, 100_000)
	o.Window = orDefault(o.Window, 1024)
	o.Horizon = orDefault(o.Horizon, 10*time.Minute)
	o.Findings = orDefault(o.Findings, 20)
	return o
}

// orDefault returns v, or def if v is not positive.
func orDefault[T int | time.Duration](v, def T) T {
	if v <= 0 {
		return def
	}
	return v
}

var (
	// ErrNoLedger says that there is nothing to prove anything from.
	ErrNoLedger = errors.New("verify: the ledger has no records")
	// ErrFormat says that the ledger was written by another version.
	ErrFormat = errors.New("verify: the ledger has another format")
)

// Prove checks every promise. What is wrong is in the report; the error says that the evidence could not be read, or that ctx has
// ended.
func Prove(ctx context.Context, j Job, o Options) (*Report, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if j.Bundle != nil {
		o.Site, o.Running = j.Bundle.Info.Site, false
	}
	pr := &prover{job: j, opts: o.withDefaults(), tallies: map[Name]*tally{}, lostPages: map[string]bool{}}
	if o.Running {
		var err error
		if pr.lines, err = countPages(j.Pages); err != nil {
			return nil, err
		}
	}
	var err error
	if pr.history, err = openHistory(j, &pr.opts); err != nil {
		return nil, err
	}
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
		if err := pr.finish(p); err != nil {
			return nil, err
		}
		sites.nextUnlessDone()
		urls.nextUnlessDone()
	}
	if err := pr.checkFiles(ctx); err != nil {
		return nil, err
	}
	if err := pr.continues(); err != nil {
		return nil, fmt.Errorf("hold the ledger against checkpoints: %w", err)
	}
	return pr.report(), nil
}

// A prover is one Prove.
type prover struct {
	job       Job
	opts      Options
	tallies   map[Name]*tally
	whole     *summary // of the first pass that went through
	chain     ledger.Report
	history   *history
	trail     *trail          // of that pass
	lostPages map[string]bool // URLs of pages that a repair did not find again
	lines     int             // of the list of pages, when it was running: the requests for them are in the ledger already

	interrupted, unsettled, newer, asPages int64
}

// finish takes over what a pass has found.
func (pr *prover) finish(p *pass) error {
	if pr.whole == nil {
		pr.whole, pr.chain, pr.trail = &p.summary, p.chain, p.trail
		pr.tally(Address).merge(&p.addresses.tally)
	}
	if pr.job.Pages != "" {
		if err := p.pages(pr.job.Pages); err != nil {
			return err
		}
	}
	if p.firstLost != nil && p.repairs == 0 {
		p.tally(Once).lack(p.firstLost, "is said to be lost, and no repair of the job is on record")
	}
	maps.Copy(pr.lostPages, p.lostPages)
	for name, t := range p.tallies {
		pr.tally(name).merge(t)
	}
	pr.interrupted += p.interrupted
	pr.unsettled += p.unsettled
	pr.newer += p.newer
	pr.asPages += p.asPages
	return nil
}

func (pr *prover) tally(name Name) *tally {
	t := pr.tallies[name]
	if t == nil {
		t = &tally{most: pr.opts.Findings}
		pr.tallies[name] = t
	}
	return t
}

// checkFiles compares the files of pages with their list.
func (pr *prover) checkFiles(ctx context.Context) error {
	t := pr.tally(Pages)
	switch {
	case pr.job.Bundle != nil:
		pr.checkBundled(pr.job.Bundle)
		return nil
	case pr.job.Pages == "":
		t.lack(nil, "the pages were not looked at")
		return nil
	case pr.opts.SkipFiles || pr.opts.Running:
		t.lack(nil, "the files of the pages were not read")
		return nil
	}
	found, err := pages.Check(ctx, pr.job.Pages)
	if err != nil {
		return fmt.Errorf("check pages: %w", err)
	}
	for _, p := range found.Problems {
		switch {
		case !pr.opts.judges(siteOf(p.URL)):
		case pr.lostPages[p.URL]:
			t.lack(nil, "%s; the ledger says that it was lost, and is to be asked for again", p)
		default:
			t.refute(nil, "%s", p)
		}
	}
	t.broken += found.More
	return nil
}

// report draws the conclusions.
func (pr *prover) report() *Report {
	w := pr.whole
	r := &Report{
		Format: 1, Verdict: Proven, Records: pr.chain.Records, Requests: w.requests, Runs: w.run.number, Killed: w.killed,
		First: w.first, Last: w.lastTold, Head: pr.chain.Head, Torn: pr.chain.Torn, Terms: append([]Terms{}, w.terms...),
		Promises: texts(), Notes: pr.notes(),
	}
	if pr.opts.Site != "" {
		r.Promises = slices.DeleteFunc(r.Promises, func(p Promise) bool { return p.Name == Address })
	}
	if pr.job.Bundle != nil {
		r.Promises = slices.DeleteFunc(r.Promises,
			func(p Promise) bool { return p.Name == Chain || p.Name == Pages || p.Name == Listed })
		r.Head = pr.job.Bundle.head()
	} else {
		r.Promises = slices.DeleteFunc(r.Promises, func(p Promise) bool { return p.Name == Included })
	}
	if n := len(r.Terms); n > 1 && r.Terms[n-1].same(&r.Terms[n-2]) {
		r.Terms = r.Terms[:n-1]
	}
	if pr.history.empty() {
		r.Promises = slices.DeleteFunc(r.Promises, func(p Promise) bool { return p.Name == Continues })
	}
	pr.judgeChain()
	for i := range r.Promises {
		p := &r.Promises[i]
		p.conclude(pr.tally(p.Name))
		if bad := pr.chain.Bad; bad != nil && p.Verdict == Proven {
			p.Verdict = NotShown
			p.Findings = append(p.Findings,
				Finding{What: fmt.Sprintf("the chain breaks after record %d; what follows proves nothing", pr.chain.Records),
					Unknown: true})
		}
		if w.foreign > 0 && p.Verdict == Proven && p.Name != Chain && p.Name != Included {
			p.Verdict = NotShown
			p.Findings = append(p.Findings,
				Finding{What: plural(int(w.foreign), "record is", "records are") + " not understood: what they tell is not known",
					Unknown: true})
		}
	}
	if p, allowed := r.Promise(Pages), r.Promise(Allowed); p != nil && p.Verdict == Proven && allowed.Verdict != Proven {
		p.Verdict = NotShown
		p.Findings = append(p.Findings,
			Finding{What: "each page belongs to a request, but not every request is shown to have been allowed", Unknown: true})
	}
	for _, p := range r.Promises {
		r.Verdict = r.Verdict.Worse(p.Verdict)
	}
	return r
}

// judgeChain says what the chain is worth.
func (pr *prover) judgeChain() {
	t, c := pr.tally(Chain), pr.chain
	t.checked = int64(c.Records)
	if b := pr.job.Bundle; b != nil {
		t = pr.tally(Included)
		t.checked = b.Info.Lines
	}
	switch {
	case c.Bad != nil:
		t.refute(&ledger.Entry{Record: ledger.Record{Seq: c.Bad.Seq}, InFile: c.Bad.File, AtLine: c.Bad.Line}, "%s", c.Bad.What)
	case c.Known == 0 && pr.job.Bundle == nil:
		t.lack(nil, "ledger.head does not say where the ledger ended: whether records were cut from its end is not known")
	}
}

// notes says what the verdicts allow for.
func (pr *prover) notes() []string {
	w, notes := pr.whole, []string{}
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if w.killed > 0 {
		add("%s ended without saying so. What was under way then is in no ledger: at most %s", plural(w.killed, "run"),
			plural(w.inFlight, "request"))
	}
	if len(w.clockSets) > 0 {
		add("the wall clock was set %s during the crawl; pauses are judged by clocks that nobody sets",
			plural(len(w.clockSets), "time"))
	}
	open := !w.run.ended && pr.chain.Bad == nil
	switch b := pr.job.Bundle; {
	case b != nil:
		add("these are %d of the %d records of the ledger, those about the site; that none was left out only the log of its "+
			"server can tell",
			b.Info.Lines, b.Info.Records)
	case open && pr.opts.Running:
		add("the crawl is running: this is the ledger up to record %d", pr.chain.Records)
	case open:
		add("the last run has no end: it was killed, or records were cut off behind record %d, the last that is known to have "+
			"been on stable storage",
			pr.chain.Known)
	}
	if pr.interrupted > 0 {
		add("%s made again because the run before had ended before their answers were settled",
			plural(int(pr.interrupted), "request"))
	}
	if w.rounds > 0 {
		add("%s the operator had pages asked for once more that were settled (--again): that is not counted as twice",
			plural(w.rounds, "time"))
	}
	if w.repairs > 0 {
		add("%s the job was damaged and put in order: what was lost was asked for again", plural(w.repairs, "time"))
	}
	if w.lifted > 0 {
		add("%s the operator let somebody be asked again who had been opted out", plural(w.lifted, "time"))
	}
	if pr.asPages > 0 {
		add("%s robots.txt or the TDM file was asked for as a page, because something links to it or the operator wants it: "+
			"besides the requests for what it says to robots", plural(int(pr.asPages), "time"))
	}
	if pr.unsettled > 0 {
		add("%s no outcome in the ledger: a run ended before that was known, or it is still to come",
			plural(int(pr.unsettled), "page has", "pages have"))
	}
	if pr.newer > 0 {
		add("%s newer than what was read of the ledger", plural(int(pr.newer), "page is", "pages are"))
	}
	if pr.job.Pages != "" && (pr.opts.SkipFiles || pr.opts.Running) {
		add("the list of pages was read, their files were not")
	}
	if pr.history.unsigned {
		add("nobody has signed the checkpoint of this bundle")
	}
	if c := pr.history.stranger; c.Signed() {
		add("the checkpoint %s is signed as %s; the runs name no key, so who that is only the operator can tell (--operator-key)",
			c.Short(), c.Origin)
	}
	if len(pr.history.kept)+len(pr.history.heads) == 0 {
		add("nothing that was kept elsewhere was compared (--checkpoint, --head): nobody can tell whether the whole ledger was " +
			"rewritten")
	}
	if pr.chain.Torn > 0 {
		add("the ledger ends in %d bytes of an unfinished record, which the next run cuts off", pr.chain.Torn)
	}
	return notes
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

package verify

import (
	"fmt"
	"slices"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// report draws the conclusions.
func (pr *prover) report() *Report {
	r := &Report{Format: 1, Verdict: Proven, Terms: []Terms{}, Promises: texts(), Notes: []string{}}
	for _, w := range pr.witnesses {
		r.include(w)
	}
	if pr.several() {
		r.Head, r.Drift = "", pr.opts.Drift
	}
	r.Notes = append(r.Notes, pr.notes()...)
	pr.choosePromises(r)
	pr.clocksAstray()
	for i := range r.Promises {
		p := &r.Promises[i]
		p.conclude(pr.tally(p.Name, pr.witnesses[0]))
		for _, w := range pr.witnesses {
			w.limit(p)
		}
	}
	if p, allowed := r.Promise(Pages), r.Promise(Allowed); p != nil && p.Verdict == Proven && allowed.Verdict != Proven {
		p.notShown("", "each page belongs to a request, but not every request is shown to have been allowed")
	}
	for _, p := range r.Promises {
		r.Verdict = r.Verdict.Worse(p.Verdict)
	}
	return r
}

// include adds what one job has of the whole.
func (r *Report) include(w *witness) {
	b := w.whole
	s := Share{Job: w.job.Name, Records: b.chain.Records, Requests: b.requests, Runs: b.run.number, Killed: b.killed,
		First: b.first, Last: b.lastTold, Head: b.chain.Head, Torn: b.chain.Torn}
	if w.job.Bundle != nil {
		s.Head = w.job.Bundle.head()
	}
	r.Records += s.Records
	r.Requests += s.Requests
	r.Runs += s.Runs
	r.Killed += s.Killed
	r.Torn += s.Torn
	r.Head = s.Head
	if !s.First.IsZero() && (r.First.IsZero() || s.First.Before(r.First)) {
		r.First = s.First
	}
	if s.Last.After(r.Last) {
		r.Last = s.Last
	}
	terms := slices.Clone(b.terms)
	if n := len(terms); n > 1 && terms[n-1].same(&terms[n-2]) {
		terms = terms[:n-1]
	}
	for i := range terms {
		terms[i].Job = w.job.Name
	}
	r.Terms = append(r.Terms, terms...)
	if w.job.Name != "" {
		r.Jobs = append(r.Jobs, s)
	}
}

// choosePromises leaves out what the evidence has nothing to do with, and judges the chains.
func (pr *prover) choosePromises(r *Report) {
	drop := func(names ...Name) {
		r.Promises = slices.DeleteFunc(r.Promises, func(p Promise) bool { return slices.Contains(names, p.Name) })
	}
	if pr.opts.Site != "" {
		drop(Address)
	}
	if pr.bundle() != nil {
		drop(Chain, Pages, Listed)
	} else {
		drop(Included)
	}
	if pr.tally(Tenure, pr.witnesses[0]).checked == 0 {
		drop(Tenure)
	}
	if !slices.ContainsFunc(pr.witnesses, func(w *witness) bool { return !w.history.empty() }) {
		drop(Continues)
	}
	for _, w := range pr.witnesses {
		pr.judgeChain(w)
	}
}

// limit takes back what a promise cannot be shown by when the ledger of a job is broken, or not understood.
func (w *witness) limit(p *Promise) {
	b := w.whole
	if b.chain.Bad != nil && p.Verdict == Proven {
		p.notShown(w.job.Name, "the chain breaks after record %d; what follows proves nothing", b.chain.Records)
	}
	if b.foreign > 0 && p.Verdict == Proven && p.Name != Chain && p.Name != Included {
		p.notShown(w.job.Name, "%s not understood: what they tell is not known", plural(int(b.foreign), "record is", "records are"))
	}
}

// clocksAstray says what is not known because the clock of a job was set by more than the clocks may differ: whether it was right
// before or after nobody can tell, and so not in which order the jobs did what they did.
func (pr *prover) clocksAstray() {
	for _, w := range pr.witnesses {
		if off := w.whole.astray; pr.handOvers > 0 && off > pr.opts.Drift {
			for _, name := range []Name{Decided, OptOut, Gaps, Rests, Alone, Tenure, Address} {
				pr.tally(name, w).lack(nil,
					"the wall clock was set by %v, more than the clocks of the jobs may differ: what other jobs did before "+
						"is not known", off)
			}
		}
	}
}

// notShown takes back that a promise is proven.
func (p *Promise) notShown(job, format string, args ...any) {
	p.Verdict = NotShown
	p.Findings = append(p.Findings, Finding{Job: job, What: fmt.Sprintf(format, args...), Unknown: true})
}

// judgeChain says what the chain of a job is worth.
func (pr *prover) judgeChain(w *witness) {
	t, c := pr.tally(Chain, w), w.whole.chain
	if b := w.job.Bundle; b != nil {
		t = pr.tally(Included, w)
		t.checked = b.Info.Lines
	} else {
		t.checked += int64(c.Records)
	}
	switch {
	case c.Bad != nil:
		t.refute(&ledger.Entry{Record: ledger.Record{Seq: c.Bad.Seq}, InFile: c.Bad.File, AtLine: c.Bad.Line}, "%s", c.Bad.What)
	case c.Known == 0 && w.job.Bundle == nil:
		t.lack(nil, "ledger.head does not say where the ledger ended: whether records were cut from its end is not known")
	}
}

// notes says what the verdicts allow for.
func (pr *prover) notes() []string {
	notes := []string{}
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	each := func(say func(w *witness, add func(string, ...any))) {
		for _, w := range pr.witnesses {
			say(w, func(format string, args ...any) {
				if w.job.Name != "" {
					format, args = "%s: "+format, append([]any{w.job.Name}, args...)
				}
				add(format, args...)
			})
		}
	}
	pr.notesAcross(add)
	each((*witness).ending)
	if pr.interrupted > 0 {
		add("%s made again because the run before had ended, or their site had gone to another node, before answers were settled",
			plural(int(pr.interrupted), "request"))
	}
	each((*witness).doings)
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
	each(func(w *witness, add func(string, ...any)) {
		if w.job.Pages != "" && (pr.opts.SkipFiles || w.job.Running) {
			add("the list of pages was read, their files were not")
		}
	})
	each((*witness).signing)
	if len(pr.opts.Checkpoints)+len(pr.opts.Heads) == 0 {
		add("nothing that was kept elsewhere was compared (--checkpoint, --head): nobody can tell whether the whole ledger was " +
			"rewritten")
	}
	each(func(w *witness, add func(string, ...any)) {
		if torn := w.whole.chain.Torn; torn > 0 {
			add("the ledger ends in %d bytes of an unfinished record, which the next run cuts off", torn)
		}
	})
	return notes
}

// notesAcross says what a verdict about several jobs rests on.
func (pr *prover) notesAcross(add func(string, ...any)) {
	if pr.leftOut > 0 {
		add("%s left out, without a record or a page", plural(pr.leftOut, "job is", "jobs are"))
	}
	if !pr.several() {
		return
	}
	add("%d jobs are judged as one crawl. Between two of them pauses are told by the clocks on the wall, which are taken to "+
		"differ by at most %v (--clock-drift): what is proven is proven for that", len(pr.witnesses), pr.opts.Drift)
	if pr.handOvers > 0 {
		add("%s a site was asked by another job than before", plural(int(pr.handOvers), "time"))
	} else {
		add("no site was asked by more than one job")
	}
	if pr.robotsAgain > 0 {
		add("%s a job asked for a robots.txt that another had asked for and that was not due: each has its own files",
			plural(int(pr.robotsAgain), "time"))
	}
	first := pr.witnesses[0]
	for _, w := range pr.witnesses[1:] {
		if a, b := first.whole.terms, w.whole.terms; len(a) > 0 && len(b) > 0 && !a[len(a)-1].alike(&b[len(b)-1]) {
			add("%s and %s were made under different terms, as different crawls are: each is judged by its own", first.job.Name,
				w.job.Name)
		}
	}
}

// ending says how the runs ended.
func (w *witness) ending(add func(string, ...any)) {
	b := w.whole
	if b.killed > 0 {
		add("%s ended without saying so. What was under way then is in no ledger: at most %s", plural(b.killed, "run"),
			plural(b.inFlight, "request"))
	}
	if len(b.clockSets) > 0 {
		add("the wall clock was set %s during the crawl; pauses are judged by clocks that nobody sets",
			plural(len(b.clockSets), "time"))
	}
	open := !b.run.stopped && b.chain.Bad == nil
	switch bundle := w.job.Bundle; {
	case bundle != nil:
		add("these are %d of the %d records of the ledger, those about the site; that none was left out only the log of its "+
			"server can tell", bundle.Info.Lines, bundle.Info.Records)
	case open && w.job.Running:
		add("the crawl is running: this is the ledger up to record %d", b.chain.Records)
	case open:
		add("the last run has no end: it was killed, or records were cut off behind record %d, the last that is known to have "+
			"been on stable storage", b.chain.Known)
	}
}

// doings says what the operator did, and had to do.
func (w *witness) doings(add func(string, ...any)) {
	b := w.whole
	if b.rounds > 0 {
		add("%s the operator had pages asked for once more that were settled (--again): that is not counted as twice",
			plural(b.rounds, "time"))
	}
	if b.repairs > 0 {
		add("%s the job was damaged and put in order: what was lost was asked for again", plural(b.repairs, "time"))
	}
	if b.lifted > 0 {
		add("%s the operator let somebody be asked again who had been opted out", plural(b.lifted, "time"))
	}
}

// signing says what is not known of who signed.
func (w *witness) signing(add func(string, ...any)) {
	if w.history.unsigned {
		add("nobody has signed the checkpoint of this bundle")
	}
	if c := w.history.stranger; c.Signed() {
		add("the checkpoint %s is signed as %s; the runs name no key, so who that is only the operator can tell (--operator-key)",
			c.Short(), c.Origin)
	}
}

// Package verify proves from the outside that a crawl kept its promises, or refutes it.
//
// The nouns: a [Job] names the evidence, that is the ledger, the robots.txt files that were in force, and the list of pages. A
// [Report] holds a [Verdict] for every [Promise]: proven, refuted, or not shown, when evidence is missing. A [Finding] is one
// piece of evidence against, and names the record and its line in the ledger.
//
//   - [Prove] checks all promises. [ProveAll] does so for several jobs that are one crawl, as when each of several machines keeps
//     its own: what one of them did binds the others.
//   - [Certify] tells the owner of one host what was done there.
//   - [WriteBundle] writes the evidence about one host for its owner, with a proof that it is part of the whole ledger (RFC 6962);
//     [OpenBundle] reads it, whoever made it.
//   - [Compare] holds it against the log of the site's own server.
//   - [Replay] takes every decision again, with the rules of today.
//
// # Promises
//
//   - What is shown is shown from the evidence alone. Nothing of the engine is used, neither its code nor its queue: how a gap
//     comes about, what a site is and when a file is out of date is worked out here a second time. Package robots judges rules
//     and reads where redirects lead; that a rule stands in the line of the stored file that a record names is checked without it.
//   - What is not known is not proven.
//   - Memory is bounded by [Options], whatever the size of the ledger. What does not fit is looked at in another pass over it.
//   - Nothing is changed, and the job may be running: what is looked at is the ledger as far as it went when Prove began.
//
// # Limits
//
// A ledger proves what its writer wrote. The chain makes every change visible that was made afterwards, and ledger.head every
// record that is missing at the end if it had been brought to stable storage; records behind that may be cut without a trace
// other than the missing end of the run. Whoever can rewrite all files can write another story; to rule that out, note the
// hash of the last record down elsewhere.
//
// Some of what a ledger tells only others can know, and it is no evidence here: what a site answered and how fast, from which
// address it was asked (the log of the site has these: [Compare]), why a page was not wanted, and how often a link that was
// refused was found: a refusal that is told twice counts twice. A test names every such field, and why.
//
// What two jobs did is put in order by the clocks on their walls, and no ledger tells by how much these differ: Options.Drift says
// what they may. What holds or fails whatever the difference is certain; what lies within it is not shown.
//
// Requests that were under way when a process was killed are in no ledger. There is at most one for each site that was being
// served, as many as the run says in its policy; so many are allowed to happen again, and are counted.
//
// URLs are told apart by a hash of 64 bits with a secret seed. With a hundred million URLs the chance that two are confused
// is one in four thousand.
//
// That a line was left out of a bundle shows in the pause that the next request tells of, if it was a request, and else in no way.
//
// # Example
//
//	report, err := verify.Prove(ctx, verify.Job{Ledger: "job/ledger", Robots: "job/robots", Pages: "job/pages"}, verify.Options{})
//	if err != nil {
//		return err
//	}
//	for _, p := range report.Promises {
//		fmt.Println(p.Verdict, p.Text)
//	}
//
// # Design
//
// The files follow the way of a record. prove.go begins the passes, book.go reads the ledgers, and pass.go hands each record to
// who judges it: record.go what is true of all of them, site.go the pauses, address.go those of an address, origin.go and hop.go
// requests for robots.txt, visit.go and visits.go what is asked for and what became of it, refusal.go, optout.go and purge.go
// what was not. continues.go holds the ledger against earlier checkpoints, across.go several jobs against each other. What they
// find is counted in tallies (tally.go), of which conclude.go makes the report. The other ways in are certificate.go, bundle.go,
// accesslog.go and replay.go, each with the files that begin so.
//
// A ledger is read from the first record to the last, by one goroutine that follows the chain and decodes, and one that judges.
// State is kept per site and per URL. When there are more of them than [Options] permits, the pass is begun anew for half of
// the keys, by hash, and the other half gets a pass of its own: reading again is cheaper than a database, and needs no room
// on a disk that may be full.
//
// Gaps within a run are measured with the clock that nobody sets, which the engine records for that purpose. Between two runs the
// clock on the wall has to do; the ledger says by how much that was set meanwhile, where anybody could know.
//
// Several ledgers are merged by time while they are read, each in its own order; nothing of them is kept but the state that one
// ledger needs, per site with a lane for each job that has asked it. A pause of one job is judged by the clock that nobody sets, as
// ever; one between jobs by the wall. What was fetched of a robots.txt, what was asked for, and who is opted out is one for all
// jobs; pages and their lists are those of each. Who asked for the robots.txt that a node of a shared crawl goes by may be a node
// whose ledger is not at hand: that is not shown where its right to the site is later than the last request for the file on record.
package verify

// Package plan works out, before a crawl or between two runs of one, how long it will take and what will not fit.
//
// The nouns: a [Plan] is the answer for a crawl, within a [Budget]; a [Host] is what there is to say of one site, with what is
// known of the robots.txt of each [Origin] and the [Pace] that follows from it; a [Total] sums up.
//
// Promises: nothing is made up. A host whose rules are not known is said to be unknown, a number of pages that nobody limited is
// not guessed, and while links may still be found the time is "at least".
//
// Limits: the arithmetic supposes that every site answers as fast as it did for robots.txt, or within no time if it was not
// asked, and that nobody else asks for a rest. The time of a whole plan is exact to a thousandth.
//
//	p := plan.New(plan.Budget{MaxPagesPerHost: 1000, MaxTime: time.Hour, Workers: 256, PerAddress: 4})
//	h := p.Host("example.org")
//	h.Learn(prospect, seeds)
//	h.SetPace(crawl.Pace(h.Site, took, prospect.Answer.Rules), took, 1, prospect.Answer.File)
//	p.Finish()
//	p.Print(os.Stdout)
//
// # Design
//
// Three things bound a crawl: the pace of each site, the requests in flight per address, and the workers. None is
// simulated; how many pages fit into a time is a sum over the hosts, cut where addresses or workers are too few, and the time
// that a number of pages takes is found by bisection of that. Sitemaps tell how many pages a site has at least: an Origin
// counts them (Origin.Listed) if the survey has read them, and a Host then has that many (Host.Pages).
package plan

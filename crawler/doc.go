// Package crawler is the engine: it takes sites from a frontier, visits their pages as politely as promised, and hands
// what it finds to sinks and listeners. It is the only code that knows how the parts talk to each other.
//
// # The story of one URL
//
// A seed is made canonical and passed through the gates (Crawler.judge); the frontier writes it down and its site is due.
// The lease loop (run.leases) has a free slot, Frontier.Lease gives it the site, and a goroutine starts (host.serve). For
// each entry, host.visit reads like a recipe: the rules of the origin's robots.txt (siteRules.of: fetched first when missing or
// stale, under the same permit) say yes and which line says so (host.mayAsk); Permit waits the gap that is owed; the request
// goes out (requester.ask) and its end fixes the next gap (Crawler.gap). The answer is processed (host.process): a redirect is a
// link and goes back to the frontier; a page is read (Read), kept by the sinks unless it asks not to be, and its links pass
// the gates (host.follow). One Settle makes the outcome and the new links durable together (host.end). Reading and storing run
// beside the next visit, so they never hold up a site. Kill the process anywhere in this paragraph and start it again: the URL
// is visited once more, no sooner than it should be, or taken from disk if its page was stored (Config.Kept). An answer that could
// not be settled because the site went to another node waits in memory for the site to come back (unsettled).
//
// A sitemap is an entry, too (Sitemaps): found where rules become known (Crawler.announce), visited like a page, and read by a
// listing, which passes what it names through the gates and queues it before the sitemap itself is settled.
//
// # The files
//
// In the order of that story: crawler.go, run.go, host.go, visit.go, rules.go, exchange.go, answer.go, reading.go, follow.go and
// gate.go. What a caller sees is in config.go, reason.go and events.go. Every other file is about one gate, one limit, or one
// thing that is remembered, and named for it.
//
// # Promises
//
//   - No request leaves without a robots.txt decision for its origin, and every request can name it (Request.Verdict).
//   - One request at a time per site, never sooner than the gap owed; at most Politeness.PerAddress per IP address.
//   - What is refused has a Gate and a Reason, is counted and told; it is never an error and never silent.
//   - Outside of its Visit-time a site is asked for nothing but robots.txt, and of one with a very long Crawl-delay only the
//     seeds are visited. What a page may be used for is stored with it and decides nothing here.
//   - Whoever is opted out is asked for nothing more from that moment on, by name or by address (Config.OptOut).
//   - A Survey learns the rules and the pace of sites, and asks for nothing but robots.txt, as politely.
//   - A failing URL is tried again without holding up its site; a failing host rests as a whole.
//
// # Options
//
// One rule holds for every number in Config and in the options of package fetch. Zero means the default, which the field names.
// A negative number switches off what the field is about: no such pause, no such bound. A field marked "always" bounds memory,
// sockets or patience and cannot be switched off: there a negative number means the default, too.
//
// Who the crawler is stands in one place, robots.CacheOptions.Product. New refuses a User-Agent without it. Seeds given to Run
// are in scope.
//
// # Limits
//
// Every bound is a field of Config. Counters that recognise traps live in memory of bounded size; what an earlier run has
// counted they know by Recall, but for which URLs Clean-param makes one. The bounds on shape, depth and redirects need no memory.
//
// # Design
//
// One goroutine serves one leased site, and a site whose gap is long gives its worker back, so Workers bounds the
// requests under way and not the sites that wait. It gives it on, too, while its last pages are being settled, and keeps it as
// long as nobody else wants it and there may be more. While others want it a lease is short, a little longer for a site that
// has much queued, so that sites of one size end at about the same time and the largest is not left for the end. A site
// whose request is slow lends its worker on (slot), bounded by SlowMemory. Answers bounds what is read, stored and settled
// beside the requests.
//
// A host is a leased site. It visits; what it knows and does beyond that is in its parts: standing (how we stand with the site),
// siteRules (what its robots.txt files say), requester (one request at a time), hostBudget (what it may cost). Only what must
// outlive the process is durable: standing (robots.txt state, failures in a row, rests) is in frontier.SitePolicy, written before
// the next request can leave.
//
// To judge is to ask and changes nothing, to admit is to judge and to count what passes (gate.go). A link is judged when it is
// found and again at its turn, by the settings of the run in which that comes: what they exclude since is refused then.
//
// What looks endless (package trap) is parked: refused with a reason that says so, until the operator releases it or the bound is
// raised. Before that, while scouts look for its end, the rest of the place waits: its entries are taken and not settled, so that
// they are where they were when the lease ends (scout.go). No more than 50,000 entries wait at a time, which are in memory; a
// place that has more to wait is judged by what the scouts have seen.
package crawler

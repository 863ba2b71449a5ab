// Package frontier answers which page is next, and when.
//
// It holds the nouns of a crawl's queue and the contract that memory and disk implement; it opens no file and starts no
// goroutine itself.
//
//   - A URL is an absolute http or https address in canonical form. Everything in a crawl is keyed by it.
//   - A Link is a URL that was found, and how. A Frontier queues every link once.
//   - A site is the queue a URL waits in, URL.Site, and the unit of politeness: one host name, http and https together.
//   - A Lease is the exclusive right to fetch from one site. An Entry is a link handed out by it, an Outcome what became of
//     the entry, a Grant the permission for one request.
//   - A SitePolicy is what must be remembered to stay polite to a site; it is as durable as the queue.
//
// # Promises
//
// Every implementation keeps them; package frontiertest has a test for each.
//
//   - Add, Settle and SetPolicy are durable when they return. An outcome and the links found on the way are one step.
//   - No entry is lost and none is handed out twice at once. An entry stays queued until it is settled; when a lease ends
//     in whatever way, the entries it took are where they were.
//   - One site, one lease. Never more requests to a site in flight than its policy says, none sooner after the last one
//     ended than the gap owed, whoever asks: robots.txt, retries, redirects, and leases of other sites.
//   - The site due longest is served first. Within a site shallow links come before deep ones. A priority changes both orders by
//     a bounded amount (MaxPriority), so that nothing waits for ever.
//
// # Limits
//
// The frontier does not know what a page is allowed to be: scope, traps, robots rules, page and byte limits are for the
// crawl to decide, before Add or in Settle. URLs are canonical by spelling only; two that differ are two, whatever the
// server thinks. URL.Resolve reads links as browsers do, but knows no charset: a query is encoded as UTF-8.
//
// # Example
//
// One turn of a crawl; see the example of Frontier for all of it:
//
//	l, err := f.Lease(ctx, patience)
//	e, ok, err := l.Next(ctx)
//	g, err := l.Permit(l.Context(), l.Site())
//	resp := fetch(l.Context(), e.URL)
//	g.Done(gap)
//	_, err = l.Settle(ctx, frontier.Outcome{Entry: e, Status: frontier.Done, Links: links(resp)})
//	err = l.Close()
//
// # Design
//
// Politeness is a property of the lease and of the gate behind Permit, not of a goroutine, so it survives restarts, and
// can survive distribution. A lease is never durable: what is durable is only what it settled.
//
// A URL is a string in canonical form and nothing else, so that it is comparable, cheap to keep by the million, and its parts
// are substrings. Scheme, path and query are read by hand, url_resolve.go and url_path.go; hosts that are not plain names
// are read by the WHATWG parser, url_host.go. FuzzResolve compares the whole with that parser.
package frontier

// Package serve shows jobs in a browser: a page to search what was crawled, a live view of the crawl, and the answer to why a URL
// was fetched or was not.
//
// A [Server] is an http.Handler for one or several job directories. It reads what other processes write: the search index,
// status.json, the ledger; and hands in, by the spool of the job and its file of opt-outs, what is submitted. So it may run beside
// the crawl, before it or after it, and a crawl never waits for it but for the moment in which the queue of a job that is not
// running is read.
//
// # Promises
//
//   - Nothing changes by GET. What changes something is refused when another site's page asks for it (Fetch Metadata, Origin).
//   - A request for a host name that is not loopback, not an address and not in Options.Hosts is refused, so that no site can
//     make a browser talk to this server under a name of its own (DNS rebinding).
//   - With Options.Token nothing is answered to who does not know it but the sign-in page with what it needs, /healthz, /readyz
//     and /robots.txt.
//   - No page runs a script but those embedded here, and loads nothing from elsewhere (Content-Security-Policy). What comes from
//     the web is text: escaped, and without characters that steer a terminal or the direction of writing.
//   - A cached copy is shown in a frame without an origin, in which scripts, forms, plug-ins, and refreshing are off and nothing is
//     loaded; and only if the page does not forbid it (noarchive).
//   - Everything works without JavaScript but the picture on the map, of which a table says the same. It only keeps the live view
//     up to date and puts the cursor where it is wanted.
//
// # Limits
//
// At most Options.Busy questions that read much are worked on at once, each for Options.MaxTime at most, or for Options.MaxFile
// where a file is sent; who waits longer than two seconds gets 503 with Retry-After. Live views are bounded by Options.Viewers.
//
// # Design
//
// The map is laid out here and drawn by sigma on graphology, which are embedded unchanged with their licences (directory sigma; a
// test holds their digests).
package serve

// Package webtest is a small web on loopback to test crawlers against: sites that serve pages, sites that misbehave in
// every way a crawler must survive, and a log kept on the server's side, where a crawler cannot flatter itself.
//
// The nouns:
//
//   - A [Web] is a set of sites with one log. [New] makes a web of real listeners, [InMemory] one of pipes that works in a
//     testing/synctest bubble; both end with the test.
//   - A [Site] is one host: an [http.Handler] behind an address 127.x.y.z of its own, so that many hosts are many addresses.
//   - A [Hit] is one request as the server saw it. [MaxInFlight], [MinGap] and [Repeated] judge a list of hits.
//   - A misbehaviour is a function that returns a handler: [Drop], [Stall], [Cut], [BadChunk], [EndlessBody], [Bomb] and others.
//   - A [Bench] is a large synthetic site set of known shape for benchmarks and long crawls.
//
// Promises: a hit is logged before its handler runs. Its End is never later than the moment at which the client can know
// that a well-formed response is complete, so a polite client never looks impolite for the server's slowness. When the test
// ends, every listener, connection and handler of the web has ended too.
//
// Limits: where only 127.0.0.1 can be listened on (darwin without aliases), all sites share it and differ by port. A client that
// gives up in mid-response is noticed when its connection closes, which may be some microseconds after its next request.
//
//	web := webtest.New(t)
//	site := web.Site(webtest.Pages{
//		"/robots.txt": {Body: "User-agent: *\nDisallow: /tmp/\n"},
//		"/":           {Body: `<a href="/a">a</a> <a href="/tmp/b">b</a>`},
//		"/a":          {Body: "leaf"},
//		"/slow":       {Handler: webtest.Stall()},
//	})
//	crawl(site.URL + "/")
//	if got := webtest.Repeated(site.Hits()); len(got) > 0 {
//		t.Errorf("asked more than once: %q", got)
//	}
//
// # Design
//
// Sites are net/http servers, not hand-written ones, so that HTTP/2, keep-alive and chunking are the real thing; a
// misbehaviour that net/http would prevent takes over the connection and writes bytes. Such a handler aborts the
// stream where the connection cannot be taken over (HTTP/2).
package webtest

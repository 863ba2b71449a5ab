// Package chaos lets nodes share a crawl while they and their brokers are killed, frozen, bereft of their files and deceived by
// their clocks, and judges what came of it from the side of the servers that were crawled.
//
// The nouns:
//
//   - A Web is sites on loopback in which each page is linked from exactly one other: who loses a URL loses all below it. It
//     logs each request.
//   - A Fault is something done to a node or a broker.
//   - A Run is a Web, three brokers, nodes and faults, by a list or drawn at random; a Verdict is what came of it.
//
// Promises: nothing is believed of what the crawler says of itself but that it ended, and by which code. Where a process was
// killed, what it had sent counts as sent before its death, whenever the server came to see it.
//
// Limits: Linux, or another Unix that has all of 127.0.0.0/8 on loopback. All share one machine, so one disk and one clock.
package chaos

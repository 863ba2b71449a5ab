// Package engine puts a crawl together. It is the only package that makes one of concrete types: wire.go joins the crawler with
// a frontier on disk, a tree of pages and a ledger.
//
// Nouns: a [Session] is one run of a job, from opening its stores (session.go) through the crawl (run.go) to the report it leaves;
// a [Survey] asks sites for robots.txt only, for a plan. Of a session, intake.go takes in what is submitted while it runs,
// optout.go follows the list of those who want to be left alone, reach.go queues again what an earlier run turned away and this
// one may fetch, and recall.go tells the crawler what earlier runs have visited.
//
// Promises: the frontier commits nothing before pages and ledger are on stable storage. Whatever a session takes in from
// outside, it makes durable before it says so; killed in between, the next run does it again. Whoever watches something is
// waited for. A crawl that names no contact stays on loopback.
//
// Limits: it reads no flag and prints no result: it is told all in fields of Session, and writes to the screen only what has to
// be said while it works. It opens one job at a time for a process, and changes the garbage collector for that long.
package engine

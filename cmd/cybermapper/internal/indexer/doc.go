// Package indexer derives the search index of a job from its pages, its ledger and its robots.txt files.
//
// An [Indexer] brings the index up to date: it reads what was added to pages.jsonl and to the ledger since it read last, takes the
// text of new pages apart, and asks of each whether it may be in the index: see [Judge]. A [Report] counts what it did. [Why] tells
// of any URL whether a search can find it, and if not, why: what the index knows, else what the crawl knows.
//
// Promises: no page is in the index that its owner wants out of it, as far as the job knows: META ROBOTS and X-Robots-Tag, the
// robots.txt of today and not that of the visit, opt-outs, a preference against being searched, unavailable_after. Where a later
// robots.txt, visit or opt-out says so, it is taken out; where that is lifted, it comes back. Everything can be made again; how far
// the derivation has come stands in the index itself and changes with it as one, so that a process that dies loses nothing. It may
// run while a crawl does.
//
// Limits: of several processes one at a time gets on, and the others wait for it. The bounds on a page are those of package extract
// and package index; a page is read as a whole. What asks to be left alone by its address is known by the address that its
// robots.txt came from.
package indexer

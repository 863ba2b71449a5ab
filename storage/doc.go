// Package storage says what a crawl keeps, and where that can go.
//
// A [Page] is one fetched document with what is known of it. A [Sink] takes pages: the package pages keeps them as files, others
// may write an index. [Multi] makes one sink of several. A [Digest] names content. An [Exchange] is a request with its answer as
// they were on the wire; an [Archive] keeps those.
//
// # Promises
//
// A sink has a page when Put returns, even if the process dies the next moment. A sink that is also a [Syncer] has it for good
// when Sync returns. Sinks change nothing in a Page, so that all of them can be given the same one.
//
// # Limits
//
// A page is in memory as a whole; whoever fetches bounds its size.
//
// # Example
//
//	sink := storage.Multi(pagesStore, archive)
//	err := sink.Put(ctx, &storage.Page{URL: u, Body: body, ...})
//
// # Design
//
// A sink has one method because that is all a crawl needs to know of it. What is kept of requests and decisions is no matter
// of sinks: the journal of a crawl, package ledger, takes records, not pages.
package storage

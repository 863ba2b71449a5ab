// Package journal writes what happens in a crawl into its ledger.
//
// A [Journal] listens to the events of the engine and appends one record for each: every request, every refusal, every outcome,
// and every rest of a site. What the records hold is described in package ledger.
//
// Promises: no event is dropped, and none is written but as it happened. A request is handed to the operating system before
// its page is kept (Before), and is on stable storage before anything is settled by its answer; an outcome is written when it is
// durable. When a record cannot be written the crawl is told to end.
package journal

// Package spool hands URLs to a crawl that another process runs.
//
// A spool is a directory. Whoever submits puts a request into it with [Dir.Put]: a file that appears whole, under a name of its
// own. The process that has the job takes requests in the order of their names ([Dir.Pending], [Dir.Take]), makes what they ask for
// durable, and only then answers ([Dir.Answer]), which removes the request. The one who submitted reads the answer
// ([Dir.Collect]), which removes that too.
//
// # Promises
//
//   - Killed at any instant, neither side loses a request that was put: it is there until it was answered, and what happens twice
//     is told once, by the answer that was written first.
//   - No two processes answer: that is for the lock of the job to see to.
//
// # Limits
//
// A request holds at most [MaxItems] URLs. Answers that nobody collects are removed after [MaxAge].
//
// # Design
//
// Files and no socket: they work while nobody runs, on every system, across a kill, and can be looked at.
package spool

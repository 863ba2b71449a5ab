// Package memory is a frontier that forgets everything when it is closed.
//
// It is the shortest exact reading of the contract in package frontier: one mutex, a few heaps, no goroutines. Tests take
// it as the oracle for implementations that outlive the process; it also serves crawls that need no second run.
//
// # Promises
//
// Those of frontier.Frontier, but for one: durable means until Close. Leases never expire before they or the frontier are
// closed. All waits are timers and channels, so that it runs in testing/synctest bubbles.
//
// # Limits
//
// Every URL takes about half a kilobyte for as long as the frontier lives, and Stats and Sites look at every site.
//
// # Design
//
// A record is what is known of a URL, a site is a queue of records and the gate in front of a host. A site that has
// something to fetch and is not leased stands in the schedule, a heap ordered by the time at which it became or becomes due.
// Whatever changes that time calls Frontier.reschedule. Waiting is the same everywhere: look under the mutex, take the
// channel that the next change closes, wait for that or for the time looked for, and look again.
package memory

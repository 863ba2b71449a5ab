// Package cluster is a frontier that several nodes share, on as many machines: package frontier's contract, with the work of a
// crawl cut into partitions, each of which one node owns at a time.
//
// # Nouns
//
// A node is a process that takes part: [Join] makes it one, with brokers as package stream knows them and the protocol of package
// tenure, which says who owns what. A partition holds the sites whose registrable domain falls into it. It is an ordinary frontier
// of package disk, whose write-ahead log is kept at the brokers: whoever owns it next goes on where the log ends. Its inbox takes
// the links that other nodes find for it.
//
// # Promises
//
//   - What Add and Settle have returned from is at a quorum of the brokers. A page and all links on it are settled in one step;
//     links to other partitions are kept with it until the inbox of each has them.
//   - A site is asked by one node at a time. A node whose right to a partition is over asks for nothing there, and can write
//     nothing; the next one keeps the pauses that are owed, and where the last request is not known a whole pause from when it
//     begins.
//   - A partition that is given back in good order, as Close does with all, loses no request: its leases have nothing more that is
//     due, and what is under way has Options.HandOver to end. One whose owner dies is taken over when its time is up; what was
//     under way there is asked for again.
//   - Lease returns ErrIdle and ErrWaiting when that holds on all nodes, and on no account before.
//   - When brokers cannot be reached nodes wait. When a log contradicts what was read of it (disk.ErrDiverged) its partition is
//     left alone by all, for an operator to look at.
//
// # Limits
//
// How many partitions there are is fixed when a crawl begins. Stats, Sites and Returns are those of the partitions that this node
// owns; Lookup and Site ask the owner. The order of sites that are due holds within a partition; partitions take turns. A link for
// another partition counts as passed on (AddResult.Passed): whether it was known its owner knows. The log of a partition is not cut
// yet, so it grows with the crawl, and a node without the files of a partition reads all of it.
// Requests are cut off when the right to a partition ends; a machine that sleeps between Permit and the first byte is bounded by
// tenure's margin only. The command does not offer a cluster yet.
//
// # Design
//
// Logging is physical: a record is the batch of the store, made durable at the brokers before the store has it. So one code applies
// what happens and what is replayed, and a partition costs the brokers an append for each batch, however many pages are in it.
//
// Whether anything is left is told by marks. The owner of a partition that has nothing to do says so in the register, with how far
// it has read its inbox, and takes that back before it gives out a lease or adds a link. A node that finds all marks set, then all
// inboxes read that far, and then, by writing them anew, that no mark has changed, knows that there was a moment at which nothing
// was left anywhere (end.go). What was read may be out of date, what was written is not.
//
// A request to a site of another partition, which only a robots.txt that redirects there needs, is asked for from its owner
// (call.go).
//
// The files follow the way of a link: cluster.go (Add), place.go, pass.go; partition.go, what the owner of a partition does;
// dispatch.go, who may ask whom; end.go, call.go and query.go; join.go, which names the concrete brokers.
package cluster

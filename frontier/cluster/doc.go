// Package cluster is a frontier that several nodes share, on as many machines: package frontier's contract, with the work of a
// crawl cut into partitions, each of which one node owns at a time.
//
// # Nouns
//
// A node is a process that takes part: [Join] makes it one, with brokers as package stream knows them and the protocol of package
// tenure, which says who owns what. A partition holds the sites whose registrable domain falls into it. It is an ordinary frontier
// of package disk, whose write-ahead log is kept at the brokers: whoever owns it next goes on where the log ends. Its inbox takes
// the links that other nodes find for it. A snapshot is a copy of it in a [Store], from which a node without its files begins.
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
//   - When brokers cannot be reached nodes wait. When a log contradicts what was read of it (disk.ErrDiverged), or no snapshot is
//     whole, the partition is left alone by all, who see why ([Quarantined]), until an operator has it rebuilt ([Repair]).
//   - The log of a partition does not grow with the crawl: it has what came after the older of two snapshots, which
//     Options.SnapshotEvery bounds. A snapshot is there whole or not at all; one that was changed since is noticed, and the other
//     one used. No former owner replaces a newer one, or cuts the log of another.
//
// # Limits
//
// How many partitions there are is fixed when a crawl begins. Sites and Returns are those of the partitions that this node owns;
// Stats is of the whole crawl; Lookup and Site ask the owner. The order of sites that are due holds within a partition; partitions
// take turns. A link for another partition counts as passed on (AddResult.Passed): whether it was known its owner knows. A snapshot
// is all of a partition, not what has changed: about as much is copied as is written, and a partition larger than
// Options.SnapshotMost is copied more often. Two of each are kept, wherever they are, and while a third is made that too.
// Requests are cut off when the right to a partition ends; a machine that sleeps between Permit and the first byte is bounded by
// tenure's margin only.
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
// Who begins to own a partition writes the manifest of its snapshots anew, so that no earlier owner can add one, and then opens its
// own files, if the log still has what they lack; else those of the newest snapshot. A snapshot is made while the crawl goes on, by
// one partition of a node at a time. It may hold more than the place in the log that it is called by, as records go on being
// written: what it holds says where it ends, and the log is cut at that place at most, so the record it ends with is there. First
// the copy is in the store, then in the manifest, then the log is cut, before the older of the two; what a kill leaves of a step
// the next snapshot removes.
//
// Who stands by (Options.Standby) does not apply records as they come: it opens its files when enough has been written, reads the
// log to its end, as an owner does that begins, and closes them (standby.go). So there is one code for it, nothing in memory
// meanwhile, and what is left to read at a takeover is bounded.
//
// A request to a site of another partition, which only a robots.txt that redirects there needs, is asked for from its owner
// (call.go).
//
// The files follow the way of a link: cluster.go (Add), place.go, pass.go; partition.go, what the owner of a partition does;
// dispatch.go, who may ask whom; end.go, call.go, query.go and stats.go; share.go and count.go, what nodes share besides; shelf.go,
// snapshot.go, restore.go and standby.go; quarantine.go and repair.go; join.go, which names the concrete brokers; inspect.go and
// pause.go, for an operator.
package cluster

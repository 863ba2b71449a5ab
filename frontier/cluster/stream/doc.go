// Package stream keeps what the nodes of a cluster share at NATS brokers, in JetStream: logs, inboxes, and a register of values.
//
// # Nouns
//
// [Brokers] are the brokers as one node reaches them for one job. A partition has one stream, with two subjects: its inbox, which
// any node sends to, and the log of its owner, a [Log]. The register holds small values with revisions, [Objects] hold large files.
//
// # Promises
//
//   - What Append, Send and CompareAndSet have acknowledged is on stable storage at a quorum of the brokers, provided that these
//     run with sync_interval: always, and keep three replicas.
//   - From the return of [Brokers.Own] on no earlier owner appends: each message says which one it comes after, and the brokers
//     refuse it when another is there. While the fate of a message is unknown it is sent again with the same id, and counts once.
//   - A stream forgets what it is told to ([Brokers.Trim]), and never the last message of a log or an inbox: the refusal of former
//     owners rests on it.
//   - A stream that was lost is not taken for an empty one, though it be there again: what concerns it fails with [ErrDamaged].
//   - A record is replayed whole or, when its owner did not come to its end, not at all.
//   - Nothing here goes by what a broker says that may be out of date: marks are confirmed by writing, what was sent last is read
//     from who leads the stream.
//
// # Limits
//
// Message ids are remembered for two minutes. A broker that dies takes its streams four to nine seconds; one that is frozen is
// noticed after six. Whether brokers sync each write they do not tell a client: it must be seen to. Links are refused with
// [ErrFull] when nine tenths of a stream are full, which is looked at every five seconds.
//
// # Design
//
// One stream for each partition, as partitions have nothing to do with each other, and no consumers that brokers must keep: who
// reads knows how far it has read. Records are cut at 512 KiB, and compressed with S2 if that makes them smaller.
package stream

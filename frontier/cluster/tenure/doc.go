// Package tenure shares the partitions of a frontier among the nodes of a cluster, so that each has one owner at a time who alone
// may fetch from its sites.
//
// # Nouns
//
// A [Tenure] is the exclusive, expiring, fenced right of a node to act for one partition. (The right to fetch from one site is
// called a lease: see package frontier.) It is kept in a [Registry], a set of compare-and-set
// registers: one for each partition, which names its owner, and one for each node, its heartbeat. A [Node] is a process that
// takes part. It calls [Options].Hold with each tenure that it gets. A node has a name, which is configured, and an id, which is
// the name and the incarnation of the process: what a process had, the next one of the same name has not.
//
// # Promises
//
//   - At no time are two tenures of one partition valid ([Tenure.Valid]), as long as no two clocks come apart by more than
//     Options.Margin within Options.TTL. It does not matter what the clocks show, whether wall clocks are set or machines
//     sleep, nor what of the requests to the registry is lost, late or answered with what was.
//   - A later tenure has a greater epoch. Who writes to a log that refuses what does not follow the last record, and announces each
//     epoch there, cannot be overtaken by a former owner. Two rules make it so: who announces an epoch reads the last record, and
//     gives up when that is of a greater epoch; and who is refused as an owner never writes under that tenure again.
//   - A partition is given away only when Hold has returned, unless the tenure ended before; then at once. It is not had again
//     before either.
//   - Who is killed or cut off is succeeded when its registers have not changed for Options.TTL. Who stops hands over first.
//   - Nodes that have been there for Options.Settle have equal shares, give or take one partition. A node that comes or goes moves
//     little else, and one that restarts within the TTL gets what it had. When the registry was away, each gets back what it had.
//   - Run ends, whatever the registry does, when every Hold does.
//
// # Limits
//
// The first node of a cluster waits Options.Settle before it takes anything, so that nodes that start together share at once.
// Valid is true for a moment of the past: what was sent because of it takes effect later, for which there is the margin, and the
// fence. A web server has no fence; a process that is frozen between the check and the write, and its machine with it, so that
// no clock goes on, can send a request too many. Deletion of a partition's register ends its tenure and costs a TTL. Requests are
// one compare-and-set for each partition and node each Options.Renew, 13 a second at 64 partitions, and each node watches all of
// them: some thousand partitions are enough for one registry.
//
// # Example
//
//	node, err := tenure.New(registry, tenure.Options{Name: "crawler-1", Partitions: 64, Hold: func(t *tenure.Tenure) {
//		serve(t.Context(), t.Partition(), t.Epoch(), t.Asked())
//	}})
//	if err != nil {
//		return err
//	}
//	return node.Run(ctx) // hands over when ctx ends
//
// # Design
//
// The files go from the inside out: machine.go is the protocol for one partition, pure, reading.go what it knows of time,
// members.go who is there and who is to have what, drive.go and watch.go run machines against a registry.
//
// An owner renews its register each Options.Renew. The time is read before a renewal is sent; when it is acknowledged the tenure
// lasts from then for TTL less Margin, and never longer because of one that was not acknowledged, though it may have taken place.
// Who wants a partition that another has waits until the register has shown the same revision for a whole TTL, counted from when
// the answer came, and then sets it on that revision. So it succeeds a TTL after the last renewal at the earliest, when the owner's
// time is up, whatever the two clocks show, if only they go about equally fast. An owner counts the most that any of its clocks
// says has passed: monotonic, boot-time, wall. Who waits counts the least, and leaves out the wall clock.
//
// Nothing rests on what was read being fresh, nor on what a node believes of the others: each decision is sealed by a
// compare-and-set. Who lives and who is to have what, by rendezvous hashing, each node works out for itself, and when two differ
// for a while one of them waits in vain. A node that does not hear itself takes nobody's silence for death: the registry is away.
//
// The tests explore the machine that is shipped, with everything around it that can go wrong, world by world, and check that
// mistakes put into it are found. CYBERMAPPER_TENURE_WORLDS=3000000 makes the search larger; it takes a minute and 1 GB for each
// million worlds of a setting.
//
// Rejected: an elected coordinator (one more thing to fail over, when the registry already decides); registers that expire by the
// registry's clock (the owner could not know when); a lock of the registry's own (no deadline for the web); ids without
// incarnations (two processes of one name would take each other's tenures for their own).
package tenure

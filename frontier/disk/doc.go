// Package disk keeps a frontier in a directory, on Pebble, so that a crawl goes on where it was when its process ended,
// however that happened.
//
// # Nouns
//
// A [Frontier] is what [Open] returns: one directory, one process. A site is a queue and the gate that requests to a host
// pass. A request is what one caller wants done, a step the batch that many requests make. The schedule says which site is
// due when. A [Log], if there is one, is the write-ahead log in another place than the directory. [Frontier.Check] looks for
// contradictions on disk.
//
// # Promises
//
//   - Whatever Add, Settle or SetPolicy has returned from is on stable storage: after kill -9 or power loss it is there.
//     What they were doing at that moment is there whole or not at all. Options.Barrier ran before.
//   - An entry stays in its queue until it is settled. What was leased when the process died is queued as before.
//   - A site's gap outlives the process. After Close the next process waits for the rest of it; after a crash, when nobody
//     knows the time of the last request, every site waits its delay, or the last gap recorded if that is longer, from the moment
//     of opening. Who knows more tells it with [Frontier.Owe] and [Frontier.Block]. Blocks hold exactly.
//   - On another machine, which a log makes possible, a frontier that was closed is treated as after a crash, and blocks last
//     longer by Options.Skew; not shorter, as long as the wall clocks of the machines differ by no more.
//   - When the disk fails, all callers hear of it, and nobody hears of success from then on.
//   - With Options.Log, that log takes the place of the directory: what has been promised is in the log before it is seen, and a
//     directory of any age, or none, becomes the same frontier, key by key, when Open has replayed what it lacks. What cannot be
//     appended, or may not have been, is as a disk that fails. A log with a hole, a double or another's record, and one that ends
//     before what the directory holds, is [ErrDiverged], and opens nothing. The log may forget what comes before a snapshot
//     ([Frontier.Snapshot], [Pack]); a directory that ends before that is [ErrBehind], and the snapshot takes its place
//     ([Unpack], [Replace]), as that of one that is damaged ([IsDamaged]).
//   - Memory is bounded by Options.Memory and Options.ActiveSites, not by the size of the crawl; that of many frontiers in one
//     process by a [Budget].
//   - Keyed hashes with a secret of the crawl identify URLs, so that nobody can craft one that passes for another.
//
// # Limits
//
// URLs of one site are told apart by 64 bits: of a site with a hundred million of them one more is taken for known
// though it is new with a probability of 5e-12. A queued URL takes 60 to 200 bytes of disk. A reason is cut at 255 bytes.
// Close brings the store to rest, so that the next Open is fast; after a crash Open replays up to three eighths of
// Options.Memory.
//
// # Example
//
//	f, err := disk.Open(dir, disk.Options{Barrier: func() (uint64, error) { return 0, pages.Sync() }})
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	f.Add(ctx, seeds)
//
// # Design
//
// The files follow the way of a call: disk.go (Add) and lease.go (Settle) make a request; commit.go gathers requests into
// batches; step.go and core.go, which know keys and records (key.go, record.go) but neither time nor leases nor the
// write-ahead log, translate a batch for the store; and dispatch.go, schedule.go, site.go and permit.go decide in memory
// who may ask whom when. readahead.go reads the queue of a leased site ahead.
//
// Frontier.mu guards what memory holds, the sites and the leases among it; who holds it waits for no disk, and for no other lock.
// lease.read, which lets one Next at a time read, is taken before it. committer.mu guards who waits for a batch, and is taken
// before gathering.mu; neither is held together with Frontier.mu. What a batch is made of (committer.step, the numbers of core,
// the tail of the log) has no lock: it belongs to who leads the committer, of whom there is one, and others see of it what
// publish copies. heldCache.mu is taken alone.
//
// All keys of a site lie together, and a batch is sorted before it is looked up, because most links of a page lead to its
// own site. Most look-ups are for URLs that are new, or for links that everybody repeats: the first stop at a filter of all
// URLs seen, which is filled in the background when a frontier is opened, the others at a small cache of known URLs. What
// is left goes through one iterator with Bloom filters down to the bottom level.
//
// Commits are grouped: the first caller that finds no batch being filled leads the next one for all that wait. A batch is
// filled and applied while the one before it is still on its way to the disk. Under load a slow disk gathers company by itself; for
// a fast one, where many small batches cost more than they bring, the leader waits for some (Options.Gather, in gather.go) while
// pages are under way, but not at the expense of a site that has nothing else to ask for, nor of who adds links or stores a policy.
//
// With a log elsewhere the store keeps none: the leader appends the batch, as the store would log it, and applies it when it is
// there. What comes meanwhile makes the next batch, so a round trip is paid for once, not by each caller; and as a record costs
// those who keep it the same for one page as for many, the leader waits longer, whatever the request is. With the batch goes the
// tail: the number of the record, its place, and a hash over all records up to it. The store flushes whole batches in their order,
// so after a crash its tail says how far it got; and since the tail's own record is asked for too, a log that has lost its end
// shows.
//
// The times of such a frontier are those of the machine that had it last. Back on it they mean what they did, by the clock that
// nobody sets, and nothing has to be written while all sites rest. Elsewhere there are only the wall clocks: what they say has
// passed, less Options.Skew, has; and if they say that time went back, the frontier's goes on where it was, so that no site rests
// for as long as the other clock was ahead.
//
// The schedule on disk says for each site with work when it was due as of its last batch, never later than the truth.
// Memory holds its beginning, and whoever takes an appointment looks whether it is true.
//
// What one batch queues for a site at the same depth shares a key and a record, as the links of a page do: a store is the
// faster the fewer keys it has to merge again and again. Such a chunk is written once, and deleted once, with the last of
// its entries; until then the records of the URLs, which are written anyway, say which are settled.
//
// A frontier may hold a part of the sites of a crawl (Options.Foreign). Links to other sites are written in the step that
// settles their page, and wait to be passed on: no page waits for whoever they are for, and none of them is lost. At the other end
// they are taken in one step with their place in what they came by ([Frontier.Take]), so each arrives once. Who leases from many
// frontiers waits in none of them ([Frontier.TryLease]).
//
// The queue of a site is read from where its first entry can be, which is part of the site's record: the store would
// otherwise step over the remains of all entries that have been settled.
//
// Rejected: bbolt (a page written for each random insert, 300 bytes a URL), SQLite (three times the processor time), a
// mark on disk for each lease (a write more for each page, to remember what must be forgotten anyway).
package disk

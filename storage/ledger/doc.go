// Package ledger is the journal of a crawl: every request that left, every link that was refused, and why.
//
// A ledger is a directory of files ledger-000001.jsonl, ledger-000002.jsonl and so on. Each line is one [Record] as
// JSON. Files are only ever appended to; when one has reached its size the next is begun, and that one is packed:
// ledger-000001.jsonl.zst has the same lines in a sixth of the room, as zstd has it. Every record carries a number
// one higher than the record before it (seq) and the SHA-256 of the line before it (prev), across the files, so that
// nothing can be altered, dropped, inserted or put in another order without breaking the chain.
//
//   - [Ledger] appends. [Open] continues the chain where the last run left it.
//   - [Read] streams the records, also while another process appends.
//   - [Verify] walks the whole chain and names the first record that does not fit; [Walk] hands out the records besides.
//   - [OpenContents] leaves out the packed files in which nothing is that somebody looks for.
//
// # Promises
//
//   - A record is whole or absent. What a killed process left of a half-written record is cut off by the next Open,
//     which says so ([Ledger.Torn]).
//   - After [Ledger.Sync] returns nil everything appended before it is on stable storage. Between two calls up to
//     [Options.Buffer] bytes of records wait in memory and die with the process, unless [Ledger.Flush] is called.
//   - Whatever Sync has made durable stays: the file ledger.head remembers the last such record, and Open and Verify
//     report when it is missing or changed, even if it is the very last line.
//   - After a failed write the ledger accepts nothing more: every later call returns the same error.
//   - A file is packed when it is on stable storage, and removed when what was packed has been read again and is on stable
//     storage, too: a process that is killed on the way loses nothing.
//   - Memory does not grow with the ledger.
//   - [Contents] leave out no record of a sound ledger: what is not described, or is no more what it was, is read.
//
// # Limits
//
// One process appends at a time; the package does not enforce it. No line is longer than [MaxRecord]: texts of a record
// that would be longer are shortened and end in "…". Bytes that are not UTF-8 become U+FFFD, as JSON demands. The chain
// proves that a ledger is consistent with its last hash, not who wrote it: whoever can replace all files can write a
// new, consistent ledger. To rule that out, note [Report.Head] down elsewhere.
//
// Contents follow from the ledger and are no evidence. They know a packed file again by its length and two checksums, which find
// every accident; whoever forges both, or only the contents, can hide records from who asks the contents, never from Verify.
//
// # Example
//
//	l, err := ledger.Open(dir, ledger.Options{})
//	...
//	err = l.Append(ledger.Record{Type: ledger.Refusal, URL: u, Gate: "robots", Rule: "Disallow: /tmp/", Line: 3})
//	...
//	err = l.Sync()
//
// # Design
//
// The files follow two ways. A record (record.go) is encoded (encode.go) and appended by ledger.go, to files
// (segment.go) that are packed (packed.go) and described (describe.go, contents.go, keys.go) when they have ended;
// mark.go notes how far they are safe, and recover.go finds where to go on. They are read by segment.go and ahead.go,
// checked by chain.go, and decoded (decode.go, member.go) for read.go, lines.go and verify.go. cut.go gives up what
// cannot be read.
//
// The journal is plain text because it must outlive the program that wrote it: zstdcat, grep, jq and sha256sum are enough to
// read and to prove it. A file that is damaged after it was packed gives up the lines behind the damage; the others are
// not concerned. The chain hashes lines, not decoded records, so that no canonical form of JSON is needed.
// Records are encoded by hand, because every refused link makes one and encoding/json takes three times as long; a fuzz
// test holds the two together, and another one the decoder, which does the same the other way round. What remains is mostly
// SHA-256. Sync writes the file outside the lock that Append takes, so nobody who appends waits for a disk.
//
// The file "contents" has, for each packed file, the ends of its chain and a sorted list of hashes, four bytes each, of the URLs,
// sites and hosts that its records are about. Whoever packs writes it, and Open makes good what is missing. So one URL is found in
// a fraction of the time that reading takes, and the chain is followed from file to file. A database would find it in fewer steps
// still, and be one more thing that must be brought to agree with the ledger after a crash.
package ledger

// Package warc keeps what went over the wire as WARC 1.1 files (ISO 28500:2017), the format of web archives, and reads the WARC
// files of anybody.
//
// The nouns:
//
//   - An [Archive] is a directory of WARC files that grows: [Archive.Record] adds an exchange as a response record, or a revisit
//     record when the payload has been kept before or the server says that nothing has changed, with its request and its metadata.
//   - A [Reader] goes through the records of one file, plain or compressed by gzip or zstd, whoever wrote it, each as one member,
//     as several, or with others.
//     [Reader.Skim] lets it pass over payloads without decompressing them.
//   - A [Record] has a header and a block. A [Message] is the HTTP message in a block.
//   - A [Capture] is a line of a CDXJ index: where the record of a URL lies. A [Sorter] puts lines in order in bounded memory.
//   - [Check] proves a file: every digest is computed again. [Missing] tells which files of an archive are gone, [CheckIndex]
//     whether an index is that of its file, and [Salvage] keeps what is whole of a damaged one.
//
// # Promises
//
//   - A file that is being written ends in ".open". It is renamed when it is finished, by its size or by Close.
//   - What Record has returned for survives the death of the process; what Sync has returned for survives a power failure. Open
//     cuts what a killed process has left after the last whole record, and finishes that file; [Archive.Torn] tells how much.
//   - Every record is a member of its own, so that any of them can be read alone.
//   - A page that asks not to be kept is left out, unless Options.Noindex. The warcinfo record says which.
//   - A payload is stored again when the file that had it is gone.
//   - A Reader accepts any bytes, in bounded memory and in time that grows no faster than what is in the file uncompressed. Damage
//     is a [*FormatError] with file, offset and what was expected there; the next call goes on with the next record that can be
//     found, also within what the damaged one took in. When that has cost some twenty readings of the file, this holds only for
//     lengths that are wrong in a file that is not compressed.
//
// # Limits
//
// One process writes to a directory at a time. Of payloads kept before, the last Options.Known are known; the others are stored
// again. HTTP/2 is written in the form of HTTP/1.1 with WARC-Protocol: h2, as Common Crawl does. ARC files are not read.
//
// # Example
//
//	a, err := warc.Open(dir, warc.Options{Prefix: "example", IndexDir: indexes})
//	...
//	err = a.Record(ctx, exchange)
//	...
//	err = a.Close()
//
// # Design
//
// A record is compressed beside all others, into memory, and appended by one write: the lock is held for that only. The index of a
// file is made of what was written, and after a crash of what is read again, so that it needs no durability of its own.
package warc

// Package wacz packs WARC files with an index and a list of their pages into one file, as WACZ 1.1.1 has it, which replay tools
// open without unpacking.
//
// [Write] is all there is: it reads the records, and writes the file from front to back.
//
// # Promises
//
//   - The same WARC files give the same bytes, whenever and wherever they are packed: nothing in a WACZ depends on the time of
//     packing. It says that it was created when the latest of its captures was.
//   - Memory does not grow with the files: lines of the index are sorted on disk, pages are listed as they are met.
//   - What is damaged is not listed. The WARC files go in as they are.
//
// # Limits
//
// WARC files that are compressed by zstd are refused: replay tools do not read them. Entries are stored and not compressed, as the
// format wants it for WARC files, and for the other ones because a compressor may change its mind with its version. The index
// leaves out what a server said has not changed: replay tools show that answer, which is empty, and not the page it stands for.
// A page whose body was archived under another URL (a revisit record) is listed by its URL alone.
//
// # Example
//
//	summary, err := wacz.Write(ctx, out, []string{"a.warc.gz"}, wacz.Options{Software: "example/1", Page: titleOf})
//
// # Design
//
// The index is in blocks of lines, each a gzip member, with a second index to these (cdxj-gzip-1.0), so that a browser fetches a
// few kilobytes of it for a page.
package wacz

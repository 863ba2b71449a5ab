// Package archivecmd is the command archive: it indexes, checks, lists and takes apart WARC files, whoever wrote them, and packs
// them as WACZ.
//
// Promises: memory is bounded whatever a file holds. Damage is told with file, offset and what was expected there; the rest of the
// file is read all the same.
package archivecmd

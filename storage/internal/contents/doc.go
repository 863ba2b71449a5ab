// Package contents keeps tables of contents: files that say of a long text, part by part, what cannot be in which part, so that
// whoever looks for one thing reads few of the parts.
//
// A table has one [Part] after the other. What a part is, and how to know again that it is still what it was, is its owner's
// matter, and stands in [Part.Head]. What it holds are keys, each a [Key] of four bytes: the hash of a text and of the kind of
// thing that it is. Two texts may have the same key, one in four thousand million pairs; then a part is read for nothing. A text
// whose key a part has not is not there. Keys are sorted, so that one is found without reading the others.
//
// A table follows from its text and may be lost. Each part carries a checksum: a file that is damaged, or that a crash cut off in
// the middle of a part, ends for [Scan] where it is no longer whole, and [Table.Append] goes on there. The checksum is no defence
// against somebody who writes another table.
//
// # Design
//
// Of all ways to say what is not in a set this one is the plainest. A Bloom filter that errs a hundred times more often takes two
// thirds of the room, and one that errs as rarely takes more.
package contents

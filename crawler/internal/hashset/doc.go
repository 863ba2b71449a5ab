// Package hashset holds sets of hashes in little memory, for what must be remembered of millions of things and never be forgotten,
// such as the sites that a crawl may visit. The built-in map takes up to 36 bytes for a hash, a Set about ten.
//
// Design: open addressing. A hash lies at or behind the place that is to the table as the hash is to all hashes, so a table may
// have any length. There are many small tables, each of which grows by itself and by a quarter: so growing needs little room
// besides.
package hashset

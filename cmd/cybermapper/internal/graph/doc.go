// Package graph derives from a job the site as the crawl saw it: which URLs there are, what became of each, and which page
// links to which. From that it tells what its owner may want to put right, and draws a map.
//
// A [Graph] is a file, graph.db in the directory of the job. [Graph.Sync] brings it up to date with what was added to the
// ledger and to pages.jsonl, reading each new page for its links. [Graph.Faults] yields what is wrong, one [Kind] at a time;
// [Graph.Map] is the site as circles and lines: its hosts and directories, and its pages as far as there is room.
//
// Promises: everything in the file can be made again from the job, and is, when the file is damaged, of another version, or of
// another job. How far the derivation has come stands in the file and changes with it as one, so a process that dies loses
// nothing. Memory does not grow with the job but for the nodes of a map, which are bounded. It may run while a crawl does.
// The first Sync, and one that finds many pages new, works without indexes until it ends: to keep them meanwhile would write most
// of the file again for every few hundred pages.
//
// Limits: a URL is known by a hash of 64 bits. Sitemaps are not kept by a crawl; that a sitemap lists a URL is known of those
// that were met there first, so of all that no page links to.
package graph

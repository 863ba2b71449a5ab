// Package exportcmd is the command export: it writes what a job holds in forms that other programs read: links and pages as
// lines or tables, the site as a graph, everything as a SQLite database, and the site as a copy that can be browsed without a
// server.
//
// Promises: an export reads the job and changes nothing in it but the derived graph.db. No page stays in memory: what does is some
// 16 bytes for each page, to tell its latest version, and for dead links what is known of each URL that is dead or redirects. Times
// are in UTC, to the microsecond. What is written to a name appears there when it is whole.
package exportcmd

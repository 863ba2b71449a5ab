// Package versions tells how the robots.txt of a site changed while a job knew it.
//
// [Read] gathers from the ledger each version of the file of each origin: what came of the requests for it, from when to when.
// [History.Rules] reads a version again as the crawl did, from the bodies that the job keeps, and [History.Verdicts] tells when
// a path was allowed and when not, and by which line.
//
// Promises: nothing is asked for, nothing is changed. Limits: of one origin the last [MaxVersions] versions are kept, and how
// many there were before.
//
// # Design
//
// A version is a run of answers that say the same, not a digest: a file that came back after a week of errors is told as three
// versions, because the rules in force were three. A 304 confirms a version.
package versions

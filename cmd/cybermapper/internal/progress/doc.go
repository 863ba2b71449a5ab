// Package progress tells how a crawl stands while it runs, and how it ended.
//
// The nouns: a [Report] is what there is to say, for machines as JSON and for people by [Report.Print]. A [Monitor] watches a
// crawl and reports: a line on the screen, and a file for other processes. A [Screen] is stderr with, on a terminal, a last
// line that is kept up to date while others write above it. An [ETA] says how long it still takes, and what decides that.
//
// Promises: the crawl never waits for its Monitor. Every reason for which something was not done is in the report, with its count.
// An ETA names its reason, and is "at least" while links are found; when nobody can know there is none, and the reason why.
//
// Limits: a report names at most a thousand waiting sites and says how many there are; the Monitor knows ten thousand resting
// ones, and measures the pace of as many. It looks through all sites every five seconds, less often when that takes long.
//
//	screen := progress.NewScreen(os.Stderr, false)
//	m := &progress.Monitor{Screen: screen, Status: crawl.Status, Stats: frontier.Stats, File: "status.json"}
//	go m.Watch(ctx)
package progress

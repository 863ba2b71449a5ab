// Package report sums up what a crawl did, as figures and as one HTML file that shows them.
//
// [Gather] reads the ledger and the list of pages once and returns [Figures]; [WriteHTML] makes a page of them that needs nothing
// but itself: styles, scripts and data are in the file, and it may load nothing else. Its links lead to the evidence beside it:
// the stored pages, the files of the ledger, each robots.txt by digest, and commands that look deeper.
//
// # Promises
//
//   - Memory does not grow with the crawl: every table has a bound ([Options]), and what has no row of its own is summed up and
//     said to be.
//   - Nothing is changed in the job. It may be read while the crawl goes on, and after a crash.
//   - Figures are of all that was written down, or there are none: when part of the ledger or of the list is missing, the error
//     is [ErrDamaged] and says where.
//   - What comes from the web is text, wherever it is shown: neither markup nor a link to follow.
//
// # Limits
//
// The figures are what the crawl wrote down, not a proof that it kept its word; that is the business of verify. Percentiles come
// from histograms and are at most a tenth too high. Which sites are told apart when there are too many is a matter of which were
// met first. Times of the page are in UTC.
//
//	f, err := report.Gather(ctx, "cybermapper-job", status, report.Options{})
//	if err != nil {
//		return err
//	}
//	err = report.WriteHTML(w, f, ".")
//
// # Design
//
// One pass with fixed memory, so that a crawl of any size can have its report made on the machine it ran on, also while it runs;
// exact percentiles, or the busiest of all hosts of the world, would need a second pass or all of it in memory. The time series
// begins with seconds and doubles the width of its intervals as time goes on, so that nobody has to know how long the crawl takes.
package report

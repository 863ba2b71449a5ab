// Package strain says from an access log what rate of requests a site bore, and whether it suffered from a visitor.
//
// # Nouns
//
// [Minutes] count what all clients together asked of a site, and how it answered. Their [Bearing] is what rate the site bore,
// by [RateClass]. [Own] minutes are those of one visitor; the visitor's [Burden] is how the site fared in the busiest of them. A
// [Sample] is a measurement of the server, which a log does not have; a [Load] holds the samples of the time of a log.
//
// # Promises
//
//   - Harm is what was measured: others waited longer, or got errors, or the load rose. When there is too little to tell by, the
//     result says so.
//   - Whether lines are in order does not matter to Minutes. Own minutes are exact when lines are out of order by less than a
//     minute.
//   - Memory is bounded by the number of hours, and by ten minutes for a visitor.
//
// # Limits
//
// A request counts in the minute of its line, which is when it ended for some servers. The number of requests that were open is
// the product of their rate and their response time (Little's law), on average in a minute. Answers 5xx are errors, also those
// by which a server defends itself. What comes together need not be cause and effect.
//
// # Design
//
// The interval is a minute: long enough that answers which take seconds belong to it, short enough to tell a burst from a day.
// Minutes are kept until the end, because logs of several hosts may be read one after the other: only then is a minute
// complete. In pages of an hour the minute of a line is nearly always at hand. Little's law needs neither when requests began
// nor their order.
package strain

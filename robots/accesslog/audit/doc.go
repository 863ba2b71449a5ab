// Package audit says from a server's access log who visited, and whether they kept the rules.
//
// # Nouns
//
// An [Auditor] takes in the entries of a log, and in the end makes a [Report]. A [Robot] is a product token on a host; a [Client] is an
// address that does not say that it is a robot. A [Copy] is a robots.txt at a time; together they are the history by which is judged. A
// [Fault] rests on a rule, an observation that rests on none is a note. A [Visitor] is told visit by visit. [Classify] reads a
// User-Agent; [Ranges] and an [Identity] tell whose an address is. A [Network] is neighbouring addresses together. The [Bearing] of a site
// is what rate of requests it bore; the [Burden] of a robot, how the site fared while it was there, perhaps with each [LoadSample] that
// was measured of the server.
//
// # Promises
//
//   - A fault has evidence: the line of the log, and the line of robots.txt. In doubt there is none: a robot may use a copy of robots.txt
//     for 24 hours (RFC 9309 section 2.4) and may have got it before the log begins; a pause that was measured in whole seconds counts
//     as the longest that it may have been; a twentieth of a pause may be lost on the way.
//   - Files are read as RFC 9309 demands, without the leniencies that a careful robot grants.
//   - A name is a claim. Fetchers that act for a person who waits are in a class of their own, and have no faults.
//   - Harm is what was measured: that others waited longer, got errors, or that the load rose. Without any there is nothing to be done
//     about a robot's pace, and when there is too little to tell by, that is said.
//   - Memory does not grow with the log: every bound is a field of [Options], and what is beyond is summed up and said to be.
//   - Lines may come out of order by [Options].Disorder; what is counted does not depend on the order, what is measured is put in order.
//
// # Limits
//
// A robot is judged as a whole, whichever addresses it comes from: they share a robots.txt and a pace. Intervals have the time that the
// log gives, which is that of the beginning of the response for some servers and that of its end for others. A log without hosts is
// taken for the log of one host. In a log without User-Agents nobody has a name; robots are then found by what they do.
//
// # JSON
//
// A [Report] as JSON has the schema [Schema]; its fields are documented there.
//
// # Example
//
//	a := audit.New(audit.Options{Copies: []audit.Copy{{Name: "robots.txt", File: robots.Parse(body, robots.RFC9309)}}})
//	if err := a.Read(accesslog.NewReader(f, accesslog.Auto), "access.log"); err != nil {
//		return err
//	}
//	for _, r := range a.Report().Robots {
//		fmt.Println(r.Token, r.Requests, r.Faults)
//	}
//
// # Design
//
// One pass, and little state for each client, much for each robot, of which there are few. Verdicts need no order and are taken at once;
// pauses do, so that the requests of each robot wait in a short queue until nothing earlier can come. Series have a fixed number of
// intervals, which grow wider when the log turns out to be longer. How the site answered is kept minute by minute, in pages of an hour,
// because logs of several hosts may be read one after the other: only in the end is a minute complete. How many requests were open is
// response times by time (Little's law), which needs neither when each began nor their order. A client points to its network, which has
// counters of a fixed size; who else belongs to it is looked up in the end, for the few that are told of.
package audit

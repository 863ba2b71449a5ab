// Package audit says from a server's access log who visited, and whether they kept the rules.
//
// # Nouns
//
// An [Auditor] takes in the entries of a log, and makes a [Report] in the end. A [Robot] is a product token on a host; a
// [Client] is an address that does not say that it is a robot. A [NewAgent] is a User-Agent of a robot that came late. A [Copy]
// is a robots.txt at a time; the copies together are the history by which robots are judged. A [Fault] rests on a rule; an
// observation that rests on none is a note. A [Visitor] is told visit by visit.
//
// [Classify] reads a User-Agent; [Ranges] and an [Identity] tell whose an address is. [About] is what the roster knows of a
// robot, [Signatures] are what became of requests that it signed, and an [owner.Owner] holds the network that it came from. A
// [Network] is neighbouring addresses together. Package strain tells what rate of requests the site bore, and how it fared
// while a robot was there.
//
// # Promises
//
//   - A fault has evidence: the line of the log, and the line of robots.txt. In doubt there is none: a robot may use a copy of
//     robots.txt for 24 hours (RFC 9309 section 2.4) and may have got it before the log begins, or in two days of which the log
//     has nothing, or in hours, if it was never silent for a quarter as long before; a pause that was measured in whole
//     seconds counts as the longest that it may have been; a twentieth of a pause may be lost on the way; what an answer redirects
//     to may be asked for at once, twice in a row.
//   - Where the log shows of a change of robots.txt no more than another size, or not who asks, a robot may use for 24 hours what
//     was there before, unless it is seen to get the new file.
//   - Nobody is blamed for what is not in a log of which parts are missing, as what people got shows, or that most robots that ask
//     for robots.txt do so only now and then; nor is anybody for rules of one host in a log of several that does not say which.
//   - Files are read as RFC 9309 demands, without the leniencies that a careful robot grants.
//   - A name is a claim. Fetchers that act for a person who waits are in a class of their own, and have no faults.
//   - Nothing is suggested about the pace of a robot from which the site did not suffer, as far as the log can tell.
//   - Memory does not grow with the log: every bound is a field of [Options], and the report says what was beyond it, summed up.
//   - Lines may come out of order by [Options].Disorder; what is counted does not depend on the order, what is measured is put
//     in order.
//
// # Limits
//
// A robot is judged as a whole, whichever addresses it comes from: they share a robots.txt and a pace. Intervals have the time
// that the log gives, which is that of the beginning of the response for some servers and that of its end for others. A log
// without hosts is taken for the log of one host. A signature that shows whose an address is counts from its request on; what
// came before stays with what it was taken for. In a log without User-Agents nobody has a name; robots are then found by what
// they do. In a log without images, styles and scripts, and of redirects, it shows nothing that a client got none.
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
// The files follow the way of a line; whoever reads them in this order meets each noun before it is used.
//
//   - In: options.go, intake.go (Read), auditor.go (Add).
//   - Whose it is: agents.go reads a User-Agent once (classify.go, programs.go), visitors.go finds its unit, and client.go the
//     address; ranges.go, signed.go and proxies.go say what shows that a name is true, family.go which robots are of one owner.
//   - What is counted for all: site.go, timeline.go, span.go; for a network, network.go; for robots.txt, witness.go. What shows
//     that the log does not tell all is in missing.go and authority.go.
//   - People: people.go, strays.go, addresses.go, crowd.go.
//   - A robot: robot.go; crawling.go says whether it is a crawler at all, to which robots.txt speaks. It is judged by rulebook.go,
//     in all readings of a copy that have something for them (reading.go), at once; and for its pauses when nothing earlier can
//     come (order.go, pace.go), in doubt in its favour (allowance.go).
//   - In the end: sumup.go (Report) asks all of them. What comes out is in report.go, with about.go, newagents.go, views.go,
//     whose.go and burden.go; what follows from it in standing.go, suggest.go and remedy.go.
//   - Besides: who is here now (now.go), one visitor told visit by visit (visitor.go), and whether a block worked (turn.go).
//
// One pass, and little state for each client, much for each robot, of which there are few. A line of a log costs the finding
// of its client more than anything else: the table of clients is a hash table of numbers, not a map keyed by strings. Evidence
// about clients that are no robots by name is kept beside the table, for those that stray most. Verdicts need no order and are
// taken at once; pauses do, so that the requests of each robot wait in a short queue until nothing earlier can come. Series
// have a fixed number of intervals, which grow wider when the log turns out to be longer. A client points to its network,
// which has counters of a fixed size; who else belongs to it is looked up in the end, for the few that are told of.
package audit

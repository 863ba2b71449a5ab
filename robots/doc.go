// Package robots tells what a site asks of a crawler: by its robots.txt file, by META tags and X-Robots-Tag headers, and
// by the rel attribute of links. It fetches nothing itself and imports the standard library only.
//
// # Nouns
//
// A [File] is a robots.txt file, read in a [Dialect]. Its [Rules] are what it says to one product; Rules.Test gives a
// [Verdict] on one path, which names the file, the line and the reason. A [Register] has the Rules of many products at once. A
// [Cache] knows the Rules of origins; what it knows of one is a [State], which can outlive the process, and an [Outcome] is
// what came of one request. [Bodies] keeps every file that was ever used. [Directives] are what a page says of itself, and a
// [Rel] what a page says of a link.
//
// Beyond what is open, Rules know what a file wishes: a pace (Rules.Delay), a time of the day (Rules.Opens), which parameters
// change nothing (Rules.Clean), and what pages may be used for (Rules.Uses; package preference reads the values).
//
// # Promises
//
//   - Parse accepts any bytes, and no line is lost: [File.Lines] has each of them with its role and what is wrong with it.
//   - Leniency may add a restriction and never invents a permission. Cautious forbids whatever RFC9309 forbids; what it
//     forbids on top it finds by reading the file a second time as its author may have meant it, of which only the
//     Disallow rules are taken. A Verdict that rests on that names the leniency.
//     Three of these readings deserve a word. A user-agent line with several words names the first of them, and all others for
//     what forbids only: an empty Disallow below "a b" sets a free and leaves b with what holds for "*" (Std1994 reads a list
//     and sets both free). A group that names a part of the product ("cyber", which a robot of 1994 looks for within its
//     name) forbids what it forbids where no group names the product itself; what it allows does not count. An Allow for "*"
//     that opens nothing there does not open what a group closes for such a name. A Disallow that holds a full URL forbids its
//     path on that host and on its twin with or without "www.". A Disallow that is added to the others can make no path open,
//     so none of the three can.
//   - Wishes only restrain. A group that names the product and is silent about one does not lift what "*" wishes. They are read
//     between tags of HTML too, and for a name that only leniency sees.
//   - What is not known is forbidden: nil Rules, a nil File, an origin that cannot be reached.
//   - A Cache has at most one request for a file under way, makes none before it is due, and follows RFC 9309 section
//     2.3.1 in what the answer means, but for 408, 425, 429, and 401 and 403 with a Retry-After, which it takes for "later", not
//     for "there is no file".
//
// # Limits
//
// A file counts up to [MaxBytes]. In Cautious a Disallow counts up to [MaxLine], and an Allow that is longer or comes after
// [MaxRules] others does not count, where what is said twice counts once: these are rules of RFC 9309, which Cautious may
// leave out, so to keep more of them invents no permission. Of each group [MaxWishes] lines with wishes count. A Verdict
// quotes up to [MaxRuleText] of a line. META tags and headers count up to [MaxDirectives] each and list up to [MaxTerms]
// terms. The limits of a Cache are fields of [CacheOptions]: zero means the default, and so does a negative value unless
// the field says otherwise.
//
// The time that Test takes grows with the length of the path, not with the number of rules, except for rules with wildcards
// that begin alike, each of which costs a glance; no pattern makes it go back and forth.
//
// # Design
//
// The files follow the way of a file: parse.go (Parse), line.go, reader.go with lenient.go (what a line means, by
// dialect.go), group.go (to whom it speaks), rules.go (Rules, Test) with index.go and path.go; register.go does so for
// many products. cache.go (Cache) asks for files by ask.go and remembers them by state.go and bodies.go. clean.go, pace.go,
// use.go, window.go and wish.go are lines besides Allow and Disallow; directives.go, term.go and date.go are META ROBOTS and
// X-Robots-Tag.
//
// A File is little more than its text. The readers go over it for one product at a time, because a crawler asks for one:
// nothing is kept of the groups that speak to others, and a file of 500 KiB that does not concern us costs its text. There
// is one reader per way of reading a line (RFC 9309, 1994, lenient) over one bookkeeping of groups.
//
// Both sides of a comparison are brought to one canonical form first (RFC 9309 section 2.2.2), so that a comparison is one
// of octets. Patterns are sorted by their literal start and linked to the longest other one that is a prefix; the
// candidates for a path are one binary search and a walk up. Regular expressions were rejected: they backtrack, or cost
// much memory per rule, and the length that decides is that of the pattern, not of the expression.
//
// A Cache starts no goroutines: whoever comes first fetches, in its own time and under its own context, and others wait
// for it. It follows redirects itself, one exchange at a time, because each hop needs the politeness of its host, which
// only the caller knows. It keeps no durable state of its own but Bodies: a State belongs to the rest of what is
// remembered of a site, and should be written with it.
//
// The standards are RFC 9309; "A Standard for Robot Exclusion" (1994), with the lists that Kollar, Leavitt and Mauldin
// proposed in 1996; for META tags the agreement of the W3C workshop of 1996 and what Google documents today.
package robots

// Package trap notices places of the web that have no end, while a crawler visits them: mazes, calendars, session ids in paths,
// facets in any order, tarpits that babble, hosts without number. It decides nothing: it says what looks endless, and why.
//
// The nouns:
//
//   - A [Detector] hears of each [Page] that was visited, and is asked of each [URL] before it is asked for.
//   - A lineage is all that was found by way of one page, directly or not: the place that begins there. So a place is known by how
//     one gets into it, not by what its addresses look like.
//   - A [Finding] is a place that looks endless, of a [Kind], with the evidence.
//
// # What speaks against a place
//
// A finite place closes. It has ends, pages that bring no new link, and pages that lead across, to what was found elsewhere
// and lies neither on the way here nor beside it; of 76,000 pages of documentation no lineage with twenty pages below its
// first two levels had less than 60 % of both. An endless place made by a program has next to none ([Unclosed]). One that
// leads back to what it has shown still has no ends, and hardly any of its links is met twice ([NoEnds]); a counter leads to
// one page more, a hundred times in a row ([Chain]); an error page that is served for everything has the same text under new
// links ([SameText]).
//
// Three rules look at addresses: a [Calendar] whose pages differ in their dates, or that goes on more than a year ahead; more
// than four [Spellings] of one path; and [WildHosts], hosts of one domain that lead to ever new ones.
//
// # Limits
//
// A guess is a guess: a comic of a thousand pages that are linked by "next" alone looks like a counter. So what is suspected
// should be put aside, not thrown away. A place that takes care to lead to dead ends is not noticed. What is remembered is
// bounded by Options.Links and Options.Lineages; what is forgotten counts in favour of a place.
//
//	d := trap.New(trap.Options{})
//	if f, suspect := d.Suspect(url, via, time.Now()); suspect {
//		park(url, f)
//	} else {
//		d.Visit(fetch(url))
//	}
package trap

// Package trap notices places of the web that have no end, while a crawler visits them: mazes, calendars, session ids in paths,
// facets in any order, tarpits that babble, hosts without number. It decides nothing: it says what looks endless, and why.
//
// The nouns:
//
//   - A [Detector] hears of each [Page] that was visited, and is asked of each [URL] before it is asked for.
//   - A lineage is all that was found by way of one page, directly or not, and in no other way: the place that begins there. So a
//     place is known by how one gets into it, not by what its addresses look like.
//   - Scouts are the few pages of a suspected place that are visited while the rest of it waits.
//   - A [Finding] is a place that looks endless, of a [Kind], with the evidence.
//
// # Suspicion, and proof
//
// Seen breadth first, as crawls see sites, a large place looks like an endless one: index pages lead to more index pages, and
// what would show its end lies deeper. In the first hundred pages of a forum, a shop, a photo archive or the documentation of
// Java hardly any comes to an end. So what is seen on the way only makes a place suspected, after forty pages. Then scouts
// follow its links from page to page, in four directions, six links deep, or twelve where there is one direction only, while the
// rest waits. In a finite place they come to ends, or back to what is known; in an endless one there is always one more page. What
// lies around a place that is on trial, or looks endless, is judged without it. Both times one rule decides, with wide margins:
//
//   - [Unclosed]: few pages are ends, and few links lead back: the two add up to a closure, of which endless places have next
//     to none. Where no page is an end, only links back into the place itself count, since any place can lead to what is known of
//     the rest of the site. Where many pages are ends and the others fork, scouts go one by one, each from the deepest page that
//     led on, in three directions, ten links deep;
//   - [Regular]: hardly a page is an end, and three in five lead to their own address with more added (facets, sets of tags), or
//     with numbers a little further on (counters, maps), however often they meet known pages there; a quarter may be ends where
//     pages have few links and hardly any scout comes back to where it was sent from;
//   - [SameText]: hardly a page is an end, and all have the same text; or each has a new link or two, as pages of a list have, and
//     all say what others of the site have said. Not of these is a page that shows a picture that three others show at most, as in
//     comics, galleries and scanned books, if its address tells that no program drew it for that page (pixels, QR codes, captchas,
//     charts).
//
// Which of two pages is told first is chance, and must not matter. The later one may bring nothing new although it leads on: such a
// late end, which leads to what was found elsewhere meanwhile, is no evidence for an end where it has the text of another or counts
// on. An end that proves to be reached by another way counts no more with the place that it was found in first. Pages that were
// answered and are not told yet may decide about a place, as [Detector.Lags] says: else more of it is asked for than it takes.
//
// Links that say in a parameter on which page they stand, as login?return=/page/17, are no ways on: each page has its own, and
// there may be no end behind them.
//
// Ways on which most scouts come to an end acquit a place, until it is four times as large; so do pages that only count down.
// A list that shows in pages what is known already, as blogs tell their articles by month, by category and all of them, acquits
// itself as long as two in three of its pages lead to known pages to which it had not led before, and to half as many more of these
// as it brings new links: of these there are finitely many. Waiting costs an order, not a page.
//
// When nothing else is left, [Detector.Rehear] sends scouts once more into what was put aside. More is known then, and if they meet
// enough of it the place is acquitted after all. That takes 12 pages, or a fiftieth of what the domain has, for all its places;
// and up to twice that again while the share of links that lead back may be that of a finite place, of which more will be known.
//
// Six rules begin with addresses: a [Calendar] whose pages differ in little but their dates, and lead on to one another or have
// days to come, in months that do, or that leads on to more than a year ahead; more than four [Spellings] of one path; [Orders],
// further ones of a list that was asked for, by parameters like sort=, once eight of them on its path led to nothing new, or 32 on
// several, where what is handed on to a report that is known without is not new either, if the page says little that is; [Guises],
// pages that are others once more, to print or at one of their posts: once sixteen in a row that differ in values of the same
// parameters, or in the number at the end of the path, or 64 that differ in their paths, too, were not to be kept, or were visited
// under their canonical address, or another that names it was and both have its parameters, or under theirs without a parameter
// that all have, or said where they were found, and said nothing new, or led on, with parameters, to what was known; or had the
// text and the links of two others of the same number, in pages of a list that is known without it, /topic/5/17?page=3; and none
// led to what is new; the second pages of a path that shows what another one does, text and links, once sixteen paths showed it,
// and sixteen such pages in a row what that of another path did, which count as new on none; comparisons of two revisions,
// ?r1=17&r2=18, both of which were compared with four others; and combinations of conditions, ?labels=1,2&milestone=3, known
// without one of two of them, once sixteen in a row by the same parameters, or 64 on several paths, that led to larger ones, said
// nothing new and led to nothing but further ones; [Archives], as those of commits or of threads, that programs pack for each
// request, when eight were made of one place; and [WildHosts], hosts of one domain that lead to ever new ones.
//
// # Limits
//
// A guess is a guess, so what is suspected should be put aside, not thrown away. A finite place that shows neither an end nor a
// known page within forty pages, six more links in each direction and the second hearing is taken for endless: many thousand pages
// that lead to a few others each by chance are. So is a tree in which two ways go on for a dozen pages where most others end. A
// place that leads to dead ends on four pages of five, or from each page back to its own favourite ones, is not noticed. Taken for
// endless is an almanac each page of which leads to the next, where it is more than a year ahead, and so is one whose pages differ
// in numbers only: what was measured each day, or is computed, is left alone in a list, but not in a chain of days. So are sites of
// some thousand pages whose numbers lead to one another (topics each with the next and the previous by number, sections of a book),
// and thousands of pages of one text, each of which leads to others of them by chance. So are pages of one text with drawings (PNG,
// GIF, SVG) that a program names as the page, /strips/17.png at /strip/17, or by a hash, and, in one order of thirty, galleries
// that show each page three times more, with other parameters, links and all, and in many lists, as Zoph does. Of lists of years,
// each of which leads to the next for ever, the dates are noticed after a thousand, and the lists are not.
// A chain of pages that lead to the next and the previous one, with a text or a picture of their own, as comics do, is left
// alone for ten thousand pages, and for forty thousand when nothing else is left: babble and articles cannot be told apart. Where
// many answers come late or out of order, one visit in some hundreds asks for several hundred pages of an endless place, most of
// which lead to the honest pages of the site too, or back to their own. What is remembered is bounded by Options.Links and
// Options.Lineages, of which a site has its share (Options.SiteShare); what is forgotten counts in favour of a place, and so does
// [Detector.EndTrial], for which there is no room to wait. After a
// crawl was started anew, the texts of a calendar are compared from there on, until it is found.
//
//	d := trap.New(trap.Options{})
//	if d.Waits(url, via) {
//		putBack(url)
//	} else if f, suspect := d.Suspect(url, via, time.Now()); suspect {
//		park(url, f)
//	} else {
//		d.Visit(fetch(url))
//	}
package trap

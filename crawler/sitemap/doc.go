// Package sitemap reads sitemaps: the lists of URLs that sites offer to crawlers (https://www.sitemaps.org/protocol.html).
//
// The nouns: an [Entry] is one URL that a file names: a page, in an index another sitemap, or the next part of a feed. A
// [Summary] says what the file was and for which [Reason] something of it was left out.
//
// [Read] takes any bytes: an urlset or a sitemapindex, RSS 1.0 and 2.0, Atom 0.3 and 1.0, or text with a URL per line; gzipped
// or not; in any charset that a byte order mark, the Content-Type or the XML declaration names. It hands over entries while it
// reads.
//
// # Promises
//
//   - Whatever the bytes are, time is linear in [Options] MaxBytes and memory is bounded by MaxToken, MaxDepth and MaxLoc.
//   - A bound that strikes has a Reason. What was read before it counts: a file with 50,001 URLs has 50,000.
//   - No entity is expanded but the five of XML and characters by number, nothing is ever loaded, and a document type
//     declaration ends the reading.
//   - Elements of other namespaces (images, videos, news, alternate languages) are skipped: only pages are named. The link of Atom
//     by which a feed of RSS names its next part is the exception.
//   - An entry is handed over when it is complete. Of a file that breaks off, no half URL is.
//
// # Limits
//
// URLs are neither resolved nor checked, and that a sitemap may speak for a host is for the caller to know: whoever reads a
// sitemap reads a stranger's claims. changefreq is one, and few are true. priority is not read.
//
// # Example
//
//	summary, err := sitemap.Read(body, sitemap.Options{}, func(e sitemap.Entry) error {
//		fmt.Println(e.Loc, e.LastMod)
//		return nil
//	})
//
// # Design
//
// The XML decoder of the standard library streams, but holds a whole token in memory and the names of all open elements. So
// it reads byte by byte from a source that ends a token which is too long, and the reading ends where elements are nested too
// deeply. It is not strict: a bare & in a URL is the most common mistake, and there is no second way to read it.
package sitemap

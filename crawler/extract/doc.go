// Package extract reads what a crawler wants to know from one page: its links, base, title, language, canonical address,
// META elements and charset. It accepts anything and says what it could not take.
//
// An [Extractor] holds the limits and is shared by all workers. [Extractor.Page] takes an [Input] - a response's header and
// body - and gives a [Page]; [Extractor.Text] gives the visible text, for a search index. A [Link] is a reference as written,
// with its [Kind] and rel: nothing is resolved, filtered or judged here.
//
// # Promises
//
// A page is read as a browser without scripts reads it: the tree of the HTML standard, noscript as markup; nothing from
// comments, raw text (script, style, textarea, title, noframes ...), template or foreign namesakes of HTML elements; the first base
// with an href holds for the whole document; entities are decoded, the first of two equal attributes counts, and queries of
// pages in legacy charsets are encoded in that charset.
//
// No page fails. No page takes more memory than the limits say, nor time out of proportion to its size. Where a limit
// strikes, Page.Notes names it. A page that a tree parser refuses (more than 512 open elements) or that would cost too much
// as a tree is read tag by tag instead: its directives and links are never taken for none.
//
// # Limits
//
// All are fields of [Options]: the bytes read of a page, the memory of its tree and of all pages being read at once, the
// links and their bytes, the META elements and their bytes, the title, the text. If the limit on META elements strikes,
// the page counts as "robots: none": what was not read may have been a restriction.
//
// # Example
//
//	x := extract.New(extract.Options{})
//	page, err := x.Page(ctx, extract.Input{URL: url, Header: resp.Header, Body: body})
//	if err != nil {
//		return err // ctx ended while waiting for memory
//	}
//	for _, link := range page.Links {
//		fmt.Println(link.Kind, link.Href)
//	}
//
// # Design
//
// The tree is goquery's, over golang.org/x/net/html, because trees decide what is template, foreign or frameset content.
// One [goquery.Matcher] walks it once and selects every element that tells something; a selector per kind of element would
// walk it ten times.
//
// A tree costs 40 to 100 times its text where tags are short, and without bound where unclosed formatting elements are
// rebuilt in each paragraph: 20 KB of it make millions of nodes. The parser has no limit to set, so weigh.go bounds the
// tree from the tags before it is built (glance.go for most pages, in less time); in doubt it guesses high, and the page is
// read by its tags. That bound is also what the pages being read at once are held to, through one weighted semaphore.
// Counting nodes in a fork of the parser would be exact, and a fork to maintain.
//
// scan.go is a tokenizer of our own for the same reason: that of x/net/html keeps all attributes of a tag and grows its
// buffer to the longest token, so that a page which is one tag or one comment takes many times its size. Ours points into
// the body and allocates nothing; fuzz tests hold the two to the same reading. XHTML served as such is always read by its
// tags, for the HTML tree would swallow the page behind the first <script src="x"/>.
package extract

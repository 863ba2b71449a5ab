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
// pages in legacy charsets are encoded in that charset. That most pages are read without a tree changes nothing of it.
//
// A page that declares no charset and is not UTF-8 is guessed at, as browsers do: by its bytes, which tell charsets of several
// bytes a letter (and iso-2022-jp, which is all ASCII) and other alphabets apart, else by its language or the country of its host,
// for which the HTML standard has a table, else by its words. Of the 127 pages of debian-handbook in each of 20 languages, written
// in the charsets of old and with nothing but the language said, one was guessed wrong; without the language all those of the West
// are right, and of Polish, Czech and Turkish those of which more than a few words are translated
// (CHARSET_PAGES=DIR go test -run RealPages_Charset -v ./crawler/extract).
//
// No page fails. No page takes more memory than the limits say, nor time out of proportion to its size. Where a limit
// strikes, Page.Notes names it. A page that needs a tree, and that a tree parser refuses (more than 512 open elements) or that
// would cost too much as a tree, is read roughly, tag by tag: its directives and links are never taken for none.
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
// A page goes through the files in this order. extract.go has it opened (source.go), which tells what its bytes are (charset.go,
// guess.go), and body.go has it read by the first of three readers that can:
//
//   - by its tags, from which a construction (construct.go, construct_*.go) makes a pruned tree of nothing but the elements that
//     tell something. It takes a sixth of the time of a tree, and does for all but 3 pages in 1,000, where it is in doubt;
//   - then as golang.org/x/net/html's tree of it, unless that may take more than Options.MaxTree (glance.go finds that out for most
//     pages, weigh.go for the others) or has more open elements than its parser takes;
//   - else roughly (rough.go), tag by tag; XHTML served as such always, for the HTML tree would swallow the page behind the first
//     <script src="x"/>.
//
// What any of them finds is gathered in one place, with goquery (gather.go, describe.go); what the header tells comes first
// (header.go). Below all is a tokenizer (scan.go, scan_*.go). [Extractor.Content] (content.go), [Extractor.Text] (text.go) and
// [Extractor.Requisites] (requisite.go) are asked for by themselves, and go by its tokens alone.
//
// A construction goes through the tags as the parser does, with the stack of open elements, the list of active formatting
// elements and the insertion modes of the standard, but makes no nodes. That is exact for what it knows: head, body, lists, forms,
// select, tables, misnested formatting, SVG and MathML. There is no approximation: where anything else is called for, the
// construction is in doubt and the tree decides. These are the doubts:
//
//   - frameset and frame, template, content of tables outside of cells (it is moved before the table: foster parenting);
//   - HTML within SVG or MathML, be it at an integration point or because a tag breaks out, and end tags there that end HTML;
//   - a link that blocks part from its end tag, so that it is in the tree twice (the adoption agency algorithm); formatting
//     elements of one name four deep, of which the tree may drop one;
//   - a second html tag with attributes, for they go to the first; a title of more than 64 KiB; a doctype of more than 1 KiB
//     where it matters (before a table in a paragraph);
//   - a character reference, which may be white space, where white space decides whether the body begins; a NUL anywhere;
//   - more open elements than the parser takes, or a stack so deep that looking through it takes time out of proportion.
//
// They were found, and are kept, by comparing with the tree: on pages cooked from all tags that have rules of their own, by
// fuzzing, and on real ones. EXTRACT_PAGES=DIR go test -run RealPages -v ./crawler/extract reads every page in a folder both
// ways; of 29,155 pages of 90 Debian documentation packages in a dozen languages none is read differently. Text and the elements
// around it pass through construction.token, from where an index can take them in the same pass.
//
// A tree costs 40 to 100 times its text where tags are short, and without bound where unclosed formatting elements are
// rebuilt in each paragraph: 20 KB of it make millions of nodes. The parser has no limit to set, so weigh.go bounds the
// tree from the tags before it is built; in doubt it guesses high, and the page is read roughly. That bound is also what the
// pages being read at once are held to, through one weighted semaphore. Counting nodes in a fork of the parser would be exact,
// and a fork to maintain.
//
// scan.go is a tokenizer of our own for the same reason: that of x/net/html keeps all attributes of a tag and grows its
// buffer to the longest token, so that a page which is one tag or one comment takes many times its size. Ours points into
// the body and allocates nothing; fuzz tests hold the two to the same reading.
package extract

// Package index keeps pages to be searched: one file, an SQLite database with full-text tables, that any number of processes search
// while one of them adds to it.
//
// The nouns: a [Document] is a page as the index takes it, with its [Text] part by part. A [Refusal] says why a page is not in the
// index. A [Change] is some of both, applied as a whole. A [Query] is what somebody asks for; a [Result] has its [Hit]s, best
// first. A [Standing] says of one URL whether it is in the index, and why not.
//
// An index is a derivation: everything in it can be made again from the pages of a crawl and what was said about them. Whoever
// derives it remembers in marks, which are part of a Change, how far it has come.
//
// # Promises
//
//   - What [Index.Apply] has returned for survives the death of the process. After a power failure the last changes may be missing,
//     all of each, with their marks.
//   - A page that is refused is found by no query from then on; nor is one whose time is up ([Document.Expires]). What it called
//     others, or does not call them any more, finds these until the next [Index.Refresh], if no other page calls them so.
//   - [Index.Search] takes any text as a query and never fails because of it; [Result.Notices] say what was not taken as it stood.
//   - A query takes no longer than [Options.MaxTime]; if that is not enough, [Result.Partial] is set.
//   - What a page asked not to be shown is not in a [Hit]: no snippet, a shorter one, none of the parts in data-nosnippet.
//   - Memory does not grow with the number of pages.
//
// # Limits
//
// The bounds are fields of [Options], and the constants Max of this package. One process writes: a second one gets [ErrConflict].
// On network file systems SQLite's locks are as good as theirs.
//
// # Example
//
//	x, err := index.Open("job/index.db", index.Options{})
//	...
//	d := index.Document{URL: u, MaxSnippet: -1, Text: index.Text{Title: "Foxes", Body: "The quick brown fox"}}
//	err = x.Apply(ctx, index.Change{Documents: []index.Document{d}})
//	...
//	r, err := x.Search(ctx, index.Query{Text: "quick foxes"})
//
// # Design
//
// The files follow two ways. A change is taken in by apply.go, with row.go, texts.go and batch.go, and its names by anchor.go,
// naming.go and refresh.go; replace.go puts an index that was made beside it in its place. A query is understood by query.go and
// filter.go, asked by match.go, search.go and rank.go, and its hits are shown by show.go, group.go, snippet.go, window.go and
// facet.go; suggest.go tells what may have been meant. standing.go says of a page why it is found, or not.
//
// SQLite's FTS5 holds the words, but neither parses queries nor finds words: terms are made in Go, by package term, in the language
// of each page, so that Russian, Spanish, Thai and Japanese stand in one table. Nothing that a user typed reaches FTS5 but as a
// term in quotes. The tables are contentless, and rows are taken out by FTS5's 'delete' command with the very terms they were put
// in with; these are made again from the text of the page, which is kept compressed. So a change of [term.Version] makes an index
// useless, and it is made again. (Tables with contentless_delete cannot even be opened by SQLite 3.40, which Debian has.)
//
// Ranking is BM25 over weighted fields. Words that are in very many pages are looked for in a second, small table of titles,
// headings and anchor texts first (heads): ranking all matches in all fields takes time in proportion to their number. Then
// those with what was asked for in a heading are lifted, and the best few put in order again by how much of their title that was.
//
// Pages with the same text, nearly the same, or that name each other as canonical, share a group, and are one hit. They are grouped
// when a query is answered, so a page that leaves takes nobody with it, and a mirror is found where the query names it.
package index

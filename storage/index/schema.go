package index

import (
	"fmt"
	"strings"

	"github.com/cybermapper/cybermapper/storage/index/term"
)

// What tells an index from other databases, and its version from others.
const (
	applicationID = 0x434d4958 // "CMIX"
	// 1 took all long texts for the same, 2 kept digests, and first paragraphs twice, 3 texts with their pages; 4 could have pages
	// that asked for noindex at a later visit, 5 texts in the letters of another encoding, and pages that had moved,
	// 6 what pages had called others that had left, or called them otherwise.
	schemaVersion = 7
)

// analyzerMark is the mark that says by what the terms were made.
const analyzerMark = "analyzer"

// modeMark is the mark that says which parts are searched.
const modeMark = "mode"

func analyzerName() string { return fmt.Sprintf("cybermapper/term %d", term.Version) }

// columns of the full-text table fts, with the weight of each: found by searching coordinate by coordinate on queries whose answers
// are known; that of the first paragraphs on test collections, for where they are all there is, more puts long pages first. Tags
// weigh nothing: they are what a query is narrowed by. FTS5 writes down of each place in which column it is, except for the first,
// so that is the one with the most words: two bytes less for each word of each page.
var columns = []struct {
	name   string
	weight float64
	head   bool // also in the table heads
}{
	{"body", 1, false},
	{"title", 8, true},
	{"headings", 1, true},
	{"emphasis", 0.5, false},
	{"anchor", 2, true},
	{"lead", 1.5, false},
	{"description", 1, false},
	{"keywords", 0.5, false},
	{"address", 1, true},
	{"tags", 0, true},
}

// Indexes of columns.
const (
	colBody = iota
	colTitle
	colHeadings
	colEmphasis
	colAnchor
	colLead
	colDescription
	colKeywords
	colAddress
	colTags
	colCount
)

func columnNames(headsOnly bool) (names []string) {
	for _, c := range columns {
		if c.head || !headsOnly {
			names = append(names, c.name)
		}
	}
	return names
}

// Statements that put the terms of a page into a full-text table, and take them out.
var (
	insertFTS, deleteFTS     = termStatements("fts", false)
	insertHeads, deleteHeads = termStatements("heads", true)
)

func termStatements(table string, headsOnly bool) (insert, remove string) {
	names := columnNames(headsOnly)
	list, places := strings.Join(names, ", "), strings.Repeat(", ?", len(names))
	return fmt.Sprintf(`INSERT INTO %s(rowid, %s) VALUES(?%s)`, table, list, places),
		fmt.Sprintf(`INSERT INTO %s(%s, rowid, %s) VALUES('delete', ?%s)`, table, table, list, places)
}

// weights returns the argument of bm25 in SQL.
func weights(headsOnly bool) string {
	var w []string
	for _, c := range columns {
		if c.head || !headsOnly {
			w = append(w, fmt.Sprintf("%.2f", c.weight))
		}
	}
	return "bm25(" + strings.Join(w, ", ") + ")"
}

// A setting of the full-text tables. Fewer merges, and fewer flushes ([Options.Memory]), make indexing faster by a fifth; more
// pieces make queries slower, until Optimize.
const pieces = 8 // of about one size, before they are merged

func setting(table, name string, value int) string {
	return fmt.Sprintf(`INSERT INTO %s(%s, rank) VALUES('%s', %d)`, table, table, name, value)
}

// schema makes an empty index. Times are seconds since 1970; 0 is none.
func schema() []string {
	fts := func(table string, headsOnly bool) string {
		return "CREATE VIRTUAL TABLE " + table + " USING fts5(" + strings.Join(columnNames(headsOnly), ", ") +
			`, content='', tokenize="ascii tokenchars '` + tokenChars + `'")`
	}
	return []string{
		`CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`,
		`CREATE TABLE pages(
			id INTEGER PRIMARY KEY AUTOINCREMENT, url TEXT NOT NULL UNIQUE, asked TEXT NOT NULL, host TEXT NOT NULL,
				title TEXT NOT NULL,
			lang TEXT NOT NULL, type TEXT NOT NULL, file TEXT NOT NULL, fetched INTEGER NOT NULL,
				modified INTEGER NOT NULL,
			expires INTEGER NOT NULL, depth INTEGER NOT NULL, source INTEGER NOT NULL, max_snippet INTEGER NOT NULL,
				no_archive INTEGER NOT NULL,
			exact INTEGER NOT NULL, near INTEGER NOT NULL, words INTEGER NOT NULL, grp INTEGER NOT NULL, canonical TEXT NOT NULL,
			anchor TEXT NOT NULL)`,
		`CREATE TABLE texts(part INTEGER PRIMARY KEY, chunk BLOB NOT NULL)`,
		`CREATE INDEX pages_asked ON pages(asked) WHERE asked != ''`,
		`CREATE INDEX pages_exact ON pages(exact)`,
		`CREATE INDEX pages_grp ON pages(grp)`,
		`CREATE INDEX pages_host ON pages(host)`,
		`CREATE INDEX pages_lang ON pages(lang)`,
		`CREATE INDEX pages_expires ON pages(expires) WHERE expires != 0`,
		`CREATE TABLE refused(url TEXT PRIMARY KEY, reason TEXT NOT NULL, rule TEXT NOT NULL, file TEXT NOT NULL,
			line INTEGER NOT NULL,
			at INTEGER NOT NULL, source INTEGER NOT NULL) WITHOUT ROWID`,
		`CREATE TABLE anchors(id INTEGER PRIMARY KEY, target INTEGER NOT NULL, text TEXT NOT NULL, users INTEGER NOT NULL)`,
		`CREATE INDEX anchors_target ON anchors(target)`,
		`CREATE TABLE addresses(hash INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY(hash, id)) WITHOUT ROWID`,
		`CREATE TABLE stale(id INTEGER PRIMARY KEY)`,
		`CREATE TABLE similar(block INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY(block, id)) WITHOUT ROWID`,
		fts("fts", false),
		fts("heads", true),
		setting("fts", "automerge", pieces), setting("heads", "automerge", pieces),
		`CREATE VIRTUAL TABLE vocabulary USING fts5vocab(fts, row)`,
		`CREATE VIRTUAL TABLE head_vocabulary USING fts5vocab(heads, row)`,
		fmt.Sprintf(`PRAGMA application_id = %d`, applicationID),
		fmt.Sprintf(`PRAGMA user_version = %d`, schemaVersion),
	}
}

// tokenChars are the characters besides letters and digits that a term or a tag may have. Terms are parted by blanks alone.
const tokenChars = `+#.:-_/@%~!$&()*,;=[]`

package engine

import (
	"database/sql"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/indexer"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/index"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// An index that was kept while pages came, in looks of every size, is the one that is made of all of them at once: it has the same
// rows, the same words at the same places, the same groups, and answers queries alike.
func TestIndexKeeper_EqualsRebuilt(t *testing.T) {
	j, s := newIndexed(t)
	dir := j.Path(".")
	k := &indexKeeper{p: &Session{Dir: dir, Screen: progress.NewScreen(io.Discard, true), Config: config.Default()}}
	defer k.close()
	const count = 120
	looks := []int{1, 2, 3, 40, 41, 90, 91, count}
	for i := range count {
		putVaried(t, s, i)
		n := slices.Index(looks, i+1)
		if n < 0 {
			continue
		}
		if _, err := k.bringUpToDate(t.Context(), n%2 == 0 && i+1 < count); err != nil {
			t.Fatal(err)
		}
		if n == 4 { // a crawl that stopped, and goes on
			if err := k.close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := k.close(); err != nil {
		t.Fatal(err)
	}
	kept := written(t, dir)
	if err := index.Remove(indexer.File(dir)); err != nil {
		t.Fatal(err)
	}
	d, err := indexer.Open(t.Context(), dir, indexer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Sync(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	filetest.Close(t, d)
	rebuilt := written(t, dir)
	for what, list := range rebuilt {
		if len(list) == 0 {
			t.Errorf("%s: nothing is compared", what)
		}
		if !slices.Equal(kept[what], list) {
			t.Errorf("%s: %d kept, %d rebuilt; first that differ: %s", what, len(kept[what]), len(list), firstOther(kept[what], list))
		}
	}
}

// putVaried stores one of several kinds of pages: in four languages, mirrors, nearly the same, redirected to, refused, and fetched
// again. Each names pages before and behind it.
func putVaried(t *testing.T, s *pages.Store, i int) {
	t.Helper()
	langs := []string{"en", "de", "ru", ""}
	texts := []string{
		"The walrus number %d lives by the cold sea and eats clams all day long, as every walrus of the north does. ",
		"Das Walross Nummer %d lebt am kalten Meer und frisst den ganzen Tag Muscheln, wie alle Walrosse im Norden. ",
		"Морж номер %d живёт у холодного моря и целый день ест моллюсков, как и все моржи на далёком севере. ",
		"El número %d de las morsas vive junto al mar frío y come almejas todo el día, como las demás del norte. ",
	}
	at := func(n int) string { return fmt.Sprint("https://example.org/", n) }
	if i%12 == 10 { // again, as it was
		i -= 10
	}
	n := i
	switch i % 12 {
	case 5:
		n = i - 1 // the same text as the page before
	case 7:
		n = i - 4
	}
	kind := n % 4
	text := strings.Repeat(fmt.Sprintf(texts[kind], n), 6+n%3)
	if i%12 == 6 {
		text += "One word more: " + fmt.Sprint("seal", i)
	}
	var links strings.Builder
	for _, to := range []int{i - 7, i + 3, i + 30, 3} {
		fmt.Fprintf(&links, `<a href="/%d">walrus called %d by %d</a> `, to, to, i%5)
	}
	p := &storage.Page{
		URL: at(i), FinalURL: at(i), Type: "text/html", Lang: langs[kind], Title: fmt.Sprint("Walrus ", n), Status: 200,
		Body: fmt.Appendf(nil,
			`<title>Walrus %[1]d</title><h1 id="a">Walrus %[1]d</h1><p>%[2]s</p><p data-nosnippet>Hidden %[1]d</p>%[3]s`, n, text, &links),
	}
	switch i % 12 {
	case 8:
		p.URL = at(1000 + i)
	case 9:
		p.Directives = []string{"noindex"}
	}
	if err := s.Put(t.Context(), p); err != nil {
		t.Fatal(err)
	}
}

// written tells what an index holds, without the numbers that it gives pages, and how it answers.
func written(t *testing.T, dir string) map[string][]string {
	t.Helper()
	all := map[string][]string{"hits": hits(t, dir)}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.Join(dir, job.IndexFile)}).EscapedPath()+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // the tables below are of one connection
	for _, table := range []string{"fts", "heads"} {
		create := "CREATE VIRTUAL TABLE temp." + table + "_places USING fts5vocab(main, " + table + ", instance)"
		if _, err := db.Exec(create); err != nil {
			t.Fatal(err)
		}
	}
	for what, query := range map[string]string{
		"pages": `SELECT url, asked, host, title, lang, type, file, modified, expires, depth, source, max_snippet, no_archive, exact, near,
			words, canonical, anchor FROM pages`,
		"texts":   `SELECT url, part & 4095, hex(chunk) FROM texts JOIN pages ON part >> 12 = id`,
		"groups":  `SELECT a.url, b.url FROM pages a JOIN pages b ON a.grp = b.grp`,
		"refused": `SELECT url, reason, rule, source FROM refused`,
		"anchors": `SELECT target, text FROM anchors`,
		"similar": `SELECT block, url FROM similar JOIN pages USING (id)`,
		"words":   `SELECT term, url, col, "offset" FROM fts_places JOIN pages ON doc = id`,
		"heads":   `SELECT term, url, col, "offset" FROM heads_places JOIN pages ON doc = id`,
	} {
		all[what] = rowsOf(t, db, query)
	}
	return all
}

// rowsOf returns what a query gives, a line each, in order.
func rowsOf(t *testing.T, db *sql.DB, query string) (list []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	values, dest := make([]sql.NullString, len(columns)), make([]any, len(columns))
	for i := range values {
		dest[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			t.Fatal(err)
		}
		var line []string
		for _, v := range values {
			line = append(line, v.String)
		}
		list = append(list, strings.Join(line, " | "))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

// hits tells how an index answers queries of several kinds.
func hits(t *testing.T, dir string) (list []string) {
	t.Helper()
	x, err := index.Open(indexer.File(dir), index.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, q := range []string{
		"walrus", "walrus 17", `"called 33 by"`, "Walrosse lang:de", "моржи", "clams -33", "intitle:walrus morsas", "seal18", "hidden",
		"filetype:html sea",
	} {
		r, err := x.Search(t.Context(), index.Query{Text: q, Limit: 200})
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		list = append(list, fmt.Sprint(q, ": ", r.Total))
		for _, h := range r.Hits {
			list = append(list, fmt.Sprint(q, ": ", h.URL, " ", h.Title, " ", h.Snippet, " ", len(h.Same), " ", len(h.Similar)))
		}
	}
	slices.Sort(list)
	return list
}

// firstOther returns the first line that one of two ordered lists has alone.
func firstOther(a, b []string) string {
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return "rebuilt only: " + b[i]
		case i >= len(b):
			return "kept only: " + a[i]
		case a[i] != b[i]:
			return a[i] + " / " + b[i]
		}
	}
	return ""
}

package indexer

import (
	"context"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/storage/index"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// relevancePackages are Debian packages with documentation in several languages.
var relevancePackages = []string{
	"debian-handbook", "postgresql-doc-15", "git-doc", "python3.11-doc", "sqlite3-doc", "debian-policy", "developers-reference",
	"maint-guide",
}

// knownItems are queries and the ends of the paths of the pages that answer them.
var knownItems = []struct{ query, answers string }{
	// English
	{"create index", "sql-createindex.html"},
	{"drop table", "sql-droptable.html"},
	{"full text search introduction", "textsearch-intro.html textsearch.html"},
	{"write ahead log configuration", "wal-configuration.html"},
	{"routine vacuuming", "routine-vacuuming.html"},
	{"window functions tutorial", "tutorial-window.html"},
	{"json functions and operators", "functions-json.html"},
	{"pg_dump", "app-pgdump.html"},
	{"pattern matching regular expressions", "functions-matching.html"},
	{"transaction isolation", "transaction-iso.html"},
	{"table partitioning", "ddl-partitioning.html"},
	{"logical replication publication", "logical-replication-publication.html"},
	{"pg_hba.conf file", "auth-pg-hba-conf.html"},
	{"standby servers log shipping", "warm-standby.html"},
	{"git rebase interactive", "git-rebase.html"},
	{"git reset", "git-reset.html"},
	{"binary search commit that introduced a bug", "git-bisect.html git-bisect-lk2009.html"},
	{"stash changes", "git-stash.html"},
	{"cherry-pick", "git-cherry-pick.html"},
	{"gitignore", "gitignore.html"},
	{"submodules", "gitsubmodules.html git-submodule.html"},
	{"asyncio coroutines and tasks", "asyncio-task.html"},
	{"regular expression howto", "howto/regex.html"},
	{"csv file reading and writing", "library/csv.html"},
	{"subprocess management", "library/subprocess.html asyncio-subprocess.html"},
	{"contextlib", "library/contextlib.html"},
	{"data structures list comprehensions", "tutorial/datastructures.html"},
	{"robotparser", "urllib.robotparser.html"},
	{"logging cookbook", "logging-cookbook.html"},
	{"fts5 extension", "fts5.html"},
	{"write-ahead logging sqlite", "wal.html"},
	{"how to corrupt an sqlite database", "howtocorrupt.html"},
	{"pragma statements", "pragma.html"},
	{"database file format", "fileformat2.html fileformat.html"},
	// Spanish
	{"filtrado de paquetes cortafuegos", "es-ES/sect.firewall-packet-filtering.html"},
	{"compilar un núcleo", "es-ES/sect.kernel-compilation.html"},
	{"copia de seguridad", "es-ES/sect.backup.html"},
	{"servidor web http", "es-ES/sect.http-web-server.html"},
	{"cuotas", "es-ES/sect.quotas.html"},
	{"red privada virtual", "es-ES/sect.virtual-private-network.html"},
	{"actualizaciones automáticas", "es-ES/sect.automatic-upgrades.html"},
	{"directorio LDAP", "es-ES/sect.ldap-directory.html"},
	{"configuracion de la impresora", "es-ES/sect.config-printing.html"},
	{"virtualización", "es-ES/sect.virtualization.html"},
	{"navegadores web", "es-ES/sect.web-browsers.html"},
	{"creación de cuentas", "es-ES/sect.creating-accounts.html"},
	// Russian
	{"резервное копирование", "ru-RU/sect.backup.html"},
	{"виртуализация", "ru-RU/sect.virtualization.html"},
	{"фильтрация пакетов", "ru-RU/sect.firewall-packet-filtering.html"},
	{"компиляция ядра", "ru-RU/sect.kernel-compilation.html"},
	{"управление питанием", "ru-RU/sect.power-management.html"},
	{"удалённый вход", "ru-RU/sect.remote-login.html"},
	{"автоматические обновления", "ru-RU/sect.automatic-upgrades.html"},
	{"динамическая маршрутизация", "ru-RU/sect.dynamic-routing.html"},
	{"настройка сети", "ru-RU/sect.network-config.html"},
	// German
	{"Kernel kompilieren", "de-DE/sect.kernel-compilation.html"},
	{"Datensicherung", "de-DE/sect.backup.html"},
	{"Virtualisierung", "de-DE/sect.virtualization.html"},
	{"Paketfilterung Firewall", "de-DE/sect.firewall-packet-filtering.html"},
	{"Energieverwaltung", "de-DE/sect.power-management.html"},
	{"Benutzerkonten erstellen", "de-DE/sect.creating-accounts.html"},
	{"Dateisystemhierarchie", "de-DE/sect.filesystem-hierarchy.html"},
	{"Drucker konfigurieren", "de-DE/sect.config-printing.html"},
	{"automatische Aktualisierungen", "de-DE/sect.automatic-upgrades.html"},
}

// TestRelevance prints how well queries whose answers are known are answered, on the pages of Debian packages:
//
//	RELEVANCE_PAGES=DIR go test -run Relevance -v ./cmd/cybermapper/internal/indexer
//
// DIR has a folder for each unpacked package. With RELEVANCE_MODE the index is of that mode: words, title, lead or meta. MRR is the
// mean of 1/rank of the answer, R@10 the share of queries that have it among the first ten.
func TestRelevance(t *testing.T) {
	dir := os.Getenv("RELEVANCE_PAGES")
	if dir == "" {
		t.Skip("RELEVANCE_PAGES names no folder of unpacked documentation packages")
	}
	began := time.Now()
	x, n := relevanceIndex(t, dir, relevancePackages)
	took := time.Since(began)
	counts, err := x.Counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d pages in %v, %.1f MB", n, took.Round(time.Millisecond), float64(counts.Bytes)/1e6)
	var sum, found float64
	var times []time.Duration
	for _, item := range knownItems {
		r, err := x.Search(t.Context(), index.Query{Text: item.query})
		if err != nil {
			t.Fatal(err)
		}
		times = append(times, r.Took)
		rank := 0
		for _, h := range r.Hits {
			if answersQuery(&h, item.answers) {
				rank = h.Rank
				break
			}
		}
		switch {
		case rank > 0:
			sum, found = sum+1/float64(rank), found+1
		case len(r.Hits) > 0:
			t.Logf("missed: %s: %d pages, first %s", item.query, r.Total, r.Hits[0].URL)
		default:
			t.Logf("missed: %s: nothing", item.query)
		}
		if rank > 1 {
			t.Logf("rank %d: %s: first %s", rank, item.query, r.Hits[0].URL)
		}
	}
	slices.Sort(times)
	all := float64(len(knownItems))
	t.Logf("%d queries: MRR %.3f, R@10 %.3f; p50 %v, max %v", len(knownItems), sum/all, found/all, times[len(times)/2],
		times[len(times)-1])
	if x.Mode() == index.Words && (sum/all < 0.6 || found/all < 0.8) {
		t.Error("far worse than it was")
	}
}

// TestRelevance_Headings prints how well sections of the same pages are found by their headings, of which no more than two pages
// have each: what somebody asks for who has seen one.
func TestRelevance_Headings(t *testing.T) {
	dir := os.Getenv("RELEVANCE_PAGES")
	if dir == "" {
		t.Skip("RELEVANCE_PAGES names no folder of unpacked documentation packages")
	}
	x, _ := relevanceIndex(t, dir, relevancePackages)
	of := headings(t, dir)
	var sum, found, all float64
	for i, heading := range slices.Sorted(maps.Keys(of)) {
		if len(of[heading]) > 2 || i%40 != 0 {
			continue
		}
		r, err := x.Search(t.Context(), index.Query{Text: heading})
		if err != nil {
			t.Fatal(err)
		}
		all++
		if i := slices.IndexFunc(r.Hits, func(h index.Hit) bool { return answersQuery(&h, strings.Join(of[heading], " ")) }); i >= 0 {
			sum, found = sum+1/float64(i+1), found+1
		}
	}
	t.Logf("%.0f headings: MRR %.3f, R@10 %.3f", all, sum/all, found/all)
	if sum/all < 0.8 {
		t.Error("far worse than it was")
	}
}

// headings returns the pages of the packages below dir that have each heading of a section, of several words.
func headings(t *testing.T, dir string) map[string][]string {
	of := map[string][]string{}
	for _, pkg := range relevancePackages {
		err := fs.WalkDir(os.DirFS(dir), pkg, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(name, ".html") || !e.Type().IsRegular() {
				return err
			}
			f, err := os.Open(filepath.Join(dir, name))
			if err != nil {
				return err
			}
			defer f.Close()
			page, err := goquery.NewDocumentFromReader(f)
			if err != nil {
				return err
			}
			for _, h := range page.Find("h2, h3, h4").EachIter() {
				text := strings.Trim(strings.Join(strings.Fields(h.Text()), " "), "0123456789. ¶")
				if words := strings.Count(text, " ") + 1; words > 1 && words < 9 && !slices.Contains(of[text], name) {
					of[text] = append(of[text], name)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return of
}

// answersQuery reports whether a hit, or a page that is the same, ends in one of the paths.
func answersQuery(h *index.Hit, answers string) bool {
	urls := []string{h.URL}
	for _, r := range slices.Concat(h.Same, h.Similar) {
		urls = append(urls, r.URL)
	}
	for path := range strings.FieldsSeq(answers) {
		if slices.ContainsFunc(urls, func(u string) bool { return strings.HasSuffix(u, "/"+path) }) {
			return true
		}
	}
	return false
}

// relevanceIndex indexes the packages below dir as if they had been crawled.
func relevanceIndex(t *testing.T, dir string, packages []string) (x *index.Index, n int) {
	x, err := index.Open(filepath.Join(t.TempDir(), "index.db"), index.Options{Mode: index.Mode(os.Getenv("RELEVANCE_MODE"))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	d := &Indexer{
		dir: dir, x: x, root: root, extract: extract.New(extract.Options{}), marks: map[string]string{},
		hosts: map[string]bool{"docs.example": true},
		judge: &Judge{origins: map[string]originState{}},
	}
	b := batch{}
	r := &Report{Refused: map[index.Reason]int{}}
	for _, pkg := range packages {
		fs.WalkDir(root.FS(), pkg, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(name, ".html") || !e.Type().IsRegular() {
				return nil
			}
			b.add(relevanceLine(t, d, name))
			if n++; b.isFull(index.MaxMemory) {
				if err := d.takeBatch(t.Context(), r, &b); err != nil {
					t.Fatal(err)
				}
			}
			return nil
		})
	}
	if err := d.takeBatch(t.Context(), r, &b); err != nil {
		t.Fatal(err)
	}
	for {
		if left, err := x.Refresh(t.Context(), batchPages); err != nil || left == 0 {
			return x, n
		}
	}
}

// relevanceLine describes a file as a crawl would.
func relevanceLine(t *testing.T, d *Indexer, name string) pages.Line {
	body, err := d.body(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.extract.Page(context.Background(), extract.Input{Header: http.Header{"Content-Type": {"text/html"}}, Body: body})
	if err != nil {
		t.Fatal(err)
	}
	u := "https://docs.example/" + name
	return pages.Line{
		URL: u, FinalURL: u, File: name, Fetched: time.Now(), Status: 200, Type: "text/html", Charset: p.Charset,
		Bytes: int64(len(body)),
		Title: p.Title, Lang: p.Lang, Description: p.Description, Keywords: p.Keywords,
	}
}

package graph

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
	"github.com/cybermapper/cybermapper/storage/sqlfile"
)

// Bounds of one change.
const (
	batchRecords = 20_000
	batchBytes   = 16 << 20 // of lines of the ledger: URLs may be long
	batchPages   = 200
)

// The marks of the derivation.
const (
	ledgerMark = "ledger" // the last record that was read, and its hash
	pagesMark  = "pages"  // where the last line that was read begins and ends, and its digest
)

// Sync brings the graph up to date with what the job holds now. progress, if not nil, is called with the pages read so far. What
// was done is durable batch by batch: when ctx ends, the next Sync goes on from there.
func (g *Graph) Sync(ctx context.Context, progress func(pages int)) error {
	err := g.sync(ctx, progress)
	if isDamaged(err) && g.apart == "" {
		if err = g.anew(ctx); err == nil {
			err = g.sync(ctx, progress)
		}
	}
	if errors.Is(err, ErrUnusable) { // the job was started over, or repaired
		err = g.change(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "DELETE FROM meta; DELETE FROM urls; DELETE FROM links")
			return err
		})
		if err == nil {
			err = g.sync(ctx, progress)
		}
	}
	if err != nil {
		return fmt.Errorf("bring graph up to date: %w", err)
	}
	return nil
}

// anew begins an empty file in the place of one that is damaged.
func (g *Graph) anew(ctx context.Context) error {
	if err := errors.Join(g.db.Close(), Remove(g.dir)); err != nil {
		return err
	}
	fresh, err := Open(ctx, g.dir)
	if err == nil {
		g.db = fresh.db
	}
	return err
}

func (g *Graph) sync(ctx context.Context, progress func(pages int)) error {
	if err := g.dropIndexes(ctx); err != nil {
		return err
	}
	if err := g.readLedger(ctx); err != nil {
		return err
	}
	if err := g.readPages(ctx, progress); err != nil {
		return err
	}
	err := g.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, indexes)
		return err
	})
	if err != nil {
		return err
	}
	return g.countAll(ctx)
}

// isIndex is what our indexes are in sqlite_schema; those that tables bring with them have no SQL.
const isIndex = `type = 'index' AND sql IS NOT NULL`

// few is the part of the list of pages up to which what is new is written into the indexes at once. The links of one page lie in as
// many places of them, each of which is written as a whole; beyond, to make the indexes anew at the end takes less.
const few = 0.05

// dropIndexes does away with the indexes if many pages are to be read.
func (g *Graph) dropIndexes(ctx context.Context) error {
	_, end, _, err := g.pagesMark(ctx)
	if err != nil {
		return err
	}
	list, err := os.Stat(filepath.Join(g.dir, job.PagesDir, "pages.jsonl"))
	if err != nil || float64(list.Size()-end) <= few*float64(list.Size()) {
		return nil // readPages tells what is wrong, if anything is
	}
	return g.change(ctx, func(tx *sql.Tx) error {
		names, err := indexNames(ctx, tx)
		for _, name := range names {
			if err == nil {
				_, err = tx.ExecContext(ctx, "DROP INDEX "+name)
			}
		}
		return err
	})
}

func indexNames(ctx context.Context, tx *sql.Tx) (names []string, err error) {
	for name, err := range sqlfile.Rows(ctx, tx, sqlfile.Column[string], `SELECT name FROM sqlite_schema WHERE `+isIndex) {
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// pagesMark returns where the last line that was read begins and ends, and its digest; zero for none.
func (g *Graph) pagesMark(ctx context.Context) (start, end int64, digest string, err error) {
	mark, err := g.mark(ctx, pagesMark)
	if err != nil || mark == "" {
		return 0, 0, "", err
	}
	if _, err := fmt.Sscan(mark, &start, &end, &digest); err != nil {
		return 0, 0, "", fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	return start, end, digest, nil
}

func pagesMarkAt(start, end int64, digest string) string {
	return fmt.Sprint(start, " ", end, " ", digest)
}

// mark returns what stands at a mark; empty for nothing.
func (g *Graph) mark(ctx context.Context, key string) (value string, err error) {
	err = g.db.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = ?`, key).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return value, err
}

// advance moves a mark, unless another process has.
func advance(ctx context.Context, tx *sql.Tx, key, from, to string) error {
	r, err := tx.ExecContext(ctx, `INSERT INTO meta(key, value) VALUES(?1, ?3)
		ON CONFLICT(key) DO UPDATE SET value = ?3 WHERE value = ?2`, key, from, to)
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n != 1 {
		return errors.Join(ErrConflict, err)
	}
	return nil
}

// readLedger takes in what became of URLs since the last time.
func (g *Graph) readLedger(ctx context.Context) error {
	mark, err := g.mark(ctx, ledgerMark)
	if err != nil {
		return err
	}
	number, sum, _ := strings.Cut(mark, " ")
	seq, _ := strconv.ParseUint(number, 10, 64)
	known := seq > 0
	if known {
		seq--
	}
	var batch []ledger.Record
	size := 0 // of its lines
	var last []byte
	flush := func() error {
		if len(last) == 0 {
			return nil
		}
		to := fmt.Sprint(seq, " ", ledger.Sum(last))
		err := g.change(ctx, func(tx *sql.Tx) error {
			return errors.Join(takeRecords(ctx, tx, batch), advance(ctx, tx, ledgerMark, mark, to))
		})
		mark, batch, size = to, batch[:0], 0
		return err
	}
	for line, err := range ledger.Lines(filepath.Join(g.dir, job.LedgerDir), seq) {
		if err != nil {
			return err
		}
		seq++
		if known {
			if known = false; ledger.Sum(line) != sum {
				return ErrUnusable
			}
			continue
		}
		last = append(last[:0], line...)
		if r, err := ledger.Decode(line); err == nil && r.URL != "" { // verify tells of what cannot be read
			batch, size = append(batch, r), size+len(line)
			if len(batch) == batchRecords || size >= batchBytes {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	if known {
		return ErrUnusable // it is shorter than it was
	}
	return flush()
}

// meetURL makes a URL known. A link that was not followed told nothing of it but that.
const meetURL = `INSERT INTO urls(id, url, host, via, depth) VALUES(?, ?, ?, ?, ?) ON CONFLICT(id)
	DO UPDATE SET via = excluded.via, depth = excluded.depth, gate = '', reason = '', rule = ''
	WHERE reason IN ('` + string(crawler.ReasonNofollowPage) + `', '` + string(crawler.ReasonNofollowLink) + `')`

// takeRecords writes down what records say, in the order of the table: it may be larger than what of it is kept in memory, and each
// part that is met is then read and written once. Those of one URL stay in their order, and say nothing of another.
func takeRecords(ctx context.Context, tx *sql.Tx, batch []ledger.Record) (err error) {
	s := &statements{ctx: ctx, made: sqlfile.NewPrepared(tx)}
	defer func() { err = errors.Join(err, s.close()) }()
	type row struct {
		id     int64
		record *ledger.Record
	}
	rows := make([]row, len(batch))
	for i := range batch {
		rows[i] = row{idOf(batch[i].URL), &batch[i]}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.id, b.id) })
	for _, row := range rows {
		id, r := row.id, row.record
		switch {
		case r.Purpose == string(crawler.ForRequisite): // no page
		case r.Type == ledger.Request && r.Purpose == string(crawler.ForPage):
			s.run(meetURL, id, r.URL, HostOf(r.URL), idOf(r.Via), r.Depth)
			s.run(`UPDATE urls SET status = ?, error = ?, asked = asked + 1, took = ?, location = ?,
				gate = '', reason = '', rule = '', noindex = 0 WHERE id = ?`, r.Status, r.Error,
				float64(time.Duration(r.Took).Microseconds())/1000, idOf(target(r)), id)
		case r.Type == ledger.Request && r.Purpose == string(crawler.ForSitemap):
			s.run(meetURL, id, r.URL, HostOf(r.URL), idOf(r.Via), r.Depth)
			s.run(`UPDATE urls SET sitemap = 1, status = ?, error = ? WHERE id = ?`, r.Status, r.Error, id)
		case r.Type == ledger.Refusal && crawler.Reason(r.Reason).IsOfLink():
			s.run(`INSERT INTO urls(id, url, host, via, depth, gate, reason, rule) VALUES(?, ?, ?, ?, ?, ?, ?, ?)
				ON CONFLICT(id) DO NOTHING`, id, r.URL, HostOf(r.URL), idOf(r.Via), r.Depth, r.Gate, r.Reason, r.Rule)
		case r.Type == ledger.Refusal && r.Gate != string(crawler.GateURL):
			s.run(meetURL, id, r.URL, HostOf(r.URL), idOf(r.Via), r.Depth)
			s.run(`UPDATE urls SET gate = ?, reason = ?, rule = ?, noindex = noindex OR ?, stored = stored AND NOT ? WHERE id = ?`,
				r.Gate, r.Reason, r.Rule, r.Reason == string(crawler.ReasonNoindex), r.Reason == string(crawler.ReasonNoindex), id)
		case r.Type == ledger.Outcome:
			s.run(meetURL, id, r.URL, HostOf(r.URL), idOf(r.Via), r.Depth)
			// It is as it was, too, where no visit said otherwise.
			asBefore := r.Reason == string(crawler.ReasonUnchanged) || r.Status == 0 ||
				r.Status >= http.StatusInternalServerError || r.Outcome == frontier.Retrying.String()
			isSitemap := r.Purpose == string(crawler.ForSitemap) // what a seed is shows only then
			s.run(`UPDATE urls SET outcome = ?, stored = ? OR stored AND ?, sitemap = sitemap OR ? WHERE id = ?`,
				r.Outcome, r.File != "", asBefore, isSitemap, id)
		}
		if s.err != nil {
			return s.err
		}
	}
	return nil
}

// target returns where an answer led; nothing when it led nowhere that can be asked for.
func target(r *ledger.Record) string {
	if r.Location == "" {
		return ""
	}
	u, err := frontier.ParseURL(r.URL)
	if err != nil {
		return ""
	}
	to, err := u.Resolve(r.Location)
	if err != nil {
		return ""
	}
	return to.String()
}

// readPages takes in the pages that were stored since the last time.
func (g *Graph) readPages(ctx context.Context, progress func(int)) error {
	dir := filepath.Join(g.dir, job.PagesDir)
	start, end, digest, err := g.pagesMark(ctx)
	if err != nil {
		return err
	}
	mark := ""
	if digest != "" {
		mark = pagesMarkAt(start, end, digest)
		if l, err := pages.LineAt(dir, start); err != nil || string(l.Listing) != digest {
			return ErrUnusable
		}
	}
	reader, err := newReader(dir)
	if err != nil {
		return err
	}
	defer reader.close()
	var batch []pages.Line
	n := 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		l := batch[len(batch)-1]
		to := pagesMarkAt(l.Start, l.End, string(l.Listing))
		seen, err := reader.readAll(ctx, batch)
		if err != nil {
			return err
		}
		err = g.change(ctx, func(tx *sql.Tx) error {
			return errors.Join(takePages(ctx, tx, seen), advance(ctx, tx, pagesMark, mark, to))
		})
		n += len(batch)
		if mark, batch = to, batch[:0]; progress != nil {
			progress(n)
		}
		return err
	}
	for l, err := range pages.ReadFrom(dir, end) {
		if err != nil {
			if l.End == 0 && !strings.Contains(err.Error(), "not a page") {
				return err
			}
			continue // check tells of it
		}
		if batch = append(batch, l); len(batch) == batchPages {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// takePages writes down what pages say.
func takePages(ctx context.Context, tx *sql.Tx, seen []page) (err error) {
	s := &statements{ctx: ctx, made: sqlfile.NewPrepared(tx)}
	defer func() { err = errors.Join(err, s.close()) }()
	for i := range seen {
		p := &seen[i]
		if !p.IsPage() {
			continue
		}
		id := idOf(p.FinalURL)
		s.run(meetURL, id, p.FinalURL, HostOf(p.FinalURL), idOf(p.Via), p.Depth)
		s.run(`UPDATE urls SET html = ?, cut = ?, title = ?, description = ?, canonical = ?, canonical_url = ?, digest = ?
			WHERE id = ?`,
			p.html, len(p.links) >= maxLinks, p.Title, p.Description, idOf(p.canonical), p.canonical, string(p.Digest), id)
		s.run(`DELETE FROM links WHERE source = ?`, id)
		for _, to := range p.links {
			s.run(`INSERT OR IGNORE INTO links(source, target) VALUES(?, ?)`, id, to)
		}
		if s.err != nil {
			return s.err
		}
	}
	return nil
}

// statements are run in one transaction; after the first error none is.
type statements struct {
	ctx  context.Context
	made *sqlfile.Prepared
	err  error
}

func (s *statements) run(text string, values ...any) {
	if s.err != nil {
		return
	}
	brief, err := sqlfile.Brief(s.ctx)
	if err != nil {
		s.err = err
		return
	}
	statement, err := s.made.Statement(brief, text)
	if err != nil {
		s.err = err
		return
	}
	_, s.err = statement.ExecContext(brief, values...)
}

func (s *statements) close() error { return s.made.Close() }

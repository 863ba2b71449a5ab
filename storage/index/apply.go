package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/cybermapper/cybermapper/storage/index/term"
	"github.com/cybermapper/cybermapper/storage/sqlfile"
)

// A writer is what Apply remembers between changes, to ask the database less.
type writer struct {
	anchors map[uint64]int64 // numbers of the names that are written down, 0 of others, by hashes of links; anchorPart bounds them
	version int64            // of the file: another one is of another process
}

func (w *writer) reset() { w.anchors = map[uint64]int64{} }

// Apply makes a change, durably. A document is put in the place of one with the same URL. What it says of other pages is noted at
// once, and found from the next Refresh on. The error is ErrConflict when the marks are not as the change expects.
func (x *Index) Apply(ctx context.Context, c Change) error {
	if x.write == nil {
		return errors.New("change index: opened to read only")
	}
	x.writing.Lock()
	defer x.writing.Unlock()
	err := x.apply(ctx, &c)
	if err != nil {
		x.writer.reset() // of what it remembers some was not written
		return fmt.Errorf("change index: %w", sqlfile.Cause(ctx, classify(err)))
	}
	return nil
}

func (x *Index) apply(ctx context.Context, c *Change) error {
	rows := make([]*row, len(c.Documents))
	for i := range c.Documents {
		d := c.Documents[i] // a copy: the caller's is not changed
		d.bound()
		d.Lang = term.Language(d.Lang)
		rows[i] = &row{doc: d}
	}
	tx, err := x.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	e := newEdit(ctx, tx, x)
	defer e.close()
	if err := errors.Join(e.expect(c.Was), e.meet()); err != nil {
		return err
	}
	if err := e.makeRoom(rows); err != nil {
		return err
	}
	if err := errors.Join(e.addLinks(rows), e.addAnchors(rows)); err != nil {
		return err
	}
	x.prepare(rows)
	if err := e.insert(ctx, rows); err != nil {
		return err
	}
	for i := range c.Refusals {
		if err := e.refuse(&c.Refusals[i]); err != nil {
			return err
		}
	}
	if _, err := e.settle(); err != nil {
		return err
	}
	if err := e.mark(c.Marks); err != nil {
		return err
	}
	return tx.Commit()
}

// prepare works out terms and blobs, on all processors.
func (x *Index) prepare(rows []*row) {
	next := make(chan *row)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(rows)) {
		workers.Go(func() {
			a := x.analyzer()
			defer x.giveBack(a)
			var buf []byte
			for r := range next {
				r.fill(a, x.mode)
				r.blob, buf = x.codec.pack(&r.doc.Text, r.names, buf)
			}
		})
	}
	for _, r := range rows {
		next <- r
	}
	close(next)
	workers.Wait()
}

// analyzer returns an analyzer that nobody else uses, until it is given back.
func (x *Index) analyzer() *term.Analyzer {
	x.analyzersMu.Lock()
	defer x.analyzersMu.Unlock()
	n := len(x.analyzers)
	if n == 0 {
		return &term.Analyzer{}
	}
	a := x.analyzers[n-1]
	x.analyzers = x.analyzers[:n-1]
	return a
}

func (x *Index) giveBack(a *term.Analyzer) {
	x.analyzersMu.Lock()
	defer x.analyzersMu.Unlock()
	x.analyzers = append(x.analyzers, a)
}

// An edit is a transaction that changes the index.
type edit struct {
	ctx        context.Context // is never done: else SQLite would be watched in a goroutine for each statement
	tx         *sql.Tx
	x          *Index
	statements *sqlfile.Prepared
	uses       map[int64]int // by how many more pages names are used than is written down
}

func newEdit(ctx context.Context, tx *sql.Tx, x *Index) *edit {
	return &edit{ctx: context.WithoutCancel(ctx), tx: tx, x: x, statements: sqlfile.NewPrepared(tx), uses: map[int64]int{}}
}

func (e *edit) close() { e.statements.Close() }

func (e *edit) prepared(query string) (*sql.Stmt, error) { return e.statements.Statement(e.ctx, query) }

func (e *edit) exec(query string, args ...any) error {
	s, err := e.prepared(query)
	if err == nil {
		_, err = s.ExecContext(e.ctx, args...)
	}
	return err
}

// get reads a row into dest, which stays as it is when there is none.
func (e *edit) get(query string, args []any, dest ...any) error {
	s, err := e.prepared(query)
	if err == nil {
		err = s.QueryRowContext(e.ctx, args...).Scan(dest...)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// meet makes the writer forget what it remembers if another process has changed the index since.
func (e *edit) meet() error {
	var version int64
	err := e.get(`PRAGMA data_version`, nil, &version)
	if w := &e.x.writer; version != w.version {
		w.reset()
		w.version = version
	}
	return err
}

func (e *edit) expect(was map[string]string) error {
	for key, want := range was {
		var value string
		if err := e.get(`SELECT value FROM meta WHERE key = ?`, []any{key}, &value); err != nil {
			return err
		}
		if value != want {
			return ErrConflict
		}
	}
	return nil
}

func (e *edit) mark(marks map[string]string) error {
	for key, value := range marks {
		if err := e.exec(`INSERT INTO meta(key, value) VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value`, key,
			value); err != nil {
			return err
		}
	}
	return nil
}

// index puts the terms of a row into the full-text tables, or takes them out.
func (e *edit) index(r *row, out bool) error {
	all, heads := insertFTS, insertHeads
	if out {
		all, heads = deleteFTS, deleteHeads
	}
	if err := e.exec(all, r.termArgs(false)...); err != nil {
		return err
	}
	return e.exec(heads, r.termArgs(true)...)
}

// termArgs returns what the statements of termStatements take.
func (r *row) termArgs(headsOnly bool) []any {
	args := []any{r.id}
	for i, c := range columns {
		if c.head || !headsOnly {
			args = append(args, r.terms[i])
		}
	}
	return args
}

// makeRoom takes out what is there of the URLs of rows that are to be put in.
func (e *edit) makeRoom(rows []*row) error {
	urls := make([]any, len(rows))
	for i, r := range rows {
		urls[i] = r.doc.URL
	}
	var present []string
	err := e.selectAll(`SELECT url FROM pages WHERE url IN (`+places+`)`, urls, func(rows *sql.Rows) error {
		present = append(present, "")
		return rows.Scan(&present[len(present)-1])
	})
	if err != nil {
		return err
	}
	for _, u := range present {
		if err := e.remove(u); err != nil {
			return err
		}
	}
	return e.execAll(`DELETE FROM refused WHERE url IN (`+places+`)`, urls)
}

// insert puts rows in.
func (e *edit) insert(ctx context.Context, rows []*row) error {
	if err := e.group(rows); err != nil {
		return err
	}
	var pages []any
	for _, r := range rows {
		d := &r.doc
		pages = append(pages, r.id, d.URL, d.Asked, hostOf(d.URL), d.Text.Title, d.Lang, d.Type, d.File, unix(d.Fetched),
			unix(d.Modified), unix(d.Expires), d.Depth, d.Source, d.MaxSnippet, d.NoArchive, int64(d.exact()), int64(d.Near),
			d.Words, r.group, d.Canonical, r.anchor)
	}
	err := e.insertAll(`INSERT INTO pages(id, url, asked, host, title, lang, type, file, fetched, modified, expires, depth, source,
		max_snippet, no_archive, exact, near, words, grp, canonical, anchor)`, 21, pages)
	if err := errors.Join(err, e.putTexts(rows), e.noteSimilar(rows), e.noteAddresses(rows)); err != nil {
		return err
	}
	for _, r := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.index(r, false); err != nil {
			return fmt.Errorf("%s: %w", r.doc.URL, err)
		}
	}
	return nil
}

// remove takes the page at a URL out, if it is there.
func (e *edit) remove(url string) error {
	r, found, err := e.load(`url = ?`, url)
	if !found || err != nil {
		return err
	}
	a := e.x.analyzer()
	defer e.x.giveBack(a)
	r.fill(a, e.x.mode)
	if err := e.index(r, true); err != nil {
		return err
	}
	if err := errors.Join(e.forgetSimilar(r), e.forgetAddresses(r), e.dropText(r.id)); err != nil {
		return err
	}
	e.giveUp(r.names)
	if err := e.exec(`DELETE FROM stale WHERE id = ?`, r.id); err != nil {
		return err
	}
	return e.exec(`DELETE FROM pages WHERE id = ?`, r.id)
}

// load reads a row with its text.
func (e *edit) load(where string, arg any) (*row, bool, error) {
	s, err := e.prepared(`SELECT ` + pageColumns + `, anchor FROM pages WHERE ` + where)
	if err != nil {
		return nil, false, err
	}
	r := &row{}
	err = s.QueryRowContext(e.ctx, arg).Scan(append(r.dest(), &r.anchor)...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	r.times()
	title := r.doc.Text.Title
	if r.doc.Text, r.names, err = e.text(r.id); err != nil {
		return nil, false, err
	}
	r.doc.Text.Title = title
	return r, true, nil
}

// refuse notes why a page is not in the index, and takes it out if it is.
func (e *edit) refuse(r *Refusal) error {
	if err := e.remove(r.URL); err != nil {
		return err
	}
	return e.exec(`INSERT OR REPLACE INTO refused(url, reason, rule, file, line, at, source) VALUES(?, ?, ?, ?, ?, ?, ?)`,
		r.URL, string(r.Reason), cut(r.Rule, 4<<10), r.File, r.Line, unix(r.Time), r.Source)
}

package exportcmd

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"github.com/cybermapper/cybermapper/storage/sqlfile"
)

// deadPages are the pages that have dead links. They are in a temporary file, for a link that is dead may be on all pages. There is
// none until the first is added: where nothing is dead, nothing needs to be written.
type deadPages struct {
	dir   string
	db    *sql.DB
	rows  *rows
	links int
}

// make makes the file.
func (p *deadPages) make(ctx context.Context) (err error) {
	if p.dir, err = os.MkdirTemp("", "cybermapper-dead-links-*"); err != nil {
		return fmt.Errorf("make a directory for temporary files, as TMPDIR says: %w", err)
	}
	if p.db, err = openDatabase(filepath.Join(p.dir, "pages.db")); err != nil {
		return err
	}
	p.rows = &rows{db: p.db}
	_, err = p.db.ExecContext(ctx, `CREATE TABLE pages (link INTEGER, number INTEGER, url TEXT, text TEXT, kind TEXT,
		PRIMARY KEY (link, number)) WITHOUT ROWID`)
	return err
}

// close removes the file, or what there is of it.
func (p *deadPages) close() (err error) {
	if p.db != nil {
		err = errors.Join(p.rows.end(), p.db.Close())
	}
	return errors.Join(err, os.RemoveAll(p.dir))
}

// add notes that a page has a dead link.
func (p *deadPages) add(ctx context.Context, d *deadLink, from linkFrom) error {
	if p.db == nil {
		if err := p.make(ctx); err != nil {
			return err
		}
	}
	if d.number == 0 {
		p.links++
		d.number = p.links
	}
	d.pages++
	if err := p.rows.insert(ctx, "pages", d.number, d.pages, from.URL, from.Text, from.Kind); err != nil {
		return fmt.Errorf("note pages with dead links in %s: %w", p.dir, err)
	}
	return nil
}

// of yields the first pages that have a dead link, as they were added; nothing may be added any more.
func (p *deadPages) of(ctx context.Context, d *deadLink, most int) iter.Seq2[linkFrom, error] {
	if err := p.rows.end(); err != nil {
		return func(yield func(linkFrom, error) bool) { yield(linkFrom{}, err) }
	}
	return sqlfile.Rows(ctx, p.db, func(l *linkFrom) []any { return []any{&l.URL, &l.Text, &l.Kind} },
		`SELECT url, text, kind FROM pages WHERE link = ? AND number <= ? ORDER BY number`, d.number, most)
}

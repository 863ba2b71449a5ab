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

// deadPages are the pages that have dead links. They are in a temporary file, for a link that is dead may be on all pages.
type deadPages struct {
	dir   string
	db    *sql.DB
	rows  *rows
	links int
}

func newDeadPages(ctx context.Context) (p *deadPages, err error) {
	p = &deadPages{}
	if p.dir, err = os.MkdirTemp("", "cybermapper-dead-links-*"); err != nil {
		return nil, fmt.Errorf("make a directory for temporary files, as TMPDIR says: %w", err)
	}
	if p.db, err = openDatabase(filepath.Join(p.dir, "pages.db")); err != nil {
		return nil, errors.Join(err, os.RemoveAll(p.dir))
	}
	p.rows = &rows{db: p.db}
	_, err = p.db.ExecContext(ctx, `CREATE TABLE pages (link INTEGER, number INTEGER, url TEXT, text TEXT, kind TEXT,
		PRIMARY KEY (link, number)) WITHOUT ROWID`)
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// close removes the file.
func (p *deadPages) close() error {
	return errors.Join(p.rows.end(), p.db.Close(), os.RemoveAll(p.dir))
}

// add notes that a page has a dead link.
func (p *deadPages) add(ctx context.Context, d *deadLink, from linkFrom) error {
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

package sqlfile

import (
	"context"
	"database/sql"
	"errors"
)

// A Prepared is a connection, or a transaction, that prepares each statement once: SQLite takes longer to understand a short query
// than to answer it. Close it before what it is made of. It is not safe for concurrent use, and while the rows of a query are read
// the same query cannot be asked.
type Prepared struct {
	of   preparer
	made map[string]*sql.Stmt
}

type preparer interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// NewPrepared returns one of a *sql.Conn or a *sql.Tx.
func NewPrepared(of preparer) *Prepared { return &Prepared{of: of, made: map[string]*sql.Stmt{}} }

// Statement returns the statement of a query, which Close closes.
func (p *Prepared) Statement(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := p.made[query]; ok {
		return s, nil
	}
	s, err := p.of.PrepareContext(ctx, query)
	if err == nil {
		p.made[query] = s
	}
	return s, err
}

// QueryContext makes it a Querier.
func (p *Prepared) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := p.Statement(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// Close closes the statements.
func (p *Prepared) Close() error {
	var errs []error
	for _, s := range p.made {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

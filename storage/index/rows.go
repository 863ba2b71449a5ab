package index

import (
	"context"
	"database/sql"
)

// A querier is a database, or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// all returns what a query gives, a value for each row, whose columns go where dest says. With an error it returns those before it.
func all[T any](ctx context.Context, q querier, dest func(*T) []any, query string, args ...any) (list []T, err error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var v T
		if err := rows.Scan(dest(&v)...); err != nil {
			return list, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

// column is the dest of a query for one column.
func column[T any](v *T) []any { return []any{v} }

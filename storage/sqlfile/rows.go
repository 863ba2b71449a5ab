package sqlfile

import (
	"context"
	"database/sql"
	"iter"
)

// A Querier is a database, or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Rows yields what a query gives, a value for each row, whose columns go where dest says. An error is the last that it yields.
func Rows[T any](ctx context.Context, q Querier, dest func(*T) []any, query string, args ...any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		rows, err := q.QueryContext(ctx, query, args...)
		if err != nil {
			yield(none, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			var v T
			if err := rows.Scan(dest(&v)...); !yield(v, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(none, err)
		}
	}
}

// Column is the dest of a query for one column.
func Column[T any](v *T) []any { return []any{v} }

package index

import (
	"context"

	"github.com/cybermapper/cybermapper/storage/sqlfile"
)

// all returns what a query gives, as sqlfile.Rows does. With an error it returns what came before it.
func all[T any](ctx context.Context, q sqlfile.Querier, dest func(*T) []any, query string, args ...any) (list []T, err error) {
	for v, err := range sqlfile.Rows(ctx, q, dest, query, args...) {
		if err != nil {
			return list, err
		}
		list = append(list, v)
	}
	return list, nil
}

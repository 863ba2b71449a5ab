package index

import (
	"database/sql"
	"strings"
)

// What a statement costs besides its work is as much as to put several rows in, so that many rows are put in and asked for at once.
const perStatement = 64

// places are the parameters of a statement that asks for many values: perStatement of them.
var places = `?` + strings.Repeat(`,?`, perStatement-1)

// given is a table of the same parameters; its column is column1.
var given = `(VALUES ` + strings.Repeat(`(?),`, perStatement-1) + `(?)) given`

// insertAll puts many rows in. into is what stands before the word VALUES, args are the values of all rows, each has width of them.
func (e *edit) insertAll(into string, width int, args []any) error {
	for len(args) > 0 {
		n := 1 // of few sizes, for each is a statement of its own to prepare
		for _, size := range [...]int{perStatement, 8} {
			if len(args) >= size*width {
				n = size
				break
			}
		}
		row := "(?" + strings.Repeat(",?", width-1) + ")"
		if err := e.exec(into+" VALUES "+row+strings.Repeat(","+row, n-1), args[:n*width]...); err != nil {
			return err
		}
		args = args[n*width:]
	}
	return nil
}

// execAll runs a statement with the parameters places for many values.
func (e *edit) execAll(statement string, values []any) error {
	for ; len(values) > 0; values = values[min(len(values), perStatement):] {
		if err := e.exec(statement, filled(values)...); err != nil {
			return err
		}
	}
	return nil
}

// selectAll asks a query with the parameters places, or given, for many values.
func (e *edit) selectAll(query string, values []any, scan func(*sql.Rows) error) error {
	for ; len(values) > 0; values = values[min(len(values), perStatement):] {
		if err := e.each(query, filled(values), scan); err != nil {
			return err
		}
	}
	return nil
}

// each calls scan for the rows that a query gives.
func (e *edit) each(query string, args []any, scan func(*sql.Rows) error) error {
	s, err := e.prepared(query)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(e.ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// filled returns the first values, filled up with NULL, which nothing is equal to.
func filled(values []any) []any {
	if len(values) >= perStatement {
		return values[:perStatement]
	}
	return append(values[:len(values):len(values)], make([]any, perStatement-len(values))...)
}

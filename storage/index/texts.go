package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
)

// Texts stand apart from what else is known of their pages, in pieces of which four fill a page of the file: in rows as long as
// texts are a fifth of the file would be empty, and what is read of many pages at once would lie far apart.
const (
	chunkSize = 1000
	chunkBits = 12 // of the key of a piece: its number; the others are the id of its page
)

const textQuery = `SELECT chunk FROM texts WHERE part >= ? AND part < ? ORDER BY part`

// textRange returns between which keys the pieces of a page lie.
func textRange(id int64) []any { return []any{id << chunkBits, (id + 1) << chunkBits} }

// putTexts writes down the packed texts of pages.
func (e *edit) putTexts(rows []*row) error {
	var pieces []any
	for _, r := range rows {
		part := r.id << chunkBits
		for chunk := range slices.Chunk(r.blob, chunkSize) {
			pieces = append(pieces, part, chunk)
			part++
		}
	}
	return e.insertAll(`INSERT INTO texts(part, chunk)`, 2, pieces)
}

func (e *edit) dropText(id int64) error {
	return e.exec(`DELETE FROM texts WHERE part >= ? AND part < ?`, textRange(id)...)
}

// text returns the text of a page, without its title, and the numbers of what it calls others.
func (e *edit) text(id int64) (t Text, names []int64, err error) {
	s, err := e.prepared(textQuery)
	if err != nil {
		return t, nil, err
	}
	rows, err := s.QueryContext(e.ctx, textRange(id)...)
	if t, names, err = e.x.joined(rows, err); errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%w: %w: page %d has none", ErrDamaged, errBlob, id)
	}
	return t, names, err
}

// text returns the text of a page, without its title. The error is sql.ErrNoRows for a page that was taken out just now.
func (x *Index) text(ctx context.Context, id int64) (Text, error) {
	t, _, err := x.joined(x.read.QueryContext(ctx, textQuery, textRange(id)...))
	return t, err
}

func (x *Index) joined(rows *sql.Rows, err error) (t Text, names []int64, _ error) {
	if err != nil {
		return t, nil, err
	}
	defer rows.Close()
	var blob []byte
	var chunk sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&chunk); err != nil {
			return t, nil, err
		}
		blob = append(blob, chunk...)
	}
	if err := rows.Err(); err != nil {
		return t, nil, err
	}
	if len(blob) == 0 {
		return t, nil, sql.ErrNoRows
	}
	return x.codec.unpack(blob)
}

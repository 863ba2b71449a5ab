package index

import (
	"fmt"
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// Bounds of what is taken for nearly the same text.
const (
	minWords     = 24 // fewer say nothing
	maxDistance  = 3  // bits in which the hashes differ at most
	blocks       = maxDistance + 1
	blockBits    = 64 / blocks
	maxCandidate = 64 // pages looked at for each block: a template without text is near to thousands
)

// exact returns the hash that pages have in common which are the same: that of their words, or if they have few or none, of their
// bytes; 0 when nothing is known of them.
func (d *Document) exact() uint64 {
	switch {
	case d.Exact != 0 && d.Words >= minWords:
		return d.Exact
	case d.Digest != "":
		return xxhash.Sum64String(d.Digest)
	}
	return 0
}

// groupOf returns the group of pages that are, or are nearly, the same as a page; 0 when it is the first of its kind.
func (e *edit) groupOf(d *Document) (group int64, err error) {
	if exact := d.exact(); exact != 0 {
		if found, err := e.get(`SELECT grp FROM pages WHERE exact = ? LIMIT 1`, []any{int64(exact)}, &group); found || err != nil {
			return group, err
		}
	}
	if d.Words < minWords {
		return 0, nil
	}
	for block := range blocks {
		group, err = e.nearest(d, blockOf(d.Near, block))
		if group != 0 || err != nil {
			return group, err
		}
	}
	return 0, nil
}

// candidates is asked with its bound in it: SQLite prepares a statement again whenever a bound that is a parameter gets a value.
var candidates = fmt.Sprintf(`SELECT p.near, p.grp, p.words FROM similar s JOIN pages p ON p.id = s.id WHERE s.block = ?
	LIMIT %d`, maxCandidate)

// nearest returns the group of a page that has a block of its hash in common with d, and differs in few other bits.
func (e *edit) nearest(d *Document, block int64) (int64, error) {
	s, err := e.prepared(candidates)
	if err != nil {
		return 0, err
	}
	rows, err := s.QueryContext(e.ctx, block)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var near, group int64
		var words int
		if err := rows.Scan(&near, &group, &words); err != nil {
			return 0, err
		}
		if bits.OnesCount64(uint64(near)^d.Near) <= maxDistance {
			return group, nil
		}
	}
	return 0, rows.Err()
}

// blockOf returns a part of a hash, and which part it is.
func blockOf(hash uint64, block int) int64 {
	return int64(block)<<blockBits | int64(hash>>(block*blockBits)&(1<<blockBits-1))
}

// noteSimilar lets pages that come later find out that they are nearly the same.
func (e *edit) noteSimilar(r *row) error {
	if r.doc.Words < minWords {
		return nil
	}
	for block := range blocks {
		if _, err := e.exec(`INSERT OR IGNORE INTO similar(block, id) VALUES(?, ?)`, blockOf(r.doc.Near, block), r.id); err != nil {
			return err
		}
	}
	return nil
}

func (e *edit) forgetSimilar(r *row) error {
	if r.doc.Words < minWords {
		return nil
	}
	for block := range blocks {
		if _, err := e.exec(`DELETE FROM similar WHERE block = ? AND id = ?`, blockOf(r.doc.Near, block), r.id); err != nil {
			return err
		}
	}
	return nil
}

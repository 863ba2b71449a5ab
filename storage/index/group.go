package index

import (
	"cmp"
	"database/sql"
	"fmt"
	"math/bits"
	"slices"

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

// A relative is a page that another one may be nearly the same as.
type relative struct {
	near  uint64
	group int64
}

// relatives are the pages that some others may be the same as, or nearly the same.
type relatives struct {
	exact  map[int64]int64      // groups, by the hash of what is the same
	blocks map[int64][]relative // by a block of the hash that they have in common, those first that were put in first
}

// group gives rows their ids, and each the group of the pages that are, or are nearly, the same.
func (e *edit) group(rows []*row) error {
	var last int64
	if err := e.get(`SELECT seq FROM sqlite_sequence WHERE name = 'pages'`, nil, &last); err != nil {
		return err
	}
	known, err := e.relatives(rows)
	if err != nil {
		return err
	}
	for _, r := range rows {
		last++
		r.id = last
		r.group = cmp.Or(known.groupOf(&r.doc), r.id) // else it is the first of its kind
		known.add(r)
	}
	return nil
}

// The first page with the same text is looked for, and the first ones with a block in common: there may be thousands.
var (
	sameQuery = `SELECT exact, grp FROM pages WHERE id IN
		(SELECT (SELECT id FROM pages WHERE exact = given.column1 LIMIT 1) FROM ` + given + `)`
	nearQuery = fmt.Sprintf(`SELECT given.column1, p.near, p.grp FROM %s CROSS JOIN pages p
		WHERE p.id IN (SELECT id FROM similar WHERE block = given.column1 LIMIT %d)`, given, maxCandidate)
)

// relatives looks for the pages that rows may be the same as.
func (e *edit) relatives(rows []*row) (*relatives, error) {
	known := &relatives{exact: map[int64]int64{}, blocks: map[int64][]relative{}}
	var hashes, parts []any
	for _, r := range rows {
		if exact := r.doc.exact(); exact != 0 {
			hashes = append(hashes, int64(exact))
		}
	}
	err := e.selectAll(sameQuery, hashes, func(rows *sql.Rows) error {
		var exact, group int64
		err := rows.Scan(&exact, &group)
		known.exact[exact] = group
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		if r.doc.Words < minWords || known.exact[int64(r.doc.exact())] != 0 {
			continue
		}
		for block := range blocks {
			part := blockOf(r.doc.Near, block)
			if _, met := known.blocks[part]; !met {
				known.blocks[part] = nil
				parts = append(parts, part)
			}
		}
	}
	return known, e.selectAll(nearQuery, parts, func(rows *sql.Rows) error {
		var part, near, group int64
		err := rows.Scan(&part, &near, &group)
		known.blocks[part] = append(known.blocks[part], relative{uint64(near), group})
		return err
	})
}

// groupOf returns the group of pages that are, or are nearly, the same as a page; 0 when there is none.
func (k *relatives) groupOf(d *Document) int64 {
	if group := k.exact[int64(d.exact())]; group != 0 {
		return group
	}
	if d.Words < minWords {
		return 0
	}
	for block := range blocks {
		for _, r := range k.blocks[blockOf(d.Near, block)] {
			if bits.OnesCount64(r.near^d.Near) <= maxDistance {
				return r.group
			}
		}
	}
	return 0
}

// add lets the rows behind it find a row.
func (k *relatives) add(r *row) {
	if exact := int64(r.doc.exact()); exact != 0 && k.exact[exact] == 0 {
		k.exact[exact] = r.group
	}
	if r.doc.Words < minWords {
		return
	}
	for block := range blocks {
		part := blockOf(r.doc.Near, block)
		if list := k.blocks[part]; len(list) < maxCandidate {
			k.blocks[part] = append(list, relative{r.doc.Near, r.group})
		}
	}
}

// blockOf returns a part of a hash, and which part it is.
func blockOf(hash uint64, block int) int64 {
	return int64(block)<<blockBits | int64(hash>>(block*blockBits)&(1<<blockBits-1))
}

// noteSimilar lets pages that come later find out that they are nearly the same.
func (e *edit) noteSimilar(rows []*row) error {
	type entry struct{ part, id int64 }
	var list []entry
	for _, r := range rows {
		for block := range blocks {
			if r.doc.Words >= minWords {
				list = append(list, entry{blockOf(r.doc.Near, block), r.id})
			}
		}
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.id, b.id)) })
	var args []any
	for _, n := range list {
		args = append(args, n.part, n.id)
	}
	return e.insertAll(`INSERT OR IGNORE INTO similar(block, id)`, 2, args)
}

func (e *edit) forgetSimilar(r *row) error {
	if r.doc.Words < minWords {
		return nil
	}
	for block := range blocks {
		if err := e.exec(`DELETE FROM similar WHERE block = ? AND id = ?`, blockOf(r.doc.Near, block), r.id); err != nil {
			return err
		}
	}
	return nil
}

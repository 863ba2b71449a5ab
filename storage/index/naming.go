package index

import (
	"database/sql"
	"maps"
	"slices"
	"strings"
)

// A name is of use while a page in the index has it: what a page calls others leaves with it. So each page has the numbers of the
// names that it uses beside its text, and each name the number of its users.

// use notes that a page uses a name, or 0, one that is not written down.
func (e *edit) use(id int64, r *row) {
	if id != 0 && !slices.Contains(r.names, id) {
		r.names = append(r.names, id)
		e.uses[id]++
	}
}

// remember lets the writer know by which number a link is noted.
func (e *edit) remember(key uint64, id int64) {
	w := &e.x.writer
	if int64(len(w.anchors)) >= e.x.memory/anchorPart {
		w.reset()
	}
	w.anchors[key] = id
}

// giveUp notes that a page which is taken out does not use its names any more.
func (e *edit) giveUp(names []int64) {
	for _, id := range names {
		e.uses[id]--
	}
}

// settle writes down what has changed in how many pages use a name, and drops those that none uses. The pages that were called so
// are to be refreshed.
func (e *edit) settle() (gone map[int64]bool, err error) {
	gone = map[int64]bool{}
	for _, id := range slices.Sorted(maps.Keys(e.uses)) {
		more := e.uses[id]
		if more >= 0 {
			if more > 0 {
				err = e.exec(`UPDATE anchors SET users = users + ? WHERE id = ?`, more, id)
			}
		} else {
			gone[id], err = e.release(id, more)
		}
		if err != nil {
			return nil, err
		}
	}
	clear(e.uses)
	maps.DeleteFunc(gone, func(_ int64, is bool) bool { return !is })
	if len(gone) > 0 { // there is room for names that were one too many
		maps.DeleteFunc(e.x.writer.anchors, func(_ uint64, id int64) bool { return id == 0 || gone[id] })
	}
	return gone, nil
}

// release lets fewer pages use a name, and reports whether it is gone, as none does.
func (e *edit) release(id int64, more int) (gone bool, err error) {
	var left, target int64
	var text string
	err = e.get(`UPDATE anchors SET users = users + ? WHERE id = ? RETURNING users, target, text`, []any{more, id},
		&left, &target, &text)
	if err != nil || left > 0 {
		return false, err
	}
	var ids []any
	err = e.each(`SELECT p.id, p.anchor FROM addresses a JOIN pages p ON p.id = a.id WHERE a.hash = ?`, []any{target},
		func(rows *sql.Rows) error {
			var page int64
			var names string
			err := rows.Scan(&page, &names)
			if slices.Contains(strings.Split(names, "\n"), text) {
				ids = append(ids, page)
			}
			return err
		})
	if err == nil {
		err = e.insertAll(`INSERT OR IGNORE INTO stale(id)`, 1, ids)
	}
	if err == nil {
		err = e.exec(`DELETE FROM anchors WHERE id = ?`, id)
	}
	return true, err
}

// noteAddresses notes by which URLs pages may be named.
func (e *edit) noteAddresses(rows []*row) error {
	var args []any
	for _, r := range rows {
		for _, u := range r.doc.urls() {
			args = append(args, hashURL(u), r.id)
		}
	}
	return e.insertAll(`INSERT INTO addresses(hash, id)`, 2, args)
}

func (e *edit) forgetAddresses(r *row) error {
	for _, u := range r.doc.urls() {
		if err := e.exec(`DELETE FROM addresses WHERE hash = ? AND id = ?`, hashURL(u), r.id); err != nil {
			return err
		}
	}
	return nil
}

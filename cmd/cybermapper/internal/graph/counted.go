package graph

import (
	"cmp"
	"context"
	"database/sql"
	"strings"
)

// countMark is where it stands what the faults were counted in. Of a site with half a million pages that takes longer than anybody
// waits who looks at a page, so it is done once for all of them.
const countMark = "counted"

// countOf is where the number of faults of a kind stands.
func countOf(k Kind) string { return "count " + string(k) }

// isCounted reports whether the faults were counted as the graph is, which now says.
func (g *Graph) isCounted(ctx context.Context) (now string, counted bool, err error) {
	var marks []string
	for _, key := range []string{ledgerMark, pagesMark, countMark} {
		value, e := g.mark(ctx, key)
		marks, err = append(marks, value), cmp.Or(err, e)
	}
	now = strings.Join(marks[:2], ", ") + questions()
	return now, marks[2] == now, err
}

// questions tells what is asked now from what another version asked.
func questions() string {
	var o FaultOptions
	o.setDefaults()
	var all strings.Builder
	for _, k := range Kinds() {
		all.WriteString(questionOf(k, o).faults)
	}
	return ", " + nodeName(idOf(all.String()))
}

// countAll counts the faults of each kind, unless that is done.
func (g *Graph) countAll(ctx context.Context) error {
	now, counted, err := g.isCounted(ctx)
	if err != nil || counted {
		return err
	}
	var o FaultOptions
	o.setDefaults()
	values := map[string]any{countMark: now}
	for _, k := range Kinds() {
		if values[countOf(k)], err = g.count(ctx, k, o); err != nil {
			return err
		}
	}
	return g.change(ctx, func(tx *sql.Tx) error {
		for key, value := range values {
			if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)`, key, value); err != nil {
				return err
			}
		}
		return nil
	})
}

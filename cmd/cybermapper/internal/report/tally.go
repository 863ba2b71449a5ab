package report

import (
	"cmp"
	"slices"
	"strings"
)

// A Row says how often something was seen.
type Row struct {
	Group  string `json:"group,omitempty"` // what the name belongs to: a gate, an outcome
	Name   string `json:"name"`
	Count  int64  `json:"count"`
	Bytes  int64  `json:"bytes,omitempty"`
	Rule   string `json:"rule,omitempty"`   // of the first one, or what was said of it
	Digest string `json:"digest,omitempty"` // of the robots.txt with that rule
	Sample string `json:"sample,omitempty"` // URL of the first one
}

// A Table lists rows, the most frequent first. What is not listed is summed in Others.
type Table struct {
	Rows   []Row `json:"rows"`
	Total  int64 `json:"total"` // with the others
	Others int64 `json:"others,omitempty"`
	Names  int   `json:"names"`          // told apart, listed or not
	Full   bool  `json:"full,omitempty"` // there were more names than can be told apart: Others has them too
}

// A tally counts rows by group and name. It tells at most max names apart and sums up the rest.
type tally struct {
	max  int
	rows map[[2]string]*Row
	rest int64
}

func newTally(max int) *tally { return &tally{max: max, rows: map[[2]string]*Row{}} }

// add counts r once. What else the first row of a name says is kept, shortened; the texts of a row that has no place any more
// are not held on to.
func (t *tally) add(r Row) {
	r.Group, r.Name = clip(r.Group), clip(r.Name)
	row := t.rows[[2]string{r.Group, r.Name}]
	if row == nil {
		if len(t.rows) >= t.max {
			t.rest++
			return
		}
		row = &Row{Group: r.Group, Name: r.Name, Rule: clip(r.Rule), Digest: clip(r.Digest), Sample: clip(r.Sample)}
		t.rows[[2]string{r.Group, r.Name}] = row
	}
	row.Count++
	row.Bytes += r.Bytes
}

// table lists at most max rows.
func (t *tally) table(max int) Table {
	list := Table{Rows: []Row{}, Others: t.rest, Total: t.rest, Names: len(t.rows), Full: t.rest > 0}
	for _, r := range t.rows {
		list.Rows = append(list.Rows, *r)
		list.Total += r.Count
	}
	slices.SortFunc(list.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Group, b.Group), strings.Compare(a.Name, b.Name))
	})
	for _, r := range list.Rows[min(max, len(list.Rows)):] {
		list.Others += r.Count
	}
	list.Rows = list.Rows[:min(max, len(list.Rows))]
	return list
}

// maxText bounds the texts that are kept of a record, in bytes.
const maxText = 2000

// clip returns s, or what begins it and an ellipsis.
func clip(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "") + "…"
}

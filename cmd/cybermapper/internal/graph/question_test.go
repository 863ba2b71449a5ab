package graph

import (
	"database/sql"
	"strings"
	"testing"
)

// A question that looks for something once for each URL, or the pages of one fault, must find it by an index: of a site with a
// hundred thousand pages all else takes minutes.
func TestQuestions_UseIndexes(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each has a memory of its own
	if _, err := db.ExecContext(t.Context(), schema+indexes); err != nil {
		t.Fatal(err)
	}
	for _, k := range Kinds() {
		var o FaultOptions
		o.setDefaults()
		q := questionOf(k, o)
		for _, host := range []string{"", "a.example"} {
			text, values := q.on(host)
			steps := plan(t, db, text, values...)
			if i := strings.Index(steps, "SUBQUERY"); i >= 0 && strings.Contains(steps[i:], "SCAN ") {
				t.Errorf("%s goes through a whole table for each URL:\n%s", k, steps)
			}
		}
		if q.pages == "" {
			continue
		}
		steps := bounded.Replace(plan(t, db, q.pages, 1))
		if strings.Contains(steps, "SCAN ") || strings.Contains(steps, "urls_host") {
			t.Errorf("for each fault of %s a whole table or host is gone through:\n%s", k, steps)
		}
		if strings.Contains(steps, "=? AND host=?") != shared[k] {
			t.Errorf("for each fault of %s all hosts with the same are gone through:\n%s", k, steps)
		}
	}
}

// shared are the kinds whose pages have something in common on their host, which many hosts may have.
var shared = map[Kind]bool{DoubleTitle: true, DoubleDescription: true, Duplicate: true}

// bounded are the steps that go through the redirects to one URL, of which there are few.
var bounded = strings.NewReplacer("SCAN led", "", "SCAN CONSTANT ROW", "")

// plan returns the steps in which a query is answered, one a line.
func plan(t *testing.T, db *sql.DB, query string, values ...any) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, values...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var steps strings.Builder
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		steps.WriteString(step + "\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return steps.String()
}

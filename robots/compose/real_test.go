package compose_test

import (
	"bytes"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/compose"
	"github.com/cybermapper/cybermapper/robots/robotstest"
)

// TestRealFiles minimizes files of real sites, and compares each with what became of it.
func TestRealFiles(t *testing.T) {
	before, after, same := 0, 0, 0
	files := robotstest.Real(t)
	for _, f := range files {
		id, body := f.ID, f.Body
		m := compose.Minimize(body, compose.MinimizeOptions{})
		before, after = before+len(body), after+len(m.Text)
		if bytes.Equal(body, m.Text) {
			same++
		}
		checkMinimized(t, id, body, m.Text)
	}
	t.Logf("%d files, %d bytes became %d, %d stayed as they were", len(files), before, after, same)
}

// TestDamagedFiles does so with the files of the conformance cases, many of which are damaged in some way.
func TestDamagedFiles(t *testing.T) {
	for _, f := range robotstest.Read(t, "../testdata/robots.jsonl") {
		for _, keep := range []bool{false, true} {
			checkMinimized(t, f.ID, f.Body, compose.Minimize(f.Body, compose.MinimizeOptions{KeepComments: keep}).Text)
		}
	}
}

// checkMinimized fails the test if a file and a shorter one are not provably the same, or differ on paths around the rules.
func checkMinimized(t *testing.T, id string, body, text []byte) {
	t.Helper()
	if len(text) > len(body) {
		t.Errorf("%s: %d bytes became %d", id, len(body), len(text))
	}
	paths := compose.Samples(body)
	for _, d := range []robots.Dialect{robots.Cautious, robots.RFC9309} {
		diff := compose.Diff(body, text, compose.DiffOptions{Dialect: d, Paths: paths})
		if !diff.Same() || !diff.Proved {
			t.Errorf("%s: %v: minimized differs (proved equal: %v): %+v", id, d, diff.Proved, diff.Changes)
		}
	}
}

package compose_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/compose"
)

// realFiles returns the files of real sites, where they lie: they are other people's text and not part of the repository.
// ROBOTS_REAL names a file of JSON lines with a field "robots" each, all of which are then read; else it is every tenth.
func realFiles(tb testing.TB) map[string][]byte {
	tb.Helper()
	name := os.Getenv("ROBOTS_REAL")
	if name == "" {
		name = "../../../shared/cases/robots_real.jsonl"
	}
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		tb.Skipf("no files of real sites: %v (set ROBOTS_REAL)", err)
	}
	files := readJSONL(tb, name)
	if os.Getenv("ROBOTS_REAL") == "" {
		for i, id := range slices.Sorted(maps.Keys(files)) {
			if i%10 != 0 {
				delete(files, id)
			}
		}
	}
	return files
}

// readJSONL reads the files in a file of JSON lines.
func readJSONL(tb testing.TB, name string) map[string][]byte {
	tb.Helper()
	f, err := os.Open(name)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	files := map[string][]byte{}
	for in := bufio.NewReader(f); ; {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var site struct {
				ID, Robots string
				Base64     []byte `json:"robots_b64"` // instead of Robots
			}
			if err := json.Unmarshal(line, &site); err != nil {
				tb.Fatal(err)
			}
			files[site.ID] = append(site.Base64, site.Robots...)
		}
		if err != nil {
			return files
		}
	}
}

// TestRealFiles minimizes files of real sites, and compares each with what became of it.
func TestRealFiles(t *testing.T) {
	before, after, same := 0, 0, 0
	files := realFiles(t)
	for id, body := range files {
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
	for id, body := range readJSONL(t, "../testdata/robots.jsonl") {
		for _, keep := range []bool{false, true} {
			checkMinimized(t, id, body, compose.Minimize(body, compose.MinimizeOptions{KeepComments: keep}).Text)
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

package compose_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/compose"
)

// realFiles returns the files of real sites, where they lie: they are other people's text and not part of the repository.
// ROBOTS_REAL names a file of JSON lines with a field "robots" each.
func realFiles(tb testing.TB) map[string][]byte {
	tb.Helper()
	name := os.Getenv("ROBOTS_REAL")
	if name == "" {
		name = "../../../shared/cases/robots_real.jsonl"
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		tb.Skipf("no files of real sites: %v (set ROBOTS_REAL)", err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	files := map[string][]byte{}
	for in := bufio.NewReader(f); ; {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var site struct{ ID, Robots string }
			if err := json.Unmarshal(line, &site); err != nil {
				tb.Fatal(err)
			}
			files[site.ID] = []byte(site.Robots)
		}
		if err != nil {
			return files
		}
	}
}

// TestRealFiles minimizes files of real sites, and compares each with what became of it and with itself.
func TestRealFiles(t *testing.T) {
	before, after, same := 0, 0, 0
	files := realFiles(t)
	for id, body := range files {
		m := compose.Minimize(body, compose.MinimizeOptions{})
		before, after = before+len(body), after+len(m.Text)
		if bytes.Equal(body, m.Text) {
			same++
		}
		if len(m.Text) > len(body) {
			t.Errorf("%s: %d bytes became %d", id, len(body), len(m.Text))
		}
		for _, d := range []robots.Dialect{robots.Cautious, robots.RFC9309} {
			diff := compose.Diff(body, m.Text, compose.DiffOptions{Dialect: d})
			if !diff.Same() || !diff.Proved {
				t.Errorf("%s: %v: minimized differs (proved equal: %v): %+v", id, d, diff.Proved, diff.Changes)
			}
		}
		if d := compose.Diff(body, body, compose.DiffOptions{}); !d.Same() || !d.Proved {
			t.Errorf("%s: differs from itself: %+v", id, d)
		}
	}
	t.Logf("%d files, %d bytes became %d, %d stayed as they were", len(files), before, after, same)
}

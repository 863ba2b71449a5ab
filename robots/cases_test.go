package robots_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
)

// A testCase is a line of testdata/robots.jsonl.
type testCase struct {
	ID      string         `json:"id"`
	Dialect robots.Dialect `json:"dialect"`
	Robots  string         `json:"robots"`
	Base64  []byte         `json:"robots_b64"`
	Repeat  struct {
		Line  string `json:"line"`
		Times int    `json:"times"`
		Then  string `json:"then"`
	} `json:"robots_repeat"`
	Agent string `json:"agent"`
	URL   string `json:"url"`
	Allow bool   `json:"allow"`
	Why   string `json:"why"`
}

func (c testCase) body() []byte {
	if c.Base64 != nil {
		return c.Base64
	}
	return []byte(c.Robots + strings.Repeat(c.Repeat.Line, c.Repeat.Times) + c.Repeat.Then)
}

// pathQuery cuts scheme and authority off a URL.
func pathQuery(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		return rest[i:]
	}
	return ""
}

// origin is the rest of it.
func origin(url string) string { return strings.TrimSuffix(url, pathQuery(url)) }

// readLines decodes a file of JSON lines.
func readLines[T any](tb testing.TB, name string) (lines []T) {
	tb.Helper()
	f, err := os.Open(name)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 4<<20)
	for s.Scan() {
		var v T
		if err := json.Unmarshal(s.Bytes(), &v); err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
		lines = append(lines, v)
	}
	if err := s.Err(); err != nil {
		tb.Fatal(err)
	}
	return lines
}

func TestCases(t *testing.T) {
	for _, c := range readLines[testCase](t, "testdata/robots.jsonl") {
		t.Run(c.ID, func(t *testing.T) {
			rules := robots.Parse(c.body(), c.Dialect).RulesFor(origin(c.URL), c.Agent)
			if v := rules.Test(pathQuery(c.URL)); v.Allowed != c.Allow {
				t.Errorf("%v: Test(%s) for %s = %+v, want %v: %s\n%.300q", c.Dialect, c.URL, c.Agent, v, c.Allow, c.Why, c.body())
			}
		})
	}
}

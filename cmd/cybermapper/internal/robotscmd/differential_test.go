package robotscmd

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/temoto/robotstxt"

	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/robots"
)

// temotoFaults are the cases on which github.com/temoto/robotstxt v1.1.2 departs from RFC 9309, and why. On all others the
// two engines, which share no code, must agree.
var temotoFaults = map[string]string{
	"rfc-0028":      "a rule before the first user-agent line makes the whole file an error (section 2.2.1: it is ignored)",
	"rfc-0166":      "wildcards count less than literal octets in the choice of the longest rule (section 2.2.2)",
	"rfc-0240":      "%24 is not the escape of $ (section 2.2.3)",
	"rfc-0290":      "a group binds robots whose names only begin with its token (section 2.2.1: equality)",
	"both-0081-rfc": "a rule cut by a comment to / alone is lost (section 2.2)",
}

func TestDifferential_Temoto(t *testing.T) {
	f, err := os.Open(filepath.FromSlash("../../../../robots/testdata/robots.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	compared, differ := 0, map[string]bool{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var c testCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if c.Dialect != robots.RFC9309 {
			continue
		}
		body, err := c.body()
		if err != nil {
			t.Fatal(err)
		}
		u := frontiertest.URL(t, c.URL)
		ours := robots.Parse(body, robots.RFC9309).RulesFor(u.Origin(), c.Agent).Test(u.PathQuery()).Allowed
		file, err := robotstxt.FromBytes(body)
		theirs := err == nil && file.TestAgent(u.PathQuery(), c.Agent)
		compared++
		if ours != theirs {
			differ[c.ID] = true
			if temotoFaults[c.ID] == "" {
				t.Errorf("%s: ours %v, temoto %v (%v): %q asked by %s for %s: %s", c.ID, ours, theirs, err, c.Robots, c.Agent, c.URL, c.Why)
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if compared < 80 {
		t.Errorf("%d cases compared, want at least 80", compared)
	}
	for id, fault := range temotoFaults {
		if !differ[id] {
			t.Errorf("%s: no difference any more, listed as %q", id, fault)
		}
	}
}

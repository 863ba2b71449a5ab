package explain_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/explain"
)

// TestRealFiles explains the files of real sites, where they lie: they are other people's text and not part of the
// repository. What is said of each path must be what package robots says.
func TestRealFiles(t *testing.T) {
	name := os.Getenv("ROBOTS_REAL")
	if name == "" {
		name = "../../../shared/cases/robots_real.jsonl"
	}
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no files of real sites: %v (set ROBOTS_REAL)", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var site struct{ ID, Robots string }
		if err := json.Unmarshal(lines.Bytes(), &site); err != nil {
			t.Fatal(err)
		}
		f := robots.Parse([]byte(site.Robots), robots.Cautious)
		for _, p := range explain.File(f, []string{"cybermapper", "Googlebot"}, nil).Products {
			rules := f.Rules(p.Name)
			for _, path := range p.Paths {
				if v := rules.Test(path.Path); v.Allowed != path.Allowed || v.Line != path.Line || path.Says == "" {
					t.Errorf("%s: %s: %+v, but the verdict is %+v", site.ID, p.Name, path, v)
				}
			}
			if p.Says == "" || p.Group == "" || p.Delay.Says == "" {
				t.Errorf("%s: nothing to say about %s: %+v", site.ID, p.Name, p)
			}
		}
	}
}

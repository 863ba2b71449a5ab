package job_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

func countSeeds(t *testing.T, j *job.Job) map[string]int {
	t.Helper()
	known := map[string]int{}
	for s, err := range job.EachSeed(j.Path("")) {
		if err != nil {
			t.Fatal(err)
		}
		known[s.URL.String()]++
	}
	return known
}

// A list that is taken in halfway stays, and goes to the seeds as a whole.
func TestJob_TakesInLists(t *testing.T) {
	j, err := job.Open(t.TempDir(), job.Crawl)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	before, _ := frontier.ParseURL("http://before.example/")
	if err := j.AddSeeds([]seed.Seed{{URL: before}}); err != nil {
		t.Fatal(err)
	}
	const list = "http://a.example/\nnothing\n{\"url\":\"http://b.example/\",\"note\":\"by mail\"}\nhttp://c.example/"
	for round := range 3 {
		if err := j.Spool(t.Context(), strings.NewReader(list)); err != nil {
			t.Fatal(err)
		}
		lists, err := j.Incoming()
		if err != nil || len(lists) != 1 && round < 2 || len(lists) != 0 && round == 2 {
			t.Fatalf("round %d: lists %q, %v", round, lists, err)
		}
		for _, name := range lists {
			good, bad := 0, 0
			for _, err := range j.EachIncoming(name, frontier.ParseURL) {
				if errors.As(err, new(*seed.Bad)) {
					bad++
				} else if err != nil {
					t.Fatal(err)
				} else {
					good++
				}
				if round == 0 && good == 2 {
					break // killed, say
				}
			}
			if n := len(countSeeds(t, j)); round == 0 && n != 1 || round == 1 && (n != 4 || good != 3 || bad != 1) {
				t.Errorf("round %d: %d seeds, %d good, %d bad", round, n, good, bad)
			}
		}
	}
	left, _ := filepath.Glob(filepath.Join(j.Path(job.SeedsDir), "*.tmp"))
	if len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// A seed that is added to many is appended, behind a line that was never finished.
func TestAddSeeds_Appends(t *testing.T) {
	j, err := job.Open(t.TempDir(), job.Crawl)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	var many strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&many, "http://h%d.example/with/a/path/\n", i)
	}
	many.WriteString("http://unfinished.example/")
	filetest.Write(t, j.Path(job.SeedsFile), many.String())
	late, _ := frontier.ParseURL("http://late.example/")
	known, _ := frontier.ParseURL("http://h59999.example/with/a/path/")
	for range 2 {
		if err := j.AddSeeds([]seed.Seed{{URL: late}, {URL: known}, {URL: late}}); err != nil {
			t.Fatal(err)
		}
		if got := countSeeds(t, j); len(got) != 60_002 || got[late.String()] != 1 || got[known.String()] != 1 {
			t.Errorf("%d seeds, the added one %d times", len(got), got[late.String()])
		}
	}
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/engine"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// A list that comes through a pipe is waited for as long as its writer likes: the crawl begins with what is there, and ends when it
// is told to.
func TestSeeds_OfASilentPipe(t *testing.T) {
	for _, lines := range []int{1, engine.MaxHeldSeeds + 10} {
		t.Run(fmt.Sprint(lines), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			site := webtest.New(t).Site(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				cancel()
				http.NotFound(w, nil)
			}))
			in, to := io.Pipe()
			defer to.Close()
			var writing sync.WaitGroup
			writing.Go(func() {
				for i := range lines {
					fmt.Fprintf(to, "%s/%d\n", site.URL, i)
				}
				if lines < engine.MaxHeldSeeds {
					cancel() // nothing is asked for before the first seeds are there
				}
			})
			var out bytes.Buffer
			dir := filepath.Join(t.TempDir(), "job")
			args := []string{"crawl", "--seeds", "-", "--job", dir, "--allow-private", "--quiet", "--delay", "1ms"}
			if code := run(ctx, args, in, &out, &out); code != cli.ExitInterrupted {
				t.Errorf("exit code %d\n%s", code, &out)
			}
			if lines > engine.MaxHeldSeeds && !strings.Contains(out.String(), "give it again") {
				t.Errorf("it does not say that there are more seeds\n%s", &out)
			}
			in.Close()
			writing.Wait()
		})
	}
}

// Promise 5, of seeds: those that are not held are taken in while the crawl runs. What was out of scope when it was found, since
// its seed had not been read yet, is visited all the same; the job has every seed, once, also when the list is given again.
func TestPromise_ManySeedsAreNotHeld(t *testing.T) {
	t.Parallel()
	web := webtest.New(t)
	late := web.Site(webtest.Pages{
		"/": {Body: "a seed at the end"}, "/linked": {Body: "known by a link"}, "/marked": {Body: "a seed with a note"},
	})
	first := web.Site(webtest.Pages{
		"/robots.txt": {Body: "User-agent: *\nDisallow: /closed/\n"},
		"/":           {Body: `<a href="` + late.URL + `/linked">out of scope as yet</a>`},
	})
	var list strings.Builder
	fmt.Fprintln(&list, first.URL+"/")
	n := 1
	for ; n < engine.MaxHeldSeeds+1500; n++ {
		fmt.Fprintf(&list, "%s/closed/%d\n", first.URL, n)
	}
	fmt.Fprintf(&list, "no seed\n%s/\n{\"url\":%q,\"note\":\"why\"}\n", late.URL, late.URL+"/marked")
	n += 2
	seeds, dir := filepath.Join(t.TempDir(), "list"), filepath.Join(t.TempDir(), "job")
	filetest.Write(t, seeds, list.String())
	for again := range 2 {
		line := fmt.Sprintf("crawl --seeds %s --job %s --allow-private --delay 1ms --delay-factor 0", seeds, dir)
		code, out := runCommand(t.Context(), line)
		if code != cli.ExitDone || again == 0 && !strings.Contains(out, "skipped") {
			t.Fatalf("exit code %d\n%s", code, out)
		}
		for _, path := range []string{"/", "/linked", "/marked"} {
			if asked := late.Hits().Count(path); asked != 1 {
				t.Errorf("%s, whose seed comes late, was asked for %d times", path, asked)
			}
		}
		known := map[string]int{}
		for s, err := range job.EachSeed(dir) {
			if err != nil {
				t.Fatal(err)
			}
			known[s.URL.String()]++
		}
		if len(known) != n || known[late.URL+"/"] != 1 || known[first.URL+"/"] != 1 {
			t.Errorf("the job has %d seeds, want %d", len(known), n)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, job.SeedsDir, "*.*")); len(left) != 1 {
		t.Errorf("left in the folder of lists: %q", left)
	}
	mustBeProven(t, dir)
}

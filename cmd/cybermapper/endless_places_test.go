package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// Ensure that one crawl by the command of sites with each kind of endless place, at full speed, takes few pages of these and all
// the honest ones, and says of each place that it is parked.
func TestEndlessPlaces(t *testing.T) {
	if testing.Short() {
		t.Skip("it crawls thirteen thousand pages")
	}
	t.Parallel()
	web := webtest.New(t)
	var kinds []*webtest.Endless
	var sites []*webtest.Site
	args := []string{
		"crawl", "--allow-private", "--quiet", "--delay", "0", "--delay-factor", "0", "--patience", "10s", "--depth", "-1",
		"--max-pages", "40000", // so that a place that is not noticed has an end
	}
	for _, e := range webtest.EndlessKinds() {
		if e.Within("", "/place/") { // hosts without end have no addresses here
			kinds, sites = append(kinds, e), append(sites, web.Site(e.Site))
			args = append(args, sites[len(sites)-1].URL+"/")
		}
	}
	job := filepath.Join(t.TempDir(), "job")
	var stderr bytes.Buffer
	cmd := process(t, append(args, "--job", job)...)
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != cli.ExitLimit {
		t.Fatalf("the crawl ended with %v\n%s", err, &stderr)
	}
	parked := map[string]int{} // by origin
	for _, r := range recordsOf(t, job, ledger.Refusal) {
		for _, s := range sites {
			if r.Reason == "looks-endless" && strings.HasPrefix(r.URL, s.URL+"/") {
				parked[s.URL]++
			}
		}
	}
	for i, e := range kinds {
		within, honest := 0, map[string]bool{}
		for _, h := range sites[i].Hits() {
			switch {
			case h.Status != http.StatusOK:
			case e.Within("", h.Path):
				within++
			default:
				honest[h.Path] = true
			}
		}
		t.Logf("%-36s %4d pages of the place, %5d refusals", e.Name, within, parked[sites[i].URL])
		if within > e.Most || parked[sites[i].URL] == 0 {
			t.Errorf("%s: %d pages of the place were asked for, want at most %d, and the rest parked", e.Name, within, e.Most)
		}
		for _, path := range e.Honest {
			if !honest[path] {
				t.Errorf("%s: %s was not asked for", e.Name, path)
			}
		}
	}
}

// Of a book whose chapters lead to the next one only, the last is read as the first is: no bound is there by default on how far a
// page lies from a seed.
func TestEndlessPlaces_LongBook(t *testing.T) {
	const chapters = 150
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string { return strconv.FormatUint(random.Uint64N(1<<24), 36) }
	names := make([]string, chapters+1)
	for i := range names {
		names[i] = "/chapter/" + word()
	}
	pages := webtest.Pages{"/": {Body: `<title>Book</title><a href="` + names[0] + `">begin</a>`}}
	for i, name := range names[:chapters] {
		var text strings.Builder
		for range 300 {
			text.WriteString(word() + " ")
		}
		pages[name] = webtest.Page{Body: fmt.Sprintf("<title>Chapter %d</title><p>%s</p><a href='%s'>next</a>", i, &text, names[i+1])}
	}
	site := webtest.New(t).Site(pages)
	mustRun(t, strings.Fields("crawl --quiet --allow-private --delay 1ms --delay-factor 0 --job "+t.TempDir()+"/job "+site.URL+"/")...)
	read := 0
	for _, h := range site.Hits() {
		if strings.HasPrefix(h.Path, "/chapter/") {
			read++
		}
	}
	if read != chapters+1 { // the last leads to one that is not there
		t.Errorf("%d of %d chapters were read", read, chapters)
	}
}

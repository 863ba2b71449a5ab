package progress

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/frontier/memory"
)

// TestRead_Emptied: a report is not worth a wait of the disk, so that a loss of power may empty it, which says nothing of the job.
func TestRead_Emptied(t *testing.T) {
	name := filepath.Join(t.TempDir(), "status.json")
	if err := (&Report{State: Ended}).Write(name); err != nil {
		t.Fatal(err)
	}
	if r, err := Read(name); err != nil || r.State != Ended {
		t.Fatalf("Read = %+v, %v, want what was written", r, err)
	}
	if err := os.Truncate(name, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of an empty file: %v, want %v", err, fs.ErrNotExist)
	}
}

func TestReportNamesEveryReasonAndWhoIsLeftWaiting(t *testing.T) {
	r := &Report{
		State: Ended, End: crawler.EndWaiting, Seconds: 61, WaitingN: 12,
		Run: crawler.Counts{
			Requests: 1210, Robots: 3, Sitemaps: 2, Links: 9000, Listed: 5000, Pages: 1200, Codes: map[int]int64{200: 1200, 404: 3},
			Reasons: map[crawler.Reason]int64{crawler.ReasonDisallowed: 7, crawler.ReasonOutOfScope: 1500},
		},
	}
	for i := range 12 {
		r.Waiting = append(r.Waiting, WaitingSite{Site: fmt.Sprintf("h%d.example", i), Until: time.Now().Add(time.Hour), Reason: "unavailable", Queued: 5})
	}
	var b strings.Builder
	r.Print(&b, translate.Language{})
	for _, want := range []string{
		"end        some hosts must wait", "after 1m1s", "pages      1,200,",
		"requests   1,210 (3 for robots.txt, 2 for sitemaps)\n", "links      9,000 found, 5,000 of them in sitemaps, 0 new\n", "  1,500  out-of-scope\n", "      7  robots-disallow\n",
		"  1,200  200\n", "      3  404\n", "waiting    12 sites\n", "h9.example until ", ": unavailable, 5 queued\n", "and 2 more, see report.json\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, &b)
		}
	}
	if strings.Contains(b.String(), "h10.example") {
		t.Errorf("the report names more than %d sites:\n%s", shownWaiting, &b)
	}
}

// Whose site is made by scripts is told why there is one page only, or why all pages say the same.
func TestReport_WithoutLinks(t *testing.T) {
	const links, texts = "no page has a link to others;", "no page has a link; what only scripts make of pages"
	refused := map[crawler.Reason]int64{crawler.ReasonOutOfScope: 2}
	moved := map[int]int64{301: 1, 200: 1}
	for _, test := range []struct {
		run   crawler.Counts
		total Totals
		told  string
		leads []Beyond
	}{
		{crawler.Counts{Pages: 1}, Totals{Pages: 1, Known: 1}, links, nil},
		{crawler.Counts{Pages: 1, Links: 3}, Totals{Pages: 1, Known: 1}, links, nil}, // as #/users
		{crawler.Counts{Pages: 1, Links: 3, Requisites: 2}, Totals{Pages: 1, Known: 3}, links, nil},
		{crawler.Counts{Pages: 1, Links: 3, Codes: moved}, Totals{Pages: 1, Known: 2}, links, nil},
		{crawler.Counts{Pages: 1, Links: 3, Codes: moved}, Totals{Pages: 1, Known: 3}, "", nil},
		{crawler.Counts{Pages: 9, Links: 8, Listed: 8}, Totals{Pages: 9, Known: 9}, texts, nil},
		{crawler.Counts{Pages: 9, Links: 9, Listed: 8}, Totals{Pages: 9, Known: 9}, "", nil},
		{crawler.Counts{Pages: 1, Links: 2, Reasons: refused}, Totals{Pages: 1, Known: 1}, "", []Beyond{{"a.example", 2}}},
		{crawler.Counts{Pages: 1, Links: 2, Requisites: 2, Reasons: refused}, Totals{Pages: 1, Known: 3}, links, nil}, // fonts
		{crawler.Counts{Pages: 1, Links: 2}, Totals{Pages: 1, Known: 3}, "", nil},
		{crawler.Counts{}, Totals{Pages: 5, Known: 5}, "", nil},
		{crawler.Counts{Pages: 1}, Totals{Pages: 5, Known: 5}, "", nil},
		{crawler.Counts{Pages: 5, Links: 9}, Totals{Pages: 5, Known: 5}, "", nil}, // all once more
	} {
		r := &Report{State: Ended, End: crawler.EndDone, Run: test.run, Total: test.total, Beyond: test.leads}
		var b strings.Builder
		r.Print(&b, translate.Language{})
		told := ""
		for _, hint := range []string{links, texts} {
			if strings.Contains(b.String(), "new\n           "+hint) {
				told += hint
			}
		}
		if told != test.told {
			t.Errorf("want %q:\n%s", test.told, &b)
		}
	}
}

func TestWaitingSites(t *testing.T) {
	ctx := t.Context()
	f := memory.New()
	defer f.Close()
	var links []frontier.Link
	for _, raw := range []string{"http://blocked.example/", "http://due.example/"} {
		links = append(links, frontier.Link{URL: frontiertest.URL(t, raw)})
	}
	if _, err := f.Add(ctx, links); err != nil {
		t.Fatal(err)
	}
	until := time.Now().Add(time.Hour)
	block(t, f, "blocked.example", until)
	got, n, err := Waiting(ctx, f, &crawler.Config{}, time.Now(), UsualPause)
	if err != nil {
		t.Fatal(err)
	}
	if n != 1 || len(got) != 1 || got[0].Site != "blocked.example" || got[0].Reason != "unavailable" || got[0].Queued != 1 || got[0].Until.Before(until) {
		t.Errorf("WaitingSites = %+v (%d), want blocked.example until %s", got, n, until)
	}
}

// block leases sites until it has the one named, and blocks it.
func block(t *testing.T, f frontier.Frontier, site string, until time.Time) {
	t.Helper()
	for {
		lease, err := f.Lease(context.WithoutCancel(t.Context()), 0)
		if err != nil {
			t.Fatal(err)
		}
		defer lease.Close()
		if lease.Site() == site {
			if err := lease.SetPolicy(t.Context(), frontier.SitePolicy{BlockedUntil: until, BlockReason: "unavailable"}); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
}

func TestReportSurvivesTheDisk(t *testing.T) {
	name := t.TempDir() + "/report.json"
	want := &Report{Format: 1, State: Ended, End: crawler.EndDone, Run: crawler.Counts{Pages: 3, Codes: map[int]int64{200: 3}}}
	if err := want.Write(name); err != nil {
		t.Fatal(err)
	}
	got, err := Read(name)
	if err != nil {
		t.Fatal(err)
	}
	if got.End != want.End || got.Run.Codes[200] != 3 {
		t.Errorf("read %+v, want %+v", got, want)
	}
}

func TestLeft(t *testing.T) {
	f := memory.New()
	defer f.Close()
	var links []frontier.Link
	for _, raw := range []string{"http://a.example/", "http://a.example/1", "http://b.example/"} {
		links = append(links, frontier.Link{URL: frontiertest.URL(t, raw)})
	}
	pace := UsualPace(&crawler.Config{
		Politeness: crawler.Politeness{Delay: 10 * time.Second}, Hosts: map[string]crawler.Override{"b.example": {Delay: time.Second}},
	})
	for _, tt := range []struct {
		links []frontier.Link
		want  ETA
	}{
		{nil, ETA{}},
		{links, ETA{Seconds: 20, AtLeast: true, Why: "a.example: 2 URLs at 10s a page", Site: "a.example"}},
	} {
		if _, err := f.Add(t.Context(), tt.links); err != nil {
			t.Fatal(err)
		}
		if got, err := Left(t.Context(), f, pace, time.Now().Add(time.Second)); err != nil || got != tt.want {
			t.Errorf("left %+v, %v, want %+v", got, err, tt.want)
		}
	}
}

// What is said of seeds that gave no page is said in each language, but for what was read elsewhere: rules and errors.
func TestReport_SaysSeedsInEachLanguage(t *testing.T) {
	r := &Report{SeedsN: 4, Seeds: []Seed{
		{URL: "http://a.example/", State: "done", Code: 404, Text: "answered 404 Not Found", Hint: "check the address; --again=all asks again"},
		{URL: "http://b.example/", State: "refused", Reason: string(crawler.ReasonDisallowed), Detail: "line 2: Disallow: /",
			Text: "refused: robots.txt does not allow it (line 2: Disallow: /)"},
		{URL: "http://c.example/", State: "refused", Target: "http://d.example/", Reason: string(crawler.ReasonOutOfScope),
			Text: "redirects to http://d.example/, which is refused: outside the scope of the crawl",
			Hint: "give http://d.example/ as a seed, or --scope any"},
		{URL: "http://e.example/", State: "queued", Text: "not asked for yet"},
	}}
	for name, wants := range map[string][]string{
		"en": {"answered 404 Not Found", "try: check the address; --again=all asks again", "which is refused", "or --scope any"},
		"es": {"respondió 404 Not Found\n    pruebe: compruebe la dirección", "robots.txt no lo permite (line 2: Disallow: /)",
			"redirige a http://d.example/: rechazada: fuera del alcance", "o --scope any", "aún no se ha pedido"},
		"ru": {"ответ 404 Not Found\n    что делать: проверьте адрес", "robots.txt этого не разрешает (line 2: Disallow: /)"},
		"th": {"ตอบ 404 Not Found\n    ลอง: ตรวจสอบที่อยู่", "robots.txt ไม่อนุญาต (line 2: Disallow: /)"},
	} {
		in, _ := translate.In(name)
		var b strings.Builder
		r.PrintSeeds(&b, in)
		for _, want := range wants {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: %q is not said in\n%s", name, want, &b)
			}
		}
		if name != "en" && strings.Contains(b.String(), "refused") {
			t.Errorf("%s: some of it is English:\n%s", name, &b)
		}
	}
}

// Ensure that who gives a front page which asks robots not to follow its links is told why that page is all.
func TestReport_SaysThatNothingMayBeFollowed(t *testing.T) {
	const said = "nofollow   pages ask robots not to follow their links, and no others led further\n" +
		"           more seeds, or crawl --sitemaps, may\n"
	for _, tt := range []struct {
		links, known, redirects int64
		want                    bool
	}{{0, 1, 0, true}, {3, 4, 0, false}, {0, 4, 0, false}, {1, 2, 1, true}, {2, 3, 1, false}} {
		r := &Report{State: Ended, End: crawler.EndDone, Total: Totals{Known: tt.known, Done: 1 + tt.redirects, Pages: 1},
			Run: crawler.Counts{New: tt.links, Pages: 1, Codes: map[int]int64{200: 1, 302: tt.redirects},
				Reasons: map[crawler.Reason]int64{crawler.ReasonNofollowPage: 9}}}
		var b strings.Builder
		r.Print(&b, translate.Language{})
		if got := strings.Contains(b.String(), said); got != tt.want {
			t.Errorf("%d new links, %d URLs: it is said %v, want %v:\n%s", tt.links, tt.known, got, tt.want, &b)
		}
	}
}

package explain

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/ledger/ledgertest"
)

// wildRecords yields records of each type about a few sites, some of which are met at the beginning only.
func wildRecords(seed uint64) func(yield func(ledger.Record) bool) {
	return func(yield func(ledger.Record) bool) {
		random := rand.New(rand.NewPCG(seed, 0))
		types := []ledger.Type{
			ledger.Request, ledger.Request, ledger.Request, ledger.Outcome, ledger.Refusal, ledger.Refusal, ledger.Rest, ledger.Seed, ledger.Purge, ledger.Run,
		}
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for i := range 600 {
			at = at.Add(time.Second)
			site := fmt.Sprintf("%d.example", random.IntN(2+i/50))
			r := ledger.Record{Type: types[random.IntN(len(types))], Time: at, Site: site}
			r.URL = fmt.Sprintf("http://%s/%d", site, random.IntN(12))
			if random.IntN(4) == 0 {
				r.Via = fmt.Sprintf("https://%d.example:80/", random.IntN(12))
			}
			switch r.Type {
			case ledger.Request:
				r.Start, r.End, r.Purpose, r.Status = at, at.Add(time.Millisecond), "page", 200
				r.Owed, r.Kept, r.Gap, r.GapWhy = 3000, 4000, 3000, "floor"
				if random.IntN(6) == 0 {
					r.Purpose, r.Origin, r.URL, r.Outcome = "robots", "http://"+site, "http://"+site+"/robots.txt", "found"
					r.Digest = fmt.Sprintf("sha256:%064d", random.IntN(3))
				}
			case ledger.Refusal:
				r.Site, r.Gate, r.Reason, r.Rule = "", "scope", "out-of-scope", "host"
				if random.IntN(3) == 0 {
					r.Gate, r.Reason, r.Rule = "trap", "path-length", "more than 10"
				}
			case ledger.Outcome:
				r.Site, r.Outcome = "", []string{"done", "failed", "retrying"}[random.IntN(3)]
			case ledger.Rest:
				r.URL, r.Reason, r.NotBefore = "", "server-error", at.Add(time.Hour)
			case ledger.Run:
				r = ledger.Record{Type: ledger.Run, Time: at, Event: []string{"start", "stop"}[random.IntN(2)], Why: "limit"}
			}
			if !yield(r) {
				return
			}
		}
	}
}

// packedJob returns a look at a job whose ledger lies in many files, all but the last one packed and described.
func packedJob(t *testing.T, seed uint64) *job.View {
	t.Helper()
	v := jobOf(t, func(func(ledger.Record) bool) {})
	dir := v.Path(job.LedgerDir)
	ledgertest.Write(t, dir, ledger.Options{MaxFile: 4000}, slices.Collect(wildRecords(seed))...)
	packAll(t, dir, ledger.Options{MaxFile: 4000})
	return v
}

// packAll packs and describes all files of a ledger but the last one. Closing a ledger waits for that a second only.
func packAll(t testing.TB, dir string, o ledger.Options) {
	t.Helper()
	for plain := 2; plain > 1; {
		ledgertest.Write(t, dir, o)
		names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
		if plain = len(names); err != nil {
			t.Fatal(err)
		}
	}
	if err := ledger.Describe(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
}

// wholeHistory is what readHistory finds, by reading every record of the ledger.
func wholeHistory(t *testing.T, v *job.View, u frontier.URL) *history {
	t.Helper()
	h := &history{}
	var before *ledger.Record
	for r, err := range ledger.Read(v.Path(job.LedgerDir), ledger.ReadOptions{}) {
		if ledgerError(err) != nil {
			t.Fatal(err)
		}
		if err == nil && r.URL == u.String() {
			h.add(r, before)
		}
		if r.Type == ledger.Rest && r.Site == u.Site() {
			h.rests = []ledger.Record{r}
		}
		if r.Type == ledger.Request && r.Site == u.Site() {
			before = &r
		}
	}
	return h
}

// What the contents of a ledger leave out changes no answer, whatever has become of them and of the ledger.
func TestAnswersAreThoseOfTheWholeLedger(t *testing.T) {
	whole := packedJob(t, 1)
	for name, damage := range map[string]func(dir string) error{
		"sound":                 func(string) error { return nil },
		"contents lost":         func(dir string) error { return os.Remove(filepath.Join(dir, "contents")) },
		"half the contents":     func(dir string) error { return os.Truncate(filepath.Join(dir, "contents"), 3000) },
		"a file lost":           func(dir string) error { return os.Remove(filepath.Join(dir, "ledger-000007.jsonl.zst")) },
		"a file cut off":        func(dir string) error { return os.Truncate(filepath.Join(dir, "ledger-000009.jsonl.zst"), 300) },
		"killed while it wrote": func(dir string) error { return appendTo(dir, `{"seq":1000,"prev":"00`) },
		"no record":             func(dir string) error { return appendTo(dir, "nonsense\n") },
	} {
		v := &job.View{Dir: t.TempDir(), Running: true}
		filetest.Copy(t, v.Dir, whole.Dir)
		if err := damage(v.Path(job.LedgerDir)); err != nil {
			t.Fatal(err)
		}
		compareAnswers(t, name, v)
	}
}

// appendTo appends text to the last file of a ledger.
func appendTo(dir, text string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return err
	}
	f, err := os.OpenFile(names[len(names)-1], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(text)
	return err
}

// compareAnswers compares what is said of each URL and site with what is said when the whole ledger is read.
func compareAnswers(t *testing.T, when string, v *job.View) {
	t.Helper()
	bare := &job.View{Dir: t.TempDir(), Running: true}
	filetest.Copy(t, bare.Dir, v.Dir)
	os.Remove(filepath.Join(bare.Path(job.LedgerDir), "contents"))
	for s := 0; s < 15; s += 3 {
		site := fmt.Sprintf("%d.example", s)
		if got, want := siteText(t, v, site), siteText(t, bare, site); got != want {
			t.Fatalf("%s: of %s (-want +got):\n%s", when, site, cmp.Diff(want, got))
		}
		for _, path := range []string{"0", "3", "11", "robots.txt", "none"} {
			u := frontiertest.URL(t, "http://"+site+"/"+path)
			h, err := readHistory(v, u)
			if err != nil {
				t.Fatal(err)
			}
			exporter := cmp.AllowUnexported(history{}, attempt{})
			if diff := cmp.Diff(wholeHistory(t, v, u), h, exporter); diff != "" {
				t.Fatalf("%s: of %s (-want +got):\n%s", when, u, diff)
			}
			if got, want := urlText(t, v, u), urlText(t, bare, u); got != want {
				t.Fatalf("%s: of %s (-want +got):\n%s", when, u, cmp.Diff(want, got))
			}
		}
	}
}

func siteText(t *testing.T, v *job.View, site string) string {
	t.Helper()
	r, known, err := Site(t.Context(), v, site)
	if err != nil {
		t.Fatal(err)
	}
	return inJSON(t, r, known)
}

func urlText(t *testing.T, v *job.View, u frontier.URL) string {
	t.Helper()
	e, err := URL(t.Context(), v, u)
	if err != nil {
		t.Fatal(err)
	}
	if e.Known() {
		return inJSON(t, e)
	}
	near, err := NearURL(t.Context(), v, u)
	if err != nil {
		t.Fatal(err)
	}
	return inJSON(t, e, near)
}

func inJSON(t *testing.T, values ...any) string {
	t.Helper()
	var all []string
	for _, v := range values {
		text, err := json.MarshalIndent(v, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return strings.Join(all, "\n")
}

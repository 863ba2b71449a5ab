package audit

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/ledger/ledgertest"
)

// What a crawl finds may have been there since it looked before, at the same origin.
func TestCopiesOfJob_Earliest(t *testing.T) {
	dir := t.TempDir()
	at := func(hours int) time.Time { return time.Date(2026, 3, 1, hours, 0, 0, 0, time.UTC) }
	for _, look := range []struct {
		origin string
		hour   int
		body   string
	}{{"http://a.example", 0, "a"}, {"http://b.example", 3, "b"}, {"http://a.example", 20, "c"}} {
		digest, err := robots.DirBodies(filepath.Join(dir, job.RobotsDir)).Put([]byte(look.body))
		if err != nil {
			t.Fatal(err)
		}
		ledgertest.Write(t, filepath.Join(dir, job.LedgerDir), ledger.Options{}, ledger.Record{
			Type: ledger.Request, URL: look.origin + "/robots.txt", Site: look.origin, Purpose: "robots",
			Origin: look.origin, Start: at(look.hour), Status: 200, Outcome: string(robots.Found), Digest: digest,
		})
	}
	copies, err := copiesOfJob(dir)
	if err != nil || len(copies) != 3 {
		t.Fatalf("%+v, %v", copies, err)
	}
	for i, want := range []time.Time{{}, {}, at(0)} {
		if !copies[i].Earliest.Equal(want) {
			t.Errorf("copy %d may have been there since %v, want %v", i, copies[i].Earliest, want)
		}
	}
}

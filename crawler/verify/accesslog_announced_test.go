package verify_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/storage/checkpoint"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A ledger that was made anew is contradicted by what requests said of it in the log of a site.
func TestCompare_AnnouncedHeads(t *testing.T) {
	again := func() []ledger.Record {
		r := story()
		return append(r, r[0], robotsRequest(100000))
	}
	head := func(records []ledger.Record, size int64) string {
		var tree checkpoint.Tree
		if err := tree.Follow(write(t, records).Ledger, size); err != nil {
			t.Fatal(err)
		}
		root := tree.Root()
		return fmt.Sprintf("%d@%x", size, root[:8])
	}
	forged := story()
	forged[6].Rule = "Disallow: /priv"
	repaired := slices.Insert(again(), 5, ledger.Record{Type: ledger.Run, Event: ledger.EventRepair, Time: at(4), Why: "damaged"})
	for name, tt := range map[string]struct {
		records []ledger.Record
		head    string
		at      float64 // when the line with the head is
		want    verify.Verdict
	}{
		"the truth":         {again(), head(story(), 12), 100000, verify.Proven},
		"records rewritten": {again(), head(forged, 12), 100000, verify.Refuted},
		"records cut off":   {again(), "99@0123456789abcdef", 100000, verify.Refuted},
		"a job repaired":    {repaired, head(forged, 12), 100000, verify.NotShown},
		"nothing said":      {again(), "", 100000, ""},
		"by somebody else":  {again(), head(forged, 12), 50000, ""},
	} {
		t.Run(name, func(t *testing.T) {
			lines := logOf(tt.records[:len(tt.records)-1])
			agent := "cybermapper/1.0 (+x@example.org; log " + tt.head + ")"
			lines = append(lines, logLine(at(tt.at+0.1), "/robots.txt", 200, "192.0.2.99", agent))
			log := accesslog.Source{Name: "access.log", Open: func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(strings.Join(lines, "\n") + "\n")), nil
			}}
			c, err := verify.Compare(t.Context(), write(t, tt.records), host, []accesslog.Source{log}, verify.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got verify.Promise
			for _, p := range c.Promises {
				if p.Name == verify.Announced {
					got = p
				}
			}
			if got.Verdict != tt.want {
				t.Errorf("%q %v, want %q", got.Verdict, got.Findings, tt.want)
			}
		})
	}
}

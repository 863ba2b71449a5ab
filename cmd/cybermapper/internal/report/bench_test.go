package report_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/report"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// BenchmarkGather measures the whole way from ledger and pages.jsonl to figures. REPORT_REQUESTS sets how many requests the crawl
// made; each has an outcome and a page, and every second one a refused link.
func BenchmarkGather(b *testing.B) {
	n := 20_000
	if s := os.Getenv("REPORT_REQUESTS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			b.Fatal(err)
		}
	}
	var records []ledger.Record
	var lines []pages.Line
	for i := range n {
		r := get(fmt.Sprintf("host%05d.example", i%20_000), time.Duration(i)*time.Millisecond, 40*time.Millisecond, nil)
		records = append(records, r, ledger.Record{Type: ledger.Outcome, URL: r.URL, Outcome: "done", Status: 200, Bytes: 1000})
		if i%2 == 0 {
			records = append(records, ledger.Record{Type: ledger.Refusal, URL: r.URL + "/x", Gate: "scope", Reason: "out-of-scope"})
		}
		lines = append(lines, page(r.URL, time.Duration(i)*time.Millisecond, nil))
	}
	dir := newJob(b, records, lines)
	records, lines = nil, nil
	for b.Loop() {
		gather(b, dir, report.Options{})
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}

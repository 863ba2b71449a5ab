package ledger_test

import (
	"bytes"
	"fmt"
	"log"
	"os"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

func Example() {
	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	l, err := ledger.Open(dir, ledger.Options{})
	if err != nil {
		log.Fatal(err)
	}
	records := []ledger.Record{
		{Type: ledger.Request, URL: "https://example.org/", Purpose: "page", Status: 200, RobotsReason: "no-rule"},
		{Type: ledger.Refusal, URL: "https://example.org/tmp/a", Gate: "robots", Line: 2, Rule: "Disallow: /tmp/"},
	}
	for _, r := range records {
		if err := l.Append(r); err != nil {
			log.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		log.Fatal(err)
	}

	// Why was this page never fetched?
	url := []byte(`"url":"https://example.org/tmp/a"`)
	match := func(line []byte) bool { return bytes.Contains(line, url) }
	for r, err := range ledger.Read(dir, ledger.ReadOptions{Match: match}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("record %d: %s by %s, line %d: %s\n", r.Seq, r.Type, r.Gate, r.Line, r.Rule)
	}

	report, err := ledger.Verify(dir)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Records, "records, sound:", report.Bad == nil)
	// Output:
	// record 2: refusal by robots, line 2: Disallow: /tmp/
	// 2 records, sound: true
}

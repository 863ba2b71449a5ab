package ledgertest_test

import (
	"fmt"
	"log"
	"os"

	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/ledger/ledgertest"
)

// fatal stands for a test, which ends where a ledger cannot be written.
type fatal struct{}

func (fatal) Helper()           {}
func (fatal) Fatal(args ...any) { log.Fatal(args...) }

// What is written can be read.
func Example() {
	dir, err := os.MkdirTemp("", "ledgertest")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ledgertest.Write(fatal{}, dir, ledger.Options{}, ledger.Record{Type: ledger.Request, URL: "http://a.example/", Status: 200})
	for r, err := range ledger.Read(dir, ledger.ReadOptions{}) {
		fmt.Println(r.Seq, r.URL, r.Status, err)
	}
	// Output: 1 http://a.example/ 200 <nil>
}

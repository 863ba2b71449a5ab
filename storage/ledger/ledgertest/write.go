package ledgertest

import (
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// Write appends records to the ledger in dir, which it makes if there is none, and closes it. Without records it does just that.
func Write(t filetest.TB, dir string, o ledger.Options, records ...ledger.Record) {
	t.Helper()
	l, err := ledger.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := l.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	filetest.Close(t, l)
}

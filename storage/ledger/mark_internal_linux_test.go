package ledger

import (
	"errors"
	"os"
	"syscall"
	"testing"
)

// TestLedger_CloseSyncsTheMark: after power loss behind the end of a run it is known where the ledger ended. A pipe, which cannot
// be synced, stands for the file of the mark.
func TestLedger_CloseSyncsTheMark(t *testing.T) {
	l, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Append(Record{Type: Run}), l.Sync(), l.head.Close()); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	l.head = w
	if err := l.Close(); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("Close = %v, want that the mark cannot be synced", err)
	}
}

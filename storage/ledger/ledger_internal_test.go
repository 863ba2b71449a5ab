package ledger

import (
	"errors"
	"os"
	"testing"
)

// TestLedger_FailureIsFinal: a ledger with a hole would be worse than none.
func TestLedger_FailureIsFinal(t *testing.T) {
	for name, call := range map[string]func(l *Ledger) error{
		"Append": func(l *Ledger) error { return l.Append(Record{Type: Run}) },
		"Sync":   func(l *Ledger) error { l.Append(Record{Type: Run}); return l.Sync() },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			l, err := Open(dir, Options{Buffer: 1})
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Append(Record{Type: Run}); err != nil {
				t.Fatal(err)
			}
			l.file.Close() // from now on every write fails
			first := call(l)
			if !errors.Is(first, os.ErrClosed) {
				t.Fatalf("%s = %v", name, first)
			}
			for what, err := range map[string]error{"Append": l.Append(Record{}), "Sync": l.Sync()} {
				if err != first {
					t.Errorf("%s afterwards = %v, want %v", what, err, first)
				}
			}
			if err := l.Close(); !errors.Is(err, first) {
				t.Errorf("Close = %v, want %v", err, first)
			}
			if r, err := Verify(dir); err != nil || r.Bad != nil || r.Records != 1 {
				t.Errorf("Verify = %+v, %v", r, err)
			}
		})
	}
}

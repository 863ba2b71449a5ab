package ledger

import (
	"errors"
	"os"
	"testing"
)

// TestLedger_FailureIsFinal: a ledger with a hole would be worse than none.
func TestLedger_FailureIsFinal(t *testing.T) {
	add := func(l *Ledger) error { return l.Append(Record{Type: Run}) }
	for name, tt := range map[string]struct {
		opts  Options
		calls func(l *Ledger) error
	}{
		"Append":   {Options{Buffer: 1}, add},
		"Sync":     {Options{}, func(l *Ledger) error { return errors.Join(add(l), l.Sync()) }},
		"rotating": {Options{MaxFile: 1}, func(l *Ledger) error { return add(l) }},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			l, err := Open(dir, tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(add(l), l.Sync()); err != nil {
				t.Fatal(err)
			}
			l.file.Close() // from now on every write fails
			first := tt.calls(l)
			if !errors.Is(first, os.ErrClosed) {
				t.Fatalf("%s = %v", name, first)
			}
			for what, err := range map[string]error{"Append": l.Append(Record{}), "Sync": l.Sync()} {
				if !errors.Is(first, err) || err == nil {
					t.Errorf("%s afterwards = %v, want %v", what, err, first)
				}
			}
			if err := l.Close(); !errors.Is(err, os.ErrClosed) {
				t.Errorf("Close = %v, want %v", err, first)
			}
			if r, err := Verify(dir); err != nil || r.Bad != nil || r.Records != 1 {
				t.Errorf("Verify = %+v, %v", r, err)
			}
		})
	}
}

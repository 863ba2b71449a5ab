package ledger

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"
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

// A clock that is set is told once, and later records have times that can be compared.
func TestAppend_TellsThatTheClockWasSet(t *testing.T) {
	l, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	start := time.Now()
	add := func() {
		t.Helper()
		if err := l.Append(Record{Type: Request, Start: start, End: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	add()
	l.clock.wall = l.clock.wall.Add(-time.Hour) // as if it had been an hour earlier then
	add()
	add()
	if err := l.Flush(); err != nil {
		t.Fatal(err)
	}
	var types []Type
	for r, err := range Read(l.dir, ReadOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		types = append(types, r.Type)
		if off := time.Duration(r.Set) - time.Hour; r.Type == Run && (r.Event != EventClock || off.Abs() > time.Second) {
			t.Errorf("%s by %v, want %s by an hour", r.Event, time.Duration(r.Set), EventClock)
		}
	}
	if want := []Type{Request, Run, Request, Request}; !slices.Equal(types, want) {
		t.Errorf("records of types %v, want %v", types, want)
	}
}

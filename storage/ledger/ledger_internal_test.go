package ledger

import (
	"errors"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cybermapper/cybermapper/storage/bootclock"
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

// A wall clock that was set forward while no process had the ledger open is noticed by what its records tell of the clock of the
// machine, and put down before anything else; one that was not, or of which nobody knows, is not.
func TestLedger_TellsOfAClockSetForwardBetweenTwoRuns(t *testing.T) {
	boot := bootclock.Read()
	if boot.Boot == "" {
		t.Skip("this machine does not tell when it was started")
	}
	now := time.Now()
	for name, tt := range map[string]struct {
		last Record // of the run before
		set  time.Duration
	}{
		"set forward": {Record{Time: now.Add(-time.Hour - time.Minute), Boot: boot.Boot, BootAt: Millis(boot.Since - time.Minute)}, time.Hour},
		"not set":     {Record{Time: now.Add(-time.Minute), Boot: boot.Boot, BootAt: Millis(boot.Since - time.Minute)}, 0},
		"set back":    {Record{Time: now.Add(time.Hour), Boot: boot.Boot, BootAt: Millis(boot.Since - time.Minute)}, 0},
		"started anew": {
			Record{Time: now.Add(-time.Hour - time.Minute), Boot: "another", BootAt: Millis(boot.Since - time.Minute)}, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, r := range []Record{tt.last, {Type: Request}, {Type: Request}} {
				r.Type = Request
				l, err := Open(dir, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(l.Append(r), l.Append(Record{Type: Request}), l.Close()); err != nil {
					t.Fatal(err)
				}
			}
			var set []time.Duration
			for r, err := range Read(dir, ReadOptions{}) {
				if err != nil {
					t.Fatal(err)
				}
				if r.Event == EventClock {
					set = append(set, time.Duration(r.Set).Round(time.Minute))
				}
			}
			want := []time.Duration{tt.set}
			if tt.set == 0 {
				want = nil
			}
			if !slices.Equal(set, want) {
				t.Errorf("set by %v, want %v, once", set, want)
			}
		})
	}
}

// A stamp tells what the clock of the machine showed at the time of the record, however long it takes to read that.
func TestRecord_StampReadsSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := Record{Time: time.Now()}
		r.stamp(func() bootclock.Reading {
			time.Sleep(time.Second)
			return bootclock.Reading{Boot: "a", Since: time.Hour + time.Second}
		})
		if got := time.Duration(r.BootAt); got != time.Hour {
			t.Errorf("the record is of %v after the start of the machine, want 1h", got)
		}
	})
}

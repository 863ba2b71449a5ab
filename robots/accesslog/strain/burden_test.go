package strain_test

import (
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/strain"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// entry is a request that was answered so many seconds after noon.
func entry(second, status int, taken time.Duration) *accesslog.Entry {
	return &accesslog.Entry{Time: noon.Add(time.Duration(second) * time.Second), Status: status, Taken: taken}
}

// TestMinutes_Burden_Disorder: what is counted does not depend on the order of lines that are out of it by less than a minute, and
// the busiest of many minutes are found.
func TestMinutes_Burden_Disorder(t *testing.T) {
	for _, swap := range []int{0, 1, 31} { // a line changes places with the one so many seconds later or before
		var m strain.Minutes
		var own strain.Own
		for i := range 60 * 64 {
			second := i ^ swap
			m.Count(entry(second, 200, 50*time.Millisecond), true)
			for range 1 + second/60%16 { // more in each minute, four times over
				e := entry(second, 200, 60*time.Millisecond)
				m.Count(e, false)
				own.Count(e)
			}
		}
		b := m.Burden(&own, strain.NewLoad(nil, nil, noon, noon), 0)
		if len(b.Minutes) != 10 || b.Requests != 60*(4*16+4*15+2*14) || b.Busy.Others != 600 || b.Rest.Others != 60*54 || b.Rest.Minutes != 54 {
			t.Errorf("swapped by %d: %+v", swap, b)
		}
		if !b.Minutes[0].Equal(noon.Add(13*time.Minute)) && !b.Minutes[0].Equal(noon.Add(14*time.Minute)) {
			t.Errorf("swapped by %d: the busiest begin at %v", swap, b.Minutes[0])
		}
		if again := m.Burden(&own, strain.NewLoad(nil, nil, noon, noon), 0); again.Requests != b.Requests {
			t.Errorf("asked again: %+v", again)
		}
	}
}

// TestMinutes_Burden_Errors: a few errors may be anything.
func TestMinutes_Burden_Errors(t *testing.T) {
	for _, c := range []struct {
		others, errors, before int // errors in the busiest minute, and in each of the ten before it
		suffered, told         bool
	}{
		{100, 5, 0, true, true},
		{100, 4, 0, false, true},
		{300, 5, 0, false, true}, // less than two of a hundred
		{100, 5, 5, false, true}, // as always
		{19, 10, 0, false, false},
	} {
		var m strain.Minutes
		var own strain.Own
		for minute := range 11 {
			errors := c.before
			if minute == 10 {
				errors = c.errors
			}
			for i := range c.others {
				status := 200
				if i < errors {
					status = 503
				}
				m.Count(entry(60*minute+i%60, status, 0), true)
			}
		}
		for range 50 {
			e := entry(600, 500, 0)
			m.Count(e, false)
			own.Count(e)
		}
		if b := m.Burden(&own, strain.NewLoad(nil, nil, noon, noon), 0); b.Suffered != c.suffered || b.Told != c.told || b.Busy.Errors != int64(c.errors) || b.Rest.Errors != int64(10*c.before) {
			t.Errorf("%+v: %+v", c, b)
		}
	}
}

// TestMinutes_Empty: nothing tells nothing.
func TestMinutes_Empty(t *testing.T) {
	var m strain.Minutes
	var own strain.Own
	load := strain.NewLoad([]strain.Sample{{Time: noon, Load: 1}}, nil, noon, noon)
	if b := m.Bearing(0, 0); b != nil {
		t.Errorf("%+v", b)
	}
	if b := m.Burden(&own, load, 0); b != nil || load.IsEmpty() {
		t.Errorf("%+v", b)
	}
	m.Count(entry(0, 200, -1), true)
	own.Count(entry(0, 200, -1))
	if b := m.Burden(&own, load, 0); b == nil || b.Told || b.Busy.Load == nil || b.Rest.Load != nil {
		t.Errorf("of a load without anything to compare it to: %+v", b)
	}
}

// TestBurden_Complaints: an error log is a witness.
func TestBurden_Complaints(t *testing.T) {
	for _, c := range []struct {
		in, rest int64
		suffered bool
	}{{9, 1, true}, {2, 0, false}, {9, 40, false}, {0, 0, false}} {
		var m strain.Minutes
		var own strain.Own
		for i := range 600 {
			e := &accesslog.Entry{Time: noon.Add(time.Duration(i) * time.Second), Taken: -1}
			m.Count(e, i/60 != 3)
			if i/60 == 3 {
				own.Count(e)
			}
		}
		minute := noon.Unix() / 60
		load := strain.NewLoad(nil, map[int64]int64{minute + 3: c.in, minute + 7: c.rest, minute + 99: 1000}, noon, noon.Add(time.Hour))
		if b := m.Burden(&own, load, 0); b == nil || !b.Told || b.Suffered != c.suffered || *b.Busy.Complaints != float64(c.in) {
			t.Errorf("%d against %d: %+v", c.in, c.rest, b)
		}
	}
}

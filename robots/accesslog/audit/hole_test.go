package audit_test

import (
	"fmt"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// TestAuditor_Hole: a robot may have asked for robots.txt where the log says nothing of anybody, be it that a file is missing or
// that one line has the time of a clock that was not set yet.
func TestAuditor_Hole(t *testing.T) {
	page := func(w *logWriter, day float64) { w.at(day*24*hour, "192.0.2.1", "Bot/1", "/", 200, 1) }
	for name, days := range map[string][]float64{
		"a file is missing": {0, 0.5, 9, 9.5}, "two files": {0, 3, 6}, "a clock that was not set": {-20_000, 0, 0.5}, "a clock in the future": {0, 5000, 0.5},
	} {
		var w logWriter
		for _, day := range days {
			page(&w, day)
		}
		if k := run(t, w.b.String(), audit.Options{}).Robots[0].Asking; k.Unasked != 0 || !k.BeforeLog {
			t.Errorf("%s: %+v", name, k)
		}
	}
	var w logWriter
	for i := range 100 {
		page(&w, 9+float64(i)/20)
	}
	if k := run(t, w.b.String(), audit.Options{}).Robots[0].Asking; k.Unasked != 79 {
		t.Errorf("a log without holes: %d pages without robots.txt, want 79", k.Unasked)
	}
}

// TestAuditor_Stray: one line of years before, at the end of a log, does not make the log older.
func TestAuditor_Stray(t *testing.T) {
	var w logWriter
	w.at(0, "192.0.2.2", "Other/1 (+http://other.example/)", "/robots.txt", 200, 1)
	w.at(0.4*24*hour, "192.0.2.1", "Bot/1 (+http://bot.example/)", "/", 200, 1)
	w.at(-1000*24*hour, "192.0.2.3", "Mozilla/5.0", "/x", 200, 1)
	if k := find(t, run(t, w.b.String(), audit.Options{}).Robots, "Bot").Asking; k.Unasked != 0 || !k.BeforeLog {
		t.Errorf("%+v", k)
	}
}

// TestAuditor_Packed: a log in whole seconds does not show a pause of one second, but that there was none between dozens of
// requests in a second.
func TestAuditor_Packed(t *testing.T) {
	copies := []audit.Copy{{Name: "robots.txt", File: robots.Parse([]byte("User-agent: *\nCrawl-delay: 1\n"), robots.RFC9309)}}
	for each, blamed := range map[int]bool{1: false, 2: false, 5: false, 20: true} {
		var w logWriter
		for i := range 200 {
			w.at(float64(i/each), "192.0.2.1", "SomeBot/1 (+http://some.example/)", fmt.Sprintf("/%d", i), 200, 1)
		}
		if one := run(t, w.b.String(), audit.Options{Copies: copies}).Robots[0]; (len(one.Faults) > 0) != blamed {
			t.Errorf("%d in a second: %+v, %+v", each, one.Faults, one.Pace)
		}
	}
}

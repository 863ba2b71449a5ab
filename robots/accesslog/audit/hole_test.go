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

// TestAuditor_ShortHole: a log that is never silent has a hole when it is for some hours, in which robots may have asked for
// robots.txt. Nights and a quiet site make no holes.
func TestAuditor_ShortHole(t *testing.T) {
	for name, c := range map[string]struct {
		every  float64 // seconds between requests of others
		isOpen func(hour float64) bool
		holes  bool
	}{
		"two hours are lost":   {60, func(h float64) bool { return h < 47 || h >= 49 }, true},
		"a day is lost":        {60, func(h float64) bool { return h < 40 || h >= 64 }, true},
		"nothing is lost":      {60, func(h float64) bool { return true }, false},
		"an office":            {60, func(h float64) bool { return int(h)%24 >= 9 && int(h)%24 < 18 }, false},
		"a quiet site":         {4000, func(h float64) bool { return h < 47 || h >= 49 }, false},
		"a quarter of an hour": {60, func(h float64) bool { return h < 48 || h >= 48.25 }, false},
	} {
		var w logWriter
		asked, lost := -1e9, 0
		for at := 0.0; at < 100*hour; at += c.every {
			open := c.isOpen(at / hour)
			if open {
				w.at(at, "192.0.2.200", "Other/1", "/other", 200, 1)
			}
			if at-asked >= 24*hour && (open || c.holes) {
				if asked = at; open {
					w.at(at, "192.0.2.1", "KindBot/1 (+http://kind.example/)", "/robots.txt", 200, 1)
				} else {
					lost++
				}
			}
			if open && int(at)%1200 == 0 {
				w.at(at, "192.0.2.1", "KindBot/1 (+http://kind.example/)", "/", 200, 1)
				w.at(at, "192.0.2.2", "RudeBot/1 (+http://rude.example/)", fmt.Sprint("/", at), 200, 1)
			}
		}
		robots := run(t, w.b.String(), audit.Options{}).Robots
		if one := find(t, robots, "KindBot"); len(one.Faults) > 0 {
			t.Errorf("%s, %d lost: %+v", name, lost, one.Faults)
		}
		if one := find(t, robots, "RudeBot"); len(one.Faults) == 0 {
			t.Errorf("%s: who never asks is not blamed: %+v", name, one.Asking)
		}
	}
}

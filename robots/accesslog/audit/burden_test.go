package audit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/robots/accesslog/strain"
)

// measured makes a sample every so many minutes of the forty of overload: a load when the robot is at its busiest, and another
// otherwise.
func measured(every int, busy, rest float64) (list []strain.Sample) {
	for i := 0; i < 40; i += every {
		s := strain.Sample{Time: start.Add(time.Duration(i)*time.Minute + 20*time.Second), Load: rest, Connections: 17}
		if i >= 30 {
			s.Load, s.Connections = busy, 140
		}
		list = append(list, s)
	}
	return list
}

func TestAuditor_Burden(t *testing.T) {
	load := measured(1, 7.5, 0.6)
	for _, days := range []int{-2, 2} { // at other times, which do not count
		load = append(load, strain.Sample{Time: start.AddDate(0, 0, days), Load: 99, Connections: 99})
	}
	load = append(load[40:41], append(load[:40:40], load[41])...)
	r := run(t, stretches(overload...), audit.Options{Load: load})
	b := find(t, r.Robots, "FastBot").Burden
	if b == nil || !r.HasLoad {
		t.Fatalf("%+v", r)
	}
	if !b.Suffered || !b.Told || b.Requests != 4800 || len(b.Minutes) != 10 || !b.Minutes[0].Equal(start.Add(30*time.Minute)) {
		t.Errorf("%+v", b)
	}
	busy, rest := b.Busy, b.Rest
	if busy.Minutes != 10 || busy.Rate != 10 || !near(busy.Open, 4) || busy.Others != 1200 || busy.Errors != 60 || busy.Timed != 1200 || !near(busy.Mean, 0.4) {
		t.Errorf("busy: %+v", busy)
	}
	if rest.Minutes != 30 || !near(rest.Rate, 3660.0/1800) || !near(rest.Open, 279.0/1800) || rest.Others != 1260 || rest.Errors != 0 || rest.Timed != 1260 || !near(rest.Mean, 87.0/1260) {
		t.Errorf("rest: %+v", rest)
	}
	if *busy.Load != 7.5 || !near(*rest.Load, 0.6) || *busy.Connections != 140 || *rest.Connections != 17 {
		t.Errorf("load %v against %v, connections %v against %v", *busy.Load, *rest.Load, *busy.Connections, *rest.Connections)
	}
	if want := "while it was there: others were answered in 400 ms against 69 ms, 5.8 times as long; 5.0 % of the answers to others were server errors against 0.0 %; load 7.5 against 0.6"; b.Verdict != want {
		t.Errorf("%s\nwant\n%s", b.Verdict, want)
	}
}

// TestBurden_Verdicts: harm is what was measured, and without it there is nothing to be done.
func TestBurden_Verdicts(t *testing.T) {
	quick := []stretch{{6, 0, 0.05, 0}, {60, 0, 0.05, 0}, {60, 240, 0.05, 0}, {120, 480, 0.05, 0}}
	const unharmed = "nothing shows that the site suffered"
	for _, c := range []struct {
		name     string
		log      []stretch
		load     []strain.Sample
		want     string
		suffered bool
	}{
		{"no harm", quick, nil, unharmed, false},
		{"nor load", quick, measured(1, 1.1, 0.6), unharmed, false},
		{"a load that is nothing", quick, measured(1, 0.5, 0.1), unharmed, false},
		{"a load that is always high", quick, measured(1, 9, 6), unharmed, false},
		{"load", quick, measured(1, 7.5, 0.6), "while it was there: load 7.5 against 0.6", true},
		{"load, and no rapid fire", []stretch{{6, 0, 0.05, 0}, {60, 0, 0.05, 0}, {60, 0, 0.05, 0}, {120, 120, 0.05, 0}}, measured(1, 7.5, 0.6), "while it was there: load 7.5 against 0.6", true},
		{"rarely measured", quick, measured(10, 7.5, 0.6), "while it was there: load 7.5 against 0.6", true},
		{"measured at other times", quick, measured(40, 7.5, 0.6), unharmed, false},
		{"people were too many", []stretch{{6, 0, 0.05, 0}, {60, 400, 0.05, 0}, {600, 0, 0.4, 0}}, nil, unharmed, false},
		{"nobody else", []stretch{{0, 60, 0.05, 0}, {0, 480, 4, 0}}, nil, "too few requests of others", false},
		{"nobody else, but the load", []stretch{{0, 6, 0.05, 0}, {6, 0, 0.05, 0}, {6, 0, 0.05, 0}, {0, 480, 4, 0}}, measured(1, 7.5, 0.6), "load 7.5 against 0.6", true},
	} {
		r := run(t, stretches(c.log...), audit.Options{Load: c.load})
		b := find(t, r.Robots, "FastBot").Burden
		if b == nil || !strings.Contains(b.Verdict, c.want) || b.Suffered != c.suffered {
			t.Errorf("%s: %+v", c.name, b)
			continue
		}
		advice := fmt.Sprint(r.Suggestions)
		if mild := strings.Contains(advice, unharmed); mild != (c.want == unharmed) || mild == strings.Contains(advice, "429") {
			t.Errorf("%s: suggestions %s", c.name, advice)
		}
	}
}

// TestBurden_WorthMention: a robot that goes slowly is not looked at, nor one of a log that tells nothing.
func TestBurden_WorthMention(t *testing.T) {
	if b := find(t, run(t, stretches(stretch{100, 6, 0.05, 0}), audit.Options{}).Robots, "FastBot").Burden; b != nil {
		t.Errorf("slow: %+v", b)
	}
	if b := find(t, run(t, stretches(stretch{10, 6, 0.05, 0}), audit.Options{}).Robots, "FastBot").Burden; b == nil {
		t.Error("a large part of the traffic is not looked at")
	}
	if r := run(t, spread(), audit.Options{}); r.Bearing != nil || r.Robots[0].Burden != nil || r.HasLoad {
		t.Errorf("a log without times tells %+v and %+v", r.Bearing, r.Robots[0].Burden)
	}
}

// TestAuditor_MinutesBound: what is beyond it is counted, and does not change what the rest says.
func TestAuditor_MinutesBound(t *testing.T) {
	var w logWriter
	w.b.WriteString(stretches(overload...))
	for i := range 300 { // two hours later
		w.at(7200+float64(i), "192.0.2.1", "FastBot/1.0", "/late", 200, 100, " 9.000")
	}
	for i := range 300 {
		w.at(7200+float64(i), "192.0.2.1", "LateBot/1.0", "/late", 200, 100)
	}
	r := run(t, w.b.String(), audit.Options{MaxMinutes: 60})
	if r.Bearing.Untracked != 600 || r.Bearing.Borne != 5 {
		t.Errorf("%+v", r.Bearing)
	}
	if late := find(t, r.Robots, "LateBot").Burden; late != nil {
		t.Errorf("of minutes that are not counted there is %+v", late)
	}
	if rest := r.Robots[0].Burden.Rest; rest.Minutes != 30 || !near(rest.Rate, 3660.0/1800) || !near(rest.Open, 279.0/1800) || rest.Others != 1260+300 {
		t.Errorf("%+v", rest)
	}
}

// FuzzReport_Sums: whatever the lines are, no request is lost or counted twice.
func FuzzReport_Sums(f *testing.F) {
	f.Add([]byte(stretches(stretch{2, 2, 0.05, 1})))
	f.Add([]byte(`{"ts": 1e18, "status": 503, "duration": 1e9, "request": {"client_ip": "fe80::1%eth0", "uri": "/a.css", "method": "GET"}}`))
	f.Add([]byte(`::ffff:192.0.2.1 - - [31/Dec/9999:24:59:60 -9999] "GET /robots.txt HTTP/1.1" 999 9 "-" "Bot/1" 0.5` + "\n" +
		`192.0.2.2 - - [01/Jan/0000:00:00:00 +9999] "GET / HTTP/1.1" 200 9 "-" "" 0.5`))
	f.Fuzz(func(t *testing.T, log []byte) {
		r := run(t, string(log), audit.Options{Load: measured(10, 7.5, 0.6), MaxNetworks: 2, MaxMinutes: 120})
		if r.Bearing != nil {
			requests := r.Bearing.Untracked
			for _, c := range r.Bearing.Classes {
				requests += c.Requests
			}
			if requests != r.Total.Requests {
				t.Fatalf("%d requests in classes, of %d", requests, r.Total.Requests)
			}
		}
		requests := r.OtherNetworks
		for _, n := range r.Networks {
			requests += n.Requests
			if n.Clients < 2 || n.PeakSecond > n.PeakMinute || n.PeakMinute > n.Requests || n.Documents > n.Requests {
				t.Fatalf("%+v", n)
			}
		}
		if requests > r.Total.Requests {
			t.Fatalf("%d requests from networks, of %d", requests, r.Total.Requests)
		}
		for _, one := range r.Robots {
			if b := one.Burden; b != nil && (b.Busy.Others < 0 || b.Rest.Others < 0 || b.Rest.Timed < 0 || b.Rest.Minutes < 0 || b.Requests > one.Requests) {
				t.Fatalf("%s: %+v", one.Token, b)
			}
		}
	})
}

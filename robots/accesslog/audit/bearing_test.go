package audit_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/robots/accesslog/strain"
)

// A stretch is ten minutes of a log, in each of which so many requests came, at the same pace.
type stretch struct {
	people, robot int     // requests in a minute
	taken         float64 // seconds for each answer
	errors        int     // of the answers to people in a minute
}

// stretches writes the log of some, one after the other.
func stretches(list ...stretch) string {
	var w logWriter
	for i, s := range list {
		for minute := range 10 {
			from, n := float64(600*i+60*minute), s.people+s.robot
			for k := range n {
				client, agent, status := fmt.Sprintf("10.%d.%d.1", i, k%50), browser, 200
				if k >= s.people {
					client, agent = "192.0.2.1", "FastBot/1.0 (+http://fast.example/)"
				} else if k < s.errors {
					status = 503
				}
				w.at(from+float64(60*k/n), client, agent, fmt.Sprintf("/%d/%d/%d", i, minute, k), status, 100, fmt.Sprintf(" %.3f", s.taken))
			}
		}
	}
	return w.b.String()
}

// overload is a site that answers ten requests in a second slowly, and five as usual.
var overload = []stretch{{6, 0, 0.05, 0}, {60, 0, 0.06, 0}, {60, 240, 0.08, 0}, {120, 480, 0.4, 6}}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestAuditor_Bearing(t *testing.T) {
	r := run(t, stretches(overload...), audit.Options{})
	b := r.Bearing
	if b.Verdict != strain.BearingLimit || !near(b.Usual, 0.05) || b.Borne != 5 || !near(b.BorneIn, 0.08) || b.Slower.From != 10 || !near(b.Slower.Mean, 0.4) || b.Untracked != 0 {
		t.Errorf("%+v, slower %+v", b, b.Slower)
	}
	if !near(b.Open, 4) || !b.OpenAt.Equal(start.Add(30*time.Minute)) {
		t.Errorf("%v requests were open at %v", b.Open, b.OpenAt)
	}
	if b.People != 2 || b.Robots != 1.5 || b.AtOnce != 1 || b.Delay != 1 {
		t.Errorf("for robots: %+v", b)
	}
	want := []strain.RateClass{
		{UpTo: 0.1, From: 0.1, To: 0.1, Minutes: 10, Requests: 60, Timed: 60, Mean: 0.05, Within: 0.064, Open: 0.005, Enough: true},
		{UpTo: 1, From: 1, To: 1, Minutes: 10, Requests: 600, Timed: 600, Mean: 0.06, Within: 0.064, Open: 0.06, Enough: true},
		{UpTo: 5, From: 5, To: 5, Minutes: 10, Requests: 3000, Timed: 3000, Mean: 0.08, Within: 0.128, Open: 0.4, Enough: true},
		{UpTo: 10, From: 10, To: 10, Minutes: 10, Requests: 6000, Timed: 6000, Mean: 0.4, Within: 0.512, Errors: 60, Share: 0.01, Open: 4, Enough: true, Slow: true},
	}
	for i, c := range b.Classes {
		if i >= len(want) || c != want[i] {
			t.Errorf("class %d: %+v", i, c)
		}
	}
	all, fast := r.Suggestions[0], r.Suggestions[1]
	if all.Token != "all robots" || !strings.Contains(all.Robots, "Crawl-delay: 1\n") || !strings.Contains(all.Nginx, "rate=90r/m;") || !strings.Contains(all.Nginx, "burst=15 ") {
		t.Errorf("suggestion %+v", all)
	}
	if fast.Token != "FastBot" || !strings.Contains(fast.Why, "while it was there") || !strings.Contains(fast.Server, "429") {
		t.Errorf("suggestion %+v", fast)
	}
}

func TestBearing_Verdicts(t *testing.T) {
	quick := func(list ...stretch) []stretch {
		list = slices.Clone(list)
		for i := range list {
			list[i].taken = 0.05
		}
		return list
	}
	for _, c := range []struct {
		name string
		log  []stretch
		o    audit.Options
		want strain.BearingVerdict
		text string
	}{
		{"limit", overload, audit.Options{}, strain.BearingLimit, "up to 5 requests/s were answered in 80 ms on average, as usual; from 10 on it took 400 ms, with 1.0 % server errors"},
		{"a patient owner", overload, audit.Options{Slower: 8}, strain.BearingNever, "never slower in this log, up to 10 requests/s, which were answered in 400 ms on average"},
		{"never", quick(overload...), audit.Options{}, strain.BearingNever, "never slower in this log, up to 10"},
		{"errors", quick(stretch{6, 0, 0, 0}, stretch{60, 0, 0, 0}, stretch{300, 0, 0, 9}), audit.Options{}, strain.BearingLimit, "up to 1 requests/s were answered in 50 ms on average, as usual; from 5 on it took 50 ms, with 3.0 % server errors"},
		{"few errors", quick(stretch{6, 0, 0, 0}, stretch{60, 0, 0, 0}, stretch{300, 0, 0, 5}), audit.Options{}, strain.BearingNever, ""},
		{"not the rate", []stretch{{6, 0, 0.05, 0}, {60, 0, 0.5, 0}, {300, 0, 0.05, 0}}, audit.Options{}, strain.BearingUnclear, "500 ms at 1 requests/s, but not at higher rates"},
		{"nobody notices", []stretch{{6, 0, 0, 0}, {60, 0, 0.049, 0}}, audit.Options{}, strain.BearingNever, ""},
		{"one rate", []stretch{{6, 0, 0.05, 0}, {6, 0, 5, 0}}, audit.Options{}, strain.BearingTooFew, "too few minutes"},
		{"one answer in ten minutes", []stretch{{1, 0, 0.05, 0}, {60, 0, 5, 0}}, audit.Options{}, strain.BearingTooFew, "too few minutes"},
	} {
		b := run(t, stretches(c.log...), c.o).Bearing
		if b.Verdict != c.want || !strings.Contains(b.String(), c.text) {
			t.Errorf("%s: %s: %s", c.name, b.Verdict, b)
		}
		if known := b.Verdict == strain.BearingLimit || b.Verdict == strain.BearingNever; known != (b.Borne > 0) || known != (b.Delay > 0) {
			t.Errorf("%s: %+v", c.name, b)
		}
	}
}

// TestBearing_People: what fetchers get for a person is for people; in one of twenty minutes there may be more.
func TestBearing_People(t *testing.T) {
	var w logWriter
	for minute := range 20 {
		n := 60
		if minute == 7 {
			n = 600
		}
		for k := range n {
			w.at(float64(60*minute+k*60/n), "203.0.113.7", "ChatGPT-User/1.0", "/", 200, 10, " 0.100")
		}
	}
	if b := run(t, w.b.String(), audit.Options{}).Bearing; b.People != 1 || b.AtOnce != 1 {
		t.Errorf("%+v", b)
	}
}

// TestReport_SchemaOfBurden: a reader of the JSON can rely on these names.
func TestReport_SchemaOfBurden(t *testing.T) {
	data, err := json.Marshal(run(t, spread()+stretches(overload...), audit.Options{Load: measured(1, 7.5, 0.6)}))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"networks", "network", "clients", "tokens", "peak_per_second", "peak_per_minute", "sustained_per_second", "rapid_seconds", "why", "unusual_networks",
		"untracked_networks", "bearing", "verdict", "borne_per_second", "borne_response_seconds", "slower", "peak_open_requests", "people_per_second",
		"robots_per_second", "crawl_delay_seconds", "classes", "within_seconds", "error_share", "open_requests", "burden", "suffered", "told", "minutes",
		"busy", "rest", "requests_of_others", "mean_response_seconds", "load", "connections", "has_load", "nginx",
	} {
		if !strings.Contains(string(data), `"`+name+`":`) {
			t.Errorf("no %s", name)
		}
	}
	if strings.Contains(string(data), ":null") {
		t.Errorf("null in %s", data)
	}
}

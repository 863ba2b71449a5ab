package audit_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// TestClient_Evidence: who behaves like a robot without saying so has the lines shown that robots.txt forbids.
func TestClient_Evidence(t *testing.T) {
	var w logWriter
	var want []int64
	for i := range 60 {
		path := fmt.Sprintf("/page/%d", i)
		if i%10 == 3 {
			path = fmt.Sprintf("/private/%d", i)
		}
		if n := w.at(float64(i), "203.0.113.66", "", path, 200, 10); i%10 == 3 {
			want = append(want, n)
		}
		w.at(float64(i), "203.0.113.7", browser, "/", 200, 10)
	}
	r := run(t, w.b.String(), audit.Options{Copies: history()})
	i := slices.IndexFunc(r.Unusual, func(c audit.Client) bool { return c.Client == "203.0.113.66" })
	if i < 0 {
		t.Fatalf("unusual: %+v", r.Unusual)
	}
	c := r.Unusual[i]
	if c.Disallowed != 6 || !slices.Equal(lines(c.Evidence), want[:5]) {
		t.Errorf("%d disallowed, evidence in lines %d, want %d", c.Disallowed, lines(c.Evidence), want[:5])
	}
	if e := c.Evidence[0]; e.Path != "/private/3" || e.RuleLine != 2 || e.Rule != "Disallow: /private/" || e.Robots != "old.txt" || e.Status != 200 || e.File != "log" {
		t.Errorf("evidence: %+v", e)
	}
	if other := r.Unusual[1-i]; other.Evidence == nil || len(other.Evidence) > 0 {
		t.Errorf("evidence without a fault: %+v", other.Evidence)
	}
}

// TestClient_EvidenceBounded: thousands who stray once do not push out the evidence about one who does it all the time.
func TestClient_EvidenceBounded(t *testing.T) {
	var w logWriter
	w.at(0, "192.0.2.9", browser, "/a.css", 200, 10)
	for i := range 5000 {
		w.at(float64(i), fmt.Sprintf("10.0.%d.%d", i/250, i%250), browser, "/private/once", 200, 10)
		if i%10 == 0 {
			w.at(float64(i), "203.0.113.66", browser, fmt.Sprintf("/private/%d", i), 200, 10)
		}
	}
	r := run(t, w.b.String(), audit.Options{Copies: history()})
	if len(r.Unusual) != 1 || r.Unusual[0].Disallowed != 500 || len(r.Unusual[0].Evidence) != 5 {
		t.Errorf("unusual: %+v", r.Unusual)
	}
}

// TestClient_Hosts: those whom no group names are judged by the robots.txt of the host, too.
func TestClient_Hosts(t *testing.T) {
	log := ""
	for i := range 60 {
		for client, host := range []string{"a.example", "b.example"} {
			log += fmt.Sprintf("%s 192.0.2.%d - - [01/Mar/2026:12:00:%02d +0000] \"GET /%d HTTP/1.1\" 200 5 \"-\" \"%s\"\n", host, client, i, i, browser)
		}
	}
	closed := robots.Parse([]byte("User-agent: *\nDisallow: /"), robots.RFC9309)
	r := run(t, log, audit.Options{Copies: []audit.Copy{{Host: "a.example", File: closed}, {Host: "b.example"}}})
	got := map[string]int64{}
	for _, c := range r.Unusual {
		got[c.Client] = c.Disallowed
	}
	if len(got) != 2 || got["192.0.2.0"] != 60 || got["192.0.2.1"] != 0 {
		t.Errorf("disallowed by client: %v", got)
	}
}

// TestClient_Names: a client is one however its name is written, and however much of it is kept.
func TestClient_Names(t *testing.T) {
	var w logWriter
	long := string(slices.Repeat([]byte("x"), 2000))
	for i := range 10 {
		for _, name := range []string{"h\xff", long, "192.0.2.1"} {
			w.at(float64(i), name, "Bot/1", "/", 200, 10)
		}
	}
	r := run(t, w.b.String(), audit.Options{})
	if bot := r.Robots[0]; bot.Clients != 3 || len(bot.Addresses) != 3 || bot.Addresses[0].Requests != 10 || bot.Addresses[2].Requests != 10 {
		t.Errorf("%d clients, %+v", bot.Clients, bot.Addresses)
	}
}

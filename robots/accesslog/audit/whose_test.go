package audit_test

import (
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/robots/accesslog/owner"
)

// TestNetworks: each address has its owner, and only of robots with faults that nobody knows it is said whom to ask.
func TestNetworks(t *testing.T) {
	table, err := owner.Read(strings.NewReader("192.0.2.0/24\tExample\ta@b.example\n"))
	if err != nil {
		t.Fatal(err)
	}
	var w logWriter
	for i, c := range []struct{ client, agent, path string }{
		{"192.0.2.1", "Held/1 (a robot; +mailto:h@b.example)", "/private/"}, {"198.51.100.1", "Held/1 (a robot; +mailto:h@b.example)", "/"}, {"198.51.100.1", "Held/1 (a robot; +mailto:h@b.example)", "/"},
		{"198.51.100.1", "Unheld/1 (a robot; +mailto:u@b.example)", "/private/"}, {"198.51.100.1", "Faultless/1", "/"}, {"198.51.100.1", "Googlebot/2.1", "/private/"},
		{"10.0.0.1", "Inner/1 (a robot; +mailto:i@b.example)", "/private/"}, {"host.example", "Inner/1 (a robot; +mailto:i@b.example)", "/"}, {"::ffff:198.51.100.9", "Inner/1 (a robot; +mailto:i@b.example)", "/"},
		{"64:ff9b::203.0.113.9", "Translated/1 (a robot; +mailto:t@b.example)", "/private/"},
		{"fe80::1%x", "Odd/1", "/private/"}, {"192.0.2.9", browser, "/robots.txt"}, {"198.51.100.9", browser, "/robots.txt"},
	} {
		w.at(float64(i), c.client, c.agent, c.path, 200, 1)
	}
	r := run(t, w.b.String(), audit.Options{
		Owners: table, Copies: []audit.Copy{{File: robots.Parse([]byte("User-agent: *\nDisallow: /private/"), robots.RFC9309)}},
	})
	for token, want := range map[string]string{
		"Held": "", "Unheld": "whois 198.51.100.1", "Faultless": "", "Googlebot": "", "Inner": "whois 198.51.100.9", "Translated": "whois 203.0.113.9", "Odd": "",
	} {
		if got := find(t, r.Robots, token).Whois; got != want {
			t.Errorf("%s: %q, want %q", token, got, want)
		}
	}
	held := find(t, r.Robots, "Held")
	if o, client := held.HeldBy(); o == nil || o.Contact != "a@b.example" || client != "192.0.2.1" || held.Addresses[0].Holder != nil {
		t.Errorf("networks are %+v", held.Addresses)
	}
	if len(r.Unusual) != 2 || r.Unusual[0].Holder == nil || r.Unusual[0].Whois != "" || r.Unusual[1].Holder != nil || r.Unusual[1].Whois != "whois 198.51.100.9" {
		t.Errorf("unusual are %+v", r.Unusual)
	}
}

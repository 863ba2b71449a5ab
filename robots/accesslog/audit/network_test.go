package audit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// spread writes the log of visitors that come from many addresses. Every other pair of lines is out of order.
func spread() string {
	type hit struct {
		at                  float64
		client, agent, path string
	}
	var hits []hit
	for i := range 60 { // a scraper: six documents for each of ten addresses, one of them written as IPv6, in one minute
		client := fmt.Sprintf("192.0.2.%d", i%10)
		if i%10 == 9 {
			client = "::ffff:192.0.2.9"
		}
		hits = append(hits, hit{600 + float64(i), client, browser, fmt.Sprintf("/article/%d", i)})
	}
	hits = append(hits, hit{1250, "198.51.100.1", "SpreadBot/1", "/robots.txt"})
	for i := range 12 { // in one second, from three addresses
		hits = append(hits, hit{1259, fmt.Sprintf("198.51.100.%d", 1+i%3), "SpreadBot/1", fmt.Sprintf("/s%d", i)})
	}
	for i := range 2 { // in the next minute
		hits = append(hits, hit{1260 + float64(i), "198.51.100.77", "OtherBot/1", fmt.Sprintf("/o%d", i)})
	}
	for i := range 4 { // two people
		for j, path := range []string{"/page", "/a.css", "/b.js"} {
			hits = append(hits, hit{3000 + 100*float64(i) + float64(j), fmt.Sprintf("2001:db8:1:%d::7", i%2), browser, path})
		}
	}
	for range 3 { // one address, twice over, and a name
		hits = append(hits, hit{5000, "203.0.113.1", "Alone/1", "/"}, hit{5000, "203.0.113.1", browser, "/"}, hit{5000, "host.example", browser, "/"})
	}
	var w logWriter
	for i := range hits {
		h := hits[i^1]
		w.at(h.at, h.client, h.agent, h.path, 200, 10)
	}
	return w.b.String()
}

func TestAuditor_Networks(t *testing.T) {
	r := run(t, spread(), audit.Options{})
	var got []string
	for _, n := range r.Networks {
		got = append(got, fmt.Sprintf("%s: %d clients %q, %d requests, %d documents, %d bytes, %d %d %.2f %d, asked %d, unusual %t",
			n.Prefix, n.Clients, n.Tokens, n.Requests, n.Documents, n.Bytes, n.PeakSecond, n.PeakMinute, n.Sustained, n.RapidSeconds, n.Asked, len(n.Why) > 0))
	}
	want := []string{
		`192.0.2.0/24: 10 clients [], 60 requests, 60 documents, 600 bytes, 1 60 1.00 0, asked 0, unusual true`,
		`198.51.100.0/24: 4 clients ["SpreadBot" "OtherBot"], 15 requests, 15 documents, 150 bytes, 12 13 0.22 1, asked 1, unusual false`,
		`2001:db8:1::/48: 2 clients [], 12 requests, 4 documents, 120 bytes, 1 3 0.05 0, asked 0, unusual false`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("networks:\n%q\nwant\n%q", got, want)
	}
	if r.UnusualNetworkCount != 1 || len(r.UnusualNetworks) != 1 || r.UnusualNetworks[0].Prefix != "192.0.2.0/24" || len(r.UnusualNetworks[0].Why) != 2 || r.UnusualCount != 0 {
		t.Errorf("unusual: %+v, %+v", r.UnusualNetworks, r.Unusual)
	}
	if want := (audit.People{Clients: 4, Requests: 18, Documents: 10, Assets: 8, Bytes: 180}); r.People != want {
		t.Errorf("people: %+v, want %+v: those of an unusual network are none", r.People, want)
	}
}

// TestAuditor_NetworkOptions: how long prefixes are, how many networks are told apart, how many are listed.
func TestAuditor_NetworkOptions(t *testing.T) {
	for _, c := range []struct {
		name    string
		o       audit.Options
		want    []string
		beyond  int64
		unusual int
	}{
		{"prefixes", audit.Options{NetworkBits4: 8, NetworkBits6: 64}, []string{"192.0.0.0/8", "198.0.0.0/8"}, 0, 1},
		{"tracked", audit.Options{MaxNetworks: 1}, []string{"192.0.2.0/24"}, 15 + 12 + 6, 0}, // nobody that is tracked gets assets
		{"listed", audit.Options{TopNetworks: 1}, []string{"192.0.2.0/24"}, 0, 1},
		{"pace of people", audit.Options{HumanPace: 60, TopNetworks: 1}, []string{"192.0.2.0/24"}, 0, 0},
		{"none", audit.Options{NetworkBits4: -1, NetworkBits6: -1}, nil, 0, 0},
	} {
		r := run(t, spread(), c.o)
		var got []string
		for _, n := range r.Networks {
			got = append(got, n.Prefix)
		}
		if !slices.Equal(got, c.want) || r.OtherNetworks != c.beyond || r.UnusualNetworkCount != c.unusual {
			t.Errorf("%s: %q, beyond %d, unusual %d", c.name, got, r.OtherNetworks, r.UnusualNetworkCount)
		}
	}
}

// TestAuditor_NetworkPeaks: a network has the peaks of one robot that has the same addresses.
func TestAuditor_NetworkPeaks(t *testing.T) {
	var w logWriter
	at, state := 0.0, uint32(1)
	for i := range 5000 {
		state = state*1664525 + 1013904223
		if i%4 == 0 {
			at += float64(state>>24) / 32
		}
		w.at(at+float64(state>>16&7), fmt.Sprintf("192.0.2.%d", i%3), "Bot/1", fmt.Sprintf("/%d", i), 200, 1)
	}
	r := run(t, w.b.String(), audit.Options{})
	n, p := r.Networks[0], r.Robots[0].Pace
	if n.PeakSecond != p.PeakSecond || n.PeakMinute != p.PeakMinute || n.RapidSeconds != p.RapidSeconds || n.Sustained != p.Sustained || n.RapidSeconds == 0 {
		t.Errorf("network %+v, robot %+v", n, p)
	}
}

// TestAuditor_PrivacyAddresses: who takes another address of a /64 for each request is one visitor, whether it says to be a browser
// or borrows a name, and is refused by the /64.
func TestAuditor_PrivacyAddresses(t *testing.T) {
	var w logWriter
	for i := range 600 {
		w.at(float64(60*i), fmt.Sprintf("2001:db8:5:1::%x:%x", i, i*i%65536), browser, fmt.Sprintf("/slow/%d", i), 200, 1)
		for k, path := range []string{"/page", "/a.css", "/b.js", "/c.png"} {
			w.at(float64(60*i+k), fmt.Sprintf("198.51.%d.%d", i%200, i%7), browser, path, 200, 1)
		}
		if i < 40 {
			w.at(float64(60*i+9), fmt.Sprintf("2001:db8:6:1::%x", i), "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "/private/x", 200, 1)
		}
	}
	r := run(t, w.b.String(), audit.Options{Copies: history(), Identify: identifyMade, MaxAddresses: 100})
	if len(r.UnusualNetworks) != 1 || r.UnusualNetworks[0].Prefix != "2001:db8:5::/48" || r.People.Requests != 2400 {
		t.Errorf("unusual networks %+v, people %+v", r.UnusualNetworks, r.People)
	}
	if r.Remedy == nil || len(r.Remedy.Refused) != 1 || r.Remedy.Refused[0] != (audit.Met{Name: "2001:db8:6:1::/64", Meant: 40}) {
		t.Errorf("remedy %+v", r.Remedy)
	}
}

// TestAuditor_Translated: behind a translator of protocols all of IPv4 is in one /64. One of them is refused by the address alone,
// neighbours are those of IPv4, and a name is proved by the address before it was translated.
func TestAuditor_Translated(t *testing.T) {
	for _, prefix := range []string{"64:ff9b::", "2001:db8:122:344::"} {
		var w logWriter
		for i := range 200 {
			for k, path := range []string{"/page", "/a.css", "/b.js", "/c.png"} {
				w.at(float64(60*i+k), fmt.Sprintf("%s%x:%x", prefix, 0xC633+i, 7*i+1), browser, path, 200, 1)
			}
			w.at(float64(60*i+9), prefix+"cb00:7109", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "/private/x", 200, 1)
		}
		for i := range 3 {
			w.at(float64(20000+i), fmt.Sprintf("%sc000:2%02x", prefix, i), "ExampleBot/1", "/", 200, 1)
		}
		identify := func(token, client string) audit.Identity {
			if token == "ExampleBot" && strings.HasPrefix(client, "192.0.2.") {
				return audit.Confirmed
			}
			return audit.Disproved
		}
		r := run(t, w.b.String(), audit.Options{Copies: history(), Identify: identify})
		if r.Remedy == nil || len(r.Remedy.Refused) != 1 || r.Remedy.Refused[0] != (audit.Met{Name: prefix + "cb00:7109/128", Meant: 200}) {
			t.Errorf("%s: remedy %+v", prefix, r.Remedy)
		}
		if prefix != "64:ff9b::" { // which another translator may have, but nobody can know
			continue
		}
		if len(r.Networks) != 1 || r.Networks[0].Prefix != "64:ff9b::c000:200/120" {
			t.Errorf("networks: %+v", r.Networks)
		}
		i := slices.IndexFunc(r.Robots, func(one audit.Robot) bool { return one.Token == "ExampleBot" })
		if i < 0 || r.Robots[i].Identity != audit.Confirmed {
			t.Errorf("robots: %+v", r.Robots)
		}
	}
}

// TestAuditor_TranslatedAlone: who comes through a translator is refused by the address alone though no people are in the log: they
// may come tomorrow.
func TestAuditor_TranslatedAlone(t *testing.T) {
	var w logWriter
	for i := range 200 {
		w.at(float64(60*i), "64:ff9b::cb00:7109", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "/private/x", 200, 1)
	}
	r := run(t, w.b.String(), audit.Options{Copies: history(), Identify: func(_, _ string) audit.Identity { return audit.Disproved }})
	if r.Remedy == nil || len(r.Remedy.Refused) != 1 || r.Remedy.Refused[0].Name != "64:ff9b::cb00:7109/128" {
		t.Errorf("remedy %+v", r.Remedy)
	}
}

package accesslog_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// TestEnvoy_Forged: Envoy writes what a client has sent without escapes (its issue 4191). Wherever the client puts quotes, blanks
// or a backslash, its request is on no account but its own, and under no proxy but a trusted one.
func TestEnvoy_Forged(t *testing.T) {
	const envoy = `[2026-03-01T12:00:00.250Z] "GET PATH HTTP/1.1" 200 - 0 2326 46 45 "FORWARDED, 192.0.2.7" "AGENT" "ID" "HOST" "10.0.2.1:80"`
	const istio = `[2026-03-01T12:00:00.250Z] "GET PATH HTTP/1.1" 200 - via_upstream - "-" 0 2326 46 45 "FORWARDED, 192.0.2.7" "AGENT" "ID" "HOST" "10.0.2.1:80" ` +
		`inbound|8000|| 127.0.0.1:41854 10.44.1.27:80 192.0.2.7:37652 - default`
	tail := strings.Repeat("203.0.113.9:1 ", 6)
	forged := []string{
		`x`, `"`, `\`, `a "b" c`, `203.0.113.9" "GPTBot/1.2" "x" "e.example" "`, `x" "203.0.113.9" "GPTBot/1.2" "x" "e.example" "10.0.2.1:80`,
		`x" HTTP/1.1" 200 - 0 1 1 1 "203.0.113.9" "GPTBot/1.2" "x" "e.example" "10.0.2.1:80`, `a" b "x" "h" ` + tail + `"`, `h" "u" ` + tail + `"`,
		`5" 7 x "203.0.113.9" "GPTBot/1.2" x "e.example" ` + tail + `"`, `203.0.113.9" "\`, `[`, `] "`,
	}
	for _, line := range []string{envoy, istio} {
		for _, place := range []string{"PATH", "FORWARDED", "AGENT", "ID", "HOST"} {
			for _, f := range forged {
				in := strings.Replace(line, place, f, 1)
				for _, rest := range []string{"PATH", "AGENT", "ID", "HOST"} {
					in = strings.Replace(in, rest, `\`, 1)
				}
				in = strings.Replace(in, "FORWARDED", "198.51.100.1", 1)
				for _, format := range []accesslog.Format{accesslog.Auto, accesslog.Envoy} {
					p := accesslog.Parser{Format: format, Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
					var e accesslog.Entry
					if err := p.Parse([]byte(in), &e); err == nil && string(e.Client) != "192.0.2.7" {
						t.Errorf("client %s, agent %s: %s", e.Client, e.Agent, in)
					}
				}
			}
		}
	}
	var e accesslog.Entry
	in := strings.Replace(strings.Replace(envoy, "AGENT", `a "b" c`, 1), "FORWARDED", "198.51.100.1", 1)
	if err := new(accesslog.Parser).Parse([]byte(in), &e); !errors.Is(err, accesslog.ErrQuotes) {
		t.Errorf("quotes within quotes: %v", err)
	}
}

// TestIstio_Client: whom Istio was asked by counts more than what that one claims; not if it is a proxy of ours.
func TestIstio_Client(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, c := range []struct {
		peer, list, want string
		trusted          []netip.Prefix
		forwarded        bool
	}{
		{"192.0.2.7:37652", "203.0.113.9", "192.0.2.7", nil, false}, {"192.0.2.7:37652", "203.0.113.9", "192.0.2.7", trusted, false},
		{"10.0.0.9:37652", "192.0.2.7", "192.0.2.7", nil, true}, {"10.0.0.9:37652", "203.0.113.9,192.0.2.7", "192.0.2.7", trusted, false},
		{"[2001:db8::7]:37652", "203.0.113.9", "2001:db8::7", nil, false}, {"192.0.2.7:37652", "-", "192.0.2.7", nil, false},
	} {
		var e accesslog.Entry
		p := accesslog.Parser{Trusted: c.trusted}
		in := `[2026-03-01T12:00:00.250Z] "GET / HTTP/1.1" 200 - via_upstream - "-" 0 2326 46 45 "` + c.list + `" "GPTBot/1.2" "x" "e.example" "10.0.2.1:80" ` +
			`inbound|8000|| 127.0.0.1:41854 10.44.1.27:80 ` + c.peer + ` - default`
		if err := p.Parse([]byte(in), &e); err != nil || string(e.Client) != c.want || e.Forwarded != c.forwarded {
			t.Errorf("asked by %s for %s, trusted %v: %v, client %s, claimed %v", c.peer, c.list, c.trusted, err, e.Client, e.Forwarded)
		}
	}
}

// TestLog4js_Forged: connectLogger of log4js takes X-Forwarded-For for the client, whoever has written it, so that the address
// proves nothing unless proxies are named.
func TestLog4js_Forged(t *testing.T) {
	const line = `[2026-03-01T12:00:00.250] [INFO] http - 66.249.66.1 - - "GET /a HTTP/1.1" 200 2326 "" "Mozilla/5.0 (compatible; Googlebot/2.1)"`
	for _, trusted := range [][]netip.Prefix{nil, {netip.MustParsePrefix("10.0.0.0/8")}} {
		p, e := accesslog.Parser{Trusted: trusted}, accesslog.Entry{}
		if err := p.Parse([]byte(line), &e); err != nil || string(e.Client) != "66.249.66.1" || e.Forwarded != (trusted == nil) {
			t.Errorf("trusted %v: %v, client %s, claimed %v", trusted, err, e.Client, e.Forwarded)
		}
	}
}

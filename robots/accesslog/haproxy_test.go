package accesslog_test

import (
	"errors"
	"net/netip"
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// TestHAProxy_Captured: a name that begins with no product is one, though the header before it is empty; and a backslash, which
// HAProxy does not escape, ends no name.
func TestHAProxy_Captured(t *testing.T) {
	for line, agent := range map[string]string{
		`192.0.2.7:50131 [27/Nov/2026:09:39:00.034] f b/s 0/0/0/0/0 200 76 - - ---- 1/1/0/0/0 0/0 {e.example||Evil #22quoted#22 Bot} "GET /x HTTP/1.1"`:             `Evil "quoted" Bot`,
		`192.0.2.7 - - [27/Nov/2026:09:39:00 +0000] "GET /x HTTP/1.1" 200 76 "" "" 50131 034 "f" "b" "s" 0 0 0 0 0 ---- 1 1 0 0 0 0 0 "" "" "e.example" "" "Sly \"`: `Sly \`,
	} {
		var p accesslog.Parser
		var e accesslog.Entry
		if err := p.Parse([]byte(line), &e); err != nil || string(e.Agent) != agent || string(e.Host) != "e.example" || string(e.Target) != "/x" {
			t.Errorf("%s: %v, %q at %s", line, err, e.Agent, e.Host)
		}
	}
}

// TestHAProxy_CapturedAddresses: a User-Agent or a Host that is an address makes nobody else the client.
func TestHAProxy_CapturedAddresses(t *testing.T) {
	for headers, want := range map[string]string{
		"203.0.113.5":                          "203.0.113.5",
		"Mozilla/5.0|203.0.113.5, 10.0.0.9":    "203.0.113.5",
		"203.0.113.5|203.0.113.5":              "203.0.113.5",
		"198.51.100.1, 203.0.113.5|10.0.0.80":  "203.0.113.5",
		"10.0.0.80|198.51.100.1, 203.0.113.5":  "203.0.113.5",
		"66.249.66.1|203.0.113.5":              "-",
		"203.0.113.5|66.249.66.1|203.0.113.5":  "-",
		"203.0.113.5|2001:db8::1|Mozilla/5.0":  "-",
		"10.0.0.80|10.0.0.81|Mozilla/5.0":      "10.0.0.80",
		"198.51.100.80|Mozilla/5.0|10.0.0.200": "198.51.100.80",
	} {
		p := accesslog.Parser{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
		var e accesslog.Entry
		for _, peer := range []string{"10.0.0.9:50131", "unix:1"} { // the one is a proxy as well as the other
			line := peer + " [27/Nov/2026:09:39:00.034] f b/s 0/0/0/0/0 200 76 - - ---- 1/1/0/0/0 0/0 {" + headers + `} "GET /x HTTP/1.1"`
			if err := p.Parse([]byte(line), &e); err != nil || string(e.Client) != want {
				t.Errorf("%s: %s: client %s, %v; want %s", peer, headers, e.Client, err, want)
			}
		}
	}
}

// TestHAProxy_Socket: who asks over a socket is nobody, or whom a proxy that is trusted names.
func TestHAProxy_Socket(t *testing.T) {
	lines := []string{
		`haproxy[9093]: unix:1 [01/Dec/2026:06:13:12.255] f f/<NOSRV> 0/-1/-1/-1/0 200 73 - - LR-- 1/1/0/0/0 0/0 {203.0.113.7|Bad/1.0} "GET /x HTTP/1.1"`,
		`haproxy[9093]: unix - - [01/Dec/2026:06:13:12 +0000] "GET /x HTTP/1.1" 200 73 "" "" 1 255 "f" "f" "<NOSRV>" 0 -1 -1 -1 0 LR-- 1 1 0 0 0 0 0 "" "" "203.0.113.7" "Bad/1.0"`,
	}
	for _, line := range lines {
		for want, p := range map[string]accesslog.Parser{"-": {}, "203.0.113.7": {Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}} {
			var e accesslog.Entry
			if err := p.Parse([]byte("Dec  1 06:13:12 "+line), &e); err != nil || string(e.Client) != want || string(e.Agent) != "Bad/1.0" {
				t.Errorf("%s: client %s, %s, %v; want %s", line, e.Client, e.Agent, err, want)
			}
		}
	}
}

// TestHAProxy_Cut: http-request capture req.hdr(User-Agent) has what follows the last comma. A browser is one for all that, also
// behind another header.
func TestHAProxy_Cut(t *testing.T) {
	const want = "Mozilla/5.0 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"
	for _, before := range []string{"", "en;q=0.9|"} {
		line := `192.0.2.7:50131 [27/Nov/2026:09:39:00.034] f b/s 0/0/0/0/0 200 76 - - ---- 1/1/0/0/0 0/0 {` + before +
			`like Gecko) Chrome/126.0.0.0 Safari/537.36} "GET /x HTTP/1.1"`
		var p accesslog.Parser
		var e accesslog.Entry
		if err := p.Parse([]byte(line), &e); err != nil || string(e.Agent) != want {
			t.Errorf("agent %q, %v; want %q", e.Agent, err, want)
		}
	}
}

// TestHAProxy_NoRequest: what HAProxy notes of a connection that failed before any request is no malformed line.
func TestHAProxy_NoRequest(t *testing.T) {
	const begin = `<134>Nov 28 14:53:44 haproxy[10721]: 192.0.2.7:37672 [28/Nov/2026:14:53:44.902] `
	for line, want := range map[string]error{
		begin + "https/2: Received something which does not look like a PROXY protocol header": accesslog.ErrRemark,
		begin + "https/1: Connection closed during SSL handshake":                              accesslog.ErrRemark,
		begin + `https~ https/<NOSRV> 0/-1/-1/-1/0 200 76 - - LR-- 1/1/0/0/0 0/0 "GET /x"`:     nil,
	} {
		for _, format := range []accesslog.Format{accesslog.Auto, accesslog.HAProxy} {
			var e accesslog.Entry
			p := accesslog.Parser{Format: format}
			if err := p.Parse([]byte(line), &e); !errors.Is(err, want) {
				t.Errorf("%s: %s: %v", format, line, err)
			}
		}
	}
}

// TestHAProxy_Notices: what HAProxy tells of itself between the requests is no malformed line; what may be a request is, and so is
// a connection whose requests are not logged.
func TestHAProxy_Notices(t *testing.T) {
	for line, want := range map[string]error{
		`Mar  1 12:00:00 lb haproxy[77]: Proxy static stopped (FE: 0 conns, BE: 0 conns).`:        accesslog.ErrRemark,
		`2026-03-01T12:00:00-08:00 lb haproxy[77]: Stopping backend static in 0 ms.`:              accesslog.ErrRemark,
		`<134>Mar  1 12:00:00 lb haproxy[77]: Server static/srv1 is DOWN, reason: Layer4 timeout`: accesslog.ErrRemark,
		`Mar  1 12:00:00 lb haproxy[77]: [WARNING]  (77) : Exiting Master process...`:             accesslog.ErrRemark,
		`Mar  1 12:00:00 lb haproxy[77]: Connect from 192.0.2.7:33 to 192.0.2.1:443 (https/HTTP)`: accesslog.ErrTime,
		`Mar  1 12:00:00 lb haproxy[77]: GET /private/ 192.0.2.7`:                                 accesslog.ErrTime,
		`1" 200 5 "-" "Evil haproxy[77]: Server x`:                                                accesslog.ErrTime,
	} {
		for _, format := range []accesslog.Format{accesslog.Auto, accesslog.HAProxy} {
			p := accesslog.Parser{Format: format}
			if err := p.Parse([]byte(line), new(accesslog.Entry)); !errors.Is(err, want) {
				t.Errorf("%s: %s: %v, want %v", format, line, err, want)
			}
		}
	}
}

package accesslog_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

const whole = `192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET /a?b HTTP/1.1" 200 2326 "http://e.example/" "Mozilla/5.0 (X11)"`

// TestParser_Torn: wherever a line was torn and the next one stuck to it, or not, it is no entry with the wrong client, agent or
// size.
func TestParser_Torn(t *testing.T) {
	var r accesslog.Parser
	var e accesslog.Entry
	next := strings.ReplaceAll(whole, "192.0.2.7", "198.51.100.99")
	for i := 1; i < len(whole); i++ {
		if err := r.Parse([]byte(whole[:i]+next), &e); err == nil && string(e.Client) != "198.51.100.99" && string(e.Client) != "-" && i < len(whole)-1 {
			t.Errorf("torn after %q, it is of client %q with the agent %q", whole[:i], e.Client, e.Agent)
		}
	}
	in := strings.Repeat(whole+"\n", 20)
	for i := 1; i < len(whole); i++ {
		log := accesslog.NewReader(strings.NewReader(in+whole[:i]+"\n"+in), accesslog.Auto)
		for log.Next() {
		}
		if n := log.Tally().Malformed; n != 1 {
			t.Errorf("torn after %q, %d lines are malformed", whole[:i], n)
		}
	}
}

// TestParser_TornBehind: a line that lost only its end, behind how long it took, hides not the next one; nor does a user name that
// looks like a line, of a server that escapes no quotes. A time there that no request follows is a field.
func TestParser_TornBehind(t *testing.T) {
	var p accesslog.Parser
	var e accesslog.Entry
	for _, line := range []string{
		whole + " 0.012" + whole + " 0.012", whole + ` "192.0.2.9"` + whole, whole + "rt=0.012 " + whole,
		`192.0.2.7 - x [1772366400] "GET / HTTP/1.1" 200 5 "-" "Mozilla/5.0" [01/Mar/2026:12:00:00 +0000] "GET /private HTTP/1.1" 404 5 "-" "Sly/1"`,
	} {
		if err := p.Parse([]byte(line), &e); !errors.Is(err, accesslog.ErrTorn) {
			t.Errorf("%s: %v, %s by %s", line, err, e.Target, e.Agent)
		}
	}
	for _, field := range []string{` [01/Mar/2026:12:00:01 +0000]`, ` [1772366400] x`, ` "[01/Mar/2026:12:00:01 +0000]"`, ` [web-80] [] 192.0.2.9:80 5`} {
		if err := p.Parse([]byte(whole+field), &e); err != nil {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// TestParser_TornTimes: that goes for each way to write a time in brackets, and for a next line that has a user.
func TestParser_TornTimes(t *testing.T) {
	var r accesslog.Parser
	var e accesslog.Entry
	for _, at := range []string{"01/Mar/2026:12:00:00 +0000", "2026-03-01T12:00:00+00:00", "2026-03-01 12:00:00", "1772366400.250", "1772366400"} {
		line := strings.Replace(whole, "01/Mar/2026:12:00:00 +0000", at, 1)
		next := strings.Replace(line, "192.0.2.7 - -", "198.51.100.99 - bob", 1)
		for i := strings.Index(line, "[") + 1; i < len(line)-1; i++ {
			if err := r.Parse([]byte(line[:i]+next), &e); err == nil && string(e.Client) != "198.51.100.99" && string(e.Client) != "-" {
				t.Errorf("torn after %q, it is of client %q", line[:i], e.Client)
			}
		}
	}
}

// TestReader_FormatChanges: a log that goes on in another format is not torn for ever.
func TestReader_FormatChanges(t *testing.T) {
	in := strings.Repeat(whole+"\n", 20) + strings.Repeat(`192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET /a?b HTTP/1.1" 200 2326`+"\n", 20)
	log := accesslog.NewReader(strings.NewReader(in), accesslog.Auto)
	n := 0
	for log.Next() {
		n++
	}
	if n != 38 {
		t.Errorf("%d of 40 lines", n)
	}
}

// TestReader_TwoFormats: a log into which a server writes two formats in turn is not torn in every other line.
func TestReader_TwoFormats(t *testing.T) {
	bare := `192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET /a?b HTTP/1.1" 200 2326`
	log := accesslog.NewReader(strings.NewReader(strings.Repeat(whole+"\n", 10)+strings.Repeat(whole+"\n"+bare+"\n", 100)), accesslog.Auto)
	n := 0
	for log.Next() {
		n++
	}
	if n != 190 {
		t.Errorf("%d of 210 lines, want all but 20", n)
	}
}

// TestParser_Prefixes: what collectors of logs put in front is understood, or refused; it is never taken for the client.
func TestParser_Prefixes(t *testing.T) {
	for prefix, ok := range map[string]bool{
		"<190>Mar  1 12:00:00 web-1 nginx: ": true, "Mar  1 12:00:00 web-1 nginx[17]: ": true, "<190>1 2026-03-01T12:00:00Z web-1 nginx 17 - - ": true,
		`<190>1 2026-03-01T12:00:00.123+01:00 web-1 nginx 17 ID47 [a@1 b="c"] `: true, "2026-03-01T12:00:00.5Z web-1 httpd[1]: ": true,
		"web-1  | ": true, "web-1 | ": true, "[pod/web-1/nginx] ": true, "2026-03-01T12:00:00.123456789Z stdout F ": true, "2026-03-01T12:00:00.123456789Z ": true,
		"<190>": true, "web-1 ": false, "web-1: ": false, "what is this ": false, "<190>Mar ": false, "1.2.3.4.5 ": false,
	} {
		for _, line := range []string{whole, `{"ts":1772366400,"remote_ip":"192.0.2.7","uri":"/a?b","status":200}`} {
			var p accesslog.Parser
			var e accesslog.Entry
			err := p.Parse([]byte(prefix+line), &e)
			switch {
			case ok && (err != nil || string(e.Client) != "192.0.2.7" || string(e.Target) != "/a?b" || string(e.Host) != ""):
				t.Errorf("%q: %v, client %q, host %q", prefix, err, e.Client, e.Host)
			case !ok && err == nil && (string(e.Client) != "192.0.2.7" || len(e.Host) == 0):
				t.Errorf("%q: client %q, host %q", prefix, e.Client, e.Host)
			}
		}
	}
	var p accesslog.Parser
	var e accesslog.Entry
	docker := `{"log":"` + strings.ReplaceAll(whole, `"`, `\"`) + `\n","stream":"stdout","time":"2026-03-01T12:00:00.1Z"}`
	if err := p.Parse([]byte(docker), &e); err != nil || string(e.Client) != "192.0.2.7" || string(e.Agent) != "Mozilla/5.0 (X11)" {
		t.Errorf("Docker: %v, %q, %q", err, e.Client, e.Agent)
	}
}

// TestParser_Proxies: of a list of addresses the client is the last that no trusted proxy has; a proxy is not blamed.
func TestParser_Proxies(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("203.0.113.0/24")}
	rest := strings.TrimPrefix(whole, "192.0.2.7")
	for _, c := range []struct {
		line    string
		trusted []netip.Prefix
		want    string
	}{
		{"192.0.2.7, 10.0.0.1" + rest, nil, "192.0.2.7"},
		{"192.0.2.7,10.0.0.1" + rest, nil, "192.0.2.7"},
		{"192.0.2.7, 10.0.0.1" + rest, trusted, "192.0.2.7"},
		{"192.0.2.7, 198.51.100.1, 203.0.113.5, 10.0.0.1" + rest, trusted, "198.51.100.1"},
		{"192.0.2.7, 203.0.113.5" + rest, trusted, "192.0.2.7"},
		{"unknown, 192.0.2.7, 10.0.0.1" + rest, trusted, "192.0.2.7"},
		{"10.0.0.1" + rest + ` "192.0.2.7"`, nil, "10.0.0.1"},
		{"10.0.0.1" + rest + ` "192.0.2.7"`, trusted, "192.0.2.7"},
		{"198.51.100.1" + rest + ` "192.0.2.7"`, trusted, "198.51.100.1"},
		{"10.0.0.1" + rest + ` "-"`, trusted, "10.0.0.1"},
		{`{"ts":1772366400,"remote_addr":"10.0.0.1","http_x_forwarded_for":"8.8.8.8, 192.0.2.7","uri":"/a?b","status":200}`, trusted, "192.0.2.7"},
		{"unix:" + rest + ` "192.0.2.7"`, nil, "-"}, // a proxy asked over a socket
		{"unix:" + rest + ` "192.0.2.7"`, trusted, "192.0.2.7"},
		{"unix:" + rest, trusted, "-"},
		{`{"ts":1772366400,"remote_addr":"unix:","http_x_forwarded_for":"8.8.8.8, 192.0.2.7","uri":"/a?b","status":200}`, trusted, "192.0.2.7"},
		{`{"ts":1772366400,"remote_addr":"unix:","uri":"/a?b","status":200}`, nil, "-"},
		{`{"ts":1772366400,"clientip":"192.0.2.7, 10.0.0.1","uri":"/a?b","status":200}`, nil, "192.0.2.7"},
		{"[2001:db8::7]" + rest, nil, "2001:db8::7"},
		{"192.0.2.7 -" + rest, nil, "192.0.2.7"},
		{"192.0.2.7 - ann -" + strings.TrimPrefix(rest, " - -"), nil, "192.0.2.7"},
		{"::ffff:192.0.2.7" + rest, nil, "192.0.2.7"},
	} {
		p := accesslog.Parser{Trusted: c.trusted}
		var e accesslog.Entry
		if err := p.Parse([]byte(c.line), &e); err != nil || string(e.Client) != c.want || len(e.Host) > 0 {
			t.Errorf("%s: %v, client %q, want %q; host %q", c.line, err, e.Client, c.want, e.Host)
		}
	}
}

// TestParser_FTP: what the FTP server of IIS logs beside its web server is no request.
func TestParser_FTP(t *testing.T) {
	const log = "#Fields: date time c-ip cs-username s-ip s-port cs-method cs-uri-stem sc-status sc-win32-status sc-substatus x-session " +
		"x-fullpath\n2016-02-06 18:01:57 192.0.2.1 - 192.0.2.9 21 USER anonymous 534 5 25 7d5bdf35 -\n" +
		"#Fields: date time c-ip cs-method cs-uri-stem sc-status\n2016-02-06 18:01:58 192.0.2.1 GET /a 200\n"
	r := accesslog.NewReader(strings.NewReader(log), accesslog.Auto)
	n := 0
	for r.Next() {
		n++
	}
	if n != 1 || r.Tally().Malformed != 1 {
		t.Errorf("%d requests, %d malformed lines, want one of each", n, r.Tally().Malformed)
	}
}

// TestParser_Drain: a drain of Vercel has a line for each thing that a function says during a request, all with the request, and
// with the path of the function beside what was sent: one visit would be three, of what nobody asked for.
func TestParser_Drain(t *testing.T) {
	const line = `{"id":"1","deploymentId":"dpl_1","source":"lambda","host":"a.vercel.app","timestamp":1772366400000,"projectId":"p","level":"info",` +
		`"path":"/internal/[item]","statusCode":200,"message":"read","proxy":{"timestamp":1772366400000,"method":"GET","host":"e.example",` +
		`"path":"/a?b","userAgent":["GPTBot/1.2"],"statusCode":200,"clientIp":"192.0.2.7"}}`
	var p accesslog.Parser
	var e accesslog.Entry
	if err := p.Parse([]byte(line), &e); !errors.Is(err, accesslog.ErrDrain) {
		t.Errorf("%v, target %q", err, e.Target)
	}
	const own = `{"time":"2026-03-01T12:00:00Z","deploymentId":"d","remoteIP":"192.0.2.7","request":"/a","method":"GET","status":"200"}`
	if err := p.Parse([]byte(own), &e); err != nil || string(e.Target) != "/a" {
		t.Errorf("a log that names its deployment: %v, target %q", err, e.Target)
	}
}

// TestParser_Targets: a recipe that logs path and query apart is read, and one without a target is refused.
func TestParser_Targets(t *testing.T) {
	for in, want := range map[string]string{
		`{"time":"2026-03-01T12:00:00Z","remoteIP":"192.0.2.7","request":"/a","query":"?b","method":"GET","status":"200"}`: "/a?b",
		`{"time":"2026-03-01T12:00:00Z","remoteIP":"192.0.2.7","request":"/a","query":"","method":"GET","status":"200"}`:   "/a",
		`{"time":"2026-03-01T12:00:00Z","remoteIP":"192.0.2.7","uri":"/a","args":"b","method":"GET","status":"200"}`:       "/a?b",
		`{"time":"2026-03-01T12:00:00Z","remoteIP":"192.0.2.7","request":"\u0016\u0003","status":"400"}`:                   "",
	} {
		var p accesslog.Parser
		var e accesslog.Entry
		if err := p.Parse([]byte(in), &e); err != nil || string(e.Target) != want {
			t.Errorf("%s: %v, target %q, want %q", in, err, e.Target, want)
		}
	}
	var p accesslog.Parser
	err := p.Parse([]byte(`{"time":"2026-03-01T12:00:00Z","remoteIP":"192.0.2.7","method":"GET","status":"200"}`), new(accesslog.Entry))
	if !errors.Is(err, accesslog.ErrTarget) {
		t.Errorf("without a target: %v", err)
	}
	var e accesslog.Entry
	if err := p.Parse([]byte(strings.Replace(whole, "/a?b", "http://WWW.e.example/a?b", 1)), &e); err != nil || len(e.Host) > 0 || string(e.Authority) != "www.e.example" || string(e.Target) != "/a?b" {
		t.Errorf("absolute form: %v, %+v", err, e)
	}
}

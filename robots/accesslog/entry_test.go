package accesslog_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestParser_Parse(t *testing.T) {
	for _, c := range []struct {
		name, in                          string
		client, host, method, path, agent string
		hasAgent                          bool
		status                            int
		bytes                             int64
		at                                time.Time
		taken                             time.Duration
	}{
		{
			"common", `192.0.2.1 - - [01/Mar/2026:12:00:00 +0000] "GET /a?b=c HTTP/1.1" 200 2326`,
			"192.0.2.1", "", "GET", "/a?b=c", "", false, 200, 2326, noon, -1,
		},
		{
			"combined, another zone, a user", `::1 - frank [01/Mar/2026:05:00:00 -0700] "GET / HTTP/2.0" 304 - "http://e.example/" "X/1"`,
			"::1", "", "GET", "/", "X/1", true, 304, 0, noon, -1,
		},
		{
			"no agent was sent", `2001:db8::1 - - [01/Mar/2026:17:30:00 +0530] "GET / HTTP/1.1" 200 1 "-" "-"`,
			"2001:db8::1", "", "GET", "/", "", true, 200, 1, noon, -1,
		},
		{
			"virtual host in front", `WWW.Example.org:80 192.0.2.1 - - [01/Mar/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "a"`,
			"192.0.2.1", "www.example.org", "GET", "/", "a", true, 200, 5, noon, -1,
		},
		{
			"a user name with a blank and a bracket", `192.0.2.1 - a b [x [01/Mar/2026:12:00:00 +0000] "GET / HTTP/1.1" 401 5 "-" "a"`,
			"192.0.2.1", "", "GET", "/", "a", true, 401, 5, noon, -1,
		},
		{
			"escapes", `h - - [01/Mar/2026:12:00:00 +0000] "GET /\x22\"\\a HTTP/1.1" 200 5 "-" "say \"hi\"\t"`,
			"h", "", "GET", `/""\a`, "say \"hi\"\t", true, 200, 5, noon, -1,
		},
		{
			"bytes that are not UTF-8", "h - - [01/Mar/2026:12:00:00 +0000] \"GET /\xff HTTP/1.1\" 200 5 \"-\" \"\xfe\"",
			"h", "", "GET", "/\xff", "\xfe", true, 200, 5, noon, -1,
		},
		{
			"no HTTP", `h - - [01/Mar/2026:12:00:00 +0000] "\x16\x03\x01" 400 5 "-" "-"`,
			"h", "", "", "", "", true, 400, 5, noon, -1,
		},
		{
			"nothing was sent", `h - - [01/Mar/2026:12:00:00 +0000] "-" 408 - "-" "-"`,
			"h", "", "", "", "", true, 408, 0, noon, -1,
		},
		{
			"absolute form and a fragment", `h - - [01/Mar/2026:12:00:00 +0000] "GET http://E.example:80/x#y HTTP/1.1" 200 5 "-" "-"`,
			"h", "", "GET", "/x", "", true, 200, 5, noon, -1,
		},
		{
			"a blank in the target, HTTP/0.9", `h - - [01/Mar/2026:12:00:00 +0000] "GET /a b" 200 5 "-" "-"`,
			"h", "", "GET", "/a b", "", true, 200, 5, noon, -1,
		},
		{
			"nginx with request time", `h - - [01/Mar/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "a" rt=0.250`,
			"h", "", "GET", "/", "a", true, 200, 5, noon, 250 * time.Millisecond,
		},
		{
			"Apache with microseconds", `h - - [01/Mar/2026:12:00:00.5 +0000] "GET / HTTP/1.1" 200 5 "-" "a" 1500`,
			"h", "", "GET", "/", "a", true, 200, 5, noon.Add(time.Second / 2), 1500 * time.Microsecond,
		},
		{
			"nginx in Kubernetes, with the length of the request before its time", `h - - [01/Mar/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "a" 448 0.250 [web-80] [] 10.0.0.3:8080 5 0.248 200 d8fe47e5`,
			"h", "", "GET", "/", "a", true, 200, 5, noon, 250 * time.Millisecond,
		},
		{
			"Apache's combinedio, with bytes in and out", `h - - [01/Mar/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "a" 448 312`,
			"h", "", "GET", "/", "a", true, 200, 5, noon, -1,
		},
		{
			"lighttpd", `192.0.2.1 E.example:80 - [01/Mar/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "a"`,
			"192.0.2.1", "e.example", "GET", "/", "a", true, 200, 5, noon, -1,
		},
		{
			"an address for ident, which may be of a proxy", `192.0.2.1 198.51.100.2 - [01/Mar/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "a"`,
			"192.0.2.1", "", "GET", "/", "a", true, 200, 5, noon, -1,
		},
		{
			"an ident that is no host", `192.0.2.1 john - [01/Mar/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "a"`,
			"192.0.2.1", "", "GET", "/", "a", true, 200, 5, noon, -1,
		},
		{
			"Caddy", `{"level":"info","ts":1772366400.25,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"10.0.0.1","remote_port":"1","client_ip":"192.0.2.7","proto":"HTTP/2.0","method":"GET","host":"Example.org","uri":"/x?y","headers":{"User-Agent":["GPTBot/1.0"],"Accept":["*/*"]}},"bytes_read":0,"duration":0.001,"size":12,"status":200}`,
			"192.0.2.7", "example.org", "GET", "/x?y", "GPTBot/1.0", true, 200, 12, noon.Add(time.Second / 4), time.Millisecond,
		},
		{
			"nginx", `{"time_iso8601":"2026-03-01T13:00:00+01:00","remote_addr":"192.0.2.1","request":"GET /\u00e4\ud83d\ude00 HTTP/1.1","status":"200","body_bytes_sent":"7","http_user_agent":"a\"b","request_time":"0.010"}`,
			"192.0.2.1", "", "GET", "/ä😀", `a"b`, true, 200, 7, noon, 10 * time.Millisecond,
		},
		{
			"Apache", `{ "time" : "[01/Mar/2026:12:00:00 +0000]", "remoteIP":"192.0.2.1", "host":"e.example", "request":"/x", "query":"", "method":"GET", "path":"/x", "status":404, "userAgent":"-", "response_time_us":20 }`,
			"192.0.2.1", "e.example", "GET", "/x", "", true, 404, 0, noon, 20 * time.Microsecond,
		},
		{
			"milliseconds since 1970", `{"ts":1772366400000,"client":"h","method":"GET","uri":"/","status":200,"unknown":[{"a":[1,2,{}]},null,true]}`,
			"h", "", "GET", "/", "", false, 200, 0, noon, -1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p accesslog.Parser
			var e accesslog.Entry
			if err := p.Parse([]byte(c.in), &e); err != nil {
				t.Fatal(err)
			}
			got := []string{string(e.Client), string(e.Host), string(e.Method), string(e.Target), string(e.Agent)}
			if want := []string{c.client, c.host, c.method, c.path, c.agent}; strings.Join(got, "|") != strings.Join(want, "|") {
				t.Errorf("client, host, method, target, agent are %q, want %q", got, want)
			}
			if e.HasAgent != c.hasAgent || e.Status != c.status || e.Bytes != c.bytes || !e.Time.Equal(c.at) || e.Taken != c.taken {
				t.Errorf("got %+v, want %+v", e, c)
			}
		})
	}
}

func TestParser_Malformed(t *testing.T) {
	for in, want := range map[string]error{
		" ":       accesslog.ErrEmpty,
		"garbage": accesslog.ErrTime,
		`h - - [31/Foo/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5`: accesslog.ErrTime,
		`h - - [29/Feb/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5`: accesslog.ErrTime,
		`h - - [31/Apr/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5`: accesslog.ErrTime,
		`[01/Mar/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5`:       accesslog.ErrClient,
		`h - - [01/Mar/2026:12:00:00 +0000] GET / HTTP/1.1 200 5`:   accesslog.ErrRequest,
		`h - - [01/Mar/2026:12:00:00 +0000] "GET / HTTP/1.1`:        accesslog.ErrRequest,
		`h - - [01/Mar/2026:12:00:00 +0000] "GET / HTTP/1.1" OK 5`:  accesslog.ErrStatus,
		`{"ts":1772366400,"client":"h"`:                             accesslog.ErrJSON,
		`{"client":"h","status":200}`:                               accesslog.ErrTime,
		`{"ts":1e300,"client":"h","status":200}`:                    accesslog.ErrTime,
		`{"ts":1772366400,"status":200}`:                            accesslog.ErrClient,
		`{"ts":1772366400,"client":"h","uri":"/","answer":404}`:     accesslog.ErrNoCode,
		strings.Repeat(`{"a":`, 100):                                accesslog.ErrJSON,
	} {
		var p accesslog.Parser
		if err := p.Parse([]byte(in), new(accesslog.Entry)); !errors.Is(err, want) {
			t.Errorf("Parse(%.60q) = %v, want %v", in, err, want)
		}
	}
	p := accesslog.Parser{Format: accesslog.Combined}
	if err := p.Parse([]byte(`h - - [01/Mar/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5`), new(accesslog.Entry)); !errors.Is(err, accesslog.ErrAgent) {
		t.Errorf("a common line is taken for a combined one: %v", err)
	}
}

func TestReader(t *testing.T) {
	good := `h - - [01/Mar/2026:12:00:00 +0000] "GET /1 HTTP/1.1" 200 5`
	in := strings.Join([]string{
		good, "", "bad \x01", strings.Repeat("x", 2*accesslog.MaxLine), good + "\r",
		`h - - [01/Mar/2026:14:00:00 +0200] "GET /2 HTTP/1.1" 200 5`,
	}, "\n")
	r := accesslog.NewReader(strings.NewReader(in), accesslog.Auto)
	var lines []int64
	for r.Next() {
		lines = append(lines, r.Line())
		if !r.Entry().Time.Equal(noon) {
			t.Errorf("line %d is at %v", r.Line(), r.Entry().Time)
		}
	}
	tally := r.Tally()
	if r.Err() != nil || len(lines) != 3 || lines[2] != 6 || tally.Lines != 6 || tally.Malformed != 2 || tally.ZoneChanges != 1 || tally.Bytes != int64(len(in)) {
		t.Errorf("entries in lines %d, %+v, error %v", lines, tally, r.Err())
	}
	if s := tally.Samples; len(s) != 2 || s[0].Line != 3 || s[0].Text != `"bad \x01"` || s[1].Why != accesslog.ErrLong.Error() || len(s[1].Text) > 250 {
		t.Errorf("samples are %+v", s)
	}
}

// FuzzParser: no line makes it panic, and what it hands out is bounded by the line. Nothing of one line is left for the next.
func FuzzParser(f *testing.F) {
	for _, seed := range []string{
		`192.0.2.1 - - [01/Mar/2026:12:00:00 +0000] "GET /\x22a?b=c HTTP/1.1" 200 2326 "-" "a\"b" 0.5`,
		`v:80 192.0.2.1 - - [01/Mar/2026:12:00:00 +0000] "GET http://a/ HTTP/1.1" 200 2326`,
		`{"ts":1772366400.25e0,"request":{"client_ip":"h","uri":"/\u00e4\ud83d\ude00","headers":{"User-Agent":["x"]}},"status":200}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, format := range []accesslog.Format{accesslog.Auto, accesslog.Common, accesslog.Combined, accesslog.VHost, accesslog.JSON, accesslog.HAProxy, accesslog.W3C, accesslog.ALB,
			accesslog.S3, accesslog.NPM, accesslog.Log4js, accesslog.Envoy} {
			var e, again accesslog.Entry
			p := accesslog.Parser{Format: format}
			err := p.Parse([]byte(string(line)), &e)
			if err == nil && (len(e.Client) == 0 || len(e.Target)+len(e.Agent)+len(e.Host) > 3*len(line)+3 || e.Status < 0 || e.Bytes < 0 || e.Taken > 24*time.Hour) {
				t.Errorf("%q as %q: %+v", line, format, e)
			}
			used := accesslog.Parser{Format: format}
			used.Parse([]byte(`{"ts":1772366400,"client":"\u0068","uri":"/\u0068","status":200}`), &again)
			if err2 := used.Parse([]byte(string(line)), &again); !errors.Is(err2, err) || err == nil && (string(e.Target) != string(again.Target) || !e.Time.Equal(again.Time) || string(e.Agent) != string(again.Agent)) {
				t.Errorf("%q as %q: %+v, %v the second time %+v, %v", line, format, e, err, again, err2)
			}
		}
	})
}

func BenchmarkParser(b *testing.B) {
	for _, c := range []struct{ name, line string }{
		{"combined", `203.0.113.77 - - [01/Mar/2026:12:00:00 +0000] "GET /articles/2026/03/a-rather-usual-path.html?page=2 HTTP/1.1" 200 23260 "https://www.example.org/articles/" "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"`},
		{"caddy", `{"level":"info","ts":1772366400.25,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"10.0.0.1","remote_port":"1","client_ip":"192.0.2.7","proto":"HTTP/2.0","method":"GET","host":"example.org","uri":"/x?y","headers":{"User-Agent":["GPTBot/1.0"],"Accept":["*/*"]}},"bytes_read":0,"duration":0.001,"size":12,"status":200}`},
		{"brackets", `192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET /x HTTP/1.1" 200 5 "-" ""` + strings.Repeat("[", 60_000) + `"`},
	} {
		b.Run(c.name, func(b *testing.B) {
			var p accesslog.Parser
			var e accesslog.Entry
			line := []byte(c.line)
			b.ReportAllocs()
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				if err := p.Parse(line, &e); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}

// TestParse_LoneBackslash: a backslash that escapes nothing is one that was sent, for Gunicorn and uWSGI escape none.
func TestParse_LoneBackslash(t *testing.T) {
	const in = `192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET /\private/\\x/\"y HTTP/1.1" 200 5 "-" "Bot \ \x41 \u0042 \1"`
	var e accesslog.Entry
	err := new(accesslog.Parser).Parse([]byte(in), &e)
	if err != nil || string(e.Target) != `/\private/\x/"y` || string(e.Agent) != `Bot \ A B \1` {
		t.Errorf("%v, target %s, agent %s", err, e.Target, e.Agent)
	}
}

// TestParse_Netlify: a line of a drain of Netlify, whose url names the host.
func TestParse_Netlify(t *testing.T) {
	const in = `{"log_type":"traffic","deploy_id":"5f","timestamp":"2026-03-01T12:00:00.250Z","method":"GET","url":"https://e.example/a?b",` +
		`"status_code":200,"client_ip":"192.0.2.7","user_agent":"GPTBot/1.2","referrer":"","response_size":2326,"request_size":77,"duration":12}`
	var e accesslog.Entry
	err := new(accesslog.Parser).Parse([]byte(in), &e)
	if err != nil || string(e.Client) != "192.0.2.7" || string(e.Target) != "/a?b" || string(e.Authority) != "e.example" || e.Bytes != 2326 {
		t.Errorf("%v, client %s, target %s of %s, %d bytes", err, e.Client, e.Target, e.Authority, e.Bytes)
	}
}

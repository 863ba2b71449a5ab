package errorlog_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog/errorlog"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		line, level, client string
		kind                errorlog.Kind
		at                  time.Time
	}{
		{`2026/03/01 12:00:00 [error] 17#17: *5 open() "/srv/robots.txt" failed (2: No such file or directory), client: 192.0.2.1, server: _, request: "GET /robots.txt HTTP/1.1", host: "e.example"`,
			"error", "192.0.2.1", errorlog.Missing, noon},
		{`2026/03/01 12:00:00 [error] 17#17: *5 upstream timed out (110: Connection timed out) while reading response header from upstream, client: 2001:db8::1, server: e.example, request: "GET /a HTTP/1.1"`,
			"error", "2001:db8::1", errorlog.Overload, noon},
		{`2026/03/01 12:00:00 [error] 17#17: *5 limiting requests, excess: 5.2 by zone "one", client: 192.0.2.1, server: _`, "error", "192.0.2.1", errorlog.Limited, noon},
		{`2026/03/01 12:00:00 [alert] 17#17: 1024 worker_connections are not enough`, "alert", "", errorlog.Overload, noon},
		{`2026/03/01 12:00:00 [error] 17#17: *5 access forbidden by rule, client: 192.0.2.1`, "error", "192.0.2.1", errorlog.Refused, noon},
		{`2026/03/01 12:00:00 [notice] 17#17: signal process started`, "notice", "", errorlog.Other, noon},
		{`[Sun Mar 01 12:00:00.123456 2026] [core:error] [pid 17:tid 9] (2)No such file or directory: [client 192.0.2.1:5432] AH00128: File does not exist: /srv/robots.txt`,
			"error", "192.0.2.1", errorlog.Missing, noon.Add(123456 * time.Microsecond)},
		{`[Sun Mar  1 12:00:00 2026] [error] [client 192.0.2.1] File does not exist: /srv/robots.txt`, "error", "192.0.2.1", errorlog.Missing, noon},
		{`[Sun Mar 01 12:00:00.000000 2026] [mpm_event:error] [pid 17:tid 9] AH00484: server reached MaxRequestWorkers setting, consider raising the MaxRequestWorkers setting`,
			"error", "", errorlog.Overload, noon},
		{`[Sun Mar 01 12:00:00.000000 2026] [authz_core:error] [pid 17:tid 9] [client 2001:db8::1:5432] AH01630: client denied by server configuration: /srv/x`,
			"error", "2001:db8::1", errorlog.Refused, noon},
		{`[Sun Mar 01 12:00:00.000000 2026] [proxy:error] [pid 17:tid 9] (70007)The timeout specified has expired: [client 192.0.2.1:5432] AH01102: error reading`,
			"error", "192.0.2.1", errorlog.Overload, noon},
	} {
		e, ok := errorlog.Parse([]byte(c.line))
		if !ok || e.Level != c.level || e.Client != c.client || e.Kind != c.kind || !e.Time.Equal(c.at) {
			t.Errorf("%s:\n%v %+v", c.line, ok, e)
		}
	}
	for _, line := range []string{"", "x", "[", "[]", "[x] [y] z", "2026/03/01", "2026/13/01 12:00:00 [error] x", `192.0.2.1 - - [01/Mar/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 1`} {
		if e, ok := errorlog.Parse([]byte(line)); ok {
			t.Errorf("%q is read as %+v", line, e)
		}
	}
}

func TestLog(t *testing.T) {
	l := errorlog.New()
	err := l.Read(strings.NewReader("2026/03/01 13:00:30 [error] 1#1: *5 upstream timed out, client: 192.0.2.1, server: _\n" + strings.Repeat("x", 200_000) + "\n\n" +
		"2026/03/01 13:00:50 [error] 1#1: *5 open() \"/srv/robots.txt\" failed (2: No such file or directory), client: 192.0.2.1\nfoo\n" +
		"2026/03/01 13:01:00 [alert] 1#1: 512 worker_connections are not enough"))
	if err != nil || l.Lines != 5 || l.Malformed != 2 || l.RobotsTxt != 1 || l.Kinds[errorlog.Overload] != 2 || l.Of("192.0.2.1") != 1 || len(l.Samples) != 2 {
		t.Errorf("%v, %+v", err, l)
	}
	if got := l.Overloads(3600); len(got) != 2 || got[noon.Unix()/60] != 1 || got[noon.Unix()/60+1] != 1 {
		t.Errorf("%v", got)
	}
}

// FuzzParse: any bytes are a line or none, with a client that is an address or empty.
func FuzzParse(f *testing.F) {
	f.Add([]byte("2026/03/01 12:00:00 [error] 17#17: *5 x, client: 192.0.2.1"))
	f.Add([]byte("[Sun Mar 01 12:00:00.123456 2026] [core:error] [pid 1] [client ::1:5] x"))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, ok := errorlog.Parse(line)
		if ok && (e.Kind == "" || strings.ContainsAny(e.Client, " ,]") || len(e.Text) > len(line)) {
			t.Errorf("%+v", e)
		}
	})
}

package accesslog_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// TestParser_UserNames: what a visitor sends as its user name (RFC 7617), which nginx, Varnish and others log of anybody, hides no
// request. Whose it is cannot be told when the line may as well be two, of which the first was torn.
func TestParser_UserNames(t *testing.T) {
	const rest = ` [01/Mar/2026:12:00:00 +0000] "GET /private/x HTTP/1.1" 200 5 "-" "SlyBot/1.0"`
	for _, user := range []string{
		"- 198.51.100.9 -", "x 198.51.100.9 - -", "198.51.100.9 198.51.100.9", "joe [01/Mar/2026", "a -", "[12", "[1772366400]", "a [1772366400] b",
		`a [1772366400] \x22GET / HTTP/1.1\x22 200 5 \x22-\x22 \x22Mozilla/5.0\x22`,
	} {
		for _, front := range []string{"", "e.example ", "e.example:443 "} {
			var p accesslog.Parser
			var e accesslog.Entry
			err := p.Parse([]byte(front+"192.0.2.7 - "+user+rest), &e)
			if err != nil || string(e.Target) != "/private/x" || string(e.Agent) != "SlyBot/1.0" || e.Time.Hour() != 12 ||
				string(e.Client) != "-" && string(e.Client) != "192.0.2.7" || string(e.Client) == "-" && len(e.Host) > 0 {
				t.Errorf("%suser %s: %v, client %s, host %s, %s by %s at %v", front, user, err, e.Client, e.Host, e.Target, e.Agent, e.Time)
			}
		}
	}
}

// TestParser_NoDirective: a log may begin its lines with what a visitor sends, as X-Forwarded-For. That makes no remark of a
// request, and changes no layout.
func TestParser_NoDirective(t *testing.T) {
	for _, sent := range []string{"#Software: x", "#Fields: c-ip date time", "#Date: 2026-03-01", "#Remark: "} {
		var p accesslog.Parser
		var e accesslog.Entry
		line := sent + ` - - [01/Mar/2026:12:00:00 +0000] "GET /private/x HTTP/1.1" 200 5 "-" "SlyBot/1.0"`
		if err := p.Parse([]byte(line), &e); err == nil && string(e.Target) != "/private/x" || errors.Is(err, accesslog.ErrRemark) {
			t.Errorf("%s: %v, %s", line, err, e.Target)
		}
	}
}

// TestParser_Unescaped: where a server escapes no quotes or no backslashes, as h2o, Gunicorn, Squid, and nginx and HAProxy if they
// are told to, those in a name or a path hide no request.
func TestParser_Unescaped(t *testing.T) {
	for _, c := range []struct{ target, referrer, agent string }{
		{"/x", "-", `Bot/1 \`}, {"/x", "-", `Bot/1 "quoted"`}, {"/x", "-", `Bot/1 "`}, {"/x", "-", `"Bot/1`}, {"/x", "-", `Bot/1","client_ip":"198.51.100.9`},
		{"/x", "-", `Bot/1 \ \`}, {"/x", `http://e.example/"x"`, "Bot/1"}, {"/x", `http://e.example/\`, "Bot/1"}, {`/x"y`, "-", "Bot/1"},
		{`/x"y"z?"`, "-", `Bot/1 "q"`},
	} {
		for _, behind := range []string{"", " 0.012", " TCP_MISS:HIER_NONE"} {
			line := fmt.Sprintf(`192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET %s HTTP/1.1" 200 5 "%s" "%s"%s`, c.target, c.referrer, c.agent, behind)
			var p accesslog.Parser
			var e accesslog.Entry
			if err := p.Parse([]byte(line), &e); err != nil || string(e.Client) != "192.0.2.7" || string(e.Target) != c.target || e.Status != 200 ||
				string(e.Agent) != c.agent || c.referrer != "-" && string(e.Referrer) != c.referrer {
				t.Errorf("%s: %v, %s by %q from %q", line, err, e.Target, e.Agent, e.Referrer)
			}
		}
	}
	for _, line := range []string{ // of two lines nobody can tell whose the name is
		`192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET /x HTTP/1.1" 200 5 "-" "Mozilla/5.0198.51.100.9 - - [01/Mar/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "Bot/1"`,
		`192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET /x198.51.100.9 - - [01/Mar/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "Bot/1"`,
	} {
		var p accesslog.Parser
		var e accesslog.Entry
		if err := p.Parse([]byte(line), &e); err == nil {
			t.Errorf("%s is read: %s, %s by %s", line, e.Client, e.Target, e.Agent)
		}
	}
}

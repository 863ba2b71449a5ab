package accesslog_test

import (
	"fmt"
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// TestParser_HeadersOfOwnMaking: a client chooses the names of its header fields and parameters. In a log that has them all, as
// Caddy's, none says who the client is, what it asked for, or what the answer was.
func TestParser_HeadersOfOwnMaking(t *testing.T) {
	names := []string{
		"C-Ip", "Client-Ip", "Client", "Ip", "Remote-Addr", "Downstream-Remote-Address", "X-Envoy-Original-Path", "Request", "Request-Uri", "Uri", "Url",
		"Path", "Line", "Method", "Status", "Response-Code", "Time", "Ts", "Timestamp", "Startutc", "Duration", "X-Host-Header", "Agent", "Size", "Query",
	}
	values := []string{"203.0.113.9", "/public", "GET /public HTTP/1.1", "404", "1970-01-02T00:00:00Z"}
	for _, c := range []string{
		`{"request":{"remote_ip":"192.0.2.7","client_ip":"192.0.2.7","method":"GET","host":"e.example","uri":"/private","headers":{%s:[%[2]s],"User-Agent":["GPTBot/1.2"]}},` +
			`"ts":1772366400,"status":200}`,
		`{"request":{"headers":{%s:[%[2]s],"User-Agent":["GPTBot/1.2"]},"remote_ip":"192.0.2.7","client_ip":"192.0.2.7","method":"GET","host":"e.example","uri":"/private"},` +
			`"ts":1772366400,"status":200}`,
		`{"query":{%s:%s},"client":"192.0.2.7","method":"GET","host":"e.example","request_uri":"/private","ts":1772366400,"status":200,"user_agent":"GPTBot/1.2"}`,
		`{"ClientHost":"192.0.2.7","DownstreamStatus":200,"RequestHost":"e.example","RequestMethod":"GET","RequestPath":"/private","StartUTC":"2026-03-01T12:00:00Z",` +
			`"request_%[3]s":%[2]s%.0[1]s,"request_User-Agent":"GPTBot/1.2"}`,
	} {
		for _, name := range names {
			for _, value := range values {
				line := fmt.Sprintf(c, fmt.Sprintf("%q", name), fmt.Sprintf("%q", value), name)
				var p accesslog.Parser
				var e accesslog.Entry
				if err := p.Parse([]byte(line), &e); err != nil || string(e.Client) != "192.0.2.7" || string(e.Target) != "/private" || e.Status != 200 ||
					string(e.Host) != "e.example" || string(e.Method) != "GET" || string(e.Agent) != "GPTBot/1.2" || !e.Time.Equal(noon) || e.Taken >= 0 {
					t.Errorf("%v: client %s, target %s, status %d, host %s, agent %s, at %v, took %v: %s", err, e.Client, e.Target, e.Status, e.Host, e.Agent, e.Time, e.Taken, line)
				}
			}
		}
	}
}

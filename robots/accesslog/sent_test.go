package accesslog_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

func TestParseSent(t *testing.T) {
	for _, c := range []struct {
		name, line string
		signed     bool
		want       accesslog.Sent
	}{
		{"Caddy", `{"ts":1772366400.5,"request":{"remote_ip":"192.0.2.1","method":"GET","host":"a.example:8080","uri":"/p?q","headers":{"Signature-Input":["s=()"],"Signature":["s=:AA==:","t=:AA==:"],"Cookie":["REDACTED"],"User-Agent":["Bot/1"]}},"status":200,"resp_headers":{"Server":["Caddy"]}}`, true,
			accesslog.Sent{Host: "a.example:8080", Target: "/p?q", Header: map[string][]string{"signature-input": {"s=()"}, "signature": {"s=:AA==:", "t=:AA==:"}, "user-agent": {"Bot/1"}}}},
		{"Caddy behind a proxy", `{"ts":1772366400.5,"request":{"remote_ip":"192.0.2.1","method":"GET","host":"a.example","uri":"/p","headers":{"Via":["1.1 x"],"Signature-Input":["s=()"]}},"status":200}`, true,
			accesslog.Sent{Header: map[string][]string{"via": {"1.1 x"}, "signature-input": {"s=()"}}}},
		{"nginx", `{"remote_addr":"192.0.2.1","time_iso8601":"2026-03-01T12:00:00+00:00","request":"GET /p HTTP/1.1","status":200,"http_host":"a.example","host":"b.example","http_signature_input":"s=(\"@authority\")","http_signature":"s=:AA==:","http_signature_agent":"-","http_referer":""}`, true,
			accesslog.Sent{Host: "a.example", Target: "/p", Header: map[string][]string{"signature-input": {`s=("@authority")`}, "signature": {"s=:AA==:"}}}},
		{"nginx without escape=json", `{"remote_addr":"192.0.2.1","time_iso8601":"2026-03-01T12:00:00+00:00","request_uri":"/p","status":200,"host":"a.example","signature-input":"s=(\x22@authority\x22)\\x"}`, true,
			accesslog.Sent{Target: "/p", Header: map[string][]string{"signature-input": {`s=("@authority")\x`}}}},
		{"Apache with headers of its own", `{"remote_addr":"192.0.2.1","time":"2026-03-01T12:00:00Z","status":200,"request_headers":{"signature-input":"s=()","bad":"\ufffd"},"path":"/p"}`, true,
			accesslog.Sent{Header: map[string][]string{"signature-input": {"s=()"}}}},
		{"not signed", `{"remote_addr":"192.0.2.1","time":"2026-03-01T12:00:00Z","status":200,"http_signature_input":"-","request":"GET http://a.example/ HTTP/1.1"}`, false,
			accesslog.Sent{Header: map[string][]string{}}},
	} {
		var p accesslog.Parser
		var e accesslog.Entry
		if err := p.Parse([]byte(c.line), &e); err != nil || e.Signed != c.signed {
			t.Errorf("%s: Signed is %t, error %v", c.name, e.Signed, err)
		}
		got, err := accesslog.ParseSent([]byte(c.line))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\ngot  %q, error %v\nwant %q", c.name, got, err, c.want)
		}
	}
	if _, err := accesslog.ParseSent([]byte(`{"a":`)); err == nil {
		t.Error("half a line has no error")
	}
}

// FuzzParseSent: what the log hides is not returned, and a line that is not JSON has nothing.
func FuzzParseSent(f *testing.F) {
	f.Add([]byte(`{"request":{"host":"h","uri":"/","headers":{"A":["b"],"C":["REDACTED"]}},"http_x":"\x22","http_host":"h"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		s, err := accesslog.ParseSent(line)
		for name, values := range s.Header {
			hidden := func(v string) bool {
				return v == "" || strings.Contains(v, "REDACTED") || strings.Contains(v, "\uFFFD")
			}
			if err != nil || len(values) == 0 || slices.ContainsFunc(values, hidden) {
				t.Fatalf("%q: %q, %v", name, values, err)
			}
		}
	})
}

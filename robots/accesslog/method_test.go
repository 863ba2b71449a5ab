package accesslog_test

import (
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// TestParser_Methods: a method may be any token (RFC 9110 section 9.1), and hides no target; what is not HTTP has none.
func TestParser_Methods(t *testing.T) {
	for request, want := range map[string]string{
		"GET /x HTTP/1.1": "GET /x", "G_T /x HTTP/1.1": "G_T /x", "M3THOD! /x HTTP/1.0": "M3THOD! /x", "get /x": "get /x",
		"GET http://e.example?a=b HTTP/1.1": "GET /?a=b", "GET http://e.example HTTP/1.1": "GET /",
		"t3 12.2.1": " ", "- /x HTTP/1.1": " ", "<BADREQ> /x HTTP/1.1": " ", "\x16\x03\x01 a HTTP/1.1": " ", "SSH-2.0-Go": " ",
	} {
		var p accesslog.Parser
		var e accesslog.Entry
		err := p.Parse([]byte(`192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "`+request+`" 200 5 "-" "Bot/1"`), &e)
		if got := string(e.Method) + " " + string(e.Target); err != nil || got != want {
			t.Errorf("%s: %v, %q, want %q", request, err, got, want)
		}
	}
}

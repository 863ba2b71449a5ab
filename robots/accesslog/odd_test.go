package accesslog_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// TestReader_OddBeginnings: what editors and log rotation leave in front of a line is no part of the client.
func TestReader_OddBeginnings(t *testing.T) {
	const line = `192.0.2.1 - - [01/Mar/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5` + "\n"
	for name, in := range map[string]string{
		"byte order mark": "\uFEFF" + line, "zeros": strings.Repeat("\x00", 5000) + line, "zeros in the middle": line + "\x00\x00" + line,
		"byte order mark of a JSON log": "\uFEFF" + `{"ts":1772366400,"client":"192.0.2.1","uri":"/","status":200}`,
	} {
		r := accesslog.NewReader(strings.NewReader(in), accesslog.Auto)
		for r.Next() {
			if got := string(r.Entry().Client); got != "192.0.2.1" {
				t.Errorf("%s: the client is %q", name, got)
			}
		}
		if n := r.Tally().Malformed; n != 0 || r.Tally().Lines == 0 {
			t.Errorf("%s: %d of %d lines are malformed", name, n, r.Tally().Lines)
		}
	}
}

// TestParser_AbsurdYears: what no server can have logged has no time.
func TestParser_AbsurdYears(t *testing.T) {
	for _, in := range []string{
		`h - - [01/Mar/9999:12:00:00 +0000] "GET / HTTP/1.1" 200 5`, `h - - [01/Mar/0001:12:00:00 +0000] "GET / HTTP/1.1" 200 5`,
		`{"time":"2300-01-01T00:00:00Z","client":"h","status":200}`, `{"ts":99999999999,"client":"h","status":200}`,
	} {
		var p accesslog.Parser
		if err := p.Parse([]byte(in), new(accesslog.Entry)); !errors.Is(err, accesslog.ErrTime) {
			t.Errorf("Parse(%q) = %v, want %v", in, err, accesslog.ErrTime)
		}
	}
}

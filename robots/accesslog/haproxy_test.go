package accesslog_test

import (
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

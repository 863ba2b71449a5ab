package accesslog_test

import (
	"errors"
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

package accesslog_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// TestParse_InObject: log collectors put a line into a field of an object. What a client sends is none, and an object that is a
// request counts as such.
func TestParse_InObject(t *testing.T) {
	const line = `192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET /x HTTP/1.1" 200 5 "-" "Bot \"message\":\"1\" é"`
	quoted, err := json.Marshal(line + "\n")
	if err != nil {
		t.Fatal(err)
	}
	var numbers []int
	for _, c := range []byte(line) {
		numbers = append(numbers, int(c))
	}
	array, _ := json.Marshal(numbers)
	caddy, _ := json.Marshal(`{"ts":1772366400.25,"request":{"client_ip":"192.0.2.7","method":"GET","uri":"/x","headers":{}},"size":5,"status":200}`)
	for name, text := range map[string]string{
		"Docker":          `{"log":` + string(quoted) + `,"stream":"stdout","time":"2026-03-01T12:00:00.1Z"}`,
		"Caddy in it":     `{"log":` + string(caddy) + `,"stream":"stderr","time":"2026-03-01T12:00:00.1Z"}`,
		"Fluent Bit":      `{"date":1772366400.1,"log":` + string(quoted) + `}`,
		"Filebeat":        `{"@timestamp":"2026-03-01T12:00:00.000Z","log":{"file":{"path":"/a"}},"message": ` + string(quoted) + `,"host":{"name":"web1"}}`,
		"journald":        `{"_HOSTNAME":"web1","MESSAGE":` + string(quoted) + `,"__REALTIME_TIMESTAMP":"1772366400000000"}`,
		"journald, bytes": `{"_HOSTNAME":"web1","MESSAGE" : ` + strings.ReplaceAll(string(array), ",", " , ") + `,"_PID":"17"}`,
		"Loki":            `{"labels":{"job":"log"},"line":` + string(quoted) + `,"timestamp":"2026-03-01T12:00:00Z"}`,
		"a name as text":  `{"type":"log","message":` + string(quoted) + `}`,
	} {
		var p accesslog.Parser
		var e accesslog.Entry
		if err := p.Parse([]byte(text), &e); err != nil || string(e.Client) != "192.0.2.7" || string(e.Target) != "/x" || e.Status != 200 {
			t.Errorf("%s: %v, client %q, target %q, status %d", name, err, e.Client, e.Target, e.Status)
		}
	}
	for _, text := range []string{`{"log":"`, `{"log":1}`, `{"message":"no request"}`, `{"x":"\"log\":\"1\""}`, `{"log"`, `{"log":`, `{`, `{"MESSAGE":[`, `{"MESSAGE":[]}`,
		`{"MESSAGE":[49,300]}`, `{"MESSAGE":[-1]}`} {
		var p accesslog.Parser
		var e accesslog.Entry
		if err := p.Parse([]byte(text), &e); err == nil {
			t.Errorf("%s is taken for a request: %+v", text, e)
		}
	}
}

// TestParse_LeftOut: journalctl has null for a message of more than 4096 bytes, and the error says how it writes it.
func TestParse_LeftOut(t *testing.T) {
	const text = `{"_HOSTNAME":"web1","MESSAGE":null,"__REALTIME_TIMESTAMP":"1772366400000000"}`
	if err := new(accesslog.Parser).Parse([]byte(text), new(accesslog.Entry)); !errors.Is(err, accesslog.ErrLeftOut) {
		t.Errorf("%s: %v, want %v", text, err, accesslog.ErrLeftOut)
	}
}

// TestParse_InBrackets: what stands in brackets in front of a line is left out only before an address.
func TestParse_InBrackets(t *testing.T) {
	const rest = ` - - [01/Mar/2026:12:00:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "GPTBot/1.2"`
	for in, want := range map[string]string{
		"[2026-03-01 12:00:00 +0000] [17] [INFO] 192.0.2.7": "192.0.2.7", "[2026-03-01 12:00:00 +0000] 2001:db8::7": "2001:db8::7",
		"[2026-03-01 12:00:00 +0000] [17] [INFO] name": "", "[2026-03-01 12:00:00 +0000] [a b] 192.0.2.7": "",
		"[2026-03-01 12:00:00 +0000] [1] [2] [3] 192.0.2.7": "", "[17] 192.0.2.7": "", "[2026-03-01 12:00:00 +0000": "",
	} {
		var e accesslog.Entry
		err := new(accesslog.Parser).Parse([]byte(in+rest), &e)
		if got := string(e.Client); (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%s: client %s, %v, want %s", in, got, err, want)
		}
	}
}

// TestParse_InObjectEscaped: what a client sends in a line within an object does not come to lie over who it is.
func TestParse_InObjectEscaped(t *testing.T) {
	const line = `192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET /x HTTP/1.1" 200 5 "-" "203.0.113.9 \"GPTBot/1.2\""`
	quoted, _ := json.Marshal(line + "\n")
	for _, format := range []accesslog.Format{accesslog.Auto, accesslog.Common, accesslog.Combined} {
		for _, text := range []string{`{"log":` + string(quoted) + `}`, `{"x":,"log":` + string(quoted) + `}`} {
			p, e := accesslog.Parser{Format: format}, accesslog.Entry{}
			if err := p.Parse([]byte(text), &e); err != nil || string(e.Client) != "192.0.2.7" || string(e.Target) != "/x" {
				t.Errorf("%s, %s: %v, client %q, target %q", format, text, err, e.Client, e.Target)
			}
		}
	}
}

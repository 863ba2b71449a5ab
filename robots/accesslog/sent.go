package accesslog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// A Sent is what a line has of a request as the client sent it, which a server may have rewritten before it logged the request.
type Sent struct {
	Host   string              // empty when it may not be what was sent
	Target string              // and so
	Header map[string][]string // header fields by name in lower case; those that the log leaves out, or hides, are missing
}

// proxies are header fields that say that somebody stood between the client and the server, and may have changed host and target.
var proxies = []string{"via", "forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "cf-ray"}

// ParseSent reads the header fields in a line of JSON: those in request.headers, as Caddy writes them; those in headers or
// request_headers; and those in fields of their own, which have the names of nginx's variables, as in http_signature_input. The
// fields signature, signature_input and signature_agent need no http_. Names may have - for _.
//
// It allocates, and is for the few lines that need it: those with [Entry].Signed. A line that is not quite JSON is an error.
func ParseSent(line []byte) (Sent, error) {
	s := Sent{Header: map[string][]string{}}
	var top, request map[string]json.RawMessage
	if err := json.Unmarshal(repaired(line), &top); err != nil {
		return s, fmt.Errorf("read header fields: %w", err)
	}
	for key, value := range top {
		name := strings.ReplaceAll(strings.ToLower(key), "_", "-")
		switch name {
		case "request":
			if json.Unmarshal(value, &request) == nil { // Caddy; for others it is the request line
				s.Host, s.Target = textOf(request["host"]), textOf(request["uri"])
				s.addAll(request["headers"])
			} else if s.Target == "" {
				s.Target = targetOf(textOf(value))
			}
		case "headers", "request-headers":
			s.addAll(value)
		case "request-uri":
			s.Target = textOf(value)
		case "http-host":
			s.Host = textOf(value)
		case "signature", "signature-input", "signature-agent":
			s.add(name, value)
		default:
			if field, ok := strings.CutPrefix(name, "http-"); ok {
				s.add(field, value)
			}
		}
	}
	for _, name := range proxies {
		if s.Header[name] != nil {
			s.Host, s.Target = "", ""
		}
	}
	return s, nil
}

// addAll notes the fields of an object.
func (s *Sent) addAll(value json.RawMessage) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(value, &fields) != nil {
		return
	}
	for name, value := range fields {
		s.add(strings.ToLower(name), value)
	}
}

// add notes a field, which has one value or a list of them. One that the log hides is not known.
func (s *Sent) add(name string, value json.RawMessage) {
	var list []string
	if json.Unmarshal(value, &list) != nil {
		list = []string{textOf(value)}
	}
	for _, v := range list {
		if v == "" || v == "-" || hidden(v) {
			return
		}
	}
	if len(list) > 0 {
		s.Header[name] = list
	}
}

// hidden reports whether a log has put something in the place of a value, or of bytes of it.
func hidden(v string) bool { return strings.Contains(v, "REDACTED") || strings.Contains(v, "\uFFFD") }

// textOf returns a value that is a string; empty if it is not, or hidden.
func textOf(value json.RawMessage) (text string) {
	if json.Unmarshal(value, &text) != nil || hidden(text) {
		return ""
	}
	return text
}

// targetOf returns the target of a request line in its usual form (RFC 9112 section 3.2.1).
func targetOf(line string) string {
	parts := strings.Split(line, " ")
	if len(parts) != 3 || !strings.HasPrefix(parts[1], "/") {
		return ""
	}
	return parts[1]
}

// repaired makes JSON of what nginx writes without escape=json: it escapes bytes as in \xHH.
func repaired(line []byte) []byte {
	if !bytes.Contains(line, []byte(`\x`)) {
		return line
	}
	out := make([]byte, 0, len(line)+64)
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] != '\\' || i+1 == len(line):
			out = append(out, line[i])
		case line[i+1] == 'x':
			out = append(out, `\u00`...)
			i++
		default:
			out = append(out, line[i], line[i+1])
			i++
		}
	}
	return out
}

package errorlog

import (
	"bytes"
	"net/netip"
	"strings"
	"time"
)

// An Entry is a line of an error log.
type Entry struct {
	Time   time.Time // of the clock on the wall, as if it were UTC
	Level  string    // as in error, crit
	Client string    // address; empty when the line names none
	Text   string    // without time, level and process
	Kind   Kind
}

// A Kind says what an entry is about.
type Kind string

// The kinds.
const (
	Overload Kind = "overload" // the server, or what is behind it, could not cope
	Limited  Kind = "limited"  // a limit of the owner's turned a request away
	Missing  Kind = "missing"  // there is no such file
	Refused  Kind = "refused"  // the configuration forbids it
	Other    Kind = "other"
)

// signs are what texts of a kind have in them, in lower case. The first that is found counts.
var signs = []struct {
	text string
	kind Kind
}{
	{"limiting requests", Limited}, {"limiting connections", Limited},
	{"worker_connections are not enough", Overload}, {"upstream timed out", Overload}, {"no live upstreams", Overload},
	{"connect() failed", Overload}, {"connect() to", Overload}, {"upstream prematurely closed", Overload},
	{"too many open files", Overload}, {"no space left on device", Overload}, {"cannot allocate memory", Overload},
	{"resource temporarily unavailable", Overload}, {"maxrequestworkers", Overload}, {"maxclients", Overload},
	{"ah03490", Overload}, {"scoreboard is full", Overload},
	{"timeout specified has expired", Overload}, {"error reading from remote server", Overload},
	{"attempt to connect to", Overload},
	{"script timed out", Overload}, {"server seems busy", Overload}, {"max_children", Overload},
	{"no such file or directory", Missing}, {"file does not exist", Missing}, {"not found", Missing},
	{"access forbidden by rule", Refused}, {"client denied by server configuration", Refused}, {"directory index of", Refused},
	{"cannot serve directory", Refused},
}

// kindOf says what a text is about.
func kindOf(text string) Kind {
	lower := strings.ToLower(text)
	for _, s := range signs {
		if strings.Contains(lower, s.text) {
			return s.kind
		}
	}
	return Other
}

// Parse takes a line apart, without its end. ok is false for what is no line of nginx or Apache.
func Parse(line []byte) (e Entry, ok bool) {
	line = bytes.TrimSpace(line)
	switch {
	case len(line) > 20 && line[4] == '/' && line[7] == '/':
		e, ok = parseNginx(string(line))
	case len(line) > 0 && line[0] == '[':
		e, ok = parseApache(string(line))
	}
	if ok {
		e.Kind = kindOf(e.Text)
	}
	return e, ok
}

// parseNginx reads lines as in
//
//	2026/03/01 12:00:00 [error] 17#17: *5 open() "/srv/x" failed (2: No such file or directory), client: 192.0.2.1, server: _
func parseNginx(s string) (e Entry, ok bool) {
	var err error
	if e.Time, err = time.Parse("2006/01/02 15:04:05", s[:19]); err != nil {
		return e, false
	}
	if e.Level, s, ok = bracketed(s[19:]); !ok {
		return e, false
	}
	if _, text, found := strings.Cut(s, ": "); found { // behind process and thread
		s = text
	}
	if strings.HasPrefix(s, "*") { // and the number of the connection
		_, s, _ = strings.Cut(s, " ")
	}
	e.Text = s
	if i := strings.LastIndex(s, ", client: "); i >= 0 {
		client, _, _ := strings.Cut(s[i+len(", client: "):], ",")
		e.Client = address(client, false)
	}
	return e, true
}

// parseApache reads lines as in
//
//	[Sun Mar 01 12:00:00.123456 2026] [core:info] [pid 17:tid 9] (2)No such file: [client 192.0.2.1:99] AH00128: not there: /x
//	[Sun Mar 01 12:00:00 2026] [error] [client 192.0.2.1] File does not exist: /srv/robots.txt
func parseApache(s string) (e Entry, ok bool) {
	when, rest, ok := bracketed(s)
	if !ok {
		return e, false
	}
	var err error
	if e.Time, err = time.Parse("Mon Jan _2 15:04:05 2006", when); err != nil { // takes a fraction too
		return e, false
	}
	if e.Level, rest, ok = bracketed(rest); !ok {
		return e, false
	}
	_, level, isNew := strings.Cut(e.Level, ":")
	if isNew { // it stands behind the module
		e.Level = level
	}
	for {
		inner, after, has := bracketed(rest)
		if !has || !strings.HasPrefix(inner, "pid ") && !strings.HasPrefix(inner, "client ") {
			break
		}
		if client, is := strings.CutPrefix(inner, "client "); is {
			e.Client = address(client, isNew)
		}
		rest = after
	}
	if i := strings.Index(rest, "[client "); i >= 0 && e.Client == "" {
		client, _, _ := strings.Cut(rest[i+len("[client "):], "]")
		e.Client = address(client, isNew)
	}
	e.Text = rest
	return e, true
}

// bracketed returns what stands in brackets at the beginning of s, and what follows.
func bracketed(s string) (inner, rest string, ok bool) {
	s = strings.TrimLeft(s, " ")
	if !strings.HasPrefix(s, "[") {
		return "", s, false
	}
	inner, rest, ok = strings.Cut(s[1:], "]")
	return inner, strings.TrimLeft(rest, " "), ok
}

// address returns an address in its usual form, without a port, which Apache writes behind it without brackets since 2.4; empty if
// it is none.
func address(s string, hasPort bool) string {
	if i := strings.LastIndexByte(s, ':'); i >= 0 && hasPort {
		s = s[:i]
	}
	a, err := netip.ParseAddr(s)
	if err != nil {
		return ""
	}
	return a.Unmap().String()
}

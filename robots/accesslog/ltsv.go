package accesslog

import (
	"bytes"
	"time"
)

// A label is what a field of a line of labelled values is for.
type label uint8

const (
	_ label = iota // not asked for
	labelTime
	labelClient
	labelForwarded
	labelRequest
	labelMethod
	labelTarget
	labelStatus
	labelSize
	labelReferrer
	labelAgent
	labelHost
	labelSeconds
	labelMicroseconds
	labels // how many there are
)

// labelNames are those that ltsv.org proposes for the logs of web servers.
var labelNames = map[string]label{
	"time": labelTime, "host": labelClient, "forwardedfor": labelForwarded, "req": labelRequest, "method": labelMethod,
	"uri": labelTarget, "status": labelStatus, "size": labelSize, "referer": labelReferrer, "ua": labelAgent, "vhost": labelHost,
	"reqtime": labelSeconds, "reqtime_microsec": labelMicroseconds,
}

// isLTSV reports whether a line begins with a label that logs of web servers have, and has a tab.
func isLTSV(line []byte) bool {
	if line[0] < 'a' || line[0] > 'z' {
		return false
	}
	name, _, ok := bytes.Cut(line, []byte(":"))
	return ok && bytes.IndexByte(line, '\t') > len(name) && (labelNames[string(name)] > 0 || string(name) == "ident")
}

// parseLTSV reads labelled values with tabs between them (ltsv.org), in any order:
//
//	time:[time]	host:client	req:request	status:200	size:bytes	referer:referrer	ua:agent	vhost:host
//
// Servers escape the tabs that a client sends. A label that comes twice is one of the client's own, where nobody escaped them.
func (p *Parser) parseLTSV(line []byte, e *Entry) error {
	var values [labels][]byte
	var seen [labels]bool
	for more := true; more; {
		var field []byte
		field, line, more = bytes.Cut(line, []byte("\t"))
		name, value, _ := bytes.Cut(field, []byte(":"))
		l := labelNames[string(name)]
		if l > 0 && seen[l] {
			return ErrTorn
		}
		values[l], seen[l] = value, true
	}
	text := func(l label) []byte {
		if string(values[l]) == "-" {
			return nil
		}
		return p.unescaped(values[l])
	}
	if e.Client = plainAddress(values[labelClient]); len(e.Client) == 0 || !isClient(e.Client) {
		return ErrClient
	}
	if e.setTime(values[labelTime]); e.Time.IsZero() {
		return ErrTime
	}
	switch {
	case seen[labelRequest]:
		e.setRequest(text(labelRequest))
	case seen[labelTarget]:
		e.Method = text(labelMethod)
		e.setTarget(text(labelTarget))
		e.Rewritten = bytes.IndexByte(e.Target, '?') < 0
	default:
		return ErrRequest
	}
	n, ok := number(values[labelStatus])
	if string(values[labelStatus]) != "-" && (!ok || len(values[labelStatus]) != 3) {
		return ErrStatus
	}
	e.Status = int(n)
	if e.Bytes, ok = number(values[labelSize]); !ok && seen[labelSize] && string(values[labelSize]) != "-" {
		return ErrSize
	}
	e.Referrer, e.Agent, e.HasAgent = text(labelReferrer), text(labelAgent), seen[labelAgent]
	p.bare = !e.HasAgent
	e.setHost(text(labelHost))
	e.setDuration([]byte("duration"), values[labelSeconds], time.Second)
	e.setDuration([]byte("duration"), values[labelMicroseconds], time.Microsecond)
	p.setForwarded(values[labelForwarded], e)
	return nil
}

// unescaped undoes the escapes in a value that has no quotes around it.
func (p *Parser) unescaped(value []byte) []byte {
	if bytes.IndexByte(value, '\\') < 0 {
		return value
	}
	start := len(p.scratch)
	for i := 0; i < len(value); i++ {
		i += p.unescapeOne(value[i:])
	}
	return p.scratch[start:len(p.scratch):len(p.scratch)]
}

package accesslog

import (
	"bytes"
	"time"
)

// A part is what an object that others lie in is about, where that decides what the names in it mean: in logs as collectors ship
// them, in the Elastic Common Schema, most say it in two words, as in user_agent.original.
type part uint8

const (
	partAny     part = iota // names mean what they mean anywhere
	partOther               // not the request: the collector, its host, the file of the log
	partAgent               // user_agent
	partURL                 // url
	partRequest             // request, whose sizes are not those of the answer
	partEvent               // event, whose duration is in nanoseconds
	partHeaders             // the header fields of the request, whose names the client chooses
)

// partOf returns what an object is about that has that name and lies in one about outer.
func partOf(outer part, name []byte) part {
	if outer == partOther || outer == partHeaders {
		return outer
	}
	if bytes.HasSuffix(name, []byte("headers")) {
		return partHeaders
	}
	switch string(name) {
	case "args", "cookies", "form", "params", "parameters", "query": // the client chooses their names
		return partOther
	case "agent", "cloud", "container", "destination", "file", "host", "input", "kubernetes", "observer", "orchestrator", "process",
		"related", "server":
		return partOther
	case "user_agent":
		return partAgent
	case "url":
		return partURL
	case "request":
		return partRequest
	case "event":
		return partEvent
	case "body":
		return outer
	}
	return partAny
}

// splitName takes a name apart that has those of the objects around it in front, as in http.request.method.
func splitName(name []byte, outer part) (last []byte, about part) {
	first, _, dotted := bytes.Cut(name, []byte("."))
	if !dotted {
		return name, outer
	}
	switch string(first) {
	case "agent", "client", "cloud", "container", "destination", "event", "host", "http", "kubernetes", "log", "observer",
		"related", "server", "source", "url", "user_agent":
	default:
		return name, outer
	}
	for {
		first, rest, dotted := bytes.Cut(name, []byte("."))
		if !dotted {
			return name, outer
		}
		outer, name = partOf(outer, first), rest
	}
}

// setPart keeps the value of a field that means something else in its part of an object, or nothing, and reports whether it is one.
func (p *Parser) setPart(e *Entry, about part, name, value []byte) bool {
	switch about {
	case partOther:
		return true
	case partAgent:
		if string(name) == "original" {
			e.setAgent(value)
		}
		return true
	case partURL:
		switch string(name) {
		case "original":
			p.object.hasTarget, p.object.hasSent = true, true
			e.setTarget(value)
			return true
		case "full":
			return true // it is put together by the collector
		}
	case partRequest:
		return string(name) == "bytes" || string(name) == "size"
	case partHeaders:
		switch string(name) {
		case "host", "referer", "signature_input", "user_agent", "x_forwarded_for":
			return false
		}
		return true
	case partEvent:
		if string(name) == "duration" && p.object.schema {
			e.setDuration(name, value, time.Nanosecond)
			return true
		}
	}
	return false
}

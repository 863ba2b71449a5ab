package accesslog

import (
	"bytes"
	"strings"
)

// A row is a format whose lines say nothing of themselves: what counts is the place. Between places are blanks; what stands in
// quotes is one, and so is a time in brackets.
type row struct {
	format Format
	places []string
	quotes int // in a line, where nothing escapes those that a client has sent; 0 where they are escaped
}

// rows are the formats of that kind, by the names that setPlace knows; a dot is what nobody asks for,
// and a dash stands for itself. More may follow.
var rows = []row{
	{ALB, strings.Fields("type when . client . seconds seconds seconds status . . bytes url agent"), 0},
	{ALB, strings.Fields("when . client . seconds seconds seconds status . . bytes url agent"), 0}, // of Classic Load Balancers
	{S3, strings.Fields(". . when address . . . . request status . bytes . ms . referrer agent . . . . . host"), 0},
	{Squid, strings.Fields("unix ms address result bytes method target . server"), 0},
	{NPM, strings.Fields("when . . status - method . host path Client Length . . agent referrer"), 0},
	{NPM, strings.Fields("when status - method . host path Client Length . agent referrer"), 0}, // of hosts that only redirect
	{Envoy, strings.Fields("when request status . . bytes ms . forwarded agent . host"), 12},
	{Envoy, strings.Fields("when request status . . . . . bytes ms . forwarded agent . host . . . . client"), 14}, // of Istio
}

// parsePlaces reads a line by the rows of a format; those of all for Auto. The error is that of the row which went furthest.
func (p *Parser) parsePlaces(line []byte, f Format, e *Entry) error {
	furthest, why := -1, ErrFields
	for _, r := range rows {
		if f != Auto && f != r.format {
			continue
		}
		p.reset(e)
		n, err := p.parseRow(line, &r, e)
		if err == nil || n == len(r.places) {
			return err
		}
		if n > furthest {
			furthest, why = n, err
			if n > 2 && r.quotes > 0 && bytes.Count(line, []byte(`"`)) > r.quotes {
				why = ErrQuotes
			}
		}
	}
	return why
}

// parseRow reads a line by one row, and returns how many places were as they should be.
func (p *Parser) parseRow(line []byte, r *row, e *Entry) (n int, err error) {
	for rest := line; n < len(r.places); n++ {
		var value []byte
		var isQuoted, ok bool
		if value, rest, isQuoted, ok = p.place(rest, r.quotes > 0); !ok {
			return n, ErrFields
		}
		if err := p.setPlace(r.places[n], value, isQuoted, e); err != nil {
			return n, err
		}
	}
	switch {
	case r.quotes > 0 && bytes.Count(line, []byte(`"`)) != r.quotes:
		return n, ErrQuotes
	case len(e.Client) > 0:
		return n, nil
	case len(e.Method) == 0 && e.Status == 0: // what the storage did by itself
		return n, ErrRemark
	}
	return n, ErrClient
}

// place returns what stands at the next place, without its quotes or brackets, and what follows. A raw one has no escapes. ok is
// false at the end.
func (p *Parser) place(s []byte, isRaw bool) (value, rest []byte, isQuoted, ok bool) {
	s = bytes.TrimLeft(s, " ")
	switch {
	case len(s) == 0:
		return nil, nil, false, false
	case s[0] == '"' && isRaw:
		value, rest, ok = bytes.Cut(s[1:], []byte(`"`))
	case s[0] == '"':
		value, rest, ok = p.quoted(s)
		if i := bytes.Index(rest, []byte(`" `)); ok && i >= 0 && rest[0] != ' ' { // there are some that nobody has escaped
			value, rest = s[1:len(s)-len(rest)+i], rest[i+1:]
		}
	case s[0] == '[':
		if i := bytes.IndexAny(s[1:], `]["`) + 1; i > 0 && s[i] == ']' && (i+1 == len(s) || s[i+1] == ' ') {
			return s[1:i], s[i+1:], false, true
		}
		fallthrough
	default:
		value, rest = word(s)
		return value, rest, false, true
	}
	return value, rest, true, ok && (len(rest) == 0 || rest[0] == ' ')
}

// labelled are the places whose name is written before what stands there.
var labelled = map[string]string{"Client": "address", "Length": "bytes"}

// setPlace takes in what stands at a place. A dash stands for nothing.
func (p *Parser) setPlace(name string, value []byte, isQuoted bool, e *Entry) error {
	isNone := string(value) == "-"
	switch name {
	case "request", "url", "path", "agent", "referrer":
		return e.setQuoted(name, value, isQuoted, isNone)
	case "-":
		if !isNone {
			return ErrFields
		}
	case "type":
		if !isALBType(value) {
			return ErrFields
		}
	case "when":
		return p.setWhen(value, e)
	case "address":
		if e.Client = value; isNone {
			e.Client = nil
		} else if !isAddress(value) {
			return ErrClient
		}
	case "Client", "Length": // in brackets with this name
		figure, ok := bytes.CutPrefix(value, []byte(name+" "))
		if !ok || isQuoted {
			return ErrFields
		}
		return p.setPlace(labelled[name], figure, false, e)
	case "client": // with its port; more than what was forwarded, unless it is a proxy of ours
		c := withoutPort(value)
		switch {
		case isNone:
		case isQuoted || !isAddress(c):
			return ErrClient
		case len(e.Client) == 0 || !p.isProxy(c):
			e.Client, e.Forwarded, e.Proxied = c, false, false
		}
	case "forwarded":
		if !isQuoted {
			return ErrClient
		}
		if e.Client = chooseClient(value, p.Trusted, e); len(e.Client) > 0 && !isAddress(e.Client) {
			return ErrClient
		}
	case "host":
		if !isNone && isHost(value) {
			e.setHost(value)
		}
	case "result", "method", "target", "server":
		return e.setSquid(name, value)
	default:
		if isQuoted && name != "." {
			return ErrFields
		}
		return e.setFigure(name, value, isNone)
	}
	return nil
}

// setWhen takes in a time, in either of two forms.
func (p *Parser) setWhen(value []byte, e *Entry) error {
	if n := setISOTime(value, e); n == len(value) && n > 0 {
		return nil
	}
	if n := p.setCLFTime(value, e); n == 0 || n != len(value) {
		return ErrTime
	}
	return nil
}

// setQuoted takes in what a client sent, for which a dash may stand without quotes.
func (e *Entry) setQuoted(name string, value []byte, isQuoted, isNone bool) error {
	missing := ErrAgent
	if name == "request" || name == "url" || name == "path" {
		missing = ErrRequest
	}
	switch {
	case isNone && name == "agent":
		e.HasAgent = true
	case isNone && name == "request": // S3 deleted or copied one object of many, or did something by itself
		return ErrRemark
	case isNone:
	case !isQuoted:
		return missing
	case name == "agent":
		e.setAgent(value)
	case name == "referrer":
		e.Referrer = value
	case name == "request":
		e.setRequest(value)
	case name == "path":
		e.setTarget(value)
	default: // in absolute form, which says the host; with dashes for what was not sent
		e.setRequest(bytes.TrimRight(value, " -"))
		e.Host, e.Authority = e.Authority, nil
	}
	return nil
}

// setFigure takes in a number.
func (e *Entry) setFigure(name string, value []byte, isNone bool) error {
	n, isNumber := number(value)
	switch name {
	case "status":
		if isNumber = isNumber && len(value) == 3; !isNumber && !isNone && string(value) != "0" {
			return ErrStatus
		}
		e.Status = int(n)
	case "bytes":
		if !isNumber && !isNone {
			return ErrSize
		}
		e.Bytes = n
	case "ms":
		if !isNumber && !isNone {
			return ErrFields
		}
		if isNumber {
			e.Taken = milliseconds(n)
		}
	case "unix":
		if s, ok := decimal(value); !ok || !setUnixTime(s, e) {
			return ErrTime
		}
		e.Fraction = isFraction(value)
	case "seconds": // of several parts, of which -1 never was
		s, ok := decimal(value)
		switch {
		case !ok:
			return ErrFields
		case s < 0 || e.Taken < -1:
			e.Taken = neverCame
		default:
			e.Taken = max(e.Taken, 0) + seconds(s)
		}
	}
	return nil
}

// neverCame is the time of an answer that did not come. Like each negative one it is none.
const neverCame = -2

// isALBType reports whether a word is what an Application Load Balancer calls a connection.
func isALBType(s []byte) bool {
	switch string(s) {
	case "http", "https", "h2", "grpcs", "ws", "wss":
		return true
	}
	return false
}

package accesslog

import "bytes"

// parseALB reads what Amazon's load balancers write: Application Load Balancers, and the Classic ones, which have no type in front:
//
//	type time balancer client:port target:port request target response status status received sent "request" "agent" ...
//
// Their requests are in absolute form, which says the host.
func (p *Parser) parseALB(line []byte, e *Entry) error {
	first, rest := word(line)
	if !isALBType(first) {
		rest = line
	}
	at, rest := word(rest)
	if n := setISOTime(at, e); n == 0 || n != len(at) {
		return ErrTime
	}
	_, rest = word(rest)
	client, rest := word(rest)
	_, rest = word(rest)
	if e.Client = withoutPort(client); !isAddress(e.Client) {
		return ErrClient
	}
	taken := 0.0
	for range 3 {
		var value []byte
		value, rest = word(rest)
		s, ok := decimal(value)
		if !ok {
			return ErrFields
		}
		taken += s
		if s < 0 { // the answer never came
			taken -= maxTaken.Seconds()
		}
	}
	if taken >= 0 {
		e.Taken = seconds(taken)
	}
	status, rest := word(rest)
	_, rest = word(rest)
	n, ok := number(status)
	if ok = ok && len(status) == 3; !ok && string(status) != "-" {
		return ErrStatus
	}
	e.Status = int(n)
	_, rest = word(rest)
	size, rest := word(rest)
	if e.Bytes, ok = number(size); !ok {
		return ErrSize
	}
	return p.setALBRequest(rest, e)
}

// setALBRequest reads the request and the User-Agent.
func (p *Parser) setALBRequest(rest []byte, e *Entry) error {
	request, rest, ok := p.quoted(rest)
	if !ok {
		return ErrRequest
	}
	agent, _, ok := p.quoted(rest)
	if !ok {
		return ErrAgent
	}
	e.setRequest(bytes.TrimRight(request, " -"))
	e.Host, e.Authority = e.Authority, nil
	e.HasAgent = true
	if string(agent) != "-" {
		e.Agent = agent
	}
	return nil
}

// isALBType reports whether a word is what an Application Load Balancer calls a connection.
func isALBType(s []byte) bool {
	switch string(s) {
	case "http", "https", "h2", "grpcs", "ws", "wss":
		return true
	}
	return false
}

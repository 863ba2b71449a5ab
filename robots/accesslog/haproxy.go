package accesslog

import "bytes"

// parseHAProxy reads the HTTP formats of HAProxy (option httplog, or httpslog), which have no time zone, and no User-Agent unless
// the frontend captures it:
//
//	client:port [accepted] frontend backend/server TR/Tw/Tc/Tr/Ta status bytes cookie cookie state connections queues
//	[ {request headers}][ {response headers}] "request"[ errors name/version/cipher]
func (p *Parser) parseHAProxy(line []byte, e *Entry) error {
	head, rest, err := p.splitTime(line, false, e)
	switch {
	case err != nil && isNotice(line):
		return ErrRemark
	case err != nil:
		return err
	}
	head, none := word(head)
	if e.Client = withoutPort(head); len(bytes.TrimSpace(none)) > 0 || !isAddress(e.Client) && !isSocket(e.Client) {
		return ErrPrefix
	}
	if len(rest) == 0 || rest[0] != ' ' {
		return ErrTorn
	}
	frontend, rest := word(rest)
	if bytes.HasSuffix(frontend, []byte(":")) && bytes.IndexByte(frontend, '/') > 0 {
		return ErrRemark // of a connection that failed before any request, as in https/1: SSL handshake failure
	}
	server, rest := word(rest)
	timers, rest := word(rest)
	status, rest := word(rest)
	size, rest := word(rest)
	last := timers[bytes.LastIndexByte(timers, '/')+1:]
	if bytes.IndexByte(server, '/') < 0 || bytes.Count(timers, []byte("/")) != 4 {
		return ErrFields
	}
	if n, ok := number(bytes.TrimPrefix(last, []byte("+"))); ok {
		e.Taken = milliseconds(n)
	}
	n, ok := number(status)
	switch {
	case ok && len(status) == 3:
		e.Status = int(n)
	case string(status) != "-1" && string(status) != "0":
		return ErrStatus
	}
	if e.Bytes, ok = number(bytes.TrimPrefix(size, []byte("+"))); !ok {
		return ErrSize
	}
	for range 5 { // cookies, state, connections, queues
		if _, rest = word(rest); len(rest) == 0 {
			return ErrRequest
		}
	}
	return p.setCaptured(bytes.TrimLeft(rest, " "), e)
}

// isNotice reports whether a line is what HAProxy tells syslog of itself, between the requests: of its workers, and of its proxies
// and servers that come and go.
func isNotice(line []byte) bool {
	begin, rest, ok := bytes.Cut(line, []byte(" haproxy["))
	pid, text, isTag := bytes.Cut(rest, []byte("]: "))
	if _, isNumber := number(pid); !ok || !isTag || !isNumber || bytes.ContainsAny(begin, `"[`) {
		return false
	}
	switch first, _ := word(text); string(first) {
	case "Proxy", "Server", "Backup", "Health", "Stopping", "Pausing", "backend", "[NOTICE]", "[WARNING]", "[ALERT]":
		return true
	}
	return false
}

// setCaptured reads the headers that were captured, if any, and the request. Nothing says which headers they are: they are told by
// what they look like.
func (p *Parser) setCaptured(rest []byte, e *Entry) error {
	for i := 0; i < 2 && len(rest) > 0 && rest[0] == '{'; i++ {
		end := bytes.IndexByte(rest, '}')
		if end < 0 {
			return ErrTorn
		}
		if i == 0 {
			p.setHeaders(rest[1:end], e)
		}
		rest = bytes.TrimLeft(rest[end+1:], " ")
	}
	if i := bytes.LastIndexByte(rest, '"'); i > 0 && isConnection(rest[i+1:]) {
		rest = rest[:i+1]
	}
	if len(rest) < 2 || rest[0] != '"' || rest[len(rest)-1] != '"' {
		return ErrRequest
	}
	e.setRequest(p.unhashed(rest[1 : len(rest)-1]))
	return nil
}

// isConnection reports whether s is what option httpslog adds: five figures about the connection, and its name, version and cipher.
func isConnection(s []byte) bool {
	figures, names := word(s)
	names, rest := word(names)
	return bytes.Count(figures, []byte("/")) == 4 && bytes.Count(names, []byte("/")) == 2 && len(rest) == 0
}

// setHeaders takes in the captured headers of a request, between which there are bars.
func (p *Parser) setHeaders(list []byte, e *Entry) {
	peer := e.Client
	for more := true; more; {
		value := list
		i := bytes.IndexByte(list, '|')
		if more = i >= 0; more {
			value, list = list[:i], list[i+1:]
		}
		p.setHeader(p.unhashed(value), peer, e)
	}
}

// setHeader takes in the value of a captured header of a request that peer made.
func (p *Parser) setHeader(value, peer []byte, e *Entry) {
	value = p.whole(value)
	switch {
	case isURL(value):
		e.Referrer = value
	case isAddressList(value):
		p.setCapturedClient(value, peer, e)
	case bytes.IndexByte(value, '.') > 0 && isHost(value):
		e.setHost(value)
	case len(e.Agent) == 0 || isProduct(value) && !isProduct(e.Agent):
		e.HasAgent, e.Agent = true, value
	}
}

// whole puts in front of a User-Agent what req.hdr has cut off, which takes a comma for the end of a value, as in "(KHTML, like
// Gecko)", and has the last one: all browsers would share a name that is a robot's. Any other value stays as it is.
func (p *Parser) whole(value []byte) []byte {
	if !bytes.HasPrefix(value, []byte("like Gecko")) {
		return value
	}
	start := len(p.scratch)
	p.scratch = append(append(p.scratch, "Mozilla/5.0 (KHTML, "...), value...)
	return p.scratch[start:len(p.scratch):len(p.scratch)]
}

// setCapturedClient takes the client from a header that looks like X-Forwarded-For. Host and User-Agent may look so, too, and are
// chosen by whoever asks: when several name others, the client cannot be told.
func (p *Parser) setCapturedClient(list, peer []byte, e *Entry) {
	before := e.Client
	e.Client = peer
	p.setForwarded(list, e)
	switch {
	case bytes.Equal(before, peer), bytes.Equal(before, e.Client):
	case p.isProxy(e.Client):
		e.Client = before
	case !p.isProxy(before):
		e.Client, e.Forwarded, e.Proxied = nobody, false, false
	}
}

// isProduct reports whether a value begins as a User-Agent does: with a name and a version.
func isProduct(s []byte) bool {
	i := bytes.IndexByte(s, '/')
	return i > 0 && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' && bytes.IndexByte(s[:i], ' ') < 0
}

// isURL reports whether a value is a URL, as referrers are.
func isURL(s []byte) bool {
	return bytes.HasPrefix(s, []byte("https://")) || bytes.HasPrefix(s, []byte("http://"))
}

// unhashed undoes #XX, which HAProxy writes for bytes that could be taken for its own.
func (p *Parser) unhashed(s []byte) []byte {
	if bytes.IndexByte(s, '#') < 0 {
		return s
	}
	return p.changed(s, func(s []byte) []byte { return unmarked(s, '#') })
}

// withoutPort takes the port off that stands behind an address.
func withoutPort(s []byte) []byte {
	i := bytes.LastIndexByte(s, ':')
	if i < 0 {
		return s
	}
	if _, ok := number(s[i+1:]); !ok {
		return s
	}
	return plainAddress(s[:i])
}

// setHAProxyCLF reads what follows in HAProxy's variant of the Common Log Format (option httplog clf), where two empty fields stand
// for referrer and User-Agent:
//
//	port ms "frontend" "backend" "server" TR Tw Tc Tr Ta state actconn feconn beconn srv_conn retries srv_queue backend_queue
//	"cookie" "cookie" "header"...
//
// ok is false when it is something else.
func (p *Parser) setHAProxyCLF(request, rest []byte, e *Entry) (ok bool) {
	for i := range 20 {
		var value []byte
		switch {
		case i >= 2 && i <= 4, i >= 18:
			if _, rest, ok = unescapedQuoted(rest); !ok {
				return false
			}
			continue
		}
		value, rest = word(rest)
		n, isNumber := number(bytes.TrimLeft(value, "-+"))
		if !isNumber && i != 10 {
			return false
		}
		if i == 9 && value[0] != '-' {
			e.Taken = milliseconds(n)
		}
	}
	e.HasAgent, e.Target, e.Authority = false, nil, nil
	e.setRequest(p.unhashed(request))
	peer := e.Client
	for value, rest, ok := unescapedQuoted(rest); ok; value, rest, ok = unescapedQuoted(rest) {
		p.setHeader(p.unhashed(value), peer, e)
	}
	return true
}

// unescapedQuoted returns the text between the next two quotes, where a backslash is one, and what follows.
func unescapedQuoted(s []byte) (text, rest []byte, ok bool) {
	s = bytes.TrimLeft(s, " ")
	if len(s) == 0 || s[0] != '"' {
		return nil, s, false
	}
	return bytes.Cut(s[1:], []byte(`"`))
}

package accesslog

import (
	"bytes"
	"cmp"
	"time"
	"unicode/utf8"
)

// maxDepth is how deep objects may lie in each other. Caddy goes to 3.
const maxDepth = 16

// An object is a walk over one JSON object. It is a scanner, not a validator: what is between the values we want may be wrong.
type object struct {
	in      []byte
	pos     int
	escapes bool // there are backslashes in it
	buf     [40]byte
	key     []byte // the name of the present value, in lower case with _ for -; in buf

	isHeader         bool   // the name is request_ and one of a header field in capitals, as those of Traefik
	hasTarget        bool   // there is a field for the target, or for the request line
	hasStatus        bool   // there is one for the status
	isDeployed       bool   // it names a deployment, as lines of a drain of Vercel
	hasProxy         bool   // and has an object proxy
	hasOriginal      bool   // there is one for the target that no other counts against
	hasSent          bool   // there is one for the target that cannot have been rewritten
	depth            int    // of the object that the present value is in
	isEscaped        bool   // values have %XX for what is not plain, as those of CloudFront and Akamai
	day, clock       []byte // of the request, where each has a field of its own
	duration         []byte // in unit, as its name says none; 0 is an unknown one
	unit             time.Duration
	schema           bool   // it says that it keeps to the Elastic Common Schema
	about            part   // what the object is about that the present value is in
	query, forwarded []byte // of the request, where fields of their own have them
	host             []byte // as the first field of that name has it
	isTomcat         bool   // that is the client
	isAside          bool   // it is of a part of Caddy that is not its access log
	hasRequest       bool   // there is an object request, as in lines of Caddy
	isLeftOut        bool   // it has no message, though a field for it
}

// parseJSON reads an object with the names that are in use for nginx (its variables), Apache (mod_log_json and the usual
// hand-made formats) and Caddy.
func (p *Parser) parseJSON(line []byte, e *Entry) error {
	p.object = object{in: line, escapes: bytes.IndexByte(line, '\\') >= 0}
	if line[0] != '{' || !p.walk(e, 0) {
		return ErrJSON
	}
	p.putTogether(e)
	switch {
	case p.object.isDeployed && p.object.hasProxy:
		return ErrDrain
	case p.object.isAside && p.object.hasRequest: // what failed within a request, which the access log has too
		return ErrRemark
	case len(e.Client) == 0 && p.object.isLeftOut:
		return ErrLeftOut
	case len(e.Client) == 0:
		return ErrClient
	case e.Time.IsZero():
		return ErrTime
	case e.Status < 0 || e.Status > 999:
		return ErrStatus
	case !p.object.hasTarget:
		return ErrTarget
	case !p.object.hasStatus:
		return ErrNoCode
	}
	e.Rewritten = !p.object.hasSent && bytes.IndexByte(e.Target, '?') < 0
	if query := p.plain(p.object.query, once); len(query) > 0 && len(e.Target) > 0 && bytes.IndexByte(e.Target, '?') < 0 {
		start := len(p.scratch)
		p.scratch = append(p.scratch, e.Target...)
		if query[0] != '?' {
			p.scratch = append(p.scratch, '?')
		}
		p.scratch = append(p.scratch, query...)
		e.Target = p.scratch[start:len(p.scratch):len(p.scratch)]
	}
	if bytes.IndexByte(e.Client, ',') >= 0 {
		e.Client = chooseClient(e.Client, p.Trusted, e)
	} else {
		e.Client = plainAddress(e.Client)
		p.setForwarded(p.object.forwarded, e)
	}
	if len(e.Client) == 0 {
		return ErrClient
	}
	return nil
}

// putTogether takes in what only the whole object says: how its values are written, and when it was if two fields say it.
func (p *Parser) putTogether(e *Entry) {
	o := &p.object
	if o.unit > 0 && (o.unit < time.Second || isFraction(o.duration)) {
		e.setDuration([]byte("duration"), o.duration, o.unit)
	}
	if o.isTomcat && len(e.Client) == 0 {
		if e.Client = o.host; bytes.Equal(e.Host, o.host) {
			e.Host = nil
		}
	}
	if e.Time.IsZero() && len(o.day) > 0 {
		start := len(p.scratch)
		p.scratch = append(append(append(p.scratch, o.day...), 'T'), o.clock...)
		setISOTime(p.scratch[start:], e)
	}
	e.Agent, e.Referrer, e.Target = p.plain(e.Agent, unpercented), p.plain(e.Referrer, unpercented), p.plain(e.Target, once)
}

// plain undoes the escapes that the values of the present object have, if they have any.
func (p *Parser) plain(value []byte, undo func([]byte) []byte) []byte {
	if !p.object.isEscaped || bytes.IndexByte(value, '%') < 0 {
		return value
	}
	return p.changed(value, undo)
}

// walk reads the object or array at the present position. A value in an array has the name of the array.
func (p *Parser) walk(e *Entry, depth int) bool {
	o := &p.object
	closing := o.in[o.pos] + 2 // {} and []
	o.pos++
	if depth > maxDepth {
		return false
	}
	for {
		switch c := o.peek(); {
		case c == closing:
			o.pos++
			return true
		case c == ',':
			o.pos++
		case c == 0:
			return false
		default:
			if closing == '}' && !p.readKey() {
				return false
			}
			if !p.readValue(e, depth) {
				return false
			}
		}
	}
}

// peek skips blanks and returns the next byte; 0 at the end.
func (o *object) peek() byte {
	for ; o.pos < len(o.in); o.pos++ {
		if c := o.in[o.pos]; c > ' ' {
			return c
		}
	}
	return 0
}

// readKey reads a name and its colon.
func (p *Parser) readKey() bool {
	o := &p.object
	if o.peek() != '"' {
		return false
	}
	text, ok := p.readString()
	if !ok || o.peek() != ':' {
		return false
	}
	o.pos++
	if len(text) > len(o.buf) {
		text = nil // none of those we know
	}
	key := o.buf[:len(text)]
	for i, c := range text {
		switch {
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c == '-':
			c = '_'
		}
		key[i] = c
	}
	o.key = key
	o.isHeader = len(key) > len("request_") && string(key[:len("request_")]) == "request_" && text[len("request_")] <= 'Z'
	return true
}

// readValue reads a value and keeps it if its name is one that we know.
func (p *Parser) readValue(e *Entry, depth int) bool {
	o := &p.object
	o.depth = depth
	switch c := o.peek(); c {
	case '{', '[':
		if string(o.key) == "ecs" {
			o.schema = true
		}
		o.hasProxy = o.hasProxy || depth == 0 && string(o.key) == "proxy"
		outer := o.about
		if c == '{' {
			if depth == 0 && string(o.key) == "request" { // as in lines of Caddy
				o.unit, o.hasRequest = cmp.Or(o.unit, time.Second), true
			}
			o.about = partOf(outer, o.key)
		}
		ok := p.walk(e, depth+1)
		o.about = outer
		return ok
	case '"':
		text, ok := p.readString()
		if ok {
			p.setField(e, o.key, text, true)
		}
		return ok
	default:
		start := o.pos
		for o.pos < len(o.in) && !endsValue(o.in[o.pos]) {
			o.pos++
		}
		value := o.in[start:o.pos]
		if string(value) == "null" { // there was none, as h2o writes
			value = nil
			o.isLeftOut = o.isLeftOut || depth == 0 && string(o.key) == "message"
		}
		p.setField(e, o.key, value, false)
		return o.pos > start
	}
}

// endsValue reports whether c cannot be part of a number or a literal.
func endsValue(c byte) bool { return c <= ' ' || c == ',' || c == ']' || c == '}' }

// readString reads a string (RFC 8259 section 7).
func (p *Parser) readString() (text []byte, ok bool) {
	o := &p.object
	s := o.in[o.pos+1:]
	end := bytes.IndexByte(s, '"')
	if end < 0 {
		return nil, false
	}
	if !o.escapes || bytes.IndexByte(s[:end], '\\') < 0 {
		o.pos += end + 2
		return s[:end], true
	}
	start := len(p.scratch)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			o.pos += i + 2
			return p.scratch[start:len(p.scratch):len(p.scratch)], true
		case c != '\\' || i+1 == len(s):
			p.scratch = append(p.scratch, c)
		default:
			i += 1 + p.escape(s[i+1:])
		}
	}
	return nil, false
}

// escape appends what the escape means whose backslash was read, and returns how much longer it is than a letter. Besides JSON's
// own it knows \xHH, which nginx writes without escape=json.
func (p *Parser) escape(s []byte) int {
	switch s[0] {
	case 'u':
		if r, ok := hex(s[1:], 4); ok {
			if low, ok := hexAfter(s[5:]); ok && r >= 0xd800 && r < 0xdc00 && low >= 0xdc00 && low < 0xe000 {
				p.scratch = utf8.AppendRune(p.scratch, (r-0xd800)<<10+low-0xdc00+0x10000)
				return 10
			}
			p.scratch = utf8.AppendRune(p.scratch, r)
			return 4
		}
	case 'x':
		if r, ok := hex(s[1:], 2); ok {
			p.scratch = append(p.scratch, byte(r))
			return 2
		}
	}
	p.scratch = append(p.scratch, unescaped(s[0]))
	return 0
}

// hexAfter reads the second half of a surrogate pair.
func hexAfter(s []byte) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	return hex(s[2:], 4)
}

// setField keeps the value of a field. Where several names mean the same, the first in the line counts, and the client that a proxy
// names counts more than the proxy.
func (p *Parser) setField(e *Entry, key, value []byte, isString bool) {
	o := &p.object
	if string(key) == "ecs.version" {
		o.schema = true
	}
	about := o.about
	if o.isHeader {
		key, about = key[len("request_"):], partHeaders
	} else {
		key, about = splitName(key, about)
	}
	if p.setPart(e, about, key, value) {
		return
	}
	switch f := fields[string(key)]; f {
	case fieldPeer, fieldClient, fieldMethod, fieldReferrer, fieldAgent, fieldEscapedAgent, fieldForwarded, fieldSignature:
		p.setAsker(e, f, value)
	case fieldRequest, fieldTarget, fieldSentTarget, fieldOriginal, fieldFullTarget, fieldSentPath, fieldBarePath, fieldQuery:
		p.setAsked(e, f, value, isString)
	case fieldHost, fieldSentHost:
		if o.host == nil && string(key) == "host" {
			o.host = value
		}
		o.isTomcat = o.isTomcat || string(key) == "localservername"
		isBetter := isAddress(e.Host) && isHost(value) && !isAddress(value) // host was the address of the server
		if f == fieldSentHost && len(value) > 1 || isBetter {
			e.Host = nil
		}
		e.setHost(value)
	case fieldExactTime:
		e.Time = time.Time{}
		e.setTime(value)
	case fieldTime:
		if e.Time.IsZero() {
			p.setMoment(value, e)
		}
	default:
		p.setAnswer(e, f, key, value)
	}
}

// setAsker keeps what says who asks, and with which header fields.
func (p *Parser) setAsker(e *Entry, f field, value []byte) {
	switch f {
	case fieldClient:
		if len(value) > 0 {
			e.Client = value
		}
	case fieldPeer:
		if len(e.Client) == 0 {
			e.Client = value
		}
	case fieldForwarded:
		p.object.forwarded = value
	case fieldMethod:
		e.Method = value
	case fieldReferrer:
		if string(value) != "-" {
			e.Referrer = value
		}
	case fieldAgent, fieldEscapedAgent:
		p.object.isEscaped = p.object.isEscaped || f == fieldEscapedAgent
		e.setAgent(value)
	case fieldSignature:
		e.Signed = len(value) > 1 // - is none
	}
}

// setAsked keeps what is asked for.
func (p *Parser) setAsked(e *Entry, f field, value []byte, isString bool) {
	o := &p.object
	switch f {
	case fieldQuery:
		if len(value) > 0 && string(value) != "-" {
			o.query = value
		}
		return
	case fieldRequest:
		if !isString { // an object, or nothing
			return
		}
		if len(value) > 0 && value[0] == '/' && bytes.IndexByte(value, ' ') < 0 { // Apache's %U
			e.setTarget(value)
		} else {
			e.setRequest(value)
		}
	case fieldSentTarget:
		e.setTarget(value)
	case fieldOriginal:
		if len(value) == 0 || value[0] != '/' {
			return
		}
		o.hasOriginal = true
		e.setTarget(value)
	case fieldFullTarget:
		if o.hasOriginal {
			return
		}
		if method, _, _ := bytes.Cut(value, []byte(" ")); len(method) < len(value) && isMethod(method) {
			e.setRequest(value)
		} else if e.setTarget(value); len(e.Authority) > 0 {
			e.Host, e.Authority = e.Authority, nil
		}
	default:
		if f == fieldBarePath && (len(value) == 0 || value[0] != '/') {
			value = append([]byte{'/'}, value...)
		}
		if e.Target == nil {
			e.setTarget(value)
		}
	}
	o.hasTarget = true
	o.hasSent = o.hasSent || f != fieldTarget || o.depth > 0
}

// setAnswer keeps what was answered, and how long that took.
func (p *Parser) setAnswer(e *Entry, f field, key, value []byte) {
	o := &p.object
	switch f {
	case fieldStatus, fieldTraefikStatus:
		if f == fieldTraefikStatus {
			o.unit = time.Nanosecond
		}
		o.hasStatus = true
		if n, ok := number(value); ok {
			e.Status = int(min(n, 1000))
		}
	case fieldBytes:
		if n, ok := number(value); ok && e.Bytes == 0 {
			e.Bytes = n
		}
	case fieldTomcat:
		o.isTomcat = true
	case fieldEnvoyFlags:
		o.unit, o.hasSent = time.Millisecond, true
	case fieldDeployment:
		o.isDeployed = o.isDeployed || o.depth == 0
	case fieldDuration:
		o.duration = value
	case fieldLogger:
		isAccess := bytes.HasPrefix(value, []byte("http.log.access"))
		o.isAside = o.isAside || o.depth == 0 && bytes.HasPrefix(value, []byte("http.")) && !isAccess
	default:
		e.setDuration(key, value, time.Second)
	}
}

func (e *Entry) setAgent(value []byte) {
	e.HasAgent = true
	if string(value) != "-" {
		e.Agent = value
	}
}

// setMoment takes in a time, or its half.
func (p *Parser) setMoment(value []byte, e *Entry) {
	switch {
	case len(value) == len("2026-03-01") && value[4] == '-':
		p.object.day = value
	case len(value) >= len("12:00:00") && value[2] == ':':
		p.object.clock = value
	case len(value) >= len("2006/01/02 15:04:05") && value[4] == '/' && value[7] == '/':
		setISOTime(p.dashed(value), e)
	default:
		e.setTime(value)
	}
}

// setTime reads a time in any of its forms.
func (e *Entry) setTime(value []byte) {
	value = bytes.Trim(value, "[]")
	if setISOTime(value, e) > 0 || setCLFTime(value, e) > 0 {
		return
	}
	if v, ok := decimal(value); ok {
		setUnixTime(v, e)
	}
}

// isFraction reports whether a response time may be in seconds: whole numbers are of Apache's %D, or of a Caddy told to write
// nanoseconds.
func isFraction(value []byte) bool { return bytes.ContainsAny(value, ".eE") }

// setDuration reads a response time: in unit, unless the name says otherwise. There is none for response_time, which is in seconds
// as nginx has it and in milliseconds as morgan has it.
func (e *Entry) setDuration(key, value []byte, unit time.Duration) {
	switch string(key) {
	case "duration":
	case "request_time":
		if !isFraction(value) {
			return
		}
	case "latency": // 0.25s; without a unit it may be in any
		var ok bool
		if value, ok = bytes.CutSuffix(value, []byte("s")); !ok {
			return
		}
	case "duration_ms", "request_time_ms", "response_time_ms":
		unit = time.Millisecond
	case "duration_us", "request_time_us", "response_time_us":
		unit = time.Microsecond
	default:
		return
	}
	if v, ok := decimal(value); ok && e.Taken < 0 {
		e.Taken = seconds(v * unit.Seconds())
	}
}

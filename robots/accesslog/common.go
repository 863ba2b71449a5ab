package accesslog

import (
	"bytes"
	"time"
)

// parseCommon reads the formats that descend from the Common Log Format:
//
//	[host ]client ident user [time] "request" status bytes[ "referrer" "agent"[ taken]]
//
// lighttpd has the host in the place of ident.
func (p *Parser) parseCommon(line []byte, e *Entry) error {
	head, rest, err := p.splitTime(line, true, e)
	switch {
	case err != nil && isReferral(line):
		return ErrRemark
	case err != nil:
		return err
	}
	if err := p.setClient(head, e); err != nil {
		return err
	}
	return p.setAnswered(rest, e)
}

// isReferral reports whether a line says only from where a path was asked for, as in "https://e.example/ -> /a": WEBrick writes one
// behind that of each request, as the first servers did into a log of its own.
func isReferral(line []byte) bool {
	referrer, path, ok := bytes.Cut(line, []byte(" -> "))
	return ok && (string(referrer) == "-" || isURL(referrer)) && len(path) > 0 && path[0] == '/' && !bytes.ContainsAny(line, `"[`)
}

// setAnswered reads what stands behind the client and the time.
func (p *Parser) setAnswered(rest []byte, e *Entry) error {
	request, rest, err := p.request(rest)
	if err != nil {
		return err
	}
	e.setRequest(request)
	status, rest := word(rest)
	n, ok := number(status)
	// morgan and Traefik have no status and no size of a request whose client went away before the answer, and Squid has 0.
	isNone := string(status) == "-" && bytes.HasPrefix(rest, []byte(" -")) || string(status) == "0"
	if !isNone && (!ok || len(status) != 3) {
		return ErrStatus
	}
	e.Status = int(n)
	if e.Status == 100 && bytes.HasPrefix(request, []byte("PRI * ")) { // lighttpd, of a connection of HTTP/2 as a whole
		return ErrRemark
	}
	size, rest := word(rest)
	if e.Bytes, ok = number(size); !ok && string(size) != "-" {
		return ErrSize
	}
	if p.Format == Common {
		return nil
	}
	return p.setCombined(request, rest, e)
}

// setCombined reads what the combined format adds, if it is there: both or none, for what has only a part of it was torn.
func (p *Parser) setCombined(request, rest []byte, e *Entry) error {
	if p.Format == Auto && (len(rest) == 0 || len(rest) > 1 && rest[1] != '"') { // it is a common log
		if bytes.ContainsAny(rest, "\"[") {
			return ErrTorn
		}
		p.bare = true
		return nil
	}
	referrer, agent, rest, ok := p.names(rest)
	if !ok {
		return ErrAgent
	}
	e.Agent = agent
	e.HasAgent = true
	if string(e.Agent) == "-" {
		e.Agent = nil
	}
	if string(referrer) != "-" {
		e.Referrer = referrer
	}
	if len(rest) > 0 {
		return p.setExtra(request, rest, e)
	}
	return nil
}

// request returns the request line, and what follows. Some servers escape no quotes: then it ends behind the version of HTTP, in
// front of which there is a blank, as there is none in a target.
func (p *Parser) request(s []byte) (request, rest []byte, err error) {
	request, rest, ok := p.quoted(s)
	switch {
	case !ok:
		return nil, nil, ErrRequest
	case len(rest) == 0 || rest[0] == ' ':
		return request, rest, nil
	}
	s = bytes.TrimLeft(s, " ")[1:]
	if i := bytes.Index(s, []byte(" HTTP/")); i >= 0 {
		if n := bytes.IndexByte(s[i:], '"'); n > 0 && !p.hasTime(s[:i+n]) && bytes.HasPrefix(s[i+n+1:], []byte(" ")) {
			return s[:i+n], s[i+n+1:], nil
		}
	}
	return nil, nil, ErrTorn
}

// names returns referrer and User-Agent, and what follows. Some servers do not escape the quotes and backslashes in them: then they
// end with the last quote of the line, unless that may be of another line.
func (p *Parser) names(s []byte) (referrer, agent, rest []byte, ok bool) {
	if referrer, rest, ok = p.quoted(s); ok && len(rest) > 0 && rest[0] == ' ' {
		if agent, rest, ok = p.quoted(rest); ok && (len(rest) == 0 || rest[0] == ' ' || isNamed(rest)) {
			return referrer, agent, rest, true
		}
	}
	s = bytes.TrimLeft(s, " ")
	end := bytes.LastIndexByte(s, '"')
	if end <= 0 || p.hasTime(s) {
		return nil, nil, nil, false
	}
	between := bytes.LastIndex(s[:end], []byte(`" "`))
	if between <= 0 {
		return nil, nil, nil, false
	}
	return s[1:between], s[between+3 : end], s[end+1:], true
}

// hasTime reports whether there is a time in brackets, as in each line.
func (p *Parser) hasTime(s []byte) bool {
	var e Entry
	_, _, err := p.splitTime(s, false, &e)
	return err == nil
}

// hasRequest reports whether there is a time in brackets, and after a blank something in quotes.
func (p *Parser) hasRequest(s []byte) bool {
	for {
		_, rest, err := p.splitTime(s, true, &Entry{})
		if err != nil || rest[0] == ' ' {
			return err == nil
		}
		s = rest
	}
}

// isMilliseconds reports whether a line ends with a time as Traefik writes it, after its number, router and server.
func isMilliseconds(rest []byte) (ms int64, ok bool) {
	if !bytes.HasSuffix(rest, []byte("ms")) {
		return 0, false
	}
	return number(rest[bytes.LastIndexByte(rest, ' ')+1 : len(rest)-2])
}

// setExtra reads what often follows the User-Agent: how long the response took, or X-Forwarded-For. Another time and request are
// those of another line, or the only true ones, behind a user name that looks like a line.
func (p *Parser) setExtra(request, rest []byte, e *Entry) error {
	if rest[0] != ' ' && !isNamed(rest) || p.hasRequest(rest) {
		return ErrTorn
	}
	if len(p.Trusted) > 0 && len(rest) > 1 && rest[1] == '"' {
		if list, after, ok := p.quoted(rest); ok && isAddressList(list) {
			p.setForwarded(list, e)
			if rest = after; len(rest) == 0 {
				return nil
			}
		}
	}
	if ms, ok := isMilliseconds(rest); ok {
		e.Taken = milliseconds(ms)
		return nil
	}
	if len(e.Referrer) == 0 && len(e.Agent) == 0 {
		if bare := *e; p.setHAProxyCLF(request, rest, &bare) {
			*e = bare
			return nil
		}
	}
	setTaken(rest, e)
	return nil
}

// isNamed reports whether a field begins with its name, as rt=0.012. The manual of nginx has a format in which one follows the
// User-Agent without a blank.
func isNamed(rest []byte) bool {
	name, _, ok := bytes.Cut(rest[:min(len(rest), maxFieldName)], []byte("="))
	for _, c := range name {
		ok = ok && (c >= 'a' && c <= 'z' || c == '_')
	}
	return ok && len(name) > 0
}

// maxFieldName is how long the name of a field and the sign behind it may be.
const maxFieldName = 32

// isAddressList reports whether a field has what X-Forwarded-For has.
func isAddressList(s []byte) bool {
	first, _, _ := bytes.Cut(s, []byte(","))
	return isAddress(bytes.TrimSpace(first))
}

// setTaken reads what often follows the User-Agent: nginx' $request_time in seconds with a decimal point, alone, with a name as in
// rt=0.012, or behind $request_length, as its controller for Kubernetes writes them; or Apache's %D in whole microseconds. Two
// whole numbers are no time: Apache's combinedio has the bytes in and out there.
func setTaken(rest []byte, e *Entry) {
	field, after := word(rest)
	field = bytes.Trim(field, `"`)
	if i := bytes.IndexByte(field, '='); i >= 0 {
		field = field[i+1:]
	}
	n, whole := number(field)
	if next, _ := word(after); whole && len(next) > 0 {
		if s, ok := decimal(next); ok {
			if bytes.IndexByte(next, '.') > 0 {
				e.Taken = seconds(s)
			}
			return
		}
	}
	if whole {
		e.Taken = min(time.Duration(min(n, int64(maxTaken/time.Microsecond)))*time.Microsecond, maxTaken)
	} else if s, ok := decimal(field); ok {
		e.Taken = seconds(s)
	}
}

// maxTaken bounds a response time that can be meant.
const maxTaken = 24 * time.Hour

// seconds makes a duration of a number that may be absurd.
func seconds(s float64) time.Duration {
	return time.Duration(max(0, min(s, maxTaken.Seconds())) * float64(time.Second))
}

// milliseconds makes a duration of a number that may be absurd.
func milliseconds(n int64) time.Duration { return seconds(float64(n) / 1000) }

// splitTime finds the time in brackets, and returns what stands before and after it. A bracket in a user name is not taken for it,
// nor is a time there if a request in quotes has to follow.
func (p *Parser) splitTime(line []byte, isQuoted bool, e *Entry) (head, rest []byte, err error) {
	err = ErrTime
	for from := 0; ; {
		i := bytes.IndexByte(line[from:], '[')
		if i < 0 {
			return nil, nil, err
		}
		i += from
		if n := p.setBracketTime(line[i+1:], e); n > 0 && i+1+n < len(line) && line[i+1+n] == ']' {
			rest = line[i+n+2:]
			if !isQuoted || bytes.HasPrefix(bytes.TrimLeft(rest, " "), []byte(`"`)) {
				return line[:i], rest, nil
			}
			if err = ErrRequest; bytes.HasPrefix(rest, []byte(" code ")) && bytes.Contains(rest, []byte(", message ")) {
				err = ErrRemark // Python's http.server, of the error that the next line has
			}
		}
		from = i + 1
	}
}

// setBracketTime reads a time as servers write it in brackets, and returns how long it is; 0 when there is none. That of the Common
// Log Format is the default of nearly all; nginx also has $time_iso8601 and $msec to put in its place, Apache a pattern of one's
// own. The default of morgan, and of the loggers of Express and Connect before it, is a date as HTTP has it.
func (p *Parser) setBracketTime(s []byte, e *Entry) int {
	if n := p.setCLFTime(s, e); n > 0 {
		return n
	}
	if n := setISOTime(s, e); n > 0 {
		return n
	}
	if n := setHTTPDate(s, e); n > 0 {
		return n
	}
	n := bytes.IndexByte(s[:min(len(s), maxDigits)], ']') // no further: a line may have a bracket in each place
	if n < len("1000000000") {
		return 0
	}
	if v, ok := decimal(s[:n]); !ok || !setUnixTime(v, e) {
		return 0
	}
	return n
}

// word returns the next word of s, without the blanks before it, and what follows.
func word(s []byte) (w, rest []byte) {
	for len(s) > 0 && s[0] == ' ' {
		s = s[1:]
	}
	if i := bytes.IndexByte(s, ' '); i >= 0 {
		return s[:i], s[i:]
	}
	return s, nil
}

// quoted returns the text between the next two quotes, unescaped, and what follows.
func (p *Parser) quoted(s []byte) (text, rest []byte, ok bool) {
	for len(s) > 0 && s[0] == ' ' {
		s = s[1:]
	}
	if len(s) == 0 || s[0] != '"' {
		return nil, s, false
	}
	s = s[1:]
	end := bytes.IndexByte(s, '"')
	if end < 0 {
		return nil, s, false
	}
	if bytes.IndexByte(s[:end], '\\') < 0 {
		return s[:end], s[end+1:], true
	}
	return p.unescape(s)
}

// unescape reads up to the closing quote what Apache (ap_escape_logitem) and nginx write: \xHH, \" and \\, and the letters of C;
// and \uHHHH for a byte, as Tomcat does.
func (p *Parser) unescape(s []byte) (text, rest []byte, ok bool) {
	start := len(p.scratch)
	for i := 0; i < len(s); i++ {
		if s[i] == '"' {
			return p.scratch[start:len(p.scratch):len(p.scratch)], s[i+1:], true
		}
		i += p.unescapeOne(s[i:])
	}
	return nil, nil, false
}

// unescapeOne appends what s begins with, a byte or an escape, and returns how much longer than a byte that is.
func (p *Parser) unescapeOne(s []byte) (more int) {
	c := s[0]
	if c == '\\' && len(s) > 1 {
		more = 1
		if c = unescaped(s[1]); c == s[1] && c != '"' && c != '\\' { // no server escapes it
			c, more = '\\', 0
		}
		if v, ok := hex(s[2:], 2); ok && s[1] == 'x' {
			c, more = byte(v), 3
		} else if v, ok := hex(s[2:], 4); ok && s[1] == 'u' && v < 0x100 {
			c, more = byte(v), 5
		}
	}
	p.scratch = append(p.scratch, c)
	return more
}

// changed returns s as f changes a copy of it, in place.
func (p *Parser) changed(s []byte, f func([]byte) []byte) []byte {
	start := len(p.scratch)
	p.scratch = append(p.scratch, s...)
	text := f(p.scratch[start:])
	p.scratch = p.scratch[:start+len(text)]
	return text[:len(text):len(text)]
}

// unmarked undoes, in place, the escapes of two hexadecimal digits behind a mark.
func unmarked(s []byte, mark byte) []byte {
	out := s[:0]
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == mark {
			if v, ok := hex(s[i+1:], 2); ok {
				c = byte(v)
				i += 2
			}
		}
		out = append(out, c)
	}
	return out
}

// unescaped returns what a letter after a backslash stands for.
func unescaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'v':
		return '\v'
	}
	return c
}

// hex reads exactly n hexadecimal digits.
func hex(s []byte, n int) (v rune, ok bool) {
	if len(s) < n {
		return 0, false
	}
	for _, c := range s[:n] {
		switch {
		case c >= '0' && c <= '9':
			v = v<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			v = v<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return v, true
}

// number reads a decimal number that is all of s and fits well.
func number(s []byte) (n int64, ok bool) {
	if len(s) == 0 || len(s) > 18 {
		return 0, false
	}
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// decimal reads a number with or without a decimal point and an exponent.
func decimal(s []byte) (v float64, ok bool) {
	negative := len(s) > 0 && s[0] == '-'
	if negative {
		s = s[1:]
	}
	scale, i, point := 1.0, 0, false
	for ; i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.' && !point); i++ {
		if s[i] == '.' {
			point = true
			continue
		}
		v = v*10 + float64(s[i]-'0')
		if point {
			scale *= 10
		}
	}
	return power(v/scale, s[i:], negative, i > 0 && i < maxDigits)
}

// maxDigits is how long a number may be.
const maxDigits = 40

// power applies sign and exponent, which must be all that is left.
func power(v float64, s []byte, negative, ok bool) (float64, bool) {
	if negative {
		v = -v
	}
	if !ok || len(s) == 0 {
		return v, ok
	}
	if s[0]|0x20 != 'e' {
		return 0, false
	}
	s, down := bytes.TrimPrefix(s[1:], []byte("+")), false
	if len(s) > 0 && s[0] == '-' {
		s, down = s[1:], true
	}
	n, ok := number(s)
	if !ok || n > 300 {
		return 0, false
	}
	for ; n > 0; n-- {
		if down {
			v /= 10
		} else {
			v *= 10
		}
	}
	return v, true
}

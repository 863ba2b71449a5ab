package accesslog

import "bytes"

// unwrapped returns what a line was before a log collector put something around it: syslog (RFC 3164, RFC 5424), journald, the
// runtimes of containers and those that gather their output, also in an object, and notes the server that they name. ok is false
// when nothing of theirs is there.
func (p *Parser) unwrapped(line []byte) (inner []byte, ok bool) {
	if line[0] == '{' {
		return p.inObject(line)
	}
	s := line
	if i := bytes.IndexByte(s, '>'); i > 1 && i < 5 && s[0] == '<' {
		if _, isNumber := number(s[1:i]); isNumber {
			s = s[i+1:]
		}
	}
	if rest, is := bytes.CutPrefix(s, []byte("1 ")); is && len(s) < len(line) {
		return p.afterHeader(rest)
	}
	switch n := bytes.IndexByte(s, '|'); {
	case n > 0 && n+1 < len(s) && s[n+1] == ' ' && isLabel(bytes.TrimRight(s[:n], " ")): // Docker Compose: "web-1  | "
		p.server = bytes.TrimRight(s[:n], " ")
		return bytes.TrimSpace(s[n+1:]), true
	case bytes.HasPrefix(s, []byte("[pod/")): // kubectl logs --prefix
		if i := bytes.IndexByte(s, ']'); i > 0 {
			p.server = s[:i]
			return bytes.TrimSpace(s[i+1:]), true
		}
	case bytes.HasPrefix(s, []byte("[")):
		return afterBrackets(s)
	case len(s) > 16 && monthOf(s[:3]) != 0 && s[3] == ' ' && s[6] == ' ' && s[9] == ':' && s[12] == ':':
		return p.afterTag(s[15:])
	}
	var e Entry
	if n := setISOTime(s, &e); n > 0 && n < len(s) && s[n] == ' ' {
		return p.afterISO(s[n+1:])
	}
	if len(s) < len(line) {
		return s, true
	}
	return nil, false
}

// inObject returns the line that an object has in one of its fields: that of Docker's json-file and Fluent Bit, of Filebeat, of
// journald, or of Loki. Nothing in a string looks like such a field, as its quotes are escaped.
func (p *Parser) inObject(line []byte) (inner []byte, ok bool) {
	for _, name := range []string{`"log"`, `"message"`, `"MESSAGE"`, `"line"`} {
		for rest := line; ; {
			i := bytes.Index(rest, []byte(name))
			if i < 0 {
				break
			}
			rest = bytes.TrimLeft(rest[i+len(name):], " ")
			value := bytes.TrimLeft(bytes.TrimPrefix(rest, []byte(":")), " ")
			if len(rest) > 0 && rest[0] == ':' && len(value) > 0 && value[0] == '[' && name == `"MESSAGE"` {
				return p.ofNumbers(value)
			}
			if len(rest) > 0 && rest[0] == ':' && len(value) > 0 && value[0] == '"' {
				p.object.in, p.object.pos, p.object.escapes = value, 0, true
				inner, ok = p.readString()
				p.inner = append(p.inner[:0], inner...) // what is unescaped in it must not come to lie over it
				return bytes.TrimSpace(p.inner), ok
			}
		}
	}
	return nil, false
}

// ofNumbers returns a line of which an array has the bytes, as journald writes one that has others than those of text.
func (p *Parser) ofNumbers(array []byte) (inner []byte, ok bool) {
	array, _, ok = bytes.Cut(array[1:], []byte("]"))
	p.inner = p.inner[:0]
	for figure := range bytes.SplitSeq(array, []byte(",")) {
		n, isNumber := number(bytes.TrimSpace(figure))
		if ok = ok && isNumber && n < 0x100; !ok {
			return nil, false
		}
		p.inner = append(p.inner, byte(n))
	}
	return bytes.TrimSpace(p.inner), true
}

// ofConsole returns the object in a line of Caddy's format console, and the time before it, which the object lacks: it is UTC. A
// tab ends each field, so that nothing a client sends to a program that writes other lines with such a time makes one.
func (p *Parser) ofConsole(line []byte) (object, when []byte, ok bool) {
	const message = "\thandled request\t"
	i := bytes.IndexByte(line, '{') - len(message)
	end := bytes.IndexByte(line, '\t')
	if end < len("2006/01/02 15:04:05") || end > i || line[4] != '/' || line[7] != '/' ||
		string(line[i:i+len(message)]) != message {
		return nil, nil, false
	}
	when = p.dashed(line[:end])
	var e Entry
	return line[i+len(message):], when, setISOTime(when, &e) == end
}

// dashed returns a time as in 2006/01/02 15:04:05, Caddy's wall, with dashes in its date.
func (p *Parser) dashed(when []byte) []byte {
	start := len(p.scratch)
	p.scratch = append(p.scratch, when...)
	when = p.scratch[start:len(p.scratch):len(p.scratch)]
	when[4], when[7] = '-', '-'
	return when
}

// afterISO returns what follows a time in front of a line: that of the Container Runtime Interface, of docker logs -t, or of
// syslog.
func (p *Parser) afterISO(s []byte) ([]byte, bool) {
	for _, stream := range []string{"stdout F ", "stderr F "} {
		if rest, is := bytes.CutPrefix(s, []byte(stream)); is {
			return rest, true
		}
	}
	if rest, ok := p.afterTag(s); ok {
		return rest, true
	}
	return s, true
}

// afterBrackets returns what follows a time, a process and a level in brackets, as Hypercorn has them in front of its default
// format: it has to begin with the address of a client.
func afterBrackets(s []byte) ([]byte, bool) {
	n := setISOTime(s[1:], &Entry{})
	if n == 0 {
		return nil, false
	}
	s = s[n+1:]
	for range 3 {
		i := bytes.IndexByte(s, ']')
		if i < 0 || !isLabel(s[:i]) && i > 0 {
			return nil, false
		}
		s = bytes.TrimLeft(s[i+1:], " ")
		if len(s) == 0 || s[0] != '[' {
			break
		}
		s = s[1:]
	}
	client, _ := word(s)
	return s, isAddress(client)
}

// afterTag returns what follows the host and the tag of syslog, as in "host nginx[17]: ".
func (p *Parser) afterTag(s []byte) ([]byte, bool) {
	var host []byte
	for range 2 { // some leave the host out
		var tag []byte
		if tag, s = word(s); len(tag) >= 2 && tag[len(tag)-1] == ':' && isLabel(tag[:len(tag)-1]) {
			p.server = host
			return bytes.TrimSpace(s), true
		}
		host = tag
	}
	return nil, false
}

// afterHeader returns what follows the header of RFC 5424: time, host, name, process, kind and data.
func (p *Parser) afterHeader(s []byte) ([]byte, bool) {
	_, s = word(s)
	p.server, s = word(s)
	for range 3 {
		_, s = word(s)
	}
	s = bytes.TrimLeft(s, " ")
	if len(s) > 0 && s[0] == '[' {
		i := bytes.Index(s, []byte("] "))
		if i < 0 {
			return nil, false
		}
		return bytes.TrimSpace(s[i+2:]), true
	}
	_, s = word(s)
	return bytes.TrimSpace(s), len(s) > 0
}

// isLabel reports whether s can be the name of a program or a container.
func isLabel(s []byte) bool {
	for _, c := range s {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && bytes.IndexByte([]byte("-_./[]()"), c) < 0 {
			return false
		}
	}
	return len(s) > 0
}

package fetch

import (
	"bytes"
	"strings"
)

// mendHead mends the head of an HTTP/1 response at the start of b where net/http would refuse it and browsers do not, so that a
// careless server is read for what it says besides. It works in place and returns what remains of b; ok is false, and b as it was,
// when the head does not end in b. Of a head that net/http takes it reads the same, and one that no browser would read stays.
//
// What goes: empty lines before the status line, lines that are no field, a Content-Length that is no number, a Transfer-Encoding
// that says nothing or chunked another time. Control characters but NUL become blanks, and so does a CR that ends no line, as in
// the CR CR LF of programs that write in the text mode of Windows. A length that is told twice in one field is told once.
func mendHead(b []byte) (rest []byte, interim, ok bool) {
	start := 0
	for start < min(len(b), maxBlank) && (b[start] == '\r' || b[start] == '\n') {
		start++
	}
	if n := min(len(b)-start, len(protocol)); !strings.EqualFold(string(b[start:start+n]), protocol[:n]) {
		return b, false, true // of a server that may wait for what we say
	}
	end := headEnd(b[start:])
	if end < 0 {
		return b, false, false
	}
	head, body := b[start:start+end], b[start+end:]
	kept := b[:0]
	var fields headFields
	for first := true; len(head) > 0; first = false {
		n := bytes.IndexByte(head, '\n') + 1
		line := head[:n]
		head = head[n:]
		toBlanks(bytes.TrimSuffix(line[:n-1], []byte("\r")), '\r') // as RFC 9112 section 2.2 says of a CR alone
		switch {
		case first:
			copy(line, protocol)
			toBlanks(line, '\t')
			interim = isInterim(line)
		case len(head) == 0: // the empty line
		case !fields.keep(line, isContinued(head)):
			continue
		}
		kept = append(kept, line...)
	}
	return append(kept, body...), interim, true
}

const protocol = "HTTP/" // begins a status line

// isInterim reports whether another response follows that with this status line, as net/http knows it: not behind 101.
func isInterim(line []byte) bool {
	i := bytes.IndexAny(line, " \t")
	status := bytes.TrimLeft(line[max(i, 0):], " \t")
	return i > 0 && len(status) > 3 && status[0] == '1' && status[3] < '0' && !bytes.HasPrefix(status, []byte("101"))
}

// maxBlank is how much of empty lines may be before a status line, in bytes.
const maxBlank = 4

// headEnd returns how many bytes the head at the start of b has, its empty line included; -1 when that is not in b.
func headEnd(b []byte) int {
	for n := 0; ; {
		i := bytes.IndexByte(b[n:], '\n')
		if i < 0 {
			return -1
		}
		line := b[n : n+i]
		if n += i + 1; len(line) == 0 || len(line) == 1 && line[0] == '\r' {
			return n
		}
	}
}

// headFields is what matters of the fields of a head for those that follow.
type headFields struct {
	begun   bool // there was one
	dropped bool // the last one, with its continuation lines
	chunked bool // a Transfer-Encoding says so
}

// isContinued reports whether the line before b goes on in b.
func isContinued(b []byte) bool { return len(b) > 0 && (b[0] == ' ' || b[0] == '\t') }

// keep reports whether a line of a head stays, and mends its value; continued says that this goes on in the next line.
func (f *headFields) keep(line []byte, continued bool) bool {
	if isContinued(line) {
		return f.begun && !f.dropped
	}
	f.begun = true
	name, value, isField := bytes.Cut(line, []byte(":"))
	f.dropped = !isField || !isFieldName(name) || !f.keepValue(name, value, continued)
	return !f.dropped
}

func (f *headFields) keepValue(name, value []byte, continued bool) bool {
	for i, c := range value {
		if c != 0 && c < ' ' && c != '\t' && c != '\r' && c != '\n' || c == 0x7f {
			value[i] = ' '
		}
	}
	switch {
	case continued:
	case bytes.EqualFold(name, []byte("Content-Length")):
		return keepLength(value)
	case bytes.EqualFold(name, []byte("Transfer-Encoding")):
		coding := bytes.TrimSpace(value)
		isChunked := bytes.EqualFold(coding, []byte("chunked"))
		isAgain := isChunked && f.chunked
		f.chunked = f.chunked || isChunked
		return len(coding) > 0 && !bytes.EqualFold(coding, []byte("identity")) && !isAgain
	}
	return true
}

// keepLength reports whether a Content-Length stays, and makes one number of several that are the same. Which one is meant of
// several that are not the same nobody knows.
func keepLength(value []byte) bool {
	first, others, _ := strings.Cut(string(value), ",")
	first = strings.TrimSpace(first)
	for other := range strings.SplitSeq(others, ",") {
		if o := strings.TrimSpace(other); o != "" && o != first {
			return true
		}
	}
	if i := bytes.IndexByte(value, ','); i >= 0 {
		toBlanks(value[i:len(value)-1], 0)
	}
	return first != "" && strings.Trim(first, "0123456789") == ""
}

// isFieldName reports whether net/http takes a name: blanks and all that RFC 9110 section 5.6.2 lets a token have.
func isFieldName(name []byte) bool {
	for _, c := range name {
		isLetter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !isLetter && (c < '0' || c > '9') && strings.IndexByte("-!#$%&'*+.^_`|~ ", c) < 0 {
			return false
		}
	}
	return len(name) > 0
}

// toBlanks makes blanks of a byte, or of all bytes.
func toBlanks(b []byte, of byte) {
	for i := range b {
		if of == 0 || b[i] == of {
			b[i] = ' '
		}
	}
}

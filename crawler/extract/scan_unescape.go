package extract

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// maxReference is the longest character reference there is, "&CounterClockwiseContourIntegral;", with room to spare.
const maxReference = 40

// unescapeAttr decodes the character references of an attribute's value: unlike in text, "&copy=1" and "&copyx" are none.
func unescapeAttr(val []byte) string {
	if bytes.IndexByte(val, '\r') >= 0 {
		val = bytes.ReplaceAll(bytes.ReplaceAll(val, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	}
	if bytes.IndexByte(val, 0) >= 0 {
		val = bytes.ReplaceAll(val, []byte{0}, []byte("\ufffd"))
	}
	i := bytes.IndexByte(val, '&')
	if i < 0 {
		return string(val)
	}
	var b strings.Builder
	for ; i >= 0; i = bytes.IndexByte(val, '&') {
		b.Write(val[:i])
		val = val[i:]
		n := referenceLen(val)
		b.WriteString(decodeReference(val[:n], val[n:]))
		val = val[n:]
	}
	b.Write(val)
	return b.String()
}

// referenceLen returns the length of what may be the character reference that b starts with; 1 if none may.
func referenceLen(b []byte) int {
	digits := isAlphanumeric
	i := 1
	if len(b) > 2 && b[1] == '#' {
		i, digits = 2, isDecimal
		if b[2]|0x20 == 'x' {
			i, digits = 3, isHexadecimal
		}
	}
	for i < len(b) && digits(b[i]) {
		i++
	}
	if i < len(b) && b[i] == ';' {
		i++
	}
	return i
}

// decodeReference decodes ref, if it is a reference as a whole; rest is what follows it. The library decodes it as in text,
// where a name may have something behind it: then the end of ref is still there.
func decodeReference(ref, rest []byte) string {
	s := string(ref)
	if strings.HasPrefix(s, "&#") {
		return html.UnescapeString(s)
	}
	last := s[len(s)-1]
	if len(s) > maxReference || last != ';' && bytes.HasPrefix(rest, []byte("=")) {
		return s
	}
	if d := html.UnescapeString(s); utf8.RuneCountInString(d) == 1 || d[len(d)-1] != last {
		return d
	}
	return s
}

func isDecimal(c byte) bool { return '0' <= c && c <= '9' }

func isHexadecimal(c byte) bool { return isDecimal(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func isAlphanumeric(c byte) bool { return isDecimal(c) || isLetter(c) }

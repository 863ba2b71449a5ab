package frontier

import (
	"bytes"
	"strings"
)

const unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~" // RFC 3986, 2.3

// The bytes that stand for themselves in a segment of a path and in a query (WHATWG URL, path and special-query
// percent-encode sets). Never written to.
var (
	unreservedBytes = newByteSet(unreserved)
	segmentBytes    = newByteSet(unreserved + "!$&'()*+,;=:@[]^|")
	queryBytes      = newByteSet(unreserved + "!$&()*+,;=:@[]^|/?`{}\\")
)

type byteSet [256]bool

func newByteSet(members string) *byteSet {
	var set byteSet
	for i := 0; i < len(members); i++ {
		set[members[i]] = true
	}
	return &set
}

// appendPathQuery appends rest, a path or a query or both, in canonical form. buf holds the URL up to rest: it ends with
// the slash before the first segment, unless rest is rooted or has no path.
func appendPathQuery(buf []byte, rest string) []byte {
	path, query, hasQuery := strings.Cut(rest, "?")
	if strings.HasPrefix(path, "/") {
		buf, path = append(buf, '/'), path[1:]
	}
	for more := path != ""; more; {
		var segment string
		segment, path, more = strings.Cut(path, "/")
		switch dots(segment) {
		case 1:
			continue
		case 2:
			buf = dropSegment(buf)
			continue
		}
		buf = appendEscaped(buf, segment, segmentBytes)
		if more {
			buf = append(buf, '/')
		}
	}
	if hasQuery {
		buf = appendEscaped(append(buf, '?'), query, queryBytes)
	}
	return buf
}

// dots returns 1 for a segment that means this directory, 2 for one that means its parent, and 0 for others.
func dots(segment string) int {
	n := 0
	for segment != "" {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case len(segment) >= 3 && segment[:2] == "%2" && segment[2]|0x20 == 'e':
			segment = segment[3:]
		default:
			return 0
		}
		n++
	}
	if n > 2 {
		return 0
	}
	return n
}

// dropSegment removes the last segment of buf, a URL that ends with a slash, unless that is the root.
func dropSegment(buf []byte) []byte {
	root := bytes.Index(buf, []byte("://")) + len("://")
	root += bytes.IndexByte(buf[root:], '/')
	if len(buf)-1 == root {
		return buf
	}
	return buf[:bytes.LastIndexByte(buf[:len(buf)-1], '/')+1]
}

// appendEscaped appends s with all bytes encoded that do not stand for themselves, upper-case digits in what is encoded
// already, and unreserved characters decoded.
func appendEscaped(buf []byte, s string, plain *byteSet) []byte {
	for i := 0; i < len(s); {
		run := i
		for i < len(s) && plain[s[i]] {
			i++
		}
		buf = append(buf, s[run:i]...)
		switch {
		case i == len(s):
		case s[i] == '%':
			var n int
			buf, n = appendTriple(buf, s[i:])
			i += n
		default:
			buf = appendHex(buf, s[i])
			i++
		}
	}
	return buf
}

// appendTriple appends the percent sign that s begins with and what belongs to it, n bytes of s. A percent sign without
// two hex digits stays as it is, as in a browser; nothing is decoded that would give it digits.
func appendTriple(buf []byte, s string) (_ []byte, n int) {
	if len(s) < 3 || !isHex(s[1]) || !isHex(s[2]) {
		return append(buf, '%'), 1
	}
	c := unhex(s[1])<<4 | unhex(s[2])
	if unreservedBytes[c] && !(isHex(c) && endsInStray(buf)) {
		return append(buf, c), 3
	}
	return appendHex(buf, c), 3
}

// endsInStray reports whether one more hex digit, or the second of two, would make a triple of a stray percent sign.
func endsInStray(buf []byte) bool {
	n := len(buf)
	return buf[n-1] == '%' || buf[n-2] == '%' && isHex(buf[n-1])
}

func appendHex(buf []byte, c byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(buf, '%', digits[c>>4], digits[c&15])
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func unhex(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

package frontier

import (
	"net/netip"
	"strings"
)

// resolvePlain resolves the references that nearly all links are, with the result of resolveWHATWG (FuzzResolve) and
// without its cost. ok is false when it cannot be sure: user-info, hosts that are not plain lower-case ASCII, an unusual
// port, backslashes, tabs and newlines, blanks at the ends, odd slashes after the scheme. base is canonical or empty.
func resolvePlain(base, ref string) (s string, ok bool) {
	if ref != "" && (ref[0] <= ' ' || ref[len(ref)-1] <= ' ') {
		return "", false
	}
	ref, _, _ = strings.Cut(ref, "#")
	var room [512]byte // keeps most results off the heap until they are whole
	buf, rest, ok := appendStart(room[:0], base, ref)
	if !ok {
		return "", false
	}
	if buf, ok = appendPathQuery(buf, rest); !ok {
		return "", false
	}
	if string(buf) == ref {
		return ref, true
	}
	return string(buf), true
}

// appendStart appends the part of the result that comes before the path or the query of ref, rest. If rest is a path, it
// continues what was appended.
func appendStart(buf []byte, base, ref string) (_ []byte, rest string, ok bool) {
	if strings.HasPrefix(ref, "http://") || strings.HasPrefix(ref, "https://") {
		scheme := schemeLen(ref)
		return appendAuthority(append(buf, ref[:scheme]...), ref[scheme+len("://"):])
	}
	if base == "" || mayHaveScheme(ref) {
		return nil, "", false
	}
	switch {
	case ref == "":
		return append(buf, base...), "", true
	case strings.HasPrefix(ref, "//"):
		return appendAuthority(append(buf, base[:schemeLen(base)]...), ref[len("//"):])
	case ref[0] == '/':
		return append(buf, base[:originLen(base)]...), ref, true
	}
	path, _, _ := strings.Cut(base, "?")
	if ref[0] != '?' {
		path = path[:strings.LastIndexByte(path, '/')+1]
	}
	return append(buf, path...), ref, true
}

// mayHaveScheme reports whether a colon of ref may end a scheme.
func mayHaveScheme(ref string) bool {
	if ref == "" || !isAlpha(ref[0]) {
		return false
	}
	i := strings.IndexAny(ref, ":/?")
	return i >= 0 && ref[i] == ':'
}

// appendAuthority appends :// and the host and port that s begins with to the scheme in buf, and returns what follows.
func appendAuthority(buf []byte, s string) (_ []byte, rest string, ok bool) {
	end := len(s)
	if i := strings.IndexAny(s, "/?"); i >= 0 {
		end = i
	}
	name, port, hasPort := strings.Cut(s[:end], ":")
	if !isPlainHost(name) || hasPort && !isPlainPort(port) {
		return nil, "", false
	}
	isDefault := port == "80" && len(buf) == len("http") || port == "443" && len(buf) == len("https")
	buf = append(append(buf, "://"...), name...)
	if hasPort && !isDefault {
		buf = append(append(buf, ':'), port...)
	}
	if end == len(s) || s[end] == '?' {
		buf = append(buf, '/')
	}
	return buf, s[end:], true
}

// isPlainHost reports whether name is a lower-case ASCII domain name or an IPv4 address that stands for itself. Labels
// in Punycode need checking, and names that end in a number are addresses in disguise.
func isPlainHost(name string) bool {
	label := 0 // where the last label begins
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '.' && i > label:
			label = i + 1
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-' && i > label:
		default:
			return false
		}
	}
	if label == len(name) || strings.Contains(name, "xn--") {
		return false
	}
	if isDigit(name[label]) {
		addr, err := netip.ParseAddr(name)
		return err == nil && addr.Is4()
	}
	return true
}

// isPlainPort reports whether port is a number from 1 to 65535 as one writes it.
func isPlainPort(port string) bool {
	if port == "" || len(port) > len("65535") || port[0] == '0' {
		return false
	}
	n := 0
	for i := 0; i < len(port); i++ {
		if !isDigit(port[i]) {
			return false
		}
		n = n*10 + int(port[i]-'0')
	}
	return n <= 65535
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

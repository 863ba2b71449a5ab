package accesslog

import (
	"bytes"
	"errors"
	"net/netip"
	"slices"
)

// setClient reads what stands before the time. Where that is of two lines, the first of which was torn, the request is that of the
// second, and whose it is cannot be told; nor when a visitor has sent a user name that looks so, which servers log of anybody.
func (p *Parser) setClient(head []byte, e *Entry) error {
	err := p.readClient(head, e)
	if !errors.Is(err, ErrTorn) {
		return err
	}
	first, rest := word(head)
	if second, _ := word(rest); !isAddress(first) && !isAddress(second) && !bytes.Equal(first, nobody) {
		return err // a log collector has put something there
	}
	e.Client, e.Host, e.Forwarded, e.Proxied = nobody, nil, false, false
	return nil
}

// nobody is the Client of a line when it cannot be told, as it is of servers that do not know it.
var nobody = []byte("-")

// readClient reads client, ident and user. A virtual host in front makes it one word longer; so does a user name with a blank, so
// that the second word has to be an address to be taken for the client. What log collectors put there is refused, and what torn
// lines do is ErrTorn: a wrong client is worse than none.
func (p *Parser) readClient(head []byte, e *Entry) error {
	if i := bytes.IndexByte(head, ' '); i > 0 && string(head[i:]) == " - - " && p.Format != VHost { // as nearly always
		if e.Client = plainAddress(head[:i]); isClient(e.Client) {
			return nil
		}
	}
	first, rest := word(head)
	if len(first) == 0 {
		return ErrClient
	}
	if first[len(first)-1] == ',' || bytes.IndexByte(first, ',') > 0 {
		list, rest := addressList(head)
		e.Client = chooseClient(list, p.Trusted, e)
		return checkNames(rest, e.Client)
	}
	second, after := word(rest)
	_, more := word(after)
	isVHost := p.Format == VHost
	if !isVHost && p.Format == Auto && len(bytes.TrimSpace(more)) > 0 {
		isVHost = isAddress(second)
	}
	if isVHost {
		if !isHost(first) && !isBareServer(first) {
			return ErrPrefix
		}
		e.setHost(first)
		first, rest = second, after
	}
	e.Client = plainAddress(first)
	if len(e.Client) == 0 {
		return ErrClient
	}
	if ident, _ := word(rest); isServerName(ident) {
		e.setHost(ident)
	}
	return checkNames(rest, e.Client)
}

// isServerName reports whether what stands for ident is the host, as lighttpd writes it. It is none if it is an address: of another
// proxy, as likely as of the host.
func isServerName(s []byte) bool {
	return bytes.IndexByte(s, '.') > 0 && isHost(s) && !isAddress(plainAddress(s)) && !isTornTime(s)
}

// checkNames looks at ident and user, which follow the client. A format that many write for nginx has a dash before the time, too.
func checkNames(rest, client []byte) error {
	if !isClient(client) {
		return ErrPrefix
	}
	ident, rest := word(rest)
	_, rest = word(rest)
	if len(rest) <= 1 || string(ident) == "-" && string(rest) == " - " {
		return nil
	}
	for last := []byte(nil); ; {
		w, after := word(rest)
		switch {
		case len(w) == 0 && string(last) == "-": // the user of another line
			return ErrTorn
		case len(w) == 0:
			return nil
		case isAddress(w), isTornTime(w):
			return ErrTorn
		}
		last, rest = w, after
	}
}

// isTornTime reports whether a word is the beginning of a time in brackets, as in [01/Ma, [2026-03 or [17723.
func isTornTime(w []byte) bool {
	return len(w) > 3 && w[0] == '[' && w[1] >= '0' && w[1] <= '9' && w[2] >= '0' && w[2] <= '9'
}

// plainAddress takes off what some servers put around an address, as Twisted its quotes, or behind it: the port.
func plainAddress(s []byte) []byte {
	if n := len(s) - 1; n > 1 && s[0] == '"' && s[n] == '"' && isAddress(s[1:n]) {
		s = s[1:n]
	}
	if i := bytes.LastIndexByte(s, ':'); i > 0 && isPort(s[i:]) && (s[i-1] == ']' || isIPv4(s[:i])) {
		s = s[:i]
	}
	if len(s) > 2 && s[0] == '[' && s[len(s)-1] == ']' {
		s = s[1 : len(s)-1]
	}
	if len(s) > 7 && s[0] == ':' && s[1] == ':' && s[6] == ':' && bytes.EqualFold(s[2:6], []byte("ffff")) &&
		bytes.IndexByte(s, '.') > 0 {
		s = s[7:]
	}
	return s
}

// isClient reports whether s can be what a server logs of a client: an address, a name, or the name of a socket.
func isClient(s []byte) bool {
	if isIPv4(s) { // as mostly
		return true
	}
	digits, dots, colons := 0, 0, 0
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c == '.':
			dots++
		case c == ':':
			colons++
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '-', c == '_', c == '%', c == '/', c >= 0x80:
		default:
			return false
		}
	}
	switch {
	case digits > 0 && digits+dots == len(s):
		return false
	case colons > 0 && s[0] != 'u': // unix:
		_, err := netip.ParseAddr(string(s))
		return err == nil
	}
	return len(s) > 0
}

// isIPv4 reports whether s is an IPv4 address in its usual form.
func isIPv4(s []byte) bool {
	parts, n, digits := 1, 0, 0
	for _, c := range s {
		switch {
		case c == '.':
			if digits == 0 {
				return false
			}
			parts, n, digits = parts+1, 0, 0
		case c < '0' || c > '9':
			return false
		default:
			n, digits = 10*n+int(c-'0'), digits+1
			if digits > 3 || n > 255 {
				return false
			}
		}
	}
	return parts == 4 && digits > 0
}

// isAddress reports whether s is an IP address.
func isAddress(s []byte) bool {
	switch {
	case len(s) < 3 || len(s) > 60:
		return false
	case s[0] >= '0' && s[0] <= '9' && bytes.IndexByte(s, ':') < 0:
		return isIPv4(s)
	case bytes.IndexByte(s, ':') < 0:
		return false
	}
	_, err := netip.ParseAddr(string(plainAddress(s)))
	return err == nil
}

// isHost reports whether s can be a virtual host, perhaps with its port.
func isHost(s []byte) bool {
	if len(s) > 1 && s[0] == '[' {
		end := bytes.IndexByte(s, ']')
		return end > 0 && isAddress(s[:end+1]) && isPort(s[end+1:])
	}
	for i, c := range s {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '-', c == '_', c == '*', c >= 0x80:
		case c == ':' && i > 0:
			return isPort(s[i:])
		default:
			return false
		}
	}
	return len(s) > 0
}

// isBareServer reports whether s is an IPv6 address with a port, without brackets. Apache writes an address of the machine so when
// a virtual host has no name.
func isBareServer(s []byte) bool {
	i := bytes.LastIndexByte(s, ':')
	return i > 0 && bytes.IndexByte(s[:i], ':') >= 0 && isAddress(s[:i]) && isPort(s[i:])
}

// isPort reports whether s is empty, or a colon and a number.
func isPort(s []byte) bool {
	if len(s) == 0 {
		return true
	}
	_, ok := number(s[1:])
	return ok && s[0] == ':'
}

// addressList returns the list of addresses that a head begins with, as X-Forwarded-For has them, and what follows it.
func addressList(head []byte) (list, rest []byte) {
	list = bytes.TrimLeft(head, " ")
	for end := 0; ; {
		w, after := word(list[end:])
		end = len(list) - len(after)
		if len(w) == 0 || w[len(w)-1] != ',' {
			return list[:end], after
		}
	}
}

// chooseClient returns the client of a list as in X-Forwarded-For, to which each proxy appends whom it was asked by. Whoever asks
// may send such a list, so that only what trusted proxies have appended is known: the client is the last address that is none of
// them. When no proxies are given, private addresses are taken for ours, and of what is left the first is the client, as it claims.
func chooseClient(list []byte, trusted []netip.Prefix, e *Entry) []byte {
	e.Forwarded, e.Proxied = len(trusted) == 0, len(trusted) > 0
	client := []byte(nil)
	for len(list) > 0 {
		i := bytes.LastIndexByte(list, ',')
		w := plainAddress(bytes.TrimSpace(list[i+1:]))
		list = list[:max(i, 0)]
		if len(w) == 0 || string(w) == "-" {
			continue
		}
		addr, err := netip.ParseAddr(string(w))
		isProxy := err == nil && isTrusted(addr, trusted)
		switch {
		case client == nil:
			client = w
		case len(trusted) > 0 && err != nil, isPrivateAddr(addr) && len(trusted) == 0:
			continue
		default:
			client = w
		}
		if len(trusted) > 0 && !isProxy {
			break
		}
	}
	return client
}

// isTrusted reports whether an address is that of a proxy.
func isTrusted(addr netip.Addr, trusted []netip.Prefix) bool {
	return slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) })
}

// isProxy reports whether an address is that of a proxy of ours; when none are given, whether it is private.
func (p *Parser) isProxy(s []byte) bool {
	addr, err := netip.ParseAddr(string(s))
	return err == nil && (isTrusted(addr, p.Trusted) || len(p.Trusted) == 0 && isPrivateAddr(addr))
}

// isPrivateAddr reports whether an address can be reached within a network only.
func isPrivateAddr(addr netip.Addr) bool {
	addr = addr.Unmap()
	return addr.IsValid() && (addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() || shared.Contains(addr))
}

// shared are the addresses of carrier-grade NAT (RFC 6598).
var shared = netip.MustParsePrefix("100.64.0.0/10")

// isSocket reports whether the client is what servers write who were asked over a socket of their own machine: by a proxy. HAProxy
// writes unix.
func isSocket(client []byte) bool {
	return string(client) == "unix" || bytes.HasPrefix(client, []byte("unix:"))
}

// setForwarded takes the client from X-Forwarded-For, if it was a proxy of ours that asked.
func (p *Parser) setForwarded(list []byte, e *Entry) {
	if len(p.Trusted) == 0 || len(list) == 0 || string(list) == "-" {
		return
	}
	addr, err := netip.ParseAddr(string(e.Client))
	if !isSocket(e.Client) && (err != nil || !isTrusted(addr, p.Trusted)) {
		return
	}
	if c := chooseClient(list, p.Trusted, e); isAddress(c) {
		e.Client = c
	}
}

package frontier

import (
	"errors"
	"net/netip"
	"strings"

	whatwgerrors "github.com/nlnwa/whatwg-url/errors"
	whatwg "github.com/nlnwa/whatwg-url/url"
)

// appendAuthority appends :// and the host and port that s begins with to the scheme in buf, and returns what follows.
// User-info is dropped. It appends the root slash if a path does not follow.
func appendAuthority(buf []byte, s string) (_ []byte, rest string, err error) {
	end := 0
	for end < len(s) && s[end] != '/' && s[end] != '?' {
		end++
	}
	host := s[strings.LastIndexByte(s[:end], '@')+1 : end]
	name, port, hasPort := strings.Cut(host, ":")
	if !isPlainName(name) || hasPort && !isPlainPort(port) {
		if name, port, err = readHost(string(buf), host); err != nil {
			return nil, "", err
		}
	}
	if port == "80" && len(buf) == len("http") || port == "443" && len(buf) == len("https") {
		port = ""
	}
	buf = append(append(buf, "://"...), name...)
	if port != "" {
		buf = append(append(buf, ':'), port...)
	}
	if end == len(s) || s[end] == '?' {
		buf = append(buf, '/')
	}
	return buf, s[end:], nil
}

// isPlainName reports whether name is a lower-case ASCII domain name or an IPv4 address that stands for itself. Labels
// in Punycode need checking, and names that end in a number are addresses in disguise.
func isPlainName(name string) bool {
	label := 0 // where the last label begins
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', isDigit(c), c == '-' && i > label:
		case c == '.' && i > label:
			label = i + 1
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

// isPlainPort reports whether port is a number from 1 to 65535 the way one writes it.
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

// readHost has the WHATWG parser read a host, with or without a port: internationalised names, IPv6 addresses, IPv4
// addresses in any disguise, encoded bytes.
func readHost(scheme, host string) (name, port string, err error) {
	u, err := whatwg.Parse(scheme + "://" + host + "/")
	if err != nil {
		return "", "", errors.New(complaint(err))
	}
	name = u.Hostname()
	if strings.Contains(name, "xn--") { // it writes a few names that it does not read, such as ≠
		if again, err := whatwg.Parse("http://" + name + "/"); err != nil || again.Hostname() != name {
			return "", "", errors.New(complaint(err))
		}
	}
	return name, u.Port(), nil
}

// complaint says in plain words why the parser refused a host.
func complaint(err error) string {
	switch whatwgerrors.Type(err) {
	case whatwgerrors.HostMissing:
		return "URL has no host"
	case whatwgerrors.PortOutOfRange, whatwgerrors.PortInvalid:
		return "port is not a number from 0 to 65535"
	}
	return "host is neither a domain name nor an IP address"
}

package verify

import (
	"cmp"
	"net/netip"
	"strings"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// siteOf returns the site of a URL, whose gaps count together: its host, and its port unless that is 80 or 443.
func siteOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host := rest[:hostEnd(rest)]
	name, port := host, ""
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		name, port = host[:i], host[i:]
	}
	if len(name) > 1 {
		name = strings.TrimSuffix(name, ".")
	}
	if port == ":80" || port == ":443" {
		port = ""
	}
	return name + port
}

// splitURL returns the origin of a URL and what robots.txt rules match: the path and the query.
func splitURL(url string) (origin, path string) {
	scheme := strings.Index(url, "://")
	if scheme < 0 {
		return "", url
	}
	if i := scheme + 3 + hostEnd(url[scheme+3:]); i < len(url) {
		return url[:i], url[i:]
	}
	return url, "/"
}

// hostEnd returns where the host of a URL without its scheme ends.
func hostEnd(rest string) int {
	for i := range len(rest) {
		if c := rest[i]; c == '/' || c == '?' || c == '#' {
			return i
		}
	}
	return len(rest)
}

// portOf returns the port that an origin names, "" when it names none, and the one that it has then.
func portOf(origin string) (named, usual string) {
	if i := strings.LastIndexByte(origin, ':'); i > strings.LastIndexByte(origin, ']') && !strings.HasPrefix(origin[i:], "://") {
		named = origin[i+1:]
	}
	return named, map[bool]string{true: "443", false: "80"}[strings.HasPrefix(origin, "https:")]
}

// otherName says why a URL of a request may be another name of what was asked for, "" when it is canonical as by the WHATWG URL
// Standard: rules, sites and pages are told apart by names, and a crawl writes down no other.
func otherName(raw string) string {
	for i := range len(raw) {
		if c := raw[i]; c <= ' ' || c == 0x7f || c == '#' {
			return "has characters that no request can have"
		}
	}
	origin, path := splitURL(raw)
	path, _, _ = strings.Cut(path, "?")
	named, usual := portOf(origin)
	switch {
	case !strings.HasPrefix(origin, "http://") && !strings.HasPrefix(origin, "https://") || origin != strings.ToLower(origin):
		return "is not written in lower case"
	case strings.Contains(origin, "@"):
		return "names a user"
	case named == usual || strings.HasPrefix(named, "0") || strings.HasSuffix(origin, ":"):
		return "names a port that goes without saying"
	case strings.Contains(path, `\`):
		return "has a backslash in its path"
	case !isHost(strings.TrimSuffix(origin[strings.Index(origin, "//")+2:], ":"+named)):
		return "has a host by another name than its own"
	}
	if !strings.Contains(path, "/.") && !strings.Contains(path, "/%") {
		return "" // no segment begins with a dot
	}
	for segment := range strings.SplitSeq(path, "/") {
		if plain := strings.ReplaceAll(strings.ToLower(segment), "%2e", "."); plain == "." || plain == ".." {
			return "has a path that goes up or nowhere"
		}
	}
	return ""
}

// isHost reports whether the host of an origin in lower case is written as it always is (WHATWG URL section 3.5): a name in ASCII,
// or an address in its usual form. Another way to write it would be another site, with pauses of its own.
func isHost(host string) bool {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		a, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		return err == nil && a.Zone() == "" && (a.Is4In6() || a.Is6() && "["+a.String()+"]" == host)
	}
	for i := range len(host) {
		if c := host[i]; c >= 0x80 || c == '%' {
			return false
		}
	}
	name := strings.TrimSuffix(host, ".")
	last := name[strings.LastIndexByte(name, '.')+1:]
	hexadecimal, isHex := strings.CutPrefix(last, "0x")
	if strings.Trim(last, "0123456789") != "" && !(isHex && strings.Trim(hexadecimal, "0123456789abcdef") == "") {
		return true
	}
	a, err := netip.ParseAddr(host) // whose name ends in a number is an IPv4 address
	return err == nil && a.Is4()
}

// leadsTo reports whether a request for a URL may have gone to the address on record: a proxy aside, the ports are the same.
func leadsTo(e *ledger.Entry) bool {
	origin, _ := splitURL(e.URL)
	port, usual := portOf(origin)
	return e.Address == "" || e.Proxy != "" || strings.HasSuffix(e.Address, ":"+cmp.Or(port, usual))
}

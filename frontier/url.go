package frontier

import (
	"errors"
	"fmt"
	"strings"
)

// MaxURLLength is the longest URL, in bytes, that ParseURL and URL.Resolve read or return. It only keeps hostile input
// cheap; how long a URL may be before it looks like a trap is for the crawl to decide.
const MaxURLLength = 16 << 10

// ErrURLTooLong is returned, wrapped, for a URL of more than MaxURLLength bytes, before or after it was made canonical.
var ErrURLTooLong = errors.New("longer than a URL may be")

// A SchemeError says that a URL is none of http or https. Its value is the scheme, lower case.
type SchemeError string

// Error returns the scheme and what is expected of it.
func (e SchemeError) Error() string { return "scheme " + string(e) + " is not http or https" }

// A URL is an absolute http or https URL in canonical form, without user-info and fragment. URLs are equal with == when
// they name the same resource by spelling. The zero URL names nothing; all its parts are empty.
//
// The canonical form is what a browser would ask for (WHATWG URL Standard), and in addition percent-encoded bytes have
// upper-case digits and no unreserved character is left encoded (RFC 3986, 6.2.2.1 and 6.2.2.2). Nothing else is touched:
// the query keeps its order and its case, a trailing slash or an empty query stay, and neither www nor index.html is
// special. A non-ASCII query is encoded as UTF-8, whatever the charset of the page it was found on. ^ and | stay in a path, too,
// where browsers have encoded them since 2025: queues, ledgers and pages that are kept know a URL by its spelling, which must not
// change. They are encoded in the request.
type URL struct{ s string }

// ParseURL reads an absolute URL the way a browser does: blanks around it are dropped, backslashes may stand for
// slashes, the host may be an internationalised name. User-info and fragment are dropped. The error is a SchemeError, or
// wraps ErrURLTooLong, or says in plain words what is wrong.
func ParseURL(raw string) (URL, error) {
	return URL{}.Resolve(raw)
}

// Resolve reads ref the way a browser reads a link on a page whose base is u; see ParseURL. An empty ref is u itself. On
// the zero URL it accepts absolute references only.
func (u URL) Resolve(ref string) (URL, error) {
	if len(ref) > MaxURLLength {
		return URL{}, tooLong(ref)
	}
	s, err := resolve(u.s, ref)
	if err != nil {
		return URL{}, err
	}
	if len(s) > MaxURLLength {
		return URL{}, tooLong(s)
	}
	return URL{s}, nil
}

// tooLong returns the error for a URL that is; if it is none of ours anyway, as data URLs are, it says that.
func tooLong(s string) error {
	if scheme, _ := cutScheme(strings.TrimLeft(s, " ")); scheme != "" && scheme != "http" && scheme != "https" {
		return newSchemeError(scheme)
	}
	return fmt.Errorf("URL of %d bytes: %w", len(s), ErrURLTooLong)
}

// String returns the canonical form; ParseURL of it is u again. For the zero URL it is empty.
func (u URL) String() string { return u.s }

// IsZero reports whether u names nothing.
func (u URL) IsZero() bool { return u.s == "" }

// Scheme returns "http" or "https".
func (u URL) Scheme() string { return u.s[:schemeLen(u.s)] }

// Origin returns scheme://host[:port], the unit robots.txt rules apply to (RFC 9309, 2.3).
func (u URL) Origin() string { return u.s[:originLen(u.s)] }

// Host returns the host with its port, unless that is the default one, as a Host header has it.
func (u URL) Host() string {
	if u.IsZero() {
		return ""
	}
	return u.s[schemeLen(u.s)+len("://") : originLen(u.s)]
}

// Hostname returns the host without port and without the brackets of an IPv6 address.
func (u URL) Hostname() string {
	name, _ := splitPort(u.Host())
	if strings.HasPrefix(name, "[") {
		return name[1 : len(name)-1]
	}
	return name
}

// Port returns the port, empty if it is the default of the scheme.
func (u URL) Port() string {
	_, port := splitPort(u.Host())
	return port
}

// Site returns the key of the queue that u waits in, the unit of politeness: the host, and its port unless that is 80 or
// 443, whatever the scheme. The root dot of a name (example.com.) is no way to a second queue.
func (u URL) Site() string {
	host := u.Host()
	name, port := splitPort(host)
	switch port {
	case "", "80", "443":
		host = name
	}
	if len(name) > 1 && name[len(name)-1] == '.' {
		return name[:len(name)-1] + host[len(name):]
	}
	return host
}

// SiteOf returns the site of the URL that raw is; empty when it is none.
func SiteOf(raw string) string {
	u, _ := ParseURL(raw) // zero with an error
	return u.Site()
}

// PathQuery returns what a request line asks for and what robots.txt rules are compared with: the path, never empty, and
// the query with its question mark, if there is one.
func (u URL) PathQuery() string { return u.s[originLen(u.s):] }

// MarshalText returns the canonical form.
func (u URL) MarshalText() ([]byte, error) { return []byte(u.s), nil }

// UnmarshalText parses text, see ParseURL; an empty text is the zero URL.
func (u *URL) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*u = URL{}
		return nil
	}
	parsed, err := ParseURL(string(text))
	if err != nil {
		return err
	}
	*u = parsed
	return nil
}

// schemeLen returns the length of the scheme of a canonical URL.
func schemeLen(s string) int {
	switch {
	case s == "":
		return 0
	case s[len("http")] == ':':
		return len("http")
	}
	return len("https")
}

// originLen returns the length of scheme://host[:port] of a canonical URL.
func originLen(s string) int {
	if s == "" {
		return 0
	}
	start := schemeLen(s) + len("://")
	return start + strings.IndexByte(s[start:], '/')
}

// splitPort splits a canonical host at the colon before its port, which is empty if there is none.
func splitPort(host string) (name, port string) {
	i := strings.LastIndexByte(host, ':')
	if i < 0 || host[len(host)-1] == ']' {
		return host, ""
	}
	return host[:i], host[i+1:]
}

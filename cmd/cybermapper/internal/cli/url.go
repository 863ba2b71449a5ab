package cli

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/cybermapper/cybermapper/frontier"
)

// ParseURL reads a URL as people write it.
func ParseURL(s string) (frontier.URL, error) {
	u, err := frontier.ParseURL(s)
	if hasUserInfo(s) {
		return frontier.URL{}, ErrUserInfo // s is not shown
	}
	if err == nil {
		return u, nil
	}
	if !strings.Contains(s, ":/") {
		if guess, gerr := frontier.ParseURL("https://" + s); gerr == nil && strings.ContainsAny(guess.Hostname(), ".:") {
			return u, WithHint(fmt.Errorf("%q has no scheme", s), "did you mean "+guess.String()+"?")
		}
	}
	return u, fmt.Errorf("%q: %w", s, err)
}

// ErrUserInfo says that a URL holds a user name or a password.
var ErrUserInfo = errors.New("a URL with a user name or a password, of which cybermapper sends neither")

// hasUserInfo reports whether an @ stands before the path of a URL.
func hasUserInfo(s string) bool {
	authority := s
	if scheme, rest, ok := strings.Cut(s, ":"); ok && !strings.ContainsAny(scheme, `/\?#`) {
		authority = rest
	}
	authority = strings.TrimLeft(authority, `/\ `)
	if end := strings.IndexAny(authority, `/\?#`); end >= 0 {
		authority = authority[:end]
	}
	return strings.Contains(authority, "@")
}

// IsLoopback reports whether u can only be on this machine.
func IsLoopback(u frontier.URL) bool {
	host := strings.TrimSuffix(u.Hostname(), ".")
	if addr, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return addr.Unmap().IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// ParseSite reads a host as people write it.
func ParseSite(host string) (string, error) {
	u, err := frontier.ParseURL("http://" + host + "/")
	if err != nil || u.PathQuery() != "/" {
		return "", UsageError("a host is a name or an address, perhaps with a port: example.org:8080", "%q is no host", host)
	}
	return u.Site(), nil
}

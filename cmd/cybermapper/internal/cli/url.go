package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"

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
		if guess := withScheme(s); !guess.IsZero() {
			return u, WithHint(fmt.Errorf("%q has no scheme", s), "did you mean "+guess.String()+"?")
		}
	}
	return u, fmt.Errorf("%q: %w", s, err)
}

// withScheme guesses what URL was meant without a scheme: http on this machine and at an unusual port. It is zero when none was.
func withScheme(s string) frontier.URL {
	u, err := frontier.ParseURL("https://" + s)
	if err == nil && (u.Port() != "" || IsLoopback(u)) {
		u, err = frontier.ParseURL("http://" + s)
	}
	if err != nil || !strings.ContainsAny(u.Hostname(), ".:") && !IsLoopback(u) {
		return frontier.URL{}
	}
	return u
}

// OrURL adds to an error, if it says that there is no file of that name, the URL that may have been meant: that of a page or, with
// a path, of that path on its site. Nothing is added to a name that no host can have.
func OrURL(err error, name, path string) error {
	guess := withScheme(name)
	if !errors.Is(err, fs.ErrNotExist) || guess.IsZero() {
		return err
	}
	if _, isKnown := publicsuffix.PublicSuffix(guess.Hostname()); !isKnown && guess.Port() == "" && !IsLoopback(guess) {
		return err
	}
	if path != "" {
		return WithHint(err, "did you mean "+guess.Origin()+path+"?")
	}
	return WithHint(err, "did you mean "+guess.String()+"?")
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

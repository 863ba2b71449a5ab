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
	if isMail(s) {
		return u, fmt.Errorf("%q: %w", s, err)
	}
	if hasUserInfo(s) {
		return frontier.URL{}, ErrUserInfo // s is not shown
	}
	if err == nil {
		return u, nil
	}
	if !strings.Contains(s, ":/") {
		if guess := withScheme(s); !guess.IsZero() {
			hint := "did you mean " + guess.String() + "?"
			if !mayBeMeant(guess) {
				hint = "a URL begins with https:// or http://"
			}
			return u, WithHint(fmt.Errorf("%q has no scheme", s), hint)
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

// mayBeMeant reports whether the host of a guess is one of those that there are: r.txt is none, but the name of a file.
func mayBeMeant(guess frontier.URL) bool {
	_, isKnown := publicsuffix.PublicSuffix(guess.Hostname())
	return isKnown || guess.Port() != "" || IsLoopback(guess)
}

// OrURL adds to an error, if it says that there is no file of that name, the URL that may have been meant: that of a page or, with
// a path, of that path on its site. Nothing is added to a name that no host can have.
func OrURL(err error, name, path string) error {
	guess := withScheme(name)
	if !errors.Is(err, fs.ErrNotExist) || guess.IsZero() || !mayBeMeant(guess) {
		return err
	}
	if path != "" {
		return WithHint(err, "did you mean "+guess.Origin()+path+"?")
	}
	return WithHint(err, "did you mean "+guess.String()+"?")
}

// ErrUserInfo says that a URL holds a user name or a password.
var ErrUserInfo = errors.New("a URL with a user name or a password, of which cybermapper sends neither")

// isMail reports whether s is a mailbox, whose @ is no sign of a password.
func isMail(s string) bool {
	scheme, _, ok := strings.Cut(s, ":")
	return ok && strings.EqualFold(strings.TrimSpace(scheme), "mailto")
}

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
	if strings.Contains(host, "@") { // what stands before it may be a password, and is not shown
		return "", UsageError(hostHint, "what has an @ in it is no host")
	}
	u, err := frontier.ParseURL("http://" + host + "/")
	if err != nil || u.PathQuery() != "/" {
		return "", UsageError(hostHint, "%q is no host", host)
	}
	return u.Site(), nil
}

const hostHint = "a host is a name or an address, perhaps with a port: example.org:8080"

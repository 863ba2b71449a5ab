package main

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/cybermapper/cybermapper/frontier"
)

// parseSeed reads a URL as people write it.
func parseSeed(s string) (frontier.URL, error) {
	u, err := frontier.ParseURL(s)
	if err == nil {
		return u, nil
	}
	if !strings.Contains(s, ":/") {
		if guess, gerr := frontier.ParseURL("https://" + s); gerr == nil && strings.ContainsAny(guess.Hostname(), ".:") {
			return u, withHint(fmt.Errorf("%q has no scheme", s), "did you mean "+guess.String()+"?")
		}
	}
	return u, fmt.Errorf("%q: %w", s, err)
}

// isLoopback reports whether u can only be on this machine.
func isLoopback(u frontier.URL) bool {
	host := strings.TrimSuffix(u.Hostname(), ".")
	if addr, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return addr.Unmap().IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

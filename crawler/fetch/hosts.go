package fetch

import (
	"context"
	"errors"
	"strings"
	"sync"
)

// mostHosts is how many hosts a hostSet remembers before it begins anew.
const mostHosts = 10_000

// A hostSet remembers hosts, with their port if it is not the usual one. It is safe for concurrent use.
type hostSet struct {
	mu    sync.Mutex // guards names
	names map[string]bool
}

func (h *hostSet) has(host string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.names[host]
}

func (h *hostSet) add(host string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.names == nil || len(h.names) >= mostHosts {
		h.names = map[string]bool{}
	}
	h.names[host] = true
}

// learn notes what the failure of an exchange says about the next one with its host.
func (c *Client) learn(x *exchange, host string, err error) {
	switch {
	case wantsHTTP1(err):
		c.http1Hosts.add(host)
	case x.reused && errors.Is(context.Cause(x.ctx), errNoRepeat):
		c.hangUpHosts.add(host)
	}
}

// wantsHTTP1 reports whether a server ended an exchange, or all of a connection, because it is not one of HTTP/1.1. The errors of
// net/http have no type that can be asked; a test holds their texts in place.
func wantsHTTP1(err error) bool {
	text := err.Error()
	isHTTP2 := strings.HasPrefix(text, "stream error: ") || strings.HasPrefix(text, "http2: ")
	return isHTTP2 && strings.Contains(text, "HTTP_1_1_REQUIRED")
}

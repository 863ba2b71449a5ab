package fetch

import (
	"strings"
	"sync"
)

// mostHTTP1 is how many hosts an http1Hosts remembers before it begins anew.
const mostHTTP1 = 10_000

// http1Hosts remembers which hosts, with their port if it is not the usual one, want HTTP/1.1 in place of HTTP/2 (RFC 9113 section
// 7, HTTP_1_1_REQUIRED), as Apache and IIS say where they ask for the certificate of a visitor. It is safe for concurrent use.
type http1Hosts struct {
	mu    sync.Mutex // guards names
	names map[string]bool
}

func (h *http1Hosts) has(host string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.names[host]
}

func (h *http1Hosts) add(host string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.names == nil || len(h.names) >= mostHTTP1 {
		h.names = map[string]bool{}
	}
	h.names[host] = true
}

// wantsHTTP1 reports whether a server ended an exchange, or all of a connection, because it is not one of HTTP/1.1. The errors of
// net/http have no type that can be asked; a test holds their texts in place.
func wantsHTTP1(err error) bool {
	text := err.Error()
	isHTTP2 := strings.HasPrefix(text, "stream error: ") || strings.HasPrefix(text, "http2: ")
	return isHTTP2 && strings.Contains(text, "HTTP_1_1_REQUIRED")
}

package engine

import (
	"net"
	"net/netip"
	"strings"
	"testing"
)

// Nobody beyond loopback is asked by a crawl that does not say who asks.
func TestNoContactMeansLoopbackOnly(t *testing.T) {
	dial := dialLoopback(netip.Addr{})
	for _, address := range []string{"192.0.2.1:80", "[2001:db8::1]:443", "10.0.0.1:80", "example.org:80"} {
		if conn, err := dial(t.Context(), "tcp", address); err == nil || !strings.Contains(err.Error(), "--contact") {
			t.Errorf("dial %s: %v, %v, want an error that names --contact", address, conn, err)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	conn, err := dial(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatalf("dial loopback: %v", err)
	}
	conn.Close()
}

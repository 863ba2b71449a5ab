package main

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/crawler"
)

// Where the configuration says 0 for "none", the engine must not hear "default".
func TestZeroMeansNone(t *testing.T) {
	c := config.Default()
	c.Politeness.Delay, c.Politeness.DelayFactor, c.Politeness.Jitter = 0, 0, 0
	c.Traps.PathSegments, c.Crawl.Patience = 0, 0
	got := crawlerConfig(c)
	for name, negative := range map[string]bool{
		"Delay": got.Politeness.Delay < 0, "Factor": got.Politeness.Factor < 0, "Jitter": got.Politeness.Jitter < 0,
		"PathSegments": got.Traps.PathSegments < 0, "Patience": got.Patience < 0,
	} {
		if !negative {
			t.Errorf("%s: 0 in the configuration is not negative for the engine", name)
		}
	}
	if got.Retries != 2 || got.Limits.Depth != 20 || got.Limits.Pages != 0 {
		t.Errorf("limits changed on the way: retries %d, depth %d, pages %d", got.Retries, got.Limits.Depth, got.Limits.Pages)
	}
}

func TestOverrides(t *testing.T) {
	c := config.Default()
	none, short := config.Duration(0), config.Duration(time.Second)
	c.Hosts = map[string]config.Host{"a.example": {Connections: 2}, "b.example": {Delay: &none}, "c.example": {Delay: &short}}
	got := overrides(c)
	want := map[string]crawler.Override{
		"a.example": {Connections: 2}, "b.example": {Delay: -1}, "c.example": {Delay: time.Second},
	}
	for name, w := range want {
		if got[name] != w {
			t.Errorf("override of %s: %+v, want %+v", name, got[name], w)
		}
	}
}

// Nobody beyond loopback is asked by a crawl that does not say who asks.
func TestNoContactMeansLoopbackOnly(t *testing.T) {
	for _, address := range []string{"192.0.2.1:80", "[2001:db8::1]:443", "10.0.0.1:80", "example.org:80"} {
		if conn, err := dialLoopback(t.Context(), "tcp", address); err == nil || !strings.Contains(err.Error(), "--contact") {
			t.Errorf("dial %s: %v, %v, want an error that names --contact", address, conn, err)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	conn, err := dialLoopback(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatalf("dial loopback: %v", err)
	}
	conn.Close()
}

package fetch_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// An address that is opted out is not connected to, and a connection kept from before carries no further request.
func TestGet_LeavesAloneWhoOptedOut(t *testing.T) {
	w := webtest.New(t)
	site := w.Site(webtest.Pages{"/": {Body: "hello"}})
	var out atomic.Bool
	optedOut := func(a netip.Addr) (string, bool) { return a.String(), out.Load() && a.IsLoopback() }
	kept, fresh := newClient(t, w, fetch.Options{OptedOut: optedOut}), newClient(t, w, fetch.Options{OptedOut: optedOut})
	get(t, kept, site.URL+"/")
	out.Store(true)
	for name, c := range map[string]*fetch.Client{"kept connection": kept, "new connection": fresh} {
		e := getError(t, c, site.URL+"/")
		var entry *fetch.OptOutError
		if e.Kind != fetch.KindOptedOut || !errors.As(e, &entry) || !netip.MustParseAddr(entry.Entry).IsLoopback() {
			t.Errorf("%s: %v, want an *OptOutError that names the entry", name, e)
		}
	}
	if n := len(site.Hits()); n != 1 {
		t.Errorf("%d requests came through, want the first one", n)
	}
}

// A name with several addresses is not reached by another way, nor by an address that carries the one on the list.
func TestGet_OptOutHoldsForAllWays(t *testing.T) {
	for name, addrs := range map[string][]string{
		"second address": {"192.0.2.1", "192.0.2.7", "192.0.2.8"},
		"NAT64":          {"64:ff9b::192.0.2.7", "192.0.2.8"},
		"6to4":           {"2002:c000:207::1", "192.0.2.8"},
		"mapped":         {"::ffff:192.0.2.7", "192.0.2.8"},
	} {
		t.Run(name, func(t *testing.T) {
			var list []netip.Addr
			for _, a := range addrs {
				list = append(list, netip.MustParseAddr(a))
			}
			r := fetch.NewResolver(fetch.ResolverOptions{Lookup: func(context.Context, string) ([]netip.Addr, error) { return list, nil }})
			defer r.Close()
			dialled := map[string]bool{}
			c := fetch.New(fetch.Options{
				AllowPrivate: true, Resolver: r,
				OptedOut: func(a netip.Addr) (string, bool) {
					return "192.0.2.7", a.Unmap() == netip.MustParseAddr("192.0.2.7")
				},
				Dial: refuseAll(dialled),
			})
			defer c.Close()
			if e := getError(t, c, "http://many.example/"); e.Kind != fetch.KindOptedOut {
				t.Errorf("%v, want %s", e, fetch.KindOptedOut)
			}
			if dialled["192.0.2.7:80"] || dialled["192.0.2.8:80"] {
				t.Errorf("dialled %v", dialled)
			}
		})
	}
}

// refuseAll is a network that nobody is on, and notes who was looked for.
func refuseAll(dialled map[string]bool) func(context.Context, string, string) (net.Conn, error) {
	return func(_ context.Context, _, address string) (net.Conn, error) {
		dialled[address] = true
		return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	}
}

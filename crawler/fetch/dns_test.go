package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// lookups answers one after the other, the last one again and again.
func lookups(answers ...[]netip.Addr) func(context.Context, string) ([]netip.Addr, error) {
	var mu sync.Mutex
	return func(context.Context, string) ([]netip.Addr, error) {
		mu.Lock()
		defer mu.Unlock()
		a := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		}
		return a, nil
	}
}

// Whatever a name server says, and however it changes its mind, no special address is dialled, few addresses are tried, and a
// request ends in time.
func TestGet_NameServersThatLie(t *testing.T) {
	public, other := netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr("93.184.216.35")
	private, metadata := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("169.254.169.254")
	var many []netip.Addr
	for i := range 1000 {
		many = append(many, netip.AddrFrom4([4]byte{93, 184, byte(i >> 8), byte(i)}))
	}
	silent := func(ctx context.Context, _ string) ([]netip.Addr, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for name, tt := range map[string]struct {
		lookup func(context.Context, string) ([]netip.Addr, error)
		again  time.Duration // before a second request
		want   fetch.Kind    // of the last request
		most   int           // addresses dialled
	}{
		"rebinding":                   {lookups([]netip.Addr{public}, []netip.Addr{private}), time.Hour, fetch.KindForbidden, 1},
		"private behind public":       {lookups([]netip.Addr{public, private, metadata}), 0, fetch.KindRefused, 1},
		"mapped":                      {lookups([]netip.Addr{netip.AddrFrom16(private.As16())}), 0, fetch.KindForbidden, 0},
		"a thousand addresses":        {lookups(many), 0, fetch.KindRefused, 4},
		"another address each time":   {lookups([]netip.Addr{public}, []netip.Addr{other}), time.Hour, fetch.KindRefused, 2},
		"no address":                  {lookups(nil), 0, fetch.KindDNS, 0},
		"a server that says nothing":  {silent, 0, fetch.KindDNS, 0},
		"the metadata of a cloud":     {lookups([]netip.Addr{metadata}), 0, fetch.KindForbidden, 0},
		"an address of the whole net": {lookups([]netip.Addr{netip.IPv4Unspecified()}), 0, fetch.KindForbidden, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dialled := 0
				r := fetch.NewResolver(fetch.ResolverOptions{Lookup: tt.lookup})
				defer r.Close()
				dial := func(_ context.Context, _, address string) (net.Conn, error) {
					dialled++
					if to := netip.MustParseAddrPort(address).Addr(); to != public && to != other && !slices.Contains(many, to) {
						t.Errorf("%s was dialled", address)
					}
					return nil, errors.New("nobody is there")
				}
				c := fetch.New(fetch.Options{UserAgent: "test", Resolver: r, Dial: dial})
				defer c.Close()
				start := time.Now()
				_, err := c.Get(t.Context(), fetch.Request{URL: "http://liar.test/"})
				if tt.again > 0 {
					time.Sleep(tt.again)
					start = time.Now()
					_, err = c.Get(t.Context(), fetch.Request{URL: "http://liar.test/"})
				}
				if e, ok := errors.AsType[*fetch.Error](err); !ok || e.Kind != tt.want || !e.HostFailure() {
					t.Errorf("got %v, want %q", err, tt.want)
				}
				if dialled > tt.most {
					t.Errorf("%d addresses were dialled, want at most %d", dialled, tt.most)
				}
				if took := time.Since(start); took > time.Minute {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// A host with many addresses of the kind that does not get through is reached by the other kind.
func TestGet_OneKindOfAddressIsDead(t *testing.T) {
	var six, four []netip.Addr
	for i := range 6 {
		six = append(six, netip.MustParseAddr(fmt.Sprintf("2606:2800:220:1::%d", i+1)))
		four = append(four, netip.MustParseAddr(fmt.Sprintf("93.184.216.%d", i+1)))
	}
	for name, tt := range map[string]struct {
		found []netip.Addr
		alive func(netip.Addr) bool
	}{
		"IPv6 is dead": {slices.Concat(six, four[:1]), netip.Addr.Is4},
		"IPv4 is dead": {slices.Concat(four, six[:1]), netip.Addr.Is6},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := webtest.InMemory(t)
				site := web.Site(webtest.Pages{"/": {Body: "here"}})
				r := fetch.NewResolver(fetch.ResolverOptions{Lookup: lookups(tt.found)})
				defer r.Close()
				c := fetch.New(fetch.Options{UserAgent: "test", Resolver: r,
					Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
						if tt.alive(netip.MustParseAddrPort(address).Addr()) {
							return web.Dial(ctx, network, site.Addr.String())
						}
						<-ctx.Done()
						return nil, ctx.Err()
					}})
				defer c.Close()
				if resp, err := c.Get(t.Context(), fetch.Request{URL: "http://dual.test/"}); err != nil || string(resp.Body) != "here" {
					t.Errorf("got %v, want the page", err)
				}
			})
		})
	}
}

// A name whose aliases lead in a circle is one that cannot be found.
func TestGet_AliasesInACircle(t *testing.T) {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go answerInCircles(server)
	system := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
	r := fetch.NewResolver(fetch.ResolverOptions{Lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
		return system.LookupNetIP(ctx, "ip", host)
	}})
	defer r.Close()
	c := fetch.New(fetch.Options{UserAgent: "test", Resolver: r})
	defer c.Close()
	_, err = c.Get(t.Context(), fetch.Request{URL: "http://a.circle.test/"})
	if e, ok := errors.AsType[*fetch.Error](err); !ok || e.Kind != fetch.KindDNS {
		t.Errorf("got %v, want %q", err, fetch.KindDNS)
	}
}

// answerInCircles answers every question with aliases that lead back to the name that was asked for.
func answerInCircles(server net.PacketConn) {
	buf := make([]byte, 1500)
	for {
		n, from, err := server.ReadFrom(buf)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		asked, other := m.Questions[0].Name, dnsmessage.MustNewName("b.circle.test.")
		alias := func(of, to dnsmessage.Name) dnsmessage.Resource {
			return dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: of, Type: dnsmessage.TypeCNAME, Class: dnsmessage.ClassINET, TTL: 60},
				Body:   &dnsmessage.CNAMEResource{CNAME: to},
			}
		}
		m.Header.Response, m.Additionals = true, nil
		m.Answers = []dnsmessage.Resource{alias(asked, other), alias(other, asked)}
		if packed, err := m.Pack(); err == nil {
			server.WriteTo(packed, from)
		}
	}
}

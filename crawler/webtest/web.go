package webtest

import (
	"context"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// TB is what a web needs of a test; [testing.TB] has it.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// A Web is a set of sites that share a log. It is safe for concurrent use.
type Web struct {
	tb     TB
	net    network
	log    journal
	issuer func() *authority

	mu    sync.Mutex // guards the fields below
	sites []*Site
	names map[string]netip.Addr
}

// New returns a web of real listeners on loopback. It is closed when the test ends.
func New(tb TB) *Web {
	return newWeb(tb, newLoopback())
}

// InMemory returns a web whose sites are reached through [Web.Dial] only and which opens no socket. Sites have the ports 80
// and 443. Made inside a testing/synctest bubble, its connections wait durably and the times in its log are the bubble's.
func InMemory(tb TB) *Web {
	return newWeb(tb, newPipes())
}

func newWeb(tb TB, n network) *Web {
	w := &Web{tb: tb, net: n, names: make(map[string]netip.Addr)}
	w.issuer = sync.OnceValue(func() *authority { return newAuthority(tb) })
	tb.Cleanup(w.Close)
	return w
}

// Site starts a site that answers with h over HTTP/1.1. Without names its URL holds its address; with names its URL holds
// the first one, and [Web.Lookup] and [Web.Dial] know them all. A name "*.example" stands for all names one label longer.
func (w *Web) Site(h http.Handler, names ...string) *Site {
	w.tb.Helper()
	return w.start("http", 80, h, names)
}

// TLSSite starts a site that answers over TLS, with HTTP/2 or HTTP/1.1 as the client prefers. Its certificate holds its
// address and names and is good for clients that trust [Web.RootCAs].
func (w *Web) TLSSite(h http.Handler, names ...string) *Site {
	w.tb.Helper()
	return w.start("https", 443, h, names)
}

// RootCAs returns the pool that verifies the certificates of this web's TLS sites, and nothing else.
func (w *Web) RootCAs() *x509.CertPool { return w.issuer().pool() }

func (w *Web) start(scheme string, port uint16, h http.Handler, names []string) *Site {
	w.tb.Helper()
	l, addr, err := w.net.listen(port)
	if err != nil {
		w.tb.Fatalf("webtest: listen: %v", err)
	}
	s := newSite(w, addr, scheme, h, names)
	w.mu.Lock()
	w.sites = append(w.sites, s)
	for _, name := range names {
		w.names[name] = addr.Addr()
	}
	w.mu.Unlock()
	s.serve(l, scheme)
	return s
}

// Dial connects to a site of this web by address or by name, whichever addr holds. It fits
// [net/http.Transport.DialContext] and is the only way into an [InMemory] web.
func (w *Web) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	addrs, err := w.Lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	return w.net.dial(ctx, network, net.JoinHostPort(addrs[0].String(), port))
}

// Lookup answers the address of a named site, or of an IP literal. Every other name does not exist.
func (w *Web) Lookup(_ context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, parent, _ := strings.Cut(host, ".")
	for _, name := range []string{host, "*." + parent} {
		if a, ok := w.names[name]; ok {
			return []netip.Addr{a}, nil
		}
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// Log returns the hits of all sites in order of their start.
func (w *Web) Log() Hits { return w.log.hits(func(*Hit) bool { return true }) }

// Close ends all sites. The test calls it when it ends; calling it earlier or twice is fine.
func (w *Web) Close() {
	w.mu.Lock()
	sites := slices.Clone(w.sites)
	w.mu.Unlock()
	for _, s := range sites {
		s.Close()
	}
}

// A Site is one host of a [Web].
type Site struct {
	URL  string         // "http://127.1.2.3:41234", without a final slash
	Addr netip.AddrPort // where it listens

	web     *Web
	server  *http.Server
	serving sync.WaitGroup // the accept loop and every handler

	mu     sync.Mutex // guards the fields below, and adding to serving
	closed bool
	conns  map[net.Conn]struct{}
}

func newSite(w *Web, addr netip.AddrPort, scheme string, h http.Handler, names []string) *Site {
	s := &Site{Addr: addr, web: w, conns: make(map[net.Conn]struct{})}
	host := addr.String()
	if len(names) > 0 {
		host = net.JoinHostPort(names[0], strconv.Itoa(int(addr.Port())))
	}
	s.URL = scheme + "://" + trimDefaultPort(scheme, host)
	s.server = &http.Server{
		Handler:   s.logged(h),
		ConnState: s.track,
		ErrorLog:  log.New(io.Discard, "", 0),
	}
	if scheme == "https" {
		s.server.TLSConfig = w.issuer().config(append(slices.Clone(names), addr.Addr().String()))
	}
	return s
}

func trimDefaultPort(scheme, host string) string {
	name, port, err := net.SplitHostPort(host)
	if err == nil && (scheme == "http" && port == "80" || scheme == "https" && port == "443") {
		return name
	}
	return host
}

func (s *Site) serve(l net.Listener, scheme string) {
	s.serving.Go(func() {
		if scheme == "https" {
			s.server.ServeTLS(l, "", "")
			return
		}
		s.server.Serve(l)
	})
}

// track remembers every connection, those that a handler took over included, so that Close can end them.
func (s *Site) track(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		s.conns[c] = struct{}{}
	case http.StateClosed:
		delete(s.conns, c)
	}
}

// enter counts a handler in, unless the site is closing.
func (s *Site) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.serving.Add(1)
	}
	return !s.closed
}

// Hits returns the requests of this site in order of their start.
func (s *Site) Hits() Hits {
	return s.web.log.hits(func(h *Hit) bool { return h.Site == s.URL })
}

// Close stops listening, cuts every connection and waits for the handlers. From then on connections are refused.
// Closing twice does nothing.
func (s *Site) Close() {
	s.server.Close()
	s.mu.Lock()
	s.closed = true
	for c := range s.conns {
		c.Close()
	}
	s.mu.Unlock()
	s.serving.Wait()
}

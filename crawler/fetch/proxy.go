package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/net/proxy"
)

// A Proxy is a server through which others are reached. The check of addresses then stands for what it is told: an address that
// was looked up here, for socks5; the name, which it looks up itself, for the others. A nil one is no proxy.
type Proxy struct {
	scheme  string
	address string // host:port
	login   *Login
}

// A Login is a user name and a password.
type Login struct{ User, Password string }

// basic returns the value of a field with these credentials (RFC 7617).
func (l *Login) basic() string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(l.User+":"+l.Password))
}

// proxyPorts are the usual ports of proxies.
var proxyPorts = map[string]string{"http": "3128", "https": "443", "socks5": "1080", "socks5h": "1080"}

// ParseProxy reads a proxy as scheme://host:port, of the schemes http and https (RFC 9110 section 9.3.6), socks5 (RFC 1928, told
// addresses) and socks5h (told names). The port may be left out. login may be nil; it is no part of the text, which is written to
// files and logs.
//
// An HTTP proxy is asked for a tunnel also to servers without TLS, and never to forward a request: the answer of one that wants
// other credentials, or does not like the server, may look like an answer of the server, and if it were about robots.txt, like a
// permission (RFC 9309 section 2.3.1.3).
func ParseProxy(text string, login *Login) (*Proxy, error) {
	if !strings.Contains(text, "://") {
		return nil, errNoScheme
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("not a URL") // whose message would repeat a password
	}
	port, known := proxyPorts[u.Scheme]
	switch {
	case u.User != nil:
		return nil, errors.New("a user name and password do not belong into the URL of a proxy")
	case !known:
		return nil, errNoScheme
	case u.Hostname() == "", u.Path != "" && u.Path != "/", u.RawQuery != "", u.Fragment != "":
		return nil, errors.New("must be scheme://host:port and nothing else")
	}
	if p := u.Port(); p != "" {
		port = p
	}
	return &Proxy{scheme: u.Scheme, address: net.JoinHostPort(u.Hostname(), port), login: login}, nil
}

var errNoScheme = errors.New("must begin with http://, https://, socks5:// or socks5h://")

// String returns the proxy as ParseProxy reads it; "" for none.
func (p *Proxy) String() string {
	if p == nil {
		return ""
	}
	return p.scheme + "://" + p.address
}

// TakesNames reports whether the proxy looks names up itself, so that nobody here knows which address it asks.
func (p *Proxy) TakesNames() bool { return p != nil && p.scheme != "socks5" }

// A ProxyError is a failure of a proxy, or its refusal.
type ProxyError struct {
	Proxy string
	Err   error
}

// Error names the proxy.
func (e *ProxyError) Error() string { return fmt.Sprintf("proxy %s: %v", e.Proxy, e.Err) }

// Unwrap returns the cause.
func (e *ProxyError) Unwrap() error { return e.Err }

// errProxyLogin says that a proxy does not let us in.
var errProxyLogin = errors.New("it wants other credentials")

// A proxied connection leads through a proxy. Its remote address is that of the server, if it is known here.
type proxied struct {
	net.Conn
	remote net.Addr
}

// RemoteAddr implements net.Conn.
func (c *proxied) RemoteAddr() net.Addr { return c.remote }

// unknownAddr is the address of a server that only the proxy knows.
type unknownAddr string

func (a unknownAddr) Network() string { return "tcp" }
func (a unknownAddr) String() string  { return string(a) }

// dialProxy connects to host through a proxy. A failure of the proxy is of KindLocal: it tells nothing of the host.
func (d *dialer) dialProxy(ctx context.Context, p *Proxy, host string, port uint16) (net.Conn, error) {
	if p.TakesNames() {
		if err := d.checkName(host); err != nil {
			return nil, err
		}
		to := joinPort(host, port)
		conn, err := d.throughProxy(ctx, p, to, 1)
		if err != nil {
			return nil, err
		}
		return &proxied{Conn: conn, remote: unknownAddr(to)}, nil
	}
	addrs, err := d.lookup(ctx, host, port)
	if err != nil {
		return nil, err
	}
	var first error
	for i, a := range addrs {
		to := netip.AddrPortFrom(a, port)
		err := d.check(to.String())
		var conn net.Conn
		if err == nil {
			conn, err = d.throughProxy(ctx, p, to.String(), len(addrs)-i)
		}
		if err == nil {
			return &proxied{Conn: conn, remote: net.TCPAddrFromAddrPort(to)}, nil
		}
		if first == nil {
			first = err
		}
		if k := connectKind(err); k == KindOptedOut || k == KindLocal {
			return nil, err
		}
	}
	return nil, first
}

// checkName returns why a proxy must not be told to connect to host.
func (d *dialer) checkName(host string) error {
	a, err := netip.ParseAddr(host)
	if err == nil {
		return d.check(netip.AddrPortFrom(a, 0).String())
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if !d.allowPrivate && (name == "localhost" || strings.HasSuffix(name, ".localhost")) {
		return &ForbiddenError{Address: netip.AddrFrom4([4]byte{127, 0, 0, 1}), Why: "a loopback address, of the proxy"}
	}
	return nil
}

// throughProxy returns a connection to "host:port", given that left addresses of the host remain to be tried: a proxy that is
// connected has a fair part of the time left for each.
func (d *dialer) throughProxy(ctx context.Context, p *Proxy, to string, left int) (net.Conn, error) {
	conn, err := d.toProxy(ctx, p)
	if err != nil {
		return nil, err
	}
	ctx, cancel := fairPart(ctx, left)
	defer cancel()
	if strings.HasPrefix(p.scheme, "socks") {
		return socks(ctx, conn, p, to)
	}
	if err := tunnel(ctx, conn, p, to, d.userAgent); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// toProxy connects to the proxy itself, which may be anywhere: the operator has named it.
func (d *dialer) toProxy(ctx context.Context, p *Proxy) (net.Conn, error) {
	began := time.Now()
	fail := func(err error) error {
		if errors.Is(ctx.Err(), context.Canceled) {
			return ctx.Err()
		}
		if ctx.Err() != nil && time.Since(began) < d.timeout/2 { // what came before took the time: the name, or another address
			return &ProxyError{p.String(), err}
		}
		return &ProxyError{p.String(), &localError{err}} // also when it lets us wait
	}
	host, port, err := splitPort(p.address)
	if err != nil {
		return nil, fail(err)
	}
	addrs, err := d.resolver.LookupPort(ctx, host, port)
	if err != nil {
		return nil, fail(err)
	}
	if addrs, err = d.reachable(host, addrs); err != nil {
		return nil, fail(err)
	}
	conn, err := d.dialFirst(ctx, d.unguarded, host, addrs, port)
	if err != nil {
		return nil, fail(err)
	}
	if p.scheme != "https" {
		return conn, nil
	}
	secure := tls.Client(conn, &tls.Config{RootCAs: d.rootCAs, ServerName: host})
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, fail(err)
	}
	return secure, nil
}

// localError is a failure on our side of the network.
type localError struct{ error }

func (e *localError) Unwrap() error { return e.error }

// maxTunnelHead is how long the answer of a proxy to CONNECT may be.
const maxTunnelHead = 64 << 10

// tunnel asks a proxy to connect us to "host:port" (RFC 9110 section 9.3.6).
func tunnel(ctx context.Context, conn net.Conn, p *Proxy, to, userAgent string) error {
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	request := &http.Request{
		Method: http.MethodConnect, URL: &url.URL{Opaque: to}, Host: to, Header: http.Header{"User-Agent": {userAgent}},
	}
	if p.login != nil {
		request.Header.Set("Proxy-Authorization", p.login.basic())
	}
	err := request.Write(conn)
	var answer *http.Response
	if err == nil {
		answer, err = http.ReadResponse(bufio.NewReader(&oneByOne{conn, maxTunnelHead}), request)
	}
	switch {
	case ctx.Err() != nil: // the proxy or the site
		return &ProxyError{p.String(), fmt.Errorf("no connection to %s in time: %w", to, ctx.Err())}
	case err != nil:
		return &ProxyError{p.String(), &localError{err}}
	case answer.StatusCode == http.StatusProxyAuthRequired, answer.StatusCode == http.StatusUnauthorized:
		return &ProxyError{p.String(), &localError{errProxyLogin}}
	case answer.StatusCode == http.StatusMethodNotAllowed, answer.StatusCode == http.StatusNotImplemented:
		return &ProxyError{p.String(), &localError{fmt.Errorf("it must allow CONNECT, also for http: %s", answer.Status)}}
	case answer.StatusCode == http.StatusForbidden: // about the site, or about a port that is not 443
		err := fmt.Errorf("no connection to %s: %s; does it allow CONNECT to this port?", to, answer.Status)
		return &ProxyError{p.String(), err}
	case answer.StatusCode/100 != 2:
		return &ProxyError{p.String(), fmt.Errorf("no connection to %s: %s", to, answer.Status)}
	}
	return nil
}

// oneByOne reads a byte at a time, so that nothing behind the head is taken, and no more than left bytes.
type oneByOne struct {
	net.Conn
	left int
}

func (r *oneByOne) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	r.left--
	return r.Conn.Read(p[:min(len(p), 1)])
}

// socks asks a SOCKS server, to which conn leads, to connect us to "host:port".
func socks(ctx context.Context, conn net.Conn, p *Proxy, to string) (net.Conn, error) {
	var auth *proxy.Auth
	if p.login != nil {
		auth = &proxy.Auth{User: p.login.User, Password: p.login.Password}
	}
	s, err := proxy.SOCKS5("tcp", p.address, auth, connected{conn})
	if err != nil {
		conn.Close()
		return nil, &ProxyError{p.String(), err}
	}
	through, err := s.(proxy.ContextDialer).DialContext(ctx, "tcp", to)
	switch {
	case err == nil:
		return through, nil
	case ctx.Err() != nil:
		err = fmt.Errorf("no connection to %s in time: %w", to, ctx.Err())
	case strings.Contains(err.Error(), "authentication"):
		err = &localError{errProxyLogin}
	case errors.Is(err, os.ErrDeadlineExceeded): // a moment before that
	case !strings.Contains(err.Error(), "unknown error "): // which is the answer that there is no way to the server
		err = &localError{err}
	}
	conn.Close()
	return nil, &ProxyError{p.String(), err}
}

// A connected is a proxy.ContextDialer that has its connection, to the proxy, already.
type connected struct{ net.Conn }

// DialContext implements proxy.ContextDialer.
func (c connected) DialContext(context.Context, string, string) (net.Conn, error) { return c.Conn, nil }

// Dial implements proxy.Dialer.
func (c connected) Dial(string, string) (net.Conn, error) { return c.Conn, nil }

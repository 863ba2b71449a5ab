package fetch_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// run starts a program that listens at address, and skips the test where it is not installed.
func run(t *testing.T, address, name string, args ...string) {
	t.Helper()
	program, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); cmd.Wait() })
	for range 100 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%s does not listen at %s:\n%s", name, address, &said)
}

// tinyproxy starts a real HTTP proxy that wants to know who we are.
func tinyproxy(t *testing.T) (url string) {
	t.Helper()
	address := webtest.FreeAddress(t)
	host, port, _ := net.SplitHostPort(address)
	config := filepath.Join(t.TempDir(), "conf")
	text := fmt.Sprintf("Listen %s\nPort %s\nTimeout 10\nMaxClients 20\nBasicAuth crawl open-sesame\n", host, port)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, address, "tinyproxy", "-d", "-c", config)
	return "http://" + address
}

// microsocks starts a real SOCKS server that wants to know who we are.
func microsocks(t *testing.T) (address string) {
	t.Helper()
	address = webtest.FreeAddress(t)
	host, port, _ := net.SplitHostPort(address)
	run(t, address, "microsocks", "-i", host, "-p", port, "-u", "crawl", "-P", "open-sesame")
	return address
}

// Through real proxies, with and without TLS: what comes is what the server sent, and what it got is what it gets without one.
func TestGet_ThroughRealProxies(t *testing.T) {
	login := &fetch.Login{User: "crawl", Password: "open-sesame"}
	for _, proxy := range []struct {
		name  string
		url   func(*testing.T) string
		names bool // it is told names
	}{
		{"http", tinyproxy, true},
		{"socks5", func(t *testing.T) string { return "socks5://" + microsocks(t) }, false},
		{"socks5h", func(t *testing.T) string { return "socks5h://" + microsocks(t) }, true},
	} {
		t.Run(proxy.name, func(t *testing.T) {
			url := proxy.url(t)
			p, err := fetch.ParseProxy(url, login)
			if err != nil || p.String() != url || p.TakesNames() != proxy.names {
				t.Fatalf("ParseProxy(%s) = %v, names %v, %v", url, p, p.TakesNames(), err)
			}
			w := webtest.New(t)
			pages := webtest.Pages{"/a%2fb/": {Body: "hello"}, "/": {Body: "root"}}
			for _, s := range []*webtest.Site{w.Site(pages), w.TLSSite(pages)} {
				c := newClient(t, w, fetch.Options{Proxy: p, RootCAs: w.RootCAs(), Wire: &fetch.WireOptions{}})
				r := get(t, c, s.URL+"/")
				if r.Status != 200 || string(r.Body) != "root" || !strings.HasSuffix(received(t, r), "\r\n\r\nroot") {
					t.Errorf("%s: %d %q, kept %q", s.URL, r.Status, r.Body, received(t, r))
				}
				if want := s.Addr; !proxy.names && r.Address != want || proxy.names && r.Address.IsValid() {
					t.Errorf("%s: the address is %v", s.URL, r.Address)
				}
				if strings.Contains(string(r.Wire.Request()), base64.StdEncoding.EncodeToString([]byte("crawl:open-sesame"))) {
					t.Errorf("%s: the password is kept: %q", s.URL, r.Wire.Request())
				}
				for _, h := range s.Hits() {
					if h.Header.Get("Proxy-Authorization") != "" || h.Path != "/" {
						t.Errorf("the server got %s with %v", h.Path, h.Header)
					}
				}
			}
			wrong, _ := fetch.ParseProxy(url, &fetch.Login{User: "crawl", Password: "guess"})
			c := newClient(t, w, fetch.Options{Proxy: wrong})
			var pe *fetch.ProxyError
			if e := getError(t, c, w.Site(pages).URL+"/"); e.Kind != fetch.KindLocal || !errors.As(e, &pe) || e.HostFailure() {
				t.Errorf("with a wrong password: %v, want one that tells nothing of the host", e)
			}
		})
	}
}

// What a proxy says itself, above all about robots.txt, is never taken for an answer of the site; and what it is told is checked.
func TestGet_ProxyErrors(t *testing.T) {
	w := webtest.New(t)
	answering := func(status int) *fetch.Proxy {
		s := w.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
		}))
		p, err := fetch.ParseProxy(s.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	gone, err := fetch.ParseProxy("http://"+webtest.FreeAddress(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		proxy *fetch.Proxy
		url   string
		want  fetch.Kind
	}{
		{"no such proxy", gone, "http://h.test/robots.txt", fetch.KindLocal},
		{"no such proxy, TLS", gone, "https://h.test/robots.txt", fetch.KindLocal},
		{"407", answering(407), "http://h.test/robots.txt", fetch.KindLocal},
		{"407, TLS", answering(407), "https://h.test/robots.txt", fetch.KindLocal},
		{"no way there", answering(502), "https://h.test/", fetch.KindRefused},
		{"not there", answering(404), "http://h.test/robots.txt", fetch.KindRefused},
		{"knows no CONNECT", answering(501), "http://h.test/robots.txt", fetch.KindLocal},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := newClient(t, w, fetch.Options{Proxy: test.proxy})
			if e := getError(t, c, test.url); e.Kind != test.want {
				t.Errorf("%v, want %s", e, test.want)
			}
		})
	}
	// As Squid comes, it allows CONNECT to port 443 only.
	c := newClient(t, w, fetch.Options{Proxy: answering(403)})
	if e := getError(t, c, "http://h.test/"); e.Kind != fetch.KindRefused || !strings.Contains(e.Error(), "allow CONNECT to this port?") {
		t.Errorf("403 is %v, want %s and the question whether the proxy allows CONNECT", e, fetch.KindRefused)
	}
}

// accepting returns the address of a server that does one thing with each connection and closes it, until the test ends.
func accepting(t *testing.T, serve func(net.Conn)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serve(conn)
			conn.Close()
		}
	})
	t.Cleanup(func() {
		l.Close()
		wg.Wait()
	})
	return l.Addr().String()
}

// A SOCKS server that hangs up, or is none, is at fault, and not the host; one that says that there is no way there is not.
func TestGet_SOCKSErrors(t *testing.T) {
	const greeting, request = 3, 13 // bytes; the latter for h.test
	for _, test := range []struct {
		name    string
		reads   int    // bytes, before
		answer  string // to the greeting
		further int    // bytes, before
		reply   string // to the request
		want    fetch.Kind
	}{
		{"hangs up at once", 0, "", 0, "", fetch.KindLocal},
		{"hangs up at the greeting", greeting, "", 0, "", fetch.KindLocal},
		{"is no SOCKS server", greeting, "HTTP/1.1 400 Bad Request\r\n\r\n", 0, "", fetch.KindLocal},
		{"wants to know who we are", greeting, "\x05\xff", 0, "", fetch.KindLocal},
		{"hangs up at the request", greeting, "\x05\x00", request, "", fetch.KindLocal},
		{"host unreachable", greeting, "\x05\x00", request, "\x05\x04\x00\x01\x00\x00\x00\x00\x00\x00", fetch.KindRefused},
	} {
		t.Run(test.name, func(t *testing.T) {
			addr := accepting(t, func(conn net.Conn) {
				io.CopyN(io.Discard, conn, int64(test.reads))
				io.WriteString(conn, test.answer)
				io.CopyN(io.Discard, conn, int64(test.further))
				io.WriteString(conn, test.reply)
			})
			p, err := fetch.ParseProxy("socks5h://"+addr, nil)
			if err != nil {
				t.Fatal(err)
			}
			c := newClient(t, webtest.New(t), fetch.Options{Proxy: p})
			if e := getError(t, c, "http://h.test/"); e.Kind != test.want || !strings.Contains(e.Error(), "proxy "+p.String()) {
				t.Errorf("%v, want %s, and the proxy", e, test.want)
			}
		})
	}
}

// A proxy to which no connection comes about is at fault, and not the host; and of one that has several addresses each is tried.
// Where an answer to CONNECT does not come, nobody knows whose fault that is.
func TestGet_ProxyThatLetsUsWait(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	w := webtest.New(t)
	forbidding := w.Site(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		switch {
		case strings.HasPrefix(address, "192.0.2.1:"): // as behind a firewall
			<-ctx.Done()
			return nil, ctx.Err()
		case strings.HasPrefix(address, "192.0.2.2:"):
			address = forbidding.Addr.String()
		default:
			address = silent.Addr().String()
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	r := fetch.NewResolver(fetch.ResolverOptions{Lookup: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")}, nil
	}})
	defer r.Close()
	v6 := netip.MustParseAddr("2001:db8::1")
	for _, test := range []struct {
		proxy string
		bind  netip.Addr
		want  fetch.Kind
		says  string
	}{
		{"http://192.0.2.1:3128", netip.Addr{}, fetch.KindLocal, "deadline exceeded"},
		{"socks5h://192.0.2.1:1080", netip.Addr{}, fetch.KindLocal, "deadline exceeded"},
		{"https://192.0.2.3", netip.Addr{}, fetch.KindLocal, "deadline exceeded"}, // its handshake
		{"http://192.0.2.3:3128", netip.Addr{}, fetch.KindTimeout, "h.test:80"},
		{"socks5h://192.0.2.3:1080", netip.Addr{}, fetch.KindTimeout, "h.test:80"},
		{"socks5://192.0.2.3:1080", netip.Addr{}, fetch.KindTimeout, "192.0.2.1:80"}, // for each address of the host
		{"http://two.test:3128", netip.Addr{}, fetch.KindRefused, "403 Forbidden"},
		{"http://192.0.2.2:3128", v6, fetch.KindLocal, "no address of 192.0.2.2 is of the kind of 2001:db8::1"},
	} {
		t.Run(test.proxy, func(t *testing.T) {
			p, err := fetch.ParseProxy(test.proxy, nil)
			if err != nil {
				t.Fatal(err)
			}
			c := fetch.New(fetch.Options{
				Proxy: p, Resolver: r, Dial: dial, LocalAddr: test.bind, ConnectTimeout: 300 * time.Millisecond, AllowPrivate: true,
			})
			defer c.Close()
			e := getError(t, c, "http://h.test/")
			if text := e.Error(); e.Kind != test.want || !strings.Contains(text, "proxy "+p.String()) || !strings.Contains(text, test.says) {
				t.Errorf("%v, want %s, the proxy, and %q", e, test.want, test.says)
			}
		})
	}
}

// The check of addresses stands for what a proxy is told.
func TestGet_ProxyIsToldNoSpecialAddress(t *testing.T) {
	asked := make(chan string, 10)
	addr := accepting(t, func(conn net.Conn) { asked <- conn.RemoteAddr().String() })
	r := fetch.NewResolver(fetch.ResolverOptions{Lookup: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("10.1.2.3")}, nil
	}})
	defer r.Close()
	for _, test := range []struct{ scheme, url string }{
		{"http", "http://10.1.2.3/"}, {"http", "https://[::1]/"}, {"http", "http://localhost/"}, {"http", "http://a.localhost:8080/"},
		{"socks5h", "http://192.168.0.1/"}, {"socks5h", "http://LOCALHOST./"}, {"socks5", "http://looked-up-here.test/"},
	} {
		p, err := fetch.ParseProxy(test.scheme+"://"+addr, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := fetch.New(fetch.Options{Proxy: p, Resolver: r})
		if e := getError(t, c, test.url); e.Kind != fetch.KindForbidden {
			t.Errorf("%s by %s: %v, want forbidden", test.url, test.scheme, e)
		}
		c.Close()
	}
	select {
	case from := <-asked:
		t.Errorf("the proxy was connected to from %s", from)
	default:
	}
}

func TestParseProxy_SaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"http://u:secret@h:1": "user name", "h:3128": "begin with", "127.0.0.1:3128": "begin with", "ftp://h": "begin with", "http://h/path": "nothing else",
		"http://": "nothing else", "http://u:sec%ret@h": "not a URL",
	} {
		_, err := fetch.ParseProxy(text, nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sec") {
			t.Errorf("ParseProxy(%q): %v, want %q and no password", text, err, want)
		}
	}
	if p, err := fetch.ParseProxy("socks5://[::1]", nil); err != nil || p.String() != "socks5://[::1]:1080" {
		t.Errorf("%v, %v", p, err)
	}
}

// One host may go another way than the others.
func TestGet_ProxyPerHost(t *testing.T) {
	w := webtest.New(t)
	direct := w.Site(webtest.Pages{"/": {Body: "direct"}})
	gone, err := fetch.ParseProxy("socks5h://"+webtest.FreeAddress(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(direct.URL, "http://")
	c := newClient(t, w, fetch.Options{Proxy: gone, Proxies: map[string]*fetch.Proxy{name: nil}})
	if r := get(t, c, direct.URL+"/"); string(r.Body) != "direct" {
		t.Errorf("%q", r.Body)
	}
	if e := getError(t, c, "http://other.test/"); e.Kind != fetch.KindLocal {
		t.Errorf("another host: %v", e)
	}
}

// A slow line is asked for: no more than the rate comes, and nobody is blamed for it.
func TestGet_MaxRate(t *testing.T) {
	w := webtest.New(t)
	s := w.Site(webtest.Pages{"/": {Body: strings.Repeat("x", 40_000)}})
	c := newClient(t, w, fetch.Options{MaxRate: 50_000, MinRate: 100_000, RateWindow: 100 * time.Millisecond})
	start := time.Now()
	r := get(t, c, s.URL+"/")
	if len(r.Body) != 40_000 || r.Truncated != "" {
		t.Errorf("%d bytes, cut %q", len(r.Body), r.Truncated)
	}
	if took := time.Since(start); took < 700*time.Millisecond {
		t.Errorf("40 kB at 50 kB/s took %v", took)
	}
}

// Connections are made from the address that was chosen, and to addresses that were given.
func TestGet_LocalAddrAndFixed(t *testing.T) {
	from := make(chan string, 1)
	w := webtest.New(t)
	s := w.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from <- r.RemoteAddr
		io.WriteString(w, r.Host)
	}))
	r := fetch.NewResolver(fetch.ResolverOptions{
		Lookup: func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("asked") },
		Fixed:  map[string][]netip.Addr{fmt.Sprintf("shop.test:%d", s.Addr.Port()): {netip.MustParseAddr("::1"), s.Addr.Addr()}},
	})
	defer r.Close()
	c := fetch.New(fetch.Options{AllowPrivate: true, Resolver: r, LocalAddr: netip.MustParseAddr("127.0.0.77")})
	defer c.Close()
	host := fmt.Sprintf("Shop.test:%d", s.Addr.Port())
	if got := get(t, c, "http://"+host+"/"); string(got.Body) != host || got.From != netip.MustParseAddr("127.0.0.77") {
		t.Errorf("the host is %q, and it was asked from %s", got.Body, got.From)
	}
	if a := <-from; !strings.HasPrefix(a, "127.0.0.77:") {
		t.Errorf("it came from %s", a)
	}
	if e := getError(t, c, "http://shop.test:1234/"); e.Kind != fetch.KindDNS {
		t.Errorf("another port: %v, want one that was looked up", e)
	}
}

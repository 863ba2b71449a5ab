package fetch_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newClient returns a client that may reach the web and knows its names.
func newClient(tb testing.TB, w *webtest.Web, o fetch.Options) *fetch.Client {
	tb.Helper()
	o.AllowPrivate = true
	o.Dial = w.Dial
	o.Resolver = fetch.NewResolver(fetch.ResolverOptions{Lookup: w.Lookup})
	c := fetch.New(o)
	tb.Cleanup(func() { c.Close(); o.Resolver.Close() })
	return c
}

// get returns the response, which must be there.
func get(tb testing.TB, c *fetch.Client, url string) *fetch.Response {
	tb.Helper()
	resp, err := c.Get(tb.Context(), fetch.Request{URL: url})
	if err != nil {
		tb.Fatalf("Get(%s): %v", url, err)
	}
	tb.Cleanup(resp.Release)
	return resp
}

// getError returns the error, which must be there.
func getError(tb testing.TB, c *fetch.Client, url string) *fetch.Error {
	tb.Helper()
	resp, err := c.Get(tb.Context(), fetch.Request{URL: url})
	var e *fetch.Error
	if !errors.As(err, &e) {
		tb.Fatalf("Get(%s) = %+v, %v, want an *Error", url, resp, err)
	}
	return e
}

func TestGet_TellsWhatHappened(t *testing.T) {
	w := webtest.New(t)
	for _, s := range []*webtest.Site{
		w.Site(webtest.Pages{"/": {Body: "hello", Header: map[string]string{"Etag": `"1"`}}}),
		w.TLSSite(webtest.Pages{"/": {Body: "hello", Header: map[string]string{"Etag": `"1"`}}}),
	} {
		c := newClient(t, w, fetch.Options{RootCAs: w.RootCAs()})
		before := time.Now()
		r := get(t, c, s.URL+"/")
		secure := strings.HasPrefix(s.URL, "https")
		proto := map[bool]string{false: "HTTP/1.1", true: "HTTP/2.0"}[secure]
		if r.Status != 200 || string(r.Body) != "hello" || r.Truncated != "" || r.WireBytes != 5 || r.Header.Get("Etag") != `"1"` {
			t.Errorf("%s: got %+v", s.URL, r)
		}
		if r.Proto != proto || r.TLS != secure || r.Address != s.Addr {
			t.Errorf("%s: %s, TLS %v, from %v; want %s, %v, %v", s.URL, r.Proto, r.TLS, r.Address, proto, secure, s.Addr)
		}
		if r.Start.Before(before) || r.FirstByte.Before(r.Start) || r.End.Before(r.FirstByte) {
			t.Errorf("%s: times out of order: %v, %v, %v, %v", s.URL, before, r.Start, r.FirstByte, r.End)
		}
	}
}

// RFC 9110, 10.1: what a request says of itself.
func TestGet_SendsOnlyWhatItShould(t *testing.T) {
	w := webtest.New(t)
	s := w.Site(webtest.Pages{"/": {Header: map[string]string{"Set-Cookie": "a=b"}}})
	c := newClient(t, w, fetch.Options{UserAgent: "test/1 (+https://op.example/)", From: "op@example.com"})
	host := strings.TrimPrefix(s.URL, "http://")
	for range 2 {
		_, err := c.Get(t.Context(), fetch.Request{
			URL:     "http://user:secret@" + host + "/#part",
			Referer: "http://me:pw@" + host + "/from?x=1#frag",
			ETag:    `W/"x"`, LastModified: "Sun, 06 Nov 1994 08:49:37 GMT",
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{
		"User-Agent": "test/1 (+https://op.example/)", "From": "op@example.com", "Accept-Encoding": "gzip, br, zstd",
		"Accept":  "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
		"Referer": "http://" + host + "/from?x=1", "If-None-Match": `W/"x"`, "If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT",
	}
	for _, h := range s.Hits() {
		if h.Path != "/" || h.Method != "GET" || h.Host != host {
			t.Errorf("asked %s %s of %s", h.Method, h.Path, h.Host)
		}
		for name, value := range want {
			if got := h.Header.Get(name); got != value {
				t.Errorf("%s: %q, want %q", name, got, value)
			}
		}
		if len(h.Header) != len(want) {
			t.Errorf("header %v has fields that are not asked for", h.Header)
		}
	}
}

func TestGet_LeavesOutRefererAndBadValues(t *testing.T) {
	w := webtest.New(t)
	s := w.Site(webtest.Pages{})
	c := newClient(t, w, fetch.Options{})
	for _, r := range []fetch.Request{
		{Referer: "https://secure.example/"}, // to http: RFC 9110, 10.1.3
		{Referer: "not a url"},
		{ETag: "\"a\r\nX-Evil: 1\""},
		{ETag: "*"}, // with which nothing would ever have changed: RFC 9110, 13.1.2
	} {
		r.URL = s.URL
		c.Get(t.Context(), r)
	}
	for i, h := range s.Hits() {
		if h.Header.Get("Referer")+h.Header.Get("If-None-Match")+h.Header.Get("X-Evil") != "" {
			t.Errorf("request %d sent %v", i, h.Header)
		}
	}
	if len(s.Hits()) != 4 {
		t.Errorf("%d requests, want 4", len(s.Hits()))
	}
}

// The path asked for must be, octet by octet, the one that the robots rules were matched with, but for what the next test tells.
func TestGet_SendsThePathAsWritten(t *testing.T) {
	w := webtest.New(t)
	for _, s := range []*webtest.Site{w.Site(webtest.Pages{}), w.TLSSite(webtest.Pages{})} {
		c := newClient(t, w, fetch.Options{RootCAs: w.RootCAs()})
		paths := []string{"/", "/a%2Fb", "/a?", "/?q", "/?a=b%zz&c=/d?e", "/a;b=c,d", "/[x]/{y}", "/a//b", "//a", "/'\""}
		for _, path := range paths {
			get(t, c, s.URL+path)
		}
		if got := s.Hits().Paths(); !slices.Equal(got, paths) {
			t.Errorf("asked for %q, want %q", got, paths)
		}
	}
}

// Strict servers refuse ^ and | in a path, and Chromium sends them encoded; in a query it does not.
func TestGet_EncodesCaretAndBarInAPath(t *testing.T) {
	w := webtest.New(t)
	s := w.Site(webtest.Pages{})
	c := newClient(t, w, fetch.Options{})
	get(t, c, s.URL+"/a^b|c%5e?d^e|f")
	get(t, c, s.URL+"//a^b|c")
	if got, want := s.Hits().Paths(), []string{"/a%5Eb%7Cc%5e?d^e|f", "//a%5Eb%7Cc"}; !slices.Equal(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
}

func TestGet_AsksForPathsThatNetURLCannotRead(t *testing.T) {
	w := webtest.New(t)
	s := w.Site(webtest.Pages{})
	if r := get(t, newClient(t, w, fetch.Options{}), s.URL+"/100%"); r.Status != 400 { // so does the server of net/http
		t.Errorf("status %d, want 400 from a server that cannot read the path either", r.Status)
	}
}

func TestGet_AddsTheSlash(t *testing.T) {
	w := webtest.New(t)
	s := w.Site(webtest.Pages{})
	c := newClient(t, w, fetch.Options{})
	get(t, c, s.URL)
	get(t, c, s.URL+"?q")
	if got := strings.Join(s.Hits().Paths(), " "); got != "/ /?q" {
		t.Errorf("asked for %s, want / and /?q", got)
	}
}

func TestGet_RefusesBadURLs(t *testing.T) {
	c := fetch.New(fetch.Options{})
	defer c.Close()
	for _, url := range []string{"", "/a", "ftp://h/", "http://", "http:///a", "http://user@/", "http://h/a b", "http://h/\x00", "http://h/ü", "mailto:a@b"} {
		if e := getError(t, c, url); e.Kind != fetch.KindURL || e.HostFailure() {
			t.Errorf("Get(%q) is %q, want %q", url, e.Kind, fetch.KindURL)
		}
	}
}

func TestGet_FollowsNoRedirect(t *testing.T) {
	w := webtest.New(t)
	s := w.Site(webtest.Pages{"/old": webtest.Redirect(301, "/new"), "/new": {}})
	r := get(t, newClient(t, w, fetch.Options{}), s.URL+"/old")
	if r.Status != 301 || r.Header.Get("Location") != "/new" || s.Hits().Count("/new") != 0 {
		t.Errorf("got %d to %q, and asked for %q", r.Status, r.Header.Get("Location"), s.Hits().Paths())
	}
}

func TestGet_IgnoresProxyEnvironment(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://192.0.2.1:9")
	w := webtest.New(t)
	if r := get(t, newClient(t, w, fetch.Options{}), w.Site(webtest.Pages{"/": {}}).URL); r.Status != 200 {
		t.Errorf("status %d", r.Status)
	}
}

func TestGet_VerifiesCertificates(t *testing.T) {
	w, stranger := webtest.New(t), webtest.New(t)
	s := w.TLSSite(webtest.Pages{}, "right.test")
	toSite := fetch.NewResolver(fetch.ResolverOptions{Lookup: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{s.Addr.Addr()}, nil
	}})
	defer toSite.Close()
	expired := startExpired(t)
	misled := fetch.New(fetch.Options{RootCAs: w.RootCAs(), AllowPrivate: true, Resolver: toSite})
	defer misled.Close()
	tests := []struct {
		name string
		c    *fetch.Client
		url  string
	}{
		{"unknown authority", newClient(t, w, fetch.Options{RootCAs: stranger.RootCAs()}), s.URL},
		{"other name", misled, "https://wrong.test:" + port(s)},
		{"expired", newClient(t, w, fetch.Options{RootCAs: expired.RootCAs}), expired.URL},
		{"no TLS at all", newClient(t, w, fetch.Options{}), strings.Replace(w.Site(webtest.Pages{}).URL, "http:", "https:", 1)},
	}
	for _, test := range tests {
		e := getError(t, test.c, test.url)
		if e.Kind != fetch.KindTLS || !e.HostFailure() || e.Op != fetch.OpConnect {
			t.Errorf("%s: %q at %q, want %q (%v)", test.name, e.Kind, e.Op, fetch.KindTLS, e)
		}
	}
}

func TestGet_RefusesPrivateAddressesAtTheDial(t *testing.T) {
	w := webtest.New(t)
	s := w.Site(webtest.Pages{}, "rebound.test")
	resolver := fetch.NewResolver(fetch.ResolverOptions{Lookup: w.Lookup})
	defer resolver.Close()
	c := fetch.New(fetch.Options{Resolver: resolver})
	defer c.Close()
	for _, url := range []string{s.URL, "http://" + s.Addr.String(), "http://[::1]:90/", "http://169.254.169.254/latest/meta-data"} {
		e := getError(t, c, url)
		var forbidden *fetch.ForbiddenError
		if e.Kind != fetch.KindForbidden || !e.HostFailure() || !errors.As(e, &forbidden) || !forbidden.Address.IsValid() || forbidden.Why == "" {
			t.Errorf("Get(%s) is %q, want %q with the address and what is special about it: %v", url, e.Kind, fetch.KindForbidden, e)
		}
	}
	if len(w.Log()) != 0 {
		t.Errorf("%d requests reached a private address", len(w.Log()))
	}
}

func TestGet_ChecksAddressesBeforeDialToo(t *testing.T) {
	dial := func(_ context.Context, _, address string) (net.Conn, error) {
		t.Errorf("dialled %s", address)
		return nil, errors.New("no")
	}
	c := fetch.New(fetch.Options{Dial: dial})
	defer c.Close()
	if e := getError(t, c, "http://10.0.0.1/"); e.Kind != fetch.KindForbidden {
		t.Errorf("got %q, want %q", e.Kind, fetch.KindForbidden)
	}
}

func TestGet_TriesTheNextAddress(t *testing.T) {
	w := webtest.New(t)
	dead := w.Site(webtest.Pages{})
	dead.Close()
	s := w.Site(webtest.Pages{"/": {Body: "here"}})
	resolver := fetch.NewResolver(fetch.ResolverOptions{Lookup: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{dead.Addr.Addr(), s.Addr.Addr()}, nil
	}})
	defer resolver.Close()
	c := fetch.New(fetch.Options{AllowPrivate: true, Resolver: resolver})
	defer c.Close()
	r, err := c.Get(t.Context(), fetch.Request{URL: "http://two.test:" + port(s)})
	if err != nil || string(r.Body) != "here" || r.Address != s.Addr {
		t.Errorf("got %+v, %v", r, err)
	}
}

// A host that moved is found at its new address when the old one does not answer, however long addresses are kept.
func TestGet_MovedHost(t *testing.T) {
	w := webtest.New(t)
	dead := w.Site(webtest.Pages{})
	dead.Close()
	s := w.Site(webtest.Pages{"/": {Body: "here"}})
	at := dead
	resolver := fetch.NewResolver(fetch.ResolverOptions{Lookup: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{at.Addr.Addr()}, nil
	}})
	defer resolver.Close()
	c := fetch.New(fetch.Options{AllowPrivate: true, Resolver: resolver})
	defer c.Close()
	url := "http://moved.test:" + port(s)
	if e := getError(t, c, url); e.Kind != fetch.KindRefused {
		t.Fatalf("got %q, want %q", e.Kind, fetch.KindRefused)
	}
	at = s
	r, err := c.Get(t.Context(), fetch.Request{URL: url})
	if err != nil || string(r.Body) != "here" || r.Address != s.Addr {
		t.Errorf("got %+v, %v", r, err)
	}
}

func port(s *webtest.Site) string { return s.URL[strings.LastIndexByte(s.URL, ':')+1:] }

// A kept-alive connection that closes under a request makes net/http send it again; the server may have seen it.
func TestGet_NeverSendsTwice(t *testing.T) {
	w := webtest.New(t)
	s := w.Site(webtest.Pages{"/": {Body: "x"}, "/drop": {Handler: webtest.Drop()}, "/reset": {Handler: webtest.Reset(-1)}})
	for _, path := range []string{"/drop", "/reset"} {
		c := newClient(t, w, fetch.Options{})
		get(t, c, s.URL+"/")
		if e := getError(t, c, s.URL+path); e.Kind != fetch.KindReset || e.HostFailure() {
			t.Errorf("%s: %q, want %q (%v)", path, e.Kind, fetch.KindReset, e)
		}
		if n := s.Hits().Count(path); n != 1 {
			t.Errorf("%s was asked for %d times, want once", path, n)
		}
	}
}

// A server that closes a connection as the next request comes, as lighttpd after 5 seconds where robots.txt says Crawl-delay: 5,
// does so each time: it gets a new connection for each request from then on, and other hosts do not.
func TestGet_HangUp(t *testing.T) {
	var mu sync.Mutex
	requests := map[string]int{} // by the address that they came from
	w := webtest.New(t)
	other := w.Site(webtest.Pages{"/": {Body: "x"}})
	hangUp := w.Site(webtest.Pages{"/": {Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if requests[r.RemoteAddr]++; requests[r.RemoteAddr] > 1 {
			panic(http.ErrAbortHandler)
		}
	})}})
	c := newClient(t, w, fetch.Options{})
	get(t, c, other.URL+"/")
	get(t, c, hangUp.URL+"/")
	if e := getError(t, c, hangUp.URL+"/"); e.Kind != fetch.KindReset {
		t.Errorf("%v, want %q", e, fetch.KindReset)
	}
	for range 4 {
		get(t, c, hangUp.URL+"/")
		get(t, c, other.URL+"/")
	}
	if len(requests) != 5 {
		t.Errorf("%d connections had a request, want 5", len(requests))
	}
	if hits := other.Hits(); hits[0].Remote != hits[len(hits)-1].Remote {
		t.Error("another host got more than one connection")
	}
}

func TestGet_ReusesConnections(t *testing.T) {
	w := webtest.New(t)
	s := w.Site(webtest.Pages{"/": {Body: strings.Repeat("x", 100_000)}, "/none": {Status: 404}, "/gz": {Handler: webtest.Encoded("gzip", "page")}})
	c := newClient(t, w, fetch.Options{})
	for _, path := range []string{"/", "/none", "/gz", "/"} {
		get(t, c, s.URL+path)
	}
	for _, h := range s.Hits() {
		if h.Remote != s.Hits()[0].Remote {
			t.Errorf("%s came over another connection", h.Path)
		}
	}
}

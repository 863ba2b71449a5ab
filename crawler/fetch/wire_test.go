package fetch_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// received returns the response as kept.
func received(t *testing.T, r *fetch.Response) string {
	t.Helper()
	if r.Wire == nil {
		t.Fatal("nothing was kept")
	}
	b, err := io.ReadAll(r.Wire.Response())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Over HTTP/1 the bytes are those of the wire, whatever net/http makes of them.
func TestWire_HTTP1(t *testing.T) {
	const hint = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
	tests := []struct{ name, sent, want, body string }{
		{
			"case, order and spaces", "HTTP/1.1 200  fine\r\nx-ODD:   a  \r\nContent-length: 2\r\nA: b\r\n\r\nok",
			"HTTP/1.1 200  fine\r\nx-ODD:   a  \r\nContent-length: 2\r\nA: b\r\n\r\nok", "ok",
		},
		{
			"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1;x=y\r\nk\r\n0\r\nTrailer: t\r\n\r\n",
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1;x=y\r\nk\r\n0\r\nTrailer: t\r\n\r\n", "ok",
		},
		{"interim responses", hint + hint + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok"},
		{"more than announced", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok"},
		{"HTTP/1.0 and bare line ends", "HTTP/1.0 200 OK\nServer: old\n\nok", "HTTP/1.0 200 OK\nServer: old\n\nok", "ok"},
		{"no body", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", ""},
		{"empty lines before", "\r\n\nHTTP/1.1 200 OK\r\nA: b\r\n\r\nok", "HTTP/1.1 200 OK\r\nA: b\r\n\r\nok", "ok"},
		{"small letters and tabs", "http/1.1\t100\tGo on\n\nhttp/1.1\t200\nno field\n\nok", "http/1.1\t200\nno field\n\nok", "ok"},
		{"cut", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", "ok"},
	}
	w := webtest.New(t)
	c := newClient(t, w, fetch.Options{Wire: &fetch.WireOptions{}})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := get(t, c, w.Site(webtest.Raw(test.sent)).URL+"/p?q=%zz")
			if got := received(t, r); got != test.want || string(r.Body) != test.body {
				t.Errorf("kept %q and body %q,\nwant %q and %q", got, r.Body, test.want, test.body)
			}
			head, _, _ := strings.Cut(strings.ReplaceAll(test.want, "\r", ""), "\n\n")
			if got := received(t, r)[:r.Wire.HeadLen()]; strings.ReplaceAll(got, "\r", "") != head+"\n\n" {
				t.Errorf("its head is %q", got)
			}
			if got := string(r.Wire.Request()); !strings.HasPrefix(got, "GET /p?q=%zz HTTP/1.1\r\nHost: ") || !strings.HasSuffix(got, "\r\n\r\n") {
				t.Errorf("sent %q", got)
			}
			if r.Wire.TLS != "" || r.Wire.Cipher != "" {
				t.Errorf("encryption %q %q, want none", r.Wire.TLS, r.Wire.Cipher)
			}
		})
	}
}

// A kept-alive connection gives each exchange its own bytes, and a body that memory has no room for comes from a file.
func TestWire_Spool(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", 64<<10)
	w := webtest.New(t)
	site := w.Site(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { io.WriteString(rw, r.URL.Path+big) }))
	dir := t.TempDir()
	c := newClient(t, w, fetch.Options{Wire: &fetch.WireOptions{Memory: 1000, Dir: dir}})
	for _, path := range []string{"/one", "/two", "/three"} {
		r := get(t, c, site.URL+path)
		if got := received(t, r); !strings.HasPrefix(got, "HTTP/1.1 200 OK\r\n") || strings.Count(got, "HTTP/1.1") != 1 {
			t.Errorf("kept %.100q", got)
		}
		part := make([]byte, 20)
		if _, err := r.Wire.Response().ReadAt(part, 990); err != nil || !bytes.Contains([]byte(path+big), part) {
			t.Errorf("across the border between memory and file: %q, %v", part, err)
		}
		if got := string(r.Wire.Request()); strings.Count(got, "GET ") != 1 || !strings.HasPrefix(got, "GET "+path+" ") {
			t.Errorf("sent %q", got)
		}
		r.Release()
		if r.Wire != nil {
			t.Error("something is kept after the release")
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

// Over TLS it is what was encrypted. HTTP/2 has no such bytes; its messages are kept in the form of HTTP/1.1.
func TestWire_TLS(t *testing.T) {
	w := webtest.New(t)
	site := w.TLSSite(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/plain")
		io.WriteString(rw, "over "+r.Proto)
	}))
	c := newClient(t, w, fetch.Options{RootCAs: w.RootCAs(), Wire: &fetch.WireOptions{}})
	r := get(t, c, site.URL+"/x")
	if got := received(t, r); !strings.HasPrefix(got, "HTTP/1.1 200 OK\r\nContent-Length: ") || !strings.HasSuffix(got, "\r\n\r\nover HTTP/2.0") {
		t.Errorf("kept %q", got)
	}
	if wire := r.Wire; wire.Protocol != "h2" || wire.TLS != "tls/1.3" || !strings.HasPrefix(wire.Cipher, "TLS_") || !r.TLS {
		t.Errorf("protocol %q, %q, %q, TLS %v", wire.Protocol, wire.TLS, wire.Cipher, r.TLS)
	}
	if got := string(r.Wire.Request()); !strings.HasPrefix(got, "GET /x HTTP/1.1\r\nHost: ") || !strings.Contains(got, "\r\nUser-Agent: ") {
		t.Errorf("sent %q", got)
	}
}

// A connection that is handed on from one exchange to the next, at once and among many, mixes nothing up.
func TestWire_HandedOn(t *testing.T) {
	w := webtest.New(t)
	site := w.Site(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { io.WriteString(rw, "answer to "+r.URL.Path) }))
	c := newClient(t, w, fetch.Options{Wire: &fetch.WireOptions{}, MaxIdle: 100})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 200 {
				path := fmt.Sprintf("/%d/%d", i, n)
				r, err := c.Get(t.Context(), fetch.Request{URL: site.URL + path})
				if err != nil {
					t.Error(err)
					return
				}
				if got := received(t, r); !strings.HasSuffix(got, "\r\n\r\nanswer to "+path) || !bytes.Contains(r.Wire.Request(), []byte(path)) {
					t.Errorf("%s: kept %q of %q", path, got, r.Wire.Request())
				}
				r.Release()
			}
		})
	}
	wg.Wait()
}

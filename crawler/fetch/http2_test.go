package fetch_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// A rawServer speaks HTTP/2 as its answer wants, frame by frame.
type rawServer struct {
	url     string
	roots   *x509.CertPool
	asked   atomic.Int64 // requests that came
	answers func(f *http2.Framer, stream uint32) error
}

func startRaw(t *testing.T, answers func(f *http2.Framer, stream uint32) error) *rawServer {
	t.Helper()
	certified := httptest.NewTLSServer(http.NotFoundHandler())
	defer certified.Close()
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certified.TLS.Certificates, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	s := &rawServer{url: "https://" + l.Addr().String() + "/", roots: x509.NewCertPool(), answers: answers}
	s.roots.AddCert(certified.Certificate())
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { s.serve(c) })
		}
	})
	t.Cleanup(func() { // the client has given up its connections, or this waits for ever
		l.Close()
		serving.Wait()
	})
	return s
}

func (s *rawServer) serve(c net.Conn) {
	defer c.Close()
	if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	f := http2.NewFramer(c, c)
	if f.WriteSettings() != nil {
		return
	}
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		if h, ok := frame.(*http2.HeadersFrame); ok {
			s.asked.Add(1)
			if s.answers(f, h.StreamID) != nil {
				return
			}
		}
	}
}

// head returns a header block: a status, and fields of one name.
func head(fields int, value string) []byte {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	e.WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	for range fields {
		e.WriteField(hpack.HeaderField{Name: "x-bomb", Value: value}) // from the second on one byte
	}
	return b.Bytes()
}

var errHangUp = errors.New("hang up")

// What a server does to HTTP/2 ends one request, soon and in bounded memory, and never makes net/http send another.
func TestGet_HTTP2UnderAttack(t *testing.T) {
	for name, tt := range map[string]struct {
		answers func(f *http2.Framer, stream uint32) error
		want    []fetch.Kind // none: a response that is cut
	}{
		"HPACK bomb": {func(f *http2.Framer, stream uint32) error { // 16 KB that come to 32 MB
			bomb := head(10_000, strings.Repeat("x", 3200))
			return f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: bomb, EndHeaders: true})
		}, []fetch.Kind{fetch.KindTooLarge, fetch.KindReset, fetch.KindProtocol}},
		"CONTINUATION flood": {func(f *http2.Framer, stream uint32) error {
			err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: head(0, "")})
			for err == nil {
				err = f.WriteContinuation(stream, false, head(1, strings.Repeat("x", 8000))[1:])
			}
			return err
		}, []fetch.Kind{fetch.KindTooLarge, fetch.KindReset, fetch.KindProtocol}},
		"CONTINUATION without a field": {func(f *http2.Framer, stream uint32) error {
			err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: head(0, "")})
			for err == nil {
				err = f.WriteContinuation(stream, false, nil)
			}
			return err
		}, []fetch.Kind{fetch.KindTimeout, fetch.KindReset, fetch.KindProtocol, fetch.KindTooLarge}},
		"reset": {func(f *http2.Framer, stream uint32) error {
			return f.WriteRSTStream(stream, http2.ErrCodeRefusedStream)
		}, []fetch.Kind{fetch.KindReset}},
		"GOAWAY before the answer": {func(f *http2.Framer, _ uint32) error {
			return errors.Join(f.WriteGoAway(0, http2.ErrCodeNo, nil), errHangUp)
		}, []fetch.Kind{fetch.KindReset}},
		"GOAWAY in the middle": {func(f *http2.Framer, stream uint32) error {
			block := head(0, "")
			return errors.Join(f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block, EndHeaders: true}),
				f.WriteData(stream, false, []byte("half a page")), f.WriteGoAway(stream, http2.ErrCodeNo, nil), errHangUp)
		}, nil},
		"SETTINGS flood": {func(f *http2.Framer, _ uint32) error {
			var err error
			for err == nil {
				err = f.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 1})
			}
			return err
		}, []fetch.Kind{fetch.KindTimeout, fetch.KindReset, fetch.KindProtocol}},
	} {
		t.Run(name, func(t *testing.T) {
			s := startRaw(t, tt.answers)
			c := fetch.New(fetch.Options{
				UserAgent: "test", AllowPrivate: true, RootCAs: s.roots, HeaderTimeout: 2 * time.Second, IdleTimeout: time.Second,
			})
			defer c.Close()
			r, err := c.Get(t.Context(), fetch.Request{URL: s.url})
			defer r.Release()
			var e *fetch.Error
			switch {
			case len(tt.want) == 0 && (err != nil || r.Truncated != fetch.CutDisconnect || string(r.Body) != "half a page"):
				t.Errorf("got %+v, %v", r, err)
			case len(tt.want) > 0 && (!errors.As(err, &e) || !strings.Contains(" "+join(tt.want)+" ", " "+string(e.Kind)+" ")):
				t.Errorf("got %v, want one of %q", err, tt.want)
			}
			if n := s.asked.Load(); n != 1 {
				t.Errorf("%d requests left for one", n)
			}
		})
	}
}

func join(kinds []fetch.Kind) string {
	var words []string
	for _, k := range kinds {
		words = append(words, string(k))
	}
	return strings.Join(words, " ")
}

// Two names at one address, of which one certificate speaks, are two origins with a connection each: what is decided for one is not
// used for the other. An answer 421 is an answer.
func TestGet_OriginsShareNoConnection(t *testing.T) {
	w := webtest.New(t)
	site := w.TLSSite(webtest.Page{Status: http.StatusMisdirectedRequest}, "a.test", "b.test")
	c := newClient(t, w, fetch.Options{RootCAs: w.RootCAs()})
	port := site.URL[strings.LastIndexByte(site.URL, ':'):]
	remote := map[string]map[string]bool{}
	for range 3 {
		for _, name := range []string{"a.test", "b.test"} {
			if r := get(t, c, "https://"+name+port+"/"); r.Status != http.StatusMisdirectedRequest || r.Proto != "HTTP/2.0" {
				t.Fatalf("%s answered %d over %s", name, r.Status, r.Proto)
			}
		}
	}
	for _, h := range site.Hits() {
		if remote[h.Remote] == nil {
			remote[h.Remote] = map[string]bool{}
		}
		remote[h.Remote][h.Host] = true
	}
	for at, hosts := range remote {
		if len(hosts) != 1 {
			t.Errorf("the connection from %s was used for %v", at, hosts)
		}
	}
}

// A server that wants HTTP/1.1 (RFC 9113 section 7, HTTP_1_1_REQUIRED), as Apache where it asks for a certificate, is asked by it
// from then on: one request goes to it at a time, and other hosts are not concerned. It may say so of the whole connection.
func TestGet_HTTP11Required(t *testing.T) {
	for name, refuse := range map[string]func(f *http2.Framer, stream uint32) error{
		"stream": func(f *http2.Framer, stream uint32) error {
			return f.WriteRSTStream(stream, http2.ErrCodeHTTP11Required)
		},
		"connection": func(f *http2.Framer, stream uint32) error {
			return errors.Join(f.WriteGoAway(stream, http2.ErrCodeHTTP11Required, nil), errHangUp)
		},
		"connection, request not processed": func(f *http2.Framer, _ uint32) error {
			return errors.Join(f.WriteGoAway(0, http2.ErrCodeHTTP11Required, nil), errHangUp)
		},
	} {
		t.Run(name, func(t *testing.T) { testHTTP11Required(t, &rawServer{answers: refuse}) })
	}
}

func testHTTP11Required(t *testing.T, refusing *rawServer) {
	start := func(answer http.Handler) *httptest.Server {
		s := httptest.NewUnstartedServer(answer)
		s.EnableHTTP2 = true
		t.Cleanup(s.Close)
		return s
	}
	strict := start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
	strict.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){
		"h2": func(_ *http.Server, c *tls.Conn, _ http.Handler) { refusing.serve(c) },
	}
	other := start(strict.Config.Handler)
	strict.StartTLS()
	other.StartTLS()
	c := fetch.New(fetch.Options{AllowPrivate: true, RootCAs: strict.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs})
	defer c.Close()
	_, err := c.Get(t.Context(), fetch.Request{URL: strict.URL + "/a"})
	if e, ok := errors.AsType[*fetch.Error](err); !ok || e.Kind != fetch.KindReset || !strings.Contains(e.Error(), "wants HTTP/1.1") {
		t.Errorf("%v, want that the server wants HTTP/1.1", err)
	}
	if n := refusing.asked.Load(); n != 1 {
		t.Errorf("%d requests were made by one Get", n)
	}
	for _, test := range []struct{ url, want string }{{strict.URL, "HTTP/1.1"}, {strict.URL, "HTTP/1.1"}, {other.URL, "HTTP/2.0"}} {
		resp, err := c.Get(t.Context(), fetch.Request{URL: test.url + "/b"})
		if err != nil || string(resp.Body) != test.want || resp.Proto != test.want {
			t.Errorf("%s: %+v, %v, want an answer by %s", test.url, resp, err, test.want)
		}
		resp.Release()
	}
}

package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// What net/http takes it reads as before; what is mended is never longer, and needs no more of it.
func FuzzMendHead(f *testing.F) {
	for _, h := range carelessHeads {
		f.Add([]byte(h.head + "body"))
	}
	f.Add([]byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX: 1\r\n 2\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		mended, _, ok := mendHead(bytes.Clone(b))
		if len(mended) > len(b) || !ok && !bytes.Equal(mended, b) {
			t.Fatalf("%q became %q, whole: %v", b, mended, ok)
		}
		if !ok {
			return
		}
		if was := readHead(b); was != "" && was != readHead(mended) {
			t.Errorf("net/http reads %s in %q, and in %q %s", was, b, mended, readHead(mended))
		}
		if again, _, _ := mendHead(bytes.Clone(mended)); !bytes.Equal(again, mended) {
			t.Errorf("%q became %q, and that %q", b, mended, again)
		}
	})
}

// readHead returns what net/http reads in a head; nothing when it refuses it.
func readHead(b []byte) string {
	r, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(b)), nil)
	if err != nil {
		return ""
	}
	r.Body.Close()
	r.Header.Del("Transfer-Encoding") // it does not look at those of HTTP/1.0,
	r.Header.Del("Content-Length")    // nor at this one when a body is chunked
	return fmt.Sprint(r.StatusCode, r.Proto, r.ContentLength, r.TransferEncoding, r.Header)
}

// carelessHeads are heads that net/http refuses; browsers read those that are to be taken.
var carelessHeads = []struct {
	name, head string
	isTaken    bool
}{
	{"an empty line before", "\r\nHTTP/1.1 200 OK\r\n", true},
	{"lower case", "http/1.1 200 OK\r\n", true},
	{"tabs", "HTTP/1.1\t200\tOK\r\n", true},
	{"a line that is no field", "HTTP/1.1 200 OK\r\nWarning in line 3\r\n and 4\r\n", true},
	{"a status line twice", "HTTP/1.1 200 OK\r\nHTTP/1.1 200 OK\r\n", true},
	{"a field without a name", "HTTP/1.1 200 OK\r\n: x\r\n", true},
	{"a name of Latin-1", "HTTP/1.1 200 OK\r\nCaf\xe9: x\r\n", true},
	{"a continuation of nothing", "HTTP/1.1 200 OK\r\n X: y\r\n", true},
	{"a control character", "HTTP/1.1 200 OK\r\nX: a\x01b\r\n", true},
	{"a CR within a value", "HTTP/1.1 200 OK\r\nX: a\rb\r\n", true},
	{"lines that end in CR CR LF", "HTTP/1.1 200 OK\r\r\nX: a\r\r\nContent-Length: 2\r\r\nY: b\r\n c\r\r\n", true},
	{"no length", "HTTP/1.1 200 OK\r\nContent-Length:\r\n", true},
	{"a word for a length", "HTTP/1.1 200 OK\r\nContent-Length: none\r\n", true},
	{"a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n", true},
	{"a length twice", "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n", true},
	{"identity", "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n", true},
	{"no transfer encoding", "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n", true},
	{"chunked twice", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", true},
	{"behind an interim one", "HTTP/1.1 103 Early Hints\r\nx\r\n\r\nHTTP/1.1 200 OK\r\ny\r\n", true},
	{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2, 5\r\n", false},
	{"NUL", "HTTP/1.1 200 OK\r\nX: a\x00b\r\n", false},
	{"no HTTP", "SSH-2.0-OpenSSH_9.2\r\n", false},
}

// Ensure that such servers are read where browsers read them, at once and byte by byte, and that net/http would not.
func TestGet_CarelessHeads(t *testing.T) {
	var handler http.Handler
	ask := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) })
	site, secure := httptest.NewServer(ask), httptest.NewTLSServer(ask)
	defer site.Close()
	defer secure.Close()
	roots := secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	for _, test := range carelessHeads {
		body := "ab"
		if strings.Contains(test.head, "chunked") {
			body = "2\r\nab\r\n0\r\n\r\n"
		}
		handler = webtest.Raw(test.head + "\r\n" + body)
		if resp, err := site.Client().Get(site.URL + "/"); err == nil {
			resp.Body.Close()
			t.Errorf("%s: net/http takes it", test.name)
		}
		for _, from := range []struct {
			url    string
			answer http.Handler
		}{{site.URL, handler}, {secure.URL, handler}, {site.URL, byteByByte(test.head + "\r\n" + body)}} {
			handler = from.answer
			c := New(Options{AllowPrivate: true, RootCAs: roots}) // each has its own: the server closes without a word
			resp, err := c.Get(t.Context(), Request{URL: from.url + "/"})
			if isTaken := err == nil && resp.Status == http.StatusOK && string(resp.Body) == "ab"; isTaken != test.isTaken {
				t.Errorf("%s, %s: %+v, %v", test.name, from.url, resp, err)
			}
			if err == nil {
				resp.Release()
			}
			c.Close()
		}
	}
}

// What is no HTTP is known as that at once: such a server may wait for what it has been told.
func TestGet_ServerSpeaksFirst(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		io.WriteString(conn, "SSH-2.0-OpenSSH_9.2\r\n")
		io.Copy(io.Discard, conn)
	}))
	defer site.Close()
	c := New(Options{AllowPrivate: true, HeaderTimeout: 10 * time.Second})
	defer c.Close()
	_, err := c.Get(t.Context(), Request{URL: site.URL + "/"})
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != KindProtocol || !strings.Contains(e.Error(), "OpenSSH") {
		t.Errorf("%v, want what it has said", err)
	}
}

// The first byte is that of the head, however long the rest of it takes.
func TestGet_FirstByteOfASlowHead(t *testing.T) {
	const rest = 300 * time.Millisecond
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		time.Sleep(rest)
	}))
	defer site.Close()
	c := New(Options{AllowPrivate: true})
	defer c.Close()
	for range 2 {
		resp, err := c.Get(t.Context(), Request{URL: site.URL + "/"})
		if err != nil {
			t.Fatal(err)
		}
		if took := resp.End.Sub(resp.FirstByte); took < rest-rest/10 || resp.FirstByte.Before(resp.Start) {
			t.Errorf("the first byte came %v before the end", took)
		}
		resp.Release()
	}
}

// byteByByte answers with these bytes, each for itself.
func byteByByte(response string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		for i := range len(response) {
			if _, err := conn.Write([]byte(response[i : i+1])); err != nil {
				return
			}
		}
	})
}

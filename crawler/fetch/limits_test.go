package fetch_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

const page = "<a href=/x>x</a>"

// What comes before a response head is an error that says what kind.
func TestGet_Errors(t *testing.T) {
	w := webtest.New(t)
	closed := w.Site(webtest.Pages{})
	closed.Close()
	tests := []struct {
		name    string
		handler http.Handler
		want    fetch.Kind
		host    bool
	}{
		{"drop", webtest.Drop(), fetch.KindReset, false},
		{"reset", webtest.Reset(-1), fetch.KindReset, false},
		{"garbage", webtest.Garbage(), fetch.KindProtocol, false},
		{"bad status", webtest.Raw("HTTP/1.1 zero\r\n\r\n"), fetch.KindProtocol, false},
		{"half a head", webtest.Raw("HTTP/1.1 200 OK\r\nContent-Le"), fetch.KindProtocol, false},
		{"NUL in a field", webtest.Raw("HTTP/1.1 200 OK\r\nX: a\x00b\r\n\r\n"), fetch.KindProtocol, false},
		{"two lengths", webtest.Raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"), fetch.KindProtocol, false},
		{"switching", webtest.Raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), fetch.KindProtocol, false},
		{"endless header", webtest.EndlessHeader(), fetch.KindTooLarge, false},
		{"big header", webtest.BigHeader(200 << 10), fetch.KindTooLarge, false},
		{"many hints", webtest.Hints(10_000, webtest.Page{}), fetch.KindTooLarge, false},
	}
	c := newClient(t, w, fetch.Options{RootCAs: w.RootCAs()})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := getError(t, c, w.Site(test.handler).URL+"/")
			if e.Kind != test.want || e.HostFailure() != test.host || e.Op != fetch.OpRequest {
				t.Errorf("got %q at %q, host %v; want %q (%v)", e.Kind, e.Op, e.HostFailure(), test.want, e)
			}
		})
	}
	t.Run("refused", func(t *testing.T) {
		if e := getError(t, c, closed.URL); e.Kind != fetch.KindRefused || !e.HostFailure() {
			t.Errorf("got %q, want %q (%v)", e.Kind, fetch.KindRefused, e)
		}
	})
	t.Run("unknown name", func(t *testing.T) {
		if e := getError(t, c, "http://nowhere.test/"); e.Kind != fetch.KindDNS || !e.HostFailure() || e.Op != fetch.OpResolve {
			t.Errorf("got %q at %q, want %q (%v)", e.Kind, e.Op, fetch.KindDNS, e)
		}
	})
	t.Run("stream reset over HTTP/2", func(t *testing.T) {
		if e := getError(t, c, w.TLSSite(webtest.Drop()).URL); e.Kind != fetch.KindReset {
			t.Errorf("got %q, want %q (%v)", e.Kind, fetch.KindReset, e)
		}
	})
	t.Run("big header over HTTP/2", func(t *testing.T) { // one of several frames is a protocol error there
		c := newClient(t, w, fetch.Options{RootCAs: w.RootCAs(), MaxHeader: 8 << 10})
		if e := getError(t, c, w.TLSSite(webtest.BigHeader(10<<10)).URL); e.Kind != fetch.KindTooLarge {
			t.Errorf("got %q, want %q (%v)", e.Kind, fetch.KindTooLarge, e)
		}
	})
}

// Once there is a head, what came of the body is kept.
func TestGet_KeepsWhatCame(t *testing.T) {
	w := webtest.New(t)
	long := strings.Repeat(page, 10_000) // 160,000 bytes
	tests := []struct {
		name    string
		handler http.Handler
		body    string
		cut     string
	}{
		{"whole", webtest.Page{Body: long}, long, ""},
		{"empty", webtest.NoBody(), "", ""},
		{"no content", webtest.Page{Status: 204}, "", ""},
		{"not modified", webtest.Page{Status: 304}, "", ""},
		{"error page", webtest.Page{Status: 500, Body: page}, page, ""},
		{"range not asked for", webtest.Page{Status: 206, Body: page}, page, fetch.CutPartial},
		{"until close", webtest.NoLength(long), long, ""},
		{"hints first", webtest.Hints(3, webtest.Page{Body: page}), page, ""},
		{"cut", webtest.Cut(page), page, fetch.CutDisconnect},
		{"cut long", webtest.Cut(long), long, fetch.CutDisconnect},
		{"cut at once", webtest.Cut(""), "", fetch.CutDisconnect},
		{"cut chunked", webtest.CutChunked(long), long, fetch.CutDisconnect},
		{"bad chunk", webtest.BadChunk(page), page, fetch.CutDisconnect},
		{"abort", webtest.Abort(page), page, fetch.CutDisconnect},
		{"length too short", webtest.WrongLength(4, page), page[:4], ""},
		{"length far too long", webtest.Raw("HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\n" + page), page, fetch.CutDisconnect},
		{"gzip cut on the wire", webtest.Raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9000\r\n\r\n" +
			string(webtest.Encode("gzip", []byte(page))[:20])), "", fetch.CutDisconnect},
	}
	c := newClient(t, w, fetch.Options{})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := get(t, c, w.Site(test.handler).URL+"/")
			if test.name != "gzip cut on the wire" && string(r.Body) != test.body {
				t.Errorf("body of %d bytes %.40q, want %d bytes %.40q", len(r.Body), r.Body, len(test.body), test.body)
			}
			if r.Truncated != test.cut {
				t.Errorf("Truncated = %q, want %q", r.Truncated, test.cut)
			}
		})
	}
	t.Run("reset in mid-body", func(t *testing.T) { // how much arrives before a reset is luck
		r := get(t, c, w.Site(webtest.Reset(1000)).URL+"/")
		if r.Truncated != fetch.CutDisconnect || len(r.Body) > 1000 {
			t.Errorf("%d bytes, Truncated = %q", len(r.Body), r.Truncated)
		}
	})
	t.Run("HTTP/2 stream reset", func(t *testing.T) {
		c := newClient(t, w, fetch.Options{RootCAs: w.RootCAs()})
		r := get(t, c, w.TLSSite(webtest.Abort(long)).URL)
		if r.Proto != "HTTP/2.0" || r.Truncated != fetch.CutDisconnect || !strings.HasPrefix(long, string(r.Body)) {
			t.Errorf("%s: %d bytes, Truncated = %q", r.Proto, len(r.Body), r.Truncated)
		}
	})
}

func TestGet_CutsLongBodies(t *testing.T) {
	w := webtest.New(t)
	body := func(n int) string { return strings.Repeat("x", n) }
	for _, limit := range []int{1, 1000, 64 << 10, 100_000, 2_000_000} {
		tests := []struct {
			name    string
			handler http.Handler
			want    int
			cut     string
		}{
			{"shorter", webtest.Page{Body: body(limit - 1)}, limit - 1, ""},
			{"just right", webtest.Page{Body: body(limit)}, limit, ""},
			{"longer", webtest.Page{Body: body(limit + 1)}, limit, fetch.CutLength},
			{"no length, just right", webtest.NoLength(body(limit)), limit, ""},
			{"no length, longer", webtest.NoLength(body(limit + 1)), limit, fetch.CutLength},
			{"encoded, just right", webtest.Encoded("gzip", body(limit)), limit, ""},
			{"encoded, longer", webtest.Encoded("gzip", body(limit+1)), limit, fetch.CutLength},
			{"endless", webtest.EndlessBody(), limit, fetch.CutLength},
		}
		c := newClient(t, w, fetch.Options{MaxBody: int64(limit), MaxWire: 1 << 20, MaxRatio: 2000})
		for _, test := range tests {
			if r := get(t, c, w.Site(test.handler).URL); len(r.Body) != test.want || r.Truncated != test.cut {
				t.Errorf("limit %d, %s: %d bytes, Truncated = %q; want %d, %q", limit, test.name, len(r.Body), r.Truncated, test.want, test.cut)
			}
		}
	}
}

func TestGet_RequestMayLowerTheLimit(t *testing.T) {
	w := webtest.New(t)
	s := w.Site(webtest.EndlessBody())
	c := newClient(t, w, fetch.Options{MaxBody: 50_000})
	for asked, want := range map[int64]int{0: 50_000, 100: 100, 1 << 40: 50_000} {
		r, err := c.Get(t.Context(), fetch.Request{URL: s.URL, MaxBody: asked})
		if err != nil || len(r.Body) != want || r.Truncated != fetch.CutLength {
			t.Errorf("MaxBody %d: %d bytes, %q, %v; want %d", asked, len(r.Body), r.Truncated, err, want)
		}
	}
}

func TestGet_Decodes(t *testing.T) {
	w := webtest.New(t)
	var long bytes.Buffer
	for i := range 20_000 {
		fmt.Fprintf(&long, "<a href=/%d>%d</a>\n", i, i*i)
	}
	text := long.String() // about 500 KB
	c := newClient(t, w, fetch.Options{})
	for _, coding := range []string{
		"gzip", "x-gzip", "br", "zstd", "GZip", "identity", "gzip, identity", "br, gzip", "zstd,br", "gzip,  zstd", "deflate", "deflate, br",
	} {
		for _, body := range []string{text, "short", ""} {
			h := webtest.Page{Header: map[string]string{"Content-Encoding": coding},
				Body: string(webtest.Encode(strings.ToLower(coding), []byte(body)))}
			r := get(t, c, w.Site(h).URL)
			if string(r.Body) != body || r.Truncated != "" || r.WireBytes != int64(len(h.Body)) {
				t.Errorf("%s: %d of %d bytes, %d on the wire, Truncated = %q", coding, len(r.Body), len(body), r.WireBytes, r.Truncated)
			}
		}
	}
}

func TestGet_ToleratesWrongLabels(t *testing.T) {
	w := webtest.New(t)
	whole := strings.Repeat(page, 1000)
	gz, zl := webtest.Encode("gzip", []byte(whole)), webtest.Encode("deflate", []byte(whole))
	compressed := "\x1f\x9d\x90\x00 not a coding we know"
	tests := []struct {
		name, coding, sent string
		want, cut          string
	}{
		{"plain as gzip", "gzip", whole, whole, ""},
		{"plain as br", "br", whole, whole, ""},
		{"plain as zstd", "zstd", whole, whole, ""},
		{"plain as a charset", "utf-8", whole, whole, ""},
		{"plain as deflate", "deflate", whole, whole, ""},
		{"plain as two", "gzip, br", whole, whole, ""},
		{"unknown coding", "compress", compressed, compressed, fetch.CutDecode},
		{"three codings", "gzip, gzip, gzip", string(webtest.Encode("gzip, gzip", gz)), string(webtest.Encode("gzip, gzip", gz)), fetch.CutDecode},
		{"bytes after gzip", "gzip", string(gz) + "\x00\x00\x00trailing", whole, ""},
		{"a newline after gzip", "gzip", string(gz) + "\n", whole, ""},
		{"half a gzip member after one", "gzip", string(gz) + string(gz[:5]), whole, fetch.CutDecode},
		{"two gzip members", "gzip", string(gz) + string(gz), whole + whole, ""},
		{"bad checksum", "gzip", string(gz[:len(gz)-8]) + "badcheck", whole, fetch.CutDecode},
		{"no checksum", "gzip", string(gz[:len(gz)-8]), whole, fetch.CutDecode},
		{"deflate without the header of zlib", "deflate", string(zl[2 : len(zl)-4]), whole, ""},
		{"half of deflate", "deflate", string(zl[:len(zl)-5]), whole, fetch.CutDecode},
	}
	c := newClient(t, w, fetch.Options{})
	for _, test := range tests {
		r := get(t, c, w.Site(webtest.Page{Header: map[string]string{"Content-Encoding": test.coding}, Body: test.sent}).URL)
		if string(r.Body) != test.want || r.Truncated != test.cut {
			t.Errorf("%s: %d bytes %.30q, Truncated = %q; want %d bytes, %q", test.name, len(r.Body), r.Body, r.Truncated, len(test.want), test.cut)
		}
	}
}

// Half of an encoded body yields the beginning of the body.
func TestGet_KeepsTheDecodedPart(t *testing.T) {
	w := webtest.New(t)
	var text strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&text, "<a href=/%d>%x</a>\n", i, i*i*7919)
	}
	c := newClient(t, w, fetch.Options{})
	for _, coding := range []string{"gzip", "br", "zstd"} {
		r := get(t, c, w.Site(webtest.CutEncoded(coding, text.String())).URL)
		if r.Truncated != fetch.CutDecode || len(r.Body) < 1<<19 || !strings.HasPrefix(text.String(), string(r.Body)) {
			t.Errorf("%s: %d bytes, Truncated = %q", coding, len(r.Body), r.Truncated)
		}
	}
}

func TestGet_DefusesBombs(t *testing.T) {
	w := webtest.New(t)
	const size = 24 << 20
	tests := []struct {
		coding string
		o      fetch.Options
		cut    string
		most   int
	}{
		{"gzip", fetch.Options{}, fetch.CutRatio, 8 << 20},
		{"br", fetch.Options{}, fetch.CutRatio, 16 << 20},
		{"zstd", fetch.Options{}, fetch.CutRatio, 4 << 20},
		{"deflate", fetch.Options{}, fetch.CutRatio, 8 << 20},
		{"gzip, gzip", fetch.Options{}, fetch.CutRatio, 1 << 20},
		{"br, zstd", fetch.Options{}, fetch.CutRatio, 16 << 20},
		{"gzip", fetch.Options{MaxBody: 2 << 20}, fetch.CutLength, 2 << 20},
		{"gzip", fetch.Options{MaxRatio: 20}, fetch.CutRatio, 2 << 20},
		{"gzip", fetch.Options{MaxWire: 1000}, fetch.CutLength, 1 << 20},
	}
	for _, test := range tests {
		r := get(t, newClient(t, w, test.o), w.Site(webtest.Bomb(test.coding, size)).URL)
		if len(r.Body) > test.most || !bytes.HasPrefix(r.Body, []byte("<html>")) {
			t.Errorf("%s: %d bytes %.20q, want at most %d", test.coding, len(r.Body), r.Body, test.most)
		}
		if r.Truncated != test.cut {
			t.Errorf("%s: Truncated = %q after %d bytes, want %q", test.coding, r.Truncated, len(r.Body), test.cut)
		}
	}
}

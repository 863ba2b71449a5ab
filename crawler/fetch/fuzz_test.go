package fetch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// decodeAll decodes data like an exchange does, without network.
func decodeAll(c *Client, data []byte, codings []string, limit int64) (body []byte, claimed int64, err error) {
	s := share{memory: c.memory}
	defer s.release()
	out := &buffer{pool: c.chunks, share: &s, hurried: true}
	err = c.decoders.decode(context.Background(), out, data, codings, limit)
	out.hurried = false
	body, joinErr := out.bytes(context.Background())
	return body, s.held, errors.Join(err, joinErr)
}

// Any bytes under any Content-Encoding: no panic, never more out than the limit, and no memory kept.
func FuzzDecode(f *testing.F) {
	for _, coding := range []string{"gzip", "br", "zstd", "gzip, br", "x-gzip,zstd", "identity", "deflate", ""} {
		data := []byte("<a href=/>hello</a>")
		if coding != "" {
			data = webtest.Encode(strings.ReplaceAll(coding, " ", ""), data)
		}
		f.Add(coding, data, uint16(10))
		f.Add(coding, data, uint16(1000))
	}
	c := New(Options{BodyMemory: 1 << 30})
	f.Cleanup(c.Close)
	free := c.memory.free
	f.Fuzz(func(t *testing.T, coding string, data []byte, limit uint16) {
		codings := contentCodings(http.Header{"Content-Encoding": {coding}})
		body, _, err := decodeAll(c, data, codings, int64(limit))
		if len(body) > int(limit) {
			t.Errorf("%d bytes out, limit %d", len(body), limit)
		}
		if errors.Is(err, errOverLimit) && len(body) > int(limit) || errors.Is(err, errNoRoom) {
			t.Errorf("%d bytes with %v", len(body), err)
		}
		if c.memory.free != free {
			t.Errorf("%d bytes of memory kept", free-c.memory.free)
		}
	})
}

// What webtest encodes comes out whole, and what is cut anywhere comes out as a prefix.
func FuzzDecode_Cut(f *testing.F) {
	f.Add([]byte("<p>text"), uint8(0), uint16(1000))
	f.Add(bytes.Repeat([]byte("<p>text"), 500), uint8(2), uint16(30))
	f.Add([]byte{}, uint8(3), uint16(0))
	c := New(Options{BodyMemory: 1 << 30})
	f.Cleanup(c.Close)
	codings := []string{"gzip", "br", "zstd", "gzip,br", "zstd,gzip", "deflate"}
	f.Fuzz(func(t *testing.T, data []byte, which uint8, cut uint16) {
		coding := codings[int(which)%len(codings)]
		sent := webtest.Encode(coding, data)
		list := contentCodings(http.Header{"Content-Encoding": {coding}})
		body, _, err := decodeAll(c, sent, list, int64(len(data)))
		if err != nil || !bytes.Equal(body, data) {
			t.Fatalf("%s: %d of %d bytes, %v", coding, len(body), len(data), err)
		}
		body, _, err = decodeAll(c, sent[:min(int(cut), len(sent))], list, int64(len(data)))
		if !bytes.HasPrefix(data, body) {
			t.Errorf("%s, cut at %d of %d: %d bytes that are no prefix (%v)", coding, cut, len(sent), len(body), err)
		}
	})
}

// Any bytes that are said to be gzip are the same when they are spooled as when they are not, in the same limits.
func FuzzSpooled(f *testing.F) {
	f.Add([]byte("plain"), uint16(100))
	f.Add(webtest.Encode("gzip", []byte("<urlset>")), uint16(100))
	f.Add(webtest.Encode("gzip", bytes.Repeat([]byte("<urlset>"), 100)), uint16(100))
	f.Add(webtest.Encode("gzip", []byte("<urlset>"))[:15], uint16(100))
	f.Add(webtest.Encode("gzip", []byte("<urlset>"))[:10], uint16(100))
	f.Fuzz(func(t *testing.T, sent []byte, limit uint16) {
		most := max(int64(limit), 1)
		if int64(len(sent)) > most {
			sent = sent[:most]
		}
		c := New(Options{MaxBody: most, MaxSpool: most})
		defer c.Close()
		body := &exchange{client: c, ctx: t.Context(), response: &Response{}}
		body.response.share.memory = c.memory
		wire := body.newBuffer()
		if err := wire.readFrom(t.Context(), nil, bytes.NewReader(sent), most); err != nil {
			t.Fatal(err)
		}
		want, err := body.decode(t.Context(), wire, []string{"gzip"})
		if err != nil {
			t.Fatal(err)
		}
		spooled := &exchange{client: c, ctx: t.Context(), response: &Response{}}
		s, err := spooled.receiveSpooled(bytes.NewReader(sent), true)
		if err == nil {
			err = spooled.measure(s)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer spooled.response.Release()
		got, err := io.ReadAll(spooled.response.Open())
		if err != nil || !bytes.Equal(got, want) || spooled.response.Truncated != body.response.Truncated {
			t.Errorf("spooled: %.60q, cut for %q, %v; else %.60q, cut for %q",
				got, spooled.response.Truncated, err, want, body.response.Truncated)
		}
	})
}

// Any URL: either refused, or asked for with the path and query as they are written, ^ and | in the path encoded, and nothing that
// splits a request.
func FuzzTarget(f *testing.F) {
	for _, url := range []string{
		"http://h/", "https://u:p@h:8/a%2fb?c#d", "http://h", "http://h?q", "http://h//a", "http://h/%", "http://h/a b", "http://@/", "http://[::1]:80/|?|", "http://h//^",
	} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := target(raw)
		if err != nil {
			return
		}
		sent := u.RequestURI()
		if !strings.HasPrefix(sent, "/") || strings.ContainsAny(sent, " \r\n#") || u.Host == "" || strings.ContainsAny(u.Host, "@/?#") || u.User != nil {
			t.Errorf("target(%q): asks %q for %q", raw, u.Host, sent)
		}
		rest, _, _ := strings.Cut(raw, "#")
		authorityPath, query, marked := strings.Cut(rest, "?")
		if rest = sentPath(authorityPath); marked {
			rest += "?" + query
		}
		if !strings.HasPrefix(sent, "//") && !strings.HasSuffix(rest, sent) && sent[1:] != "" && !strings.HasSuffix(rest, sent[1:]) {
			t.Errorf("target(%q) asks for %q", raw, sent)
		}
	})
}

// A bomb may consist of streams that decode to nothing.
func TestDecode_BoundsWhatPassesBetweenCodings(t *testing.T) {
	c := New(Options{})
	defer c.Close()
	nothing := webtest.Encode("gzip", bytes.Repeat(webtest.Encode("gzip", nil), 200_000))
	if body, _, err := decodeAll(c, nothing, []string{"gzip", "gzip"}, 1000); !errors.Is(err, errOverLimit) || len(body) > 0 {
		t.Errorf("%d bytes, %v, want %v", len(body), err, errOverLimit)
	}
}

func TestDecode_RefusesLargeZstdWindows(t *testing.T) {
	c := New(Options{})
	defer c.Close()
	big := webtest.EncodeZstd(make([]byte, 1000), 16<<20)
	if _, _, err := decodeAll(c, big, []string{"zstd"}, 1<<20); err == nil { // RFC 9659, 3
		t.Error("a zstd window of 16 MiB was accepted")
	}
	if _, _, err := decodeAll(c, webtest.EncodeZstd(make([]byte, 1000), 8<<20), []string{"zstd"}, 1<<20); err != nil {
		t.Errorf("a zstd window of 8 MiB: %v", err)
	}
}

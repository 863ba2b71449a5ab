package fetch

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/cybermapper/cybermapper/crawler/webtest"
)

func newTestBuffer(room int64) *buffer {
	return &buffer{pool: newChunkPool(), share: &share{memory: newMemory(room, 0)}}
}

func TestBuffer_ReadsUpToItsLimit(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789"), 500_000)
	for _, limit := range []int{0, 1, smallChunk - 1, smallChunk, 2*smallChunk + 1, exactSize, len(data) - 1, len(data), len(data) + 1} {
		for _, expect := range []int{-1, 0, 1000, limit, exactSize + 1} {
			b := newTestBuffer(1 << 30)
			b.expect(t.Context(), nil, int64(expect))
			err := b.readFrom(t.Context(), nil, bytes.NewReader(data), int64(limit))
			if over := limit < len(data); over != (errors.Is(err, errOverLimit)) || !over && err != nil {
				t.Errorf("limit %d, expected %d: %v", limit, expect, err)
			}
			want := data[:min(limit, len(data))]
			got, err := b.contiguous(t.Context())
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("limit %d, expected %d: %d bytes in one piece, %v, want %d", limit, expect, len(got), err, len(want))
			}
			if got, err = b.bytes(t.Context()); err != nil || !bytes.Equal(got, want) {
				t.Errorf("limit %d, expected %d: %d bytes, %v, want %d", limit, expect, len(got), err, len(want))
			}
		}
	}
}

func TestBuffer_DoesNotCopyWhatItExpected(t *testing.T) {
	data := bytes.Repeat([]byte("x"), 100_000)
	b := newTestBuffer(1 << 30)
	b.expect(t.Context(), nil, int64(len(data)))
	b.readFrom(t.Context(), nil, iotest.DataErrReader(bytes.NewReader(data)), 1<<20)
	first := &b.chunks[0].data[0]
	if got, _ := b.bytes(t.Context()); &got[0] != first || cap(got) != len(data) {
		t.Errorf("%d bytes with room for %d were copied", len(got), cap(got))
	}
}

func TestBuffer_HurriedDoesNotWait(t *testing.T) {
	b := newTestBuffer(0)
	b.hurried = true
	b.share.memory.borrower = new(share)
	err := b.readFrom(t.Context(), nil, strings.NewReader(strings.Repeat("x", 1<<20)), 1<<20)
	if !errors.Is(err, errNoRoom) || b.size != 2*smallChunk {
		t.Errorf("%v after %d bytes, want %v after the chunks that are free", err, b.size, errNoRoom)
	}
}

// inMemory runs test with a client for a web in memory.
func inMemory(t *testing.T, o Options, test func(t *testing.T, w *webtest.Web, c *Client)) {
	synctest.Test(t, func(t *testing.T) {
		w := webtest.InMemory(t)
		o.AllowPrivate, o.Dial, o.RootCAs = true, w.Dial, w.RootCAs()
		c := New(o)
		defer w.Close()
		defer c.Close()
		test(t, w, c)
	})
}

// A response holds as much memory as its body is long, or none when it is small, and none when there is no response.
func TestGet_HoldsNoMoreThanItsBody(t *testing.T) {
	long := strings.Repeat("<p>text", 50_000)
	inMemory(t, Options{}, func(t *testing.T, w *webtest.Web, c *Client) {
		free := c.memory.free
		for _, h := range []http.Handler{
			webtest.Page{Body: long}, webtest.NoLength(long), webtest.Encoded("gzip", long), webtest.Encoded("br, zstd", long),
			webtest.Cut(long[:200_000]), webtest.Page{Body: "small"}, webtest.Encoded("gzip", "small"), webtest.EndlessBody(),
		} {
			r, err := c.Get(t.Context(), Request{URL: w.Site(h).URL})
			if err != nil {
				t.Fatal(err)
			}
			held := int64(len(r.Body))
			if held <= smallChunk {
				held = 0
			}
			if got := free - c.memory.free; got != held {
				t.Errorf("a body of %d bytes holds %d", len(r.Body), got)
			}
			r.Release()
			if c.memory.free != free {
				t.Errorf("%d bytes held after Release", free-c.memory.free)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Get(ctx, Request{URL: w.Site(webtest.StallBody(long)).URL}); !errors.Is(err, context.DeadlineExceeded) || c.memory.free != free {
			t.Errorf("%d bytes held after %v", free-c.memory.free, err)
		}
	})
}

// While an HTTP/2 body waits for memory, net/http must not go on reading it into a buffer of its own.
func TestGet_HoldsBackHTTP2(t *testing.T) {
	inMemory(t, Options{BodyMemory: 1}, func(t *testing.T, w *webtest.Web, c *Client) {
		first, err := c.Get(t.Context(), Request{URL: w.Site(webtest.NoLength(strings.Repeat("x", 300_000))).URL})
		if err != nil {
			t.Fatal(err)
		}
		var sent atomic.Int64
		s := w.TLSSite(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for range 200 {
				n, _ := w.Write(make([]byte, 10_000))
				sent.Add(int64(n))
			}
		}))
		done := make(chan *Response)
		go func() {
			r, _ := c.Get(t.Context(), Request{URL: s.URL})
			done <- r
		}()
		synctest.Wait()
		if got := sent.Load(); got < 2*smallChunk || got > 2*smallChunk+2*maxStreamBuffer {
			t.Errorf("the server could send %d bytes to a client that waits after %d", got, 2*smallChunk)
		}
		first.Release()
		if r := <-done; r == nil || len(r.Body) != 2_000_000 || r.Proto != "HTTP/2.0" {
			t.Errorf("the body that waited is %+v", r)
		}
	})
}

// Bodies that came through pooled chunks stay what they were.
func TestGet_BodiesAreTheirOwn(t *testing.T) {
	inMemory(t, Options{}, func(t *testing.T, w *webtest.Web, c *Client) {
		var responses []*Response
		var want []string
		for i := range 20 {
			body := strings.Repeat(string(rune('a'+i)), 1000*(i+1))
			for _, h := range []http.Handler{webtest.NoLength(body), webtest.Encoded("gzip", body), webtest.Mislabelled("br", body)} {
				r, err := c.Get(t.Context(), Request{URL: w.Site(h).URL})
				if err != nil {
					t.Fatal(err)
				}
				r.Release()
				responses, want = append(responses, r), append(want, body)
			}
		}
		for i, r := range responses {
			if string(r.Body) != want[i] {
				t.Errorf("body %d was overwritten: %.20q, want %.20q", i, r.Body, want[i])
			}
		}
	})
}

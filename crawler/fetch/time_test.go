package fetch_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// inBubble runs test with a web in memory and a client for it, in a bubble of its own time.
func inBubble(t *testing.T, o fetch.Options, test func(t *testing.T, w *webtest.Web, c *fetch.Client)) {
	synctest.Test(t, func(t *testing.T) {
		w := webtest.InMemory(t)
		test(t, w, newClient(t, w, o))
	})
}

func TestGet_TimesOutBeforeTheHead(t *testing.T) {
	silent := func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go io.Copy(io.Discard, server) // ends when the client closes
		return client, nil
	}
	hang := func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	tests := []struct {
		name    string
		url     string
		dial    func(context.Context, string, string) (net.Conn, error)
		handler http.Handler
		after   time.Duration
		op      string
		host    bool
	}{
		{"connecting", "http://192.0.2.1/", hang, nil, 10 * time.Second, fetch.OpConnect, true},
		{"handshake", "https://192.0.2.1/", silent, nil, 10 * time.Second, fetch.OpConnect, true},
		{"silence", "http://192.0.2.1/", silent, nil, 30 * time.Second, fetch.OpRequest, false},
		{"stall", "", nil, webtest.Stall(), 30 * time.Second, fetch.OpRequest, false},
		{"slow header", "", nil, webtest.SlowHeader(7 * time.Second), 30 * time.Second, fetch.OpRequest, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := webtest.InMemory(t)
				c, url := newClient(t, w, fetch.Options{}), test.url
				if test.dial != nil {
					c = fetch.New(fetch.Options{AllowPrivate: true, Dial: test.dial})
					defer c.Close()
				} else {
					url = w.Site(test.handler).URL
				}
				start := time.Now()
				e := getError(t, c, url)
				if e.Kind != fetch.KindTimeout || e.Op != test.op || e.HostFailure() != test.host {
					t.Errorf("got %q at %q, host %v; want %q at %q, %v (%v)", e.Kind, e.Op, e.HostFailure(), fetch.KindTimeout, test.op, test.host, e)
				}
				if isTold := strings.Contains(e.Error(), "no TLS handshake within 10s"); isTold != (test.name == "handshake") {
					t.Errorf("it is told as %v", e)
				}
				if took := time.Since(start); took != test.after {
					t.Errorf("it took %v, want %v", took, test.after)
				}
			})
		})
	}
}

func TestGet_GivesEachAddressItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		resolver := fetch.NewResolver(fetch.ResolverOptions{Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")}, nil
		}})
		defer resolver.Close()
		var tried []string
		dial := func(ctx context.Context, _, address string) (net.Conn, error) {
			tried = append(tried, address)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		c := fetch.New(fetch.Options{AllowPrivate: true, Resolver: resolver, Dial: dial})
		defer c.Close()
		start := time.Now()
		e := getError(t, c, "http://two.test/")
		if took := time.Since(start); e.Kind != fetch.KindTimeout || took != 10*time.Second || len(tried) != 2 {
			t.Errorf("got %q after %v and %q, want a time-out of both in 10s", e.Kind, took, tried)
		}
	})
}

// Where one address of a host lets nobody in, as where only IPv4 gets through, only the first connection waits for it.
func TestGet_AddressThatAnswersComesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead, alive := netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("192.0.2.2")
		resolver := fetch.NewResolver(fetch.ResolverOptions{Lookup: lookups([]netip.Addr{dead, alive})})
		defer resolver.Close()
		var tried []string
		dial := func(ctx context.Context, _, address string) (net.Conn, error) {
			tried = append(tried, address)
			if address != "192.0.2.2:80" {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			ours, theirs := net.Pipe()
			go func() {
				defer theirs.Close()
				if _, err := http.ReadRequest(bufio.NewReader(theirs)); err == nil {
					fmt.Fprint(theirs, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
				}
			}()
			return ours, nil
		}
		c := fetch.New(fetch.Options{AllowPrivate: true, Resolver: resolver, Dial: dial})
		defer c.Close()
		start := time.Now()
		for range 3 {
			r, err := c.Get(t.Context(), fetch.Request{URL: "http://two.test/"})
			if err != nil {
				t.Fatal(err)
			}
			r.Release()
		}
		want := []string{"[2001:db8::1]:80", "192.0.2.2:80", "192.0.2.2:80", "192.0.2.2:80"}
		if took := time.Since(start); took != 5*time.Second || !slices.Equal(tried, want) {
			t.Errorf("3 requests took %v and tried %q, want 5s and %q", took, tried, want)
		}
	})
}

func TestGet_WaitsForASlowResolver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		resolver := fetch.NewResolver(fetch.ResolverOptions{Timeout: time.Hour, Lookup: func(ctx context.Context, _ string) ([]netip.Addr, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		defer resolver.Close()
		c := fetch.New(fetch.Options{Resolver: resolver})
		defer c.Close()
		start := time.Now()
		e := getError(t, c, "http://slow.test/")
		if took := time.Since(start); e.Kind != fetch.KindDNS || e.Op != fetch.OpResolve || took != 10*time.Second {
			t.Errorf("got %q at %q after %v, want %q after 10s", e.Kind, e.Op, took, fetch.KindDNS)
		}
	})
}

func TestGet_CutsSlowBodies(t *testing.T) {
	tests := []struct {
		name    string
		o       fetch.Options
		handler http.Handler
		cut     string
		after   time.Duration
		bytes   int
	}{
		{"stall", fetch.Options{}, webtest.StallBody(page), fetch.CutRate, 30 * time.Second, len(page)},
		{"stall after a good start", fetch.Options{}, webtest.StallBody(strings.Repeat(page, 5000)), fetch.CutRate, 60 * time.Second, len(page) * 5000},
		{"drip", fetch.Options{}, webtest.Drip(strings.Repeat("x", 1000), time.Second), fetch.CutRate, 30 * time.Second, 30},
		{"drip, any rate", fetch.Options{MinRate: -1, BodyTimeout: 100 * time.Second}, webtest.Drip(strings.Repeat("x", 1000), time.Second),
			fetch.CutTime, 100 * time.Second, 100},
		{"fast enough, too long", fetch.Options{BodyTimeout: 40 * time.Second}, webtest.Drip(strings.Repeat("x", 50_000), time.Millisecond),
			fetch.CutTime, 40 * time.Second, 40_000},
		{"too long, but steady", fetch.Options{BodyTimeout: 5 * time.Second, BodyRate: 900}, webtest.Drip(strings.Repeat("x", 50_000), time.Millisecond),
			"", 50 * time.Second, 50_000},
		{"steady at first", fetch.Options{BodyTimeout: 5 * time.Second, BodyRate: 900, RateWindow: time.Hour},
			webtest.StallBody(strings.Repeat("x", 18_000)), fetch.CutTime, 20 * time.Second, 18_000},
		{"fast enough", fetch.Options{}, webtest.Drip(strings.Repeat("x", 20_000), time.Millisecond), "", 20 * time.Second, 20_000},
		{"stall, encoded", fetch.Options{}, stallEncoded(), fetch.CutRate, 30 * time.Second, -1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, test.o, func(t *testing.T, w *webtest.Web, c *fetch.Client) {
				r := get(t, c, w.Site(test.handler).URL)
				took := r.End.Sub(r.FirstByte)
				if r.Truncated != test.cut || took.Round(time.Second) != test.after {
					t.Errorf("Truncated = %q after %v, want %q after %v", r.Truncated, took, test.cut, test.after)
				}
				if test.bytes >= 0 && (len(r.Body) < test.bytes || len(r.Body) > test.bytes+1) {
					t.Errorf("%d bytes, want %d", len(r.Body), test.bytes)
				}
				if test.bytes < 0 && !bytes.HasPrefix(r.Body, []byte(page)) {
					t.Errorf("%d bytes %.20q, want the decoded part", len(r.Body), r.Body)
				}
			})
		})
	}
}

// stallEncoded sends a whole gzip stream and keeps the reader waiting for more.
func stallEncoded() http.Handler {
	body := string(webtest.Encode("gzip", []byte(strings.Repeat(page, 100))))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		webtest.StallBody(body).ServeHTTP(w, r)
	})
}

func TestGet_TimesTheResponse(t *testing.T) {
	inBubble(t, fetch.Options{}, func(t *testing.T, w *webtest.Web, c *fetch.Client) {
		r := get(t, c, w.Site(webtest.Delay(20*time.Second, webtest.Drip("12345", time.Second))).URL)
		if first, end := r.FirstByte.Sub(r.Start), r.End.Sub(r.Start); first != 20*time.Second || end < 24*time.Second || end > 25*time.Second {
			t.Errorf("first byte after %v, end after %v, want 20s and 24s", first, end)
		}
	})
}

func TestGet_EndsWithItsContext(t *testing.T) {
	for name, h := range map[string]http.Handler{"head": webtest.Stall(), "body": webtest.StallBody(page)} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, fetch.Options{}, func(t *testing.T, w *webtest.Web, c *fetch.Client) {
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				start := time.Now()
				_, err := c.Get(ctx, fetch.Request{URL: w.Site(h).URL})
				var e *fetch.Error
				if !errors.As(err, &e) || e.Kind != fetch.KindCanceled || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error %v, want %q", err, fetch.KindCanceled)
				}
				if took := time.Since(start); took != 3*time.Second {
					t.Errorf("it took %v, want 3s", took)
				}
			})
		})
	}
}

// net/http goes on dialling when the request has been given up, which Close must end.
func TestClose_EndsDials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, ended := time.Now(), make(chan time.Duration, 2)
		c := fetch.New(fetch.Options{AllowPrivate: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			ended <- time.Since(start)
			return nil, ctx.Err()
		}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c.Get(ctx, fetch.Request{URL: "http://192.0.2.1/"})
		c.Close()
		c.Close()
		if took := <-ended; took != time.Second {
			t.Errorf("the dial ended after %v, want 1s", took)
		}
		if e := getError(t, c, "http://192.0.2.1/"); e.Kind != fetch.KindCanceled {
			t.Errorf("after Close: %q, want %q", e.Kind, fetch.KindCanceled)
		}
	})
}

// A body that waits for memory waits for us, not for the server.
func TestGet_WaitsForMemoryWithTheClockStopped(t *testing.T) {
	tests := map[string]http.Handler{
		"known length":   webtest.Page{Body: strings.Repeat("x", 300_000)},
		"unknown length": webtest.NoLength(strings.Repeat("x", 300_000)),
		"encoded":        webtest.Encoded("gzip", strings.Repeat("x", 300_000)),
	}
	for name, h := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, fetch.Options{BodyMemory: 1, Decoders: 1}, func(t *testing.T, w *webtest.Web, c *fetch.Client) {
				first := get(t, c, w.Site(h).URL)
				var second *fetch.Response
				var wg sync.WaitGroup
				wg.Go(func() { second, _ = c.Get(t.Context(), fetch.Request{URL: w.Site(h).URL}) })
				synctest.Wait()
				small := get(t, c, w.Site(webtest.Encoded("br", page)).URL)
				if string(small.Body) != page {
					t.Error("a small body had to wait")
				}
				time.Sleep(20 * time.Minute)
				synctest.Wait()
				if second != nil {
					t.Error("the second body did not wait for the first")
				}
				first.Release()
				first.Release()
				wg.Wait()
				if second == nil || len(second.Body) != 300_000 || second.Truncated != "" {
					t.Errorf("the second body is %+v", second)
				}
				second.Release()
			})
		})
	}
}

func TestGet_StopsWaitingForMemoryWithItsContext(t *testing.T) {
	inBubble(t, fetch.Options{BodyMemory: 1}, func(t *testing.T, w *webtest.Web, c *fetch.Client) {
		get(t, c, w.Site(webtest.Page{Body: strings.Repeat("x", 300_000)}).URL)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err := c.Get(ctx, fetch.Request{URL: w.Site(webtest.EndlessBody()).URL})
		if e, ok := errors.AsType[*fetch.Error](err); !ok || e.Kind != fetch.KindCanceled {
			t.Errorf("error %v, want %q", err, fetch.KindCanceled)
		}
	})
}

// Many large bodies at once in little memory: each gets through, whatever it claims when.
func TestGet_DoesNotDeadlockOnMemory(t *testing.T) {
	for _, memory := range []int64{1, 5 << 20} {
		inBubble(t, fetch.Options{BodyMemory: memory, MaxBody: 1 << 20}, func(t *testing.T, w *webtest.Web, c *fetch.Client) {
			handlers := []http.Handler{
				webtest.EndlessBody(), webtest.Page{Body: strings.Repeat("x", 900_000)}, webtest.NoLength(strings.Repeat("x", 500_000)),
				webtest.Encoded("gzip", strings.Repeat(page, 50_000)), webtest.Encoded("zstd", strings.Repeat(page, 10_000)),
				webtest.Encoded("br, gzip", strings.Repeat(page, 30_000)), webtest.StallBody(strings.Repeat("x", 200_000)),
			}
			var wg sync.WaitGroup
			for i := range 60 {
				site := w.Site(handlers[i%len(handlers)])
				wg.Go(func() {
					r, err := c.Get(t.Context(), fetch.Request{URL: site.URL})
					if err != nil || len(r.Body) < 100_000 {
						t.Errorf("got %+v, %v", r, err)
					}
					time.Sleep(time.Second) // in use
					r.Release()
				})
			}
			wg.Wait()
		})
	}
}

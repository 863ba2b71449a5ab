package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A crawl of very many hosts that are not there, or that keep no connection, does not grow with them: what net/http remembers of
// each goes with its transport. One that keeps its connection is asked on it again and again.
func TestTransports_AreReplaced(t *testing.T) {
	dial := func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("nobody is there") }
	c := New(Options{AllowPrivate: true, Dial: dial})
	defer c.Close()
	first := c.transports.current()
	for i := range renewAfter / failureCount {
		if c.transports.current() != first {
			t.Fatalf("replaced after %d hosts", i)
		}
		if _, err := c.Get(t.Context(), Request{URL: fmt.Sprintf("http://127.1.%d.%d/", i>>8, i&255)}); err == nil {
			t.Fatal("a host that is not there answers")
		}
	}
	if c.transports.current() == first {
		t.Errorf("after %d hosts the transport is still the same", renewAfter/failureCount)
	}

	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	kept := New(Options{AllowPrivate: true})
	defer kept.Close()
	for range 20 {
		r, err := kept.Get(t.Context(), Request{URL: s.URL + "/"})
		if err != nil {
			t.Fatal(err)
		}
		r.Release()
	}
	if n := kept.transports.tried; n != 1 {
		t.Errorf("%d connections for 20 requests to one host", n)
	}
}

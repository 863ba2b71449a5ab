package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"
)

// A connection is one of HTTP/1: it mends the heads of responses, and notes what goes over it for the exchange under way. net/http
// reads and writes in goroutines of its own, which may still be at it when the exchange has ended.
type connection struct {
	net.Conn
	state *tls.ConnectionState // nil when not encrypted

	most    int         // bytes of a head; what is longer goes through as it is
	awaited atomic.Bool // a head comes next
	unread  []byte      // of the reader: a head, and what came with it
	begun   time.Time   // of the reader: when the last head began to come

	mu   sync.Mutex // guards wire and what it notes
	wire *Wire      // nil between exchanges
}

// Read implements net.Conn.
func (c *connection) Read(p []byte) (int, error) {
	if len(c.unread) > 0 {
		n := copy(p, c.unread)
		c.unread = c.unread[n:]
		return n, nil
	}
	n, err := c.receive(p)
	if n == 0 || !c.awaited.Load() {
		return n, err
	}
	c.begun = time.Now()
	rest, whole := c.mend(p[:n])
	if whole {
		return len(rest), nil // an error comes again
	}
	begun := append(make([]byte, 0, 2*n), rest...)
	for !whole && err == nil && len(begun) < c.most {
		n, err = c.receive(p)
		begun = append(begun, p[:n]...)
		if mayEndHead(begun[max(len(begun)-n-len("\r\n"), 0):]) {
			begun, whole = c.mend(begun)
		}
	}
	c.awaited.Store(false)
	n = copy(p, begun)
	c.unread = begun[n:]
	return n, nil
}

// mayEndHead reports whether a line of b is empty, so that a head may end there.
func mayEndHead(b []byte) bool {
	return bytes.Contains(b, []byte("\n\r\n")) || bytes.Contains(b, []byte("\n\n"))
}

// maxInterim is how many interim responses are mended before an answer.
const maxInterim = 10

// mend mends all heads at the start of b; whole is false when more of them is to come.
func (c *connection) mend(b []byte) (rest []byte, whole bool) {
	kept := 0
	for range maxInterim {
		rest, interim, ok := mendHead(b[kept:])
		b = append(b[:kept], rest...)
		if !ok {
			return b, false
		}
		if !interim {
			break
		}
		kept += headEnd(rest)
	}
	c.awaited.Store(false)
	return b, true
}

// receive reads from the connection.
func (c *connection) receive(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wire != nil {
		c.wire.received(p[:n])
	}
	return n, err
}

// Write implements net.Conn. It notes first: the answer may be here before the writing is known to have ended.
func (c *connection) Write(p []byte) (int, error) {
	c.mu.Lock()
	if c.wire != nil {
		c.wire.sent(p)
	}
	c.mu.Unlock()
	return c.Conn.Write(p)
}

// setDials lets t make connections by d, over TLS of the first of these protocols that the server speaks. Those of HTTP/2 are no
// *connection: what they carry is noted above them.
func setDials(t *http.Transport, d *dialer, o Options, protocols []string) {
	most := int(o.MaxHeader)
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &connection{Conn: conn, most: most}, nil
	}
	config := t.TLSClientConfig.Clone()
	config.NextProtos = protocols
	t.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		secure, err := handshake(ctx, conn, address, config, o)
		if err != nil {
			conn.Close()
			return nil, err
		}
		state := secure.ConnectionState()
		if state.NegotiatedProtocol == "h2" {
			return secure, nil
		}
		return &connection{Conn: secure, state: &state, most: most}, nil
	}
}

// handshake makes a connection secure, as net/http does.
func handshake(ctx context.Context, conn net.Conn, address string, config *tls.Config, o Options) (*tls.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	config = config.Clone()
	config.ServerName = host
	limited, cancel := context.WithTimeout(ctx, o.ConnectTimeout)
	defer cancel()
	secure := tls.Client(conn, config)
	err = secure.HandshakeContext(limited)
	if err == nil {
		return secure, nil
	}
	if ctx.Err() == nil && limited.Err() != nil {
		err = fmt.Errorf("no TLS handshake within %v: %w", o.ConnectTimeout, limited.Err())
	}
	if trace := httptrace.ContextClientTrace(ctx); trace != nil && trace.TLSHandshakeDone != nil {
		trace.TLSHandshakeDone(tls.ConnectionState{}, err)
	}
	return nil, err
}

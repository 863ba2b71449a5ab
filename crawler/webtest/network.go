package webtest

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"syscall"
)

// A network gives each site an address of its own.
type network interface {
	listen(port uint16) (net.Listener, netip.AddrPort, error)
	dial(ctx context.Context, network, addr string) (net.Conn, error)
}

// addresses counts through 127.0.0.0/8 from a random start, which keeps test processes that run at once apart.
type addresses struct {
	mu   sync.Mutex // guards next
	next uint32
}

func newAddresses() *addresses { return &addresses{next: rand.Uint32()} }

// take returns the next address. It leaves out 127.0.x.y, where services of the machine live, and last bytes 0 and 255.
func (a *addresses) take() netip.Addr {
	a.mu.Lock()
	defer a.mu.Unlock()
	for {
		a.next++
		b := [4]byte{127, byte(a.next >> 16), byte(a.next >> 8), byte(a.next)}
		if b[1] != 0 && b[3] != 0 && b[3] != 255 {
			return netip.AddrFrom4(b)
		}
	}
}

// loopback is the network of real sockets.
type loopback struct {
	addresses *addresses
	dialer    net.Dialer
}

func newLoopback() *loopback { return &loopback{addresses: newAddresses()} }

// listen takes any free port of the next address that can be listened on; the wish for a port is ignored.
func (n *loopback) listen(uint16) (net.Listener, netip.AddrPort, error) {
	var err error
	for range 8 {
		var l net.Listener
		if l, err = net.Listen("tcp", netip.AddrPortFrom(n.addresses.take(), 0).String()); err == nil {
			return l, addrPort(l), nil
		}
		if errors.Is(err, syscall.EADDRNOTAVAIL) { // a system with 127.0.0.1 only
			break
		}
	}
	l, lerr := net.Listen("tcp", "127.0.0.1:0")
	if lerr != nil {
		return nil, netip.AddrPort{}, errors.Join(err, lerr)
	}
	return l, addrPort(l), nil
}

// FreeAddress returns an address on loopback, host and port, at which nobody listens, for a program that is to listen there later.
// No connection that goes out is given it meanwhile, as would happen on 127.0.0.1.
func FreeAddress(tb TB) string {
	tb.Helper()
	l, addr, err := newLoopback().listen(0)
	if err != nil {
		tb.Fatalf("no free address: %v", err)
	}
	l.Close()
	return addr.String()
}

func addrPort(l net.Listener) netip.AddrPort { return l.Addr().(*net.TCPAddr).AddrPort() }

func (n *loopback) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return n.dialer.DialContext(ctx, network, addr)
}

// pipes is the network of net.Pipe connections.
type pipes struct {
	addresses *addresses

	mu        sync.Mutex // guards the fields below
	port      uint16     // the last one given to a client
	listeners map[string]*pipeListener
}

func newPipes() *pipes {
	return &pipes{addresses: newAddresses(), listeners: make(map[string]*pipeListener)}
}

func (n *pipes) listen(port uint16) (net.Listener, netip.AddrPort, error) {
	addr := netip.AddrPortFrom(n.addresses.take(), port)
	l := &pipeListener{addr: net.TCPAddrFromAddrPort(addr), conns: make(chan net.Conn), closed: make(chan struct{})}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.listeners[addr.String()] = l
	return l, addr, nil
}

func (n *pipes) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	n.mu.Lock()
	l := n.listeners[addr]
	n.port++
	from := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1024 + int(n.port)%60000}
	n.mu.Unlock()
	refused := &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	if l == nil {
		return nil, refused
	}
	client, server := net.Pipe()
	select {
	case l.conns <- pipeConn{server, l.addr, from}:
		return pipeConn{client, from, l.addr}, nil
	case <-l.closed:
		return nil, refused
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type pipeListener struct {
	addr   *net.TCPAddr
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return l.addr }

// pipeConn is an end of a pipe that has addresses like a TCP connection.
type pipeConn struct {
	net.Conn
	local, remote net.Addr
}

func (c pipeConn) LocalAddr() net.Addr  { return c.local }
func (c pipeConn) RemoteAddr() net.Addr { return c.remote }

package brokertest

import (
	"net"
	"sync"
	"testing"
)

// A Proxy stands between nodes and a broker. It is safe for concurrent use.
type Proxy struct {
	listener net.Listener
	running  sync.WaitGroup

	mu       sync.Mutex
	to       string
	conns    map[net.Conn]bool
	swallows bool
	held     chan struct{} // closed when what is kept back may go on; nil when nothing is
	ended    bool
}

// StartProxy starts one for a test, and stops it when that ends.
func StartProxy(t testing.TB, to *Broker) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: l, to: to.Address(), conns: make(map[net.Conn]bool)}
	p.running.Go(p.accept)
	t.Cleanup(func() {
		l.Close()
		p.mu.Lock()
		p.ended = true
		p.cutLocked()
		p.mu.Unlock()
		p.Hold(false)
		p.running.Wait()
	})
	return p
}

// URL returns where the proxy listens.
func (p *Proxy) URL() string { return "nats://" + p.listener.Addr().String() }

// Swallow lets nothing of what the broker says reach a node, or lets it again, on new connections.
func (p *Proxy) Swallow(does bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.swallows && !does {
		p.cutLocked()
	}
	p.swallows = does
}

// Turn lets nodes reach another broker, on new connections.
func (p *Proxy) Turn(to *Broker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to = to.Address()
	p.cutLocked()
}

// Hold keeps back all that is sent, both ways, as a network does that is cut, or lets it go on, with what was sent meanwhile.
func (p *Proxy) Hold(does bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case does && p.held == nil:
		p.held = make(chan struct{})
	case !does && p.held != nil:
		close(p.held)
		p.held = nil
	}
}

// cutLocked ends all connections.
func (p *Proxy) cutLocked() {
	for c := range p.conns {
		c.Close()
	}
}

func (p *Proxy) accept() {
	for {
		node, err := p.listener.Accept()
		if err != nil {
			return
		}
		broker, err := net.Dial("tcp", p.target())
		if err != nil || !p.enter(node, broker) {
			node.Close()
			continue
		}
		p.running.Go(func() { p.copy(broker, node, false) })
		p.running.Go(func() { p.copy(node, broker, true) })
	}
}

func (p *Proxy) target() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.to
}

// enter notes the connections, unless the proxy has ended: then it closes the second.
func (p *Proxy) enter(node, broker net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		broker.Close()
		return false
	}
	p.conns[node], p.conns[broker] = true, true
	return true
}

// copy passes on what comes from one side until that ends, to its last byte.
func (p *Proxy) copy(to, from net.Conn, isAnswer bool) {
	defer p.leave(to)
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if p.passes(isAnswer) {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// passes waits while everything is kept back, and reports whether what was read is to be passed on.
func (p *Proxy) passes(isAnswer bool) bool {
	p.mu.Lock()
	held := p.held
	p.mu.Unlock()
	if held != nil {
		<-held
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return !isAnswer || !p.swallows
}

func (p *Proxy) leave(c net.Conn) {
	c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}

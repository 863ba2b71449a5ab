package fetch

import (
	"net/http"
	"sync"
)

// renewAfter is how many connections are tried before net/http is begun anew.
const renewAfter = 10_000

// transports hands out the transport of now. One of net/http remembers every origin that it has tried to connect to and from which
// it kept no connection, some 600 bytes each, for as long as it lives: a crawl of millions of hosts that are not there would fill
// the memory. So it is replaced now and then. It is safe for concurrent use.
type transports struct {
	make func() *http.Transport

	mu    sync.Mutex // guards following
	now   *http.Transport
	tried int
}

func newTransports(make func() *http.Transport) *transports {
	return &transports{make: make, now: make()}
}

func (t *transports) current() *http.Transport {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now
}

// connected counts a connection that was made, or could not be. What is under way with an old transport ends with it; connections
// that are given back to it are closed.
func (t *transports) connected() {
	t.mu.Lock()
	t.tried++
	var old *http.Transport
	if t.tried >= renewAfter {
		old, t.now, t.tried = t.now, t.make(), 0
	}
	t.mu.Unlock()
	if old != nil {
		old.CloseIdleConnections()
	}
}

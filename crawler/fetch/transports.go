package fetch

import (
	"net/http"
	"sync"
)

// How many connections are tried before net/http is begun anew. One that could not be made counts for several: what is remembered
// of it is of no use to anybody, where one that was made may be kept.
const (
	renewAfter   = 10_000
	failureCount = 5
)

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

// connected counts a connection that was made, or, if isFailed, could not be used. What is under way with an old transport ends with it; connections
// that are given back to it are closed.
func (t *transports) connected(isFailed bool) {
	t.mu.Lock()
	t.tried++
	if isFailed {
		t.tried += failureCount - 1
	}
	var old *http.Transport
	if t.tried >= renewAfter {
		old, t.now, t.tried = t.now, t.make(), 0
	}
	t.mu.Unlock()
	if old != nil {
		old.CloseIdleConnections()
	}
}

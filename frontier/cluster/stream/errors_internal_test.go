package stream

import (
	"fmt"
	"net"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Ensure that a store that is full is told from one that is about to be closed, and from a message that is never taken: brokers
// have one code for all.
func TestStoreFailed(t *testing.T) {
	for _, tt := range []struct {
		description     string
		isFull, passing bool
	}{
		{"maximum bytes exceeded", true, false},
		{"maximum messages exceeded", true, false},
		{"store is closed", false, true},
		{"message too large", false, false},
	} {
		err := fmt.Errorf("publish: %w", &jetstream.APIError{Code: 503, ErrorCode: codeStoreFailed, Description: tt.description})
		if full, passing := isFull(err), isPassing(err); full != tt.isFull || passing != tt.passing {
			t.Errorf("%s: full %v, passing %v, want %v, %v", tt.description, full, passing, tt.isFull, tt.passing)
		}
	}
}

// Ensure that what may be gone soon is told from what stays, also when the client names it otherwise than its API does.
func TestIsPassing(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{nats.ErrNoResponders, true},
		{jetstream.ErrNoHeartbeat, true},
		{jetstream.ErrConsumerNotFound, true}, // brokers forget a reader when they are started again
		{&jetstream.APIError{Code: 503, ErrorCode: 10008}, true},
		{&net.OpError{Op: "write", Net: "tcp", Err: syscall.ECONNRESET}, true}, // the connection broke while it was written to
		{&net.OpError{Op: "write", Net: "tcp", Err: net.ErrClosed}, true},
		{jetstream.ErrStreamNotFound, false},
		{jetstream.ErrMsgNotFound, false},
		{jetstream.ErrKeyNotFound, false},
		{nats.ErrConnectionClosed, false},
		{nats.ErrMaxPayload, false},
		{failure{nats.ErrTimeout}, false},                                                    // of whoever reads
		{&jetstream.APIError{Code: 400, ErrorCode: codeNoPeers, Description: noPeers}, true}, // the leader has not heard of them
		{&jetstream.APIError{Code: 400, ErrorCode: codeNoPeers, Description: noPeers + ", peer offline"}, true},
		{&jetstream.APIError{Code: 400, ErrorCode: codeNoPeers, Description: noPeers + ", peer offline, insufficient storage"}, false},
		{&jetstream.APIError{Code: 400, ErrorCode: codeNoPeers, Description: noPeers + ", tags not matched ['a']"}, false},
	} {
		if got := isPassing(fmt.Errorf("ask: %w", tt.err)); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.err, got, tt.want)
		}
	}
}

package stream

import (
	"fmt"
	"testing"

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

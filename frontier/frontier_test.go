package frontier_test

import (
	"testing"

	"github.com/cybermapper/cybermapper/frontier"
)

// The ledgers of all crawls hold these words, and proofs compare them.
func TestStatus_String(t *testing.T) {
	for s, want := range map[frontier.Status]string{
		frontier.Unknown: "unknown", frontier.Queued: "queued", frontier.Retrying: "retrying",
		frontier.Done: "done", frontier.Refused: "refused", frontier.Failed: "failed", frontier.Failed + 1: "unknown",
	} {
		if got := s.String(); got != want {
			t.Errorf("Status(%d).String() = %q, want %q", s, got, want)
		}
	}
}

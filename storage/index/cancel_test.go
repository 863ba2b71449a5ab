package index_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/cybermapper/cybermapper/storage/index"
)

// A change that is interrupted says so, and not what the database makes of it.
func TestApply_Interrupted(t *testing.T) {
	x := open(t, index.Options{})
	var c index.Change
	for i := range 500 {
		c.Documents = append(c.Documents, index.Document{
			URL: fmt.Sprintf("https://example.org/%d", i), MaxSnippet: -1, Text: index.Text{Title: fmt.Sprint(i), Body: "some words"},
		})
	}
	for range 30 { // wherever it is
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- x.Apply(ctx, c) }()
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted: %v", err)
		}
	}
}

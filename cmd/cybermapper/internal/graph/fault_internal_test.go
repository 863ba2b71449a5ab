package graph

import (
	"context"
	"slices"
	"testing"
	"time"
)

// Many who ask for faults at the same time get them and their pages: none holds a connection while it waits for another.
func TestFaults_ManyAtOnce(t *testing.T) {
	g, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if _, err := g.db.Exec(`INSERT INTO urls(id, url, host, stored, digest) VALUES
		(1, 'a', 'h', 1, 'x'), (2, 'b', 'h', 1, 'x'), (3, 'c', 'h', 1, 'y'), (4, 'd', 'h', 1, 'y')`); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	n := g.db.Stats().MaxOpenConnections
	all, ended := make(chan struct{}, n), make(chan []string, n)
	for range n {
		go func() {
			var pages []string
			for f, err := range g.Faults(ctx, Duplicate, FaultOptions{}) {
				if err != nil {
					t.Error(err)
					break
				}
				if pages = append(pages, f.Pages...); len(pages) == 2 {
					for all <- struct{}{}; len(all) < n && ctx.Err() == nil; { // until all have met their first fault
						time.Sleep(time.Millisecond)
					}
				}
			}
			ended <- pages
		}()
	}
	for range n {
		if pages := <-ended; !slices.Equal(pages, []string{"a", "b", "c", "d"}) {
			t.Errorf("pages %q", pages)
		}
	}
}

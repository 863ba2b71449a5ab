package disk_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
)

// A crawl that is interrupted goes on where it was.
func Example() {
	dir, err := os.MkdirTemp("", "frontier")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	dir = filepath.Join(dir, "frontier")

	fetchOne(dir, "http://example.com/")
	fetchOne(dir)
	// Output:
	// http://example.com/
	// http://example.com/next
}

// fetchOne opens the frontier, adds links, and pretends to fetch one page.
func fetchOne(dir string, seeds ...string) {
	ctx := context.Background()
	f, err := disk.Open(dir, disk.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	for _, raw := range seeds {
		u, err := frontier.ParseURL(raw)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := f.Add(ctx, []frontier.Link{{URL: u}}); err != nil {
			log.Fatal(err)
		}
	}
	lease, err := f.Lease(ctx, 0)
	if err != nil {
		log.Fatal(err)
	}
	defer lease.Close()
	e, _, err := lease.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.URL)
	next, err := e.URL.Resolve("/next")
	if err != nil {
		log.Fatal(err)
	}
	found := []frontier.Link{{URL: next, Via: e.URL, Depth: e.Depth + 1}}
	if _, err := lease.Settle(ctx, frontier.Outcome{Entry: e, Status: frontier.Done, Code: 200, Links: found}); err != nil {
		log.Fatal(err)
	}
}

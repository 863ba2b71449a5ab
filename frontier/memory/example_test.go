package memory_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/memory"
)

func ExampleNew() {
	ctx := context.Background()
	f := memory.New()
	defer f.Close()
	u, err := frontier.ParseURL("https://example.com/")
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		added, err := f.Add(ctx, []frontier.Link{{URL: u}})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d new, %d known\n", added.New, added.Known)
	}
	info, err := f.Lookup(ctx, u)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.Status == frontier.Queued, f.Close())
	// Output:
	// 1 new, 0 known
	// 0 new, 1 known
	// true <nil>
}

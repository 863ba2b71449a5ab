package cluster_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
	"github.com/cybermapper/cybermapper/frontier/cluster/tenure"
)

// A node visits what there is, alone as yet.
func Example() {
	dir, err := os.MkdirTemp("", "cluster")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	servers, err := brokertest.Run(dir, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer servers.Stop()

	ctx := context.Background()
	node, err := cluster.Join(ctx, cluster.JoinOptions{
		Node: "one",
		Stream: stream.Options{
			Servers: servers.URLs(), Job: "example", Partitions: 2,
			Replicas: 1, AllowUnsafe: true, // one broker is not enough for more than an example
		},
		Tenure:   tenure.Options{Renew: time.Second, Settle: time.Second}, // nobody else comes
		Frontier: cluster.Options{Dir: dir},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer node.Close()
	home, _ := frontier.ParseURL("https://example.org/")
	node.Add(ctx, []frontier.Link{{URL: home}})
	for {
		lease, err := node.Lease(ctx, time.Minute)
		if err != nil {
			fmt.Println(err)
			return
		}
		entry, _, _ := lease.Next(ctx)
		grant, _ := lease.Permit(ctx, lease.Site())
		fmt.Println("ask for", entry.URL)
		grant.Done(time.Second)
		lease.Settle(ctx, frontier.Outcome{Entry: entry, Status: frontier.Done, Page: true})
		lease.Close()
	}
	// Output:
	// ask for https://example.org/
	// frontier: nothing left to fetch
}

package stream_test

import (
	"context"
	"fmt"
	"os"

	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
)

// What an owner has written, the next one reads; and then the first is told that its time is over.
func Example() {
	dir, err := os.MkdirTemp("", "brokers")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	c, err := brokertest.Run(dir, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Stop()

	ctx := context.Background()
	brokers, err := stream.Connect(ctx, stream.Options{
		Servers: c.URLs(), Job: "example", Partitions: 1,
		Replicas: 1, AllowUnsafe: true, // one broker is not enough for more than an example
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer brokers.Close()
	first, err := brokers.Own(ctx, 0, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	first.Append([]byte("page 1 is done"))

	second, err := brokers.Own(ctx, 0, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	second.Replay(0, func(_ uint64, record []byte) error {
		fmt.Println(string(record))
		return nil
	})
	_, err = first.Append([]byte("page 2 is done"))
	fmt.Println(err)
	// Output:
	// page 1 is done
	// append to the log of partition 0: stream: another owner has begun
}

package tenure

import (
	"context"
	"fmt"
	"time"
)

// Hold fetches while it may and returns when another is to go on.
func ExampleNew() {
	ctx, stop := context.WithCancel(context.Background())
	node, err := New(newMemory(), Options{
		Name: "crawler-1", Partitions: 1, Settle: 10 * time.Millisecond, Renew: 10 * time.Millisecond,
		Hold: func(t *Tenure) {
			fmt.Println("partition", t.Partition(), "is ours:", t.Valid())
			stop()      // the program is told to end
			<-t.Asked() // so Run asks for the partition
			fmt.Println("and until Hold returns it stays ours:", t.Valid())
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(node.Run(ctx))
	// Output:
	// partition 0 is ours: true
	// and until Hold returns it stays ours: true
	// <nil>
}

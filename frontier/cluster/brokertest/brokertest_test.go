package brokertest_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
)

func TestMain(m *testing.M) {
	brokertest.Main()
	m.Run()
}

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
	nc, err := nats.Connect(c.URLs()[0])
	if err != nil {
		fmt.Println(err)
		return
	}
	defer nc.Close()
	fmt.Println(nc.ConnectedServerName())
	// Output: broker0
}

package broker_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/cybermapper/cybermapper/frontier/cluster/broker"
)

func TestMain(m *testing.M) {
	broker.Main()
	m.Run()
}

func start(t *testing.T) *broker.Cluster {
	t.Helper()
	c, err := broker.Run(t.TempDir(), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	return c
}

// Ensure that a broker can be killed, and comes back on its files.
func TestBroker_Kill(t *testing.T) {
	c := start(t)
	b := c.Brokers[0]
	for range 2 {
		nc, err := nats.Connect(b.URL())
		if err != nil {
			t.Fatal(err)
		}
		nc.Close()
		b.Kill()
		if nc, err := nats.Connect(b.URL()); err == nil {
			nc.Close()
			t.Error("a broker that was killed answers")
		}
		if err := b.Start(); err != nil {
			t.Fatal(err)
		}
	}
}

// Ensure that brokers can stay for as long as somebody is connected to one of them, also when others do not run, or have died.
func TestCluster_WaitForClients(t *testing.T) {
	c, err := broker.Run(t.TempDir(), 3)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	c.Brokers[0].Kill()
	if err := c.Brokers[2].Process().Kill(); err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(c.Brokers[1].URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	cut, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.WaitForClients(cut); !errors.Is(err, context.Canceled) {
		t.Errorf("with a client: %v", err)
	}
	nc.Close()
	if err := c.WaitForClients(t.Context()); err != nil {
		t.Errorf("when it has gone: %v", err)
	}
}

// Ensure that the port of a broker is none that Linux gives to a connection which goes out: it would be taken now and then.
func TestRun_Ports(t *testing.T) {
	c := start(t)
	_, port, err := net.SplitHostPort(c.Brokers[0].Address())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := strconv.Atoi(port); err != nil || n >= 32768 {
		t.Errorf("the port is %s, %v", port, err)
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "brokers")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	c, err := broker.Run(dir, 1)
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

// Ensure that a broker whose port another has taken is an error, and is not mixed up with the other.
func TestBroker_PortTaken(t *testing.T) {
	b := start(t).Brokers[0]
	b.Kill()
	l, err := net.Listen("tcp", b.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := b.Start(); err == nil || !strings.Contains(err.Error(), "does not listen at "+b.Address()) {
		t.Errorf("a broker whose port is taken: %v", err)
	}
}

package brokertest

import (
	"testing"

	"github.com/cybermapper/cybermapper/frontier/cluster/broker"
)

// A Cluster is some brokers on loopback.
type Cluster = broker.Cluster

// A Broker is one of them.
type Broker = broker.Broker

// Main makes this process a broker, for good, if a test began it as one. It is called first in TestMain.
func Main() { broker.Main() }

// Start starts n brokers for a test, and stops them when it ends; see broker.Run.
func Start(t testing.TB, n int) *Cluster {
	t.Helper()
	return StartWith(t, n, "")
}

// StartWith is Start with more settings, in the form of a broker's configuration file.
func StartWith(t testing.TB, n int, config string) *Cluster {
	t.Helper()
	c, err := broker.RunWith(t.TempDir(), n, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	return c
}

// Run is broker.Run.
func Run(dir string, n int) (*Cluster, error) { return broker.Run(dir, n) }

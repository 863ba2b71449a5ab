package brokertest

import (
	"math/rand/v2"
	"net"
	"testing"

	"github.com/cybermapper/cybermapper/frontier/cluster/broker"
)

// A Cluster is some brokers on loopback.
type Cluster = broker.Cluster

// A Broker is one of them.
type Broker = broker.Broker

// Options are those of brokers.
type Options = broker.Options

// Main makes this process a broker, for good, if a test began it as one. It is called first in TestMain.
func Main() { broker.Main() }

// Start starts n brokers for a test, and stops them when it ends; see broker.Run. They have an address of their own, if the system
// has more than one for itself: between the choice of a port and its use, or while a broker is to be started again, no broker of
// another test takes it.
func Start(t testing.TB, n int) *Cluster {
	t.Helper()
	return StartWith(t, n, Options{})
}

// StartWith is Start with options.
func StartWith(t testing.TB, n int, o Options) *Cluster {
	t.Helper()
	if o.Host == "" {
		o.Host = ownHost()
	}
	c, err := broker.RunWith(t.TempDir(), n, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	return c
}

// ownHost returns an address of loopback that is nobody else's, of sixteen million; where there is but one, that.
func ownHost() string {
	host := net.IPv4(127, byte(1+rand.IntN(254)), byte(rand.IntN(256)), byte(1+rand.IntN(254))).String()
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "127.0.0.1"
	}
	l.Close()
	return host
}

// Run is broker.Run.
func Run(dir string, n int) (*Cluster, error) { return broker.Run(dir, n) }

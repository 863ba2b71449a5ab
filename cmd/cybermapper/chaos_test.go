package main

import (
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/chaos"
)

// Ensure that a crawl of several nodes survives what testdata/chaos does to one for longer: a node and a broker that are killed, a
// node that is frozen beyond its lease, one that loses its files, and one that leaves.
func TestCluster_Chaos(t *testing.T) {
	if testing.Short() {
		t.Skip("three brokers and faults take half a minute")
	}
	t.Parallel()
	r := chaos.Run{
		Command: executable(t), Work: t.TempDir(), Hosts: 15, Pages: 40, Nodes: 2, Partitions: 6, Lease: 6 * time.Second,
		Delay: 700 * time.Millisecond, Rest: 500 * time.Millisecond, Patience: 2 * time.Minute, Seed: 20, Out: t.Output(),
		Faults: []chaos.Fault{chaos.LoseState, chaos.FreezeNode, chaos.KillBroker, chaos.Leave},
	}
	v, err := r.Do(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v.Print(t.Output())
	if v.Failed() {
		t.Error("the crawl did not survive")
	}
}

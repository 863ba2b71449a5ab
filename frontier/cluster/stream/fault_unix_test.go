//go:build unix

package stream_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
)

// Ensure that what was acknowledged is there, once and in order, when brokers stand still for a while, one after the other and two
// at once, and then go on as if nothing had been; and that a reader goes on too.
func TestLog_BrokersAreFrozen(t *testing.T) {
	if testing.Short() {
		t.Skip("three brokers")
	}
	t.Parallel()
	c := brokertest.Start(t, 3)
	b := connect(t, c, nil)
	stop := make(chan struct{})
	done := counted(t, mustOwn(t, b, 0, 1), stop)
	received := make(chan string, 1000)
	go b.Receive(t.Context(), 1, 0, func(_ uint64, m []byte) error { received <- string(m); return nil })
	sent := 0
	for _, frozen := range [][]int{{0}, {1}, {2}, {0, 1}} {
		signal(t, c, frozen, syscall.SIGSTOP)
		time.Sleep(8 * time.Second)
		signal(t, c, frozen, syscall.SIGCONT)
		if err := b.Send(t.Context(), 1, fmt.Sprint(sent), fmt.Append(nil, sent)); err != nil {
			t.Fatal(err)
		}
		select {
		case m := <-received:
			if m != fmt.Sprint(sent) {
				t.Errorf("%q is received, want %d", m, sent)
			}
		case <-time.After(15 * time.Second):
			t.Fatalf("message %d is not received", sent)
		}
		sent++
	}
	close(stop)
	n := <-done
	wantCounted(t, mustOwn(t, b, 0, 2), n)
	t.Logf("%d records", n)
}

func signal(t *testing.T, c *brokertest.Cluster, brokers []int, s syscall.Signal) {
	t.Helper()
	for _, i := range brokers {
		if err := c.Brokers[i].Process().Signal(s); err != nil {
			t.Fatal(err)
		}
	}
}

// Ensure that of those who send links while a broker does not answer none waits for another, and each for no longer than it may.
func TestSend_BrokerIsFrozen(t *testing.T) {
	t.Parallel()
	c := brokertest.Start(t, 1)
	b := connect(t, c, nil)
	signal(t, c, []int{0}, syscall.SIGSTOP)
	defer signal(t, c, []int{0}, syscall.SIGCONT)
	for sendFor(t, b, 100*time.Millisecond) == nil { // the signal is on its way
	}
	first := make(chan error, 1)
	go func() { first <- sendFor(t, b, 3*time.Second) }()
	time.Sleep(200 * time.Millisecond)
	begin := time.Now()
	if err := sendFor(t, b, 200*time.Millisecond); err == nil {
		t.Error("a message is acknowledged by a broker that stands still")
	}
	if took := time.Since(begin); took > 1500*time.Millisecond {
		t.Errorf("who may wait 200 ms waits %v", took)
	}
	if err := <-first; err == nil {
		t.Error("a message is acknowledged by a broker that stands still")
	}
}

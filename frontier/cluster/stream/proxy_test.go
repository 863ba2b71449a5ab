package stream_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
)

func sendFor(t *testing.T, b *stream.Brokers, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return b.Send(ctx, 0, "id", []byte("link"))
}

// counted appends numbers to a log until stop is closed, and tells how many were acknowledged.
func counted(t *testing.T, l *stream.Log, stop <-chan struct{}) <-chan uint64 {
	done := make(chan uint64, 1)
	go func() {
		n := uint64(0)
		defer func() { done <- n }()
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := l.Append(binary.BigEndian.AppendUint64(nil, n)); err != nil {
				t.Errorf("append %d: %v", n, err)
				return
			}
			n++
		}
	}()
	return done
}

// wantCounted wants a log to have the numbers up to n, once each and in order.
func wantCounted(t *testing.T, l *stream.Log, n uint64) {
	t.Helper()
	var got uint64
	err := l.Replay(0, func(_ uint64, r []byte) error {
		if v := binary.BigEndian.Uint64(r); v != got {
			return fmt.Errorf("record %d comes when %d should", v, got)
		}
		got++
		return nil
	})
	if err != nil || got != n || n == 0 {
		t.Errorf("%d records, %v, want %d", got, err, n)
	}
}

// Ensure that what was appended, sent and set while acknowledgements are lost is there once, and that none is taken for another's.
func TestLostAcknowledgements(t *testing.T) {
	t.Parallel()
	c := brokertest.Start(t, 1)
	direct := connect(t, c, nil)
	p := brokertest.StartProxy(t, c.Brokers[0])
	b := connect(t, c, func(o *stream.Options) { o.Servers = []string{p.URL()} })
	l := mustOwn(t, b, 0, 1)
	stop := make(chan struct{})
	done := counted(t, l, stop)
	sent := make(chan uint64, 1)
	go func() {
		n := uint64(0)
		defer func() { sent <- n }()
		for {
			select {
			case <-stop:
				return
			default:
			}
			message := binary.BigEndian.AppendUint64(nil, n)
			if err := b.Send(t.Context(), 1, fmt.Sprint("id", n), message); err != nil {
				t.Errorf("send %d: %v", n, err)
				return
			}
			n++
		}
	}()
	for range 5 {
		time.Sleep(100 * time.Millisecond)
		p.Swallow(true)
		time.Sleep(50 * time.Millisecond)
		p.Swallow(false)
		time.Sleep(1500 * time.Millisecond) // until the node has connected again
	}
	close(stop)
	n, m := <-done, <-sent
	wantCounted(t, mustOwn(t, direct, 0, 2), n)
	if _, err := l.Append(nil); !errors.Is(err, stream.ErrFenced) {
		t.Errorf("the former owner appends: %v", err)
	}
	got, ctx := uint64(0), t.Context()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	last, err := direct.Last(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	end := errors.New("the end")
	err = direct.Receive(ctx, 1, 0, func(at uint64, message []byte) error {
		if v := binary.BigEndian.Uint64(message); v != got {
			t.Errorf("message %d comes when %d should", v, got)
		}
		if got++; at == last {
			return end
		}
		return nil
	})
	if !errors.Is(err, end) || got != m {
		t.Errorf("%d messages, %v, want %d", got, err, m)
	}
	t.Logf("%d records, %d messages", n, m)
}

// Ensure that a message which does not arrive is noticed though none comes after it.
func TestReceive_LastIsLost(t *testing.T) {
	t.Parallel()
	c := brokertest.Start(t, 1)
	direct := connect(t, c, nil)
	p := brokertest.StartProxy(t, c.Brokers[0])
	b := connect(t, c, func(o *stream.Options) { o.Servers = []string{p.URL()} })
	arrived, end := make(chan string), errors.New("the end")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		done <- b.Receive(ctx, 0, 0, func(_ uint64, message []byte) error {
			arrived <- string(message)
			if string(message) == "third" {
				return end
			}
			return nil
		})
	}()
	send := func(message string) {
		t.Helper()
		if err := direct.Send(ctx, 0, message, []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	send("first")
	got := []string{<-arrived}
	p.Swallow(true)
	send("second")
	send("third")
	time.Sleep(100 * time.Millisecond) // the broker has delivered them
	p.Swallow(false)
	for len(got) < 3 {
		select {
		case m := <-arrived:
			got = append(got, m)
		case err := <-done:
			t.Fatalf("%q have arrived, %v", got, err)
		}
	}
	if err := <-done; !errors.Is(err, end) {
		t.Error(err)
	}
	if want := []string{"first", "second", "third"}; !slices.Equal(got, want) {
		t.Errorf("%q have arrived, want %q", got, want)
	}
}

// Ensure that connections which break while much is being written to them cost nothing but time.
func TestSend_ConnectionBreaksAmidst(t *testing.T) {
	t.Parallel()
	c := brokertest.Start(t, 1)
	p := brokertest.StartProxy(t, c.Brokers[0])
	b := connect(t, c, func(o *stream.Options) { o.Servers = []string{p.URL()} })
	l, other := mustOwn(t, b, 0, 1), mustOwn(t, b, 1, 1)
	const senders = 64 // more than fits between the node and the proxy, so that one of them is writing
	p.Hold(true)
	done := make(chan error, senders+2)
	for i := range senders {
		go func() { done <- b.Send(t.Context(), 0, fmt.Sprint(i), noise(700_000+i)) }()
	}
	for _, l := range []*stream.Log{l, other} {
		go func() { _, err := l.Append(noise(4 << 20)); done <- err }()
	}
	time.Sleep(time.Second)
	p.Swallow(true)
	p.Swallow(false) // which breaks the connection
	p.Hold(false)
	for range senders + 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// Ensure that who watches values sees the last ones, though what was said of them is lost and none comes after.
func TestWatch_LastIsLost(t *testing.T) {
	t.Parallel()
	c := brokertest.Start(t, 1)
	direct := connect(t, c, nil)
	p := brokertest.StartProxy(t, c.Brokers[0])
	b := connect(t, c, func(o *stream.Options) { o.Servers = []string{p.URL()} })
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	seen := make(chan string, 100)
	go func() {
		for ctx.Err() == nil {
			b.Watch(ctx, "own.", func(key string, value []byte, _ uint64) { seen <- key + " " + string(value) })
		}
	}()
	set := func(key, value string) {
		t.Helper()
		if _, err := direct.CompareAndSet(ctx, key, []byte(value), 0); err != nil {
			t.Fatal(err)
		}
	}
	wait := func(want string) {
		t.Helper()
		for {
			select {
			case got := <-seen:
				if got == want {
					return
				}
			case <-ctx.Done():
				t.Fatalf("%q is not seen", want)
			}
		}
	}
	set("own.0", "first")
	wait("own.0 first")
	p.Swallow(true)
	set("own.1", "second")
	set("own.2", "third")
	time.Sleep(100 * time.Millisecond) // the broker has told of them
	p.Swallow(false)
	wait("own.1 second")
	wait("own.2 third")
}

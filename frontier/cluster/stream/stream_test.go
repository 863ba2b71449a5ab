package stream_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
)

func TestMain(m *testing.M) {
	brokertest.Main()
	m.Run()
}

func connect(t testing.TB, c *brokertest.Cluster, change func(*stream.Options)) *stream.Brokers {
	t.Helper()
	o := stream.Options{
		Servers: c.URLs(), Job: "test", Node: "node", Partitions: 2, Replicas: len(c.Brokers), AllowUnsafe: len(c.Brokers) < 3,
	}
	if change != nil {
		change(&o)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	b, err := stream.Connect(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// Ensure that who does not own a partition reads all records of its log, and takes nothing from its owner.
func TestReplay_Another(t *testing.T) {
	t.Parallel()
	c := brokertest.Start(t, 1)
	owner, other := connect(t, c, nil), connect(t, c, nil)
	read := func(after uint64) (records []string) {
		t.Helper()
		err := other.Replay(t.Context(), 0, after, func(_ uint64, record []byte) error {
			records = append(records, string(record))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return records
	}
	if got := read(0); len(got) != 0 {
		t.Errorf("a log that nobody has begun has %q", got)
	}
	l := mustOwn(t, owner, 0, 1)
	for i, want := range [][]string{{"a"}, {"a", "b"}} {
		if _, err := l.Append([]byte(want[i])); err != nil {
			t.Fatal(err)
		}
		if got := read(0); !slices.Equal(got, want) {
			t.Errorf("the log has %q, want %q", got, want)
		}
	}
}

// replayed returns all records of a log.
func replayed(t testing.TB, l *stream.Log, after uint64) (records []string, places []uint64) {
	t.Helper()
	err := l.Replay(after, func(at uint64, record []byte) error {
		records, places = append(records, string(record)), append(places, at)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return records, places
}

func mustOwn(t testing.TB, b *stream.Brokers, partition int, epoch uint64) *stream.Log {
	t.Helper()
	l, err := b.Own(t.Context(), partition, epoch)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Ensure that a log gives back what was appended, records of any size, and that nobody appends once another owner has begun.
func TestLog(t *testing.T) {
	c := brokertest.Start(t, 1)
	b := connect(t, c, nil)
	first := mustOwn(t, b, 0, 7)
	large := make([]byte, 3<<20)
	rand.NewChaCha8([32]byte{}).Read(large)
	want := []string{"a", "", strings.Repeat("link ", 1000), string(large), "b"}
	var places []uint64
	for _, r := range want {
		at, err := first.Append([]byte(r))
		if err != nil {
			t.Fatal(err)
		}
		places = append(places, at)
	}
	if !slices.IsSorted(places) {
		t.Errorf("places are %v", places)
	}
	if _, err := first.Append(make([]byte, 256<<20+1)); err == nil {
		t.Error("a record is taken that could not be replayed")
	}
	second := mustOwn(t, b, 0, 9)
	if _, err := first.Append([]byte("late")); !errors.Is(err, stream.ErrFenced) {
		t.Errorf("the first owner appends: %v, want %v", err, stream.ErrFenced)
	}
	got, at := replayed(t, second, 0)
	if !slices.Equal(got, want) || !slices.Equal(at, places) {
		t.Errorf("%d records are replayed, at %v, want %d at %v", len(got), at, len(want), places)
	}
	for i, at := range places { // a record of several messages is there whole, or not at all
		if got, _ := replayed(t, second, at); !slices.Equal(got, want[i+1:]) {
			t.Errorf("%d records after record %d, want %d", len(got), i, len(want)-i-1)
		}
		if got, _ := replayed(t, second, at-1); !slices.Equal(got, want[i:]) {
			t.Errorf("%d records from record %d on, want %d", len(got), i, len(want)-i)
		}
	}
	if _, err := b.Own(t.Context(), 0, 8); !errors.Is(err, stream.ErrFenced) {
		t.Errorf("an owner of an earlier epoch begins: %v", err)
	}
	if _, err := second.Append([]byte("c")); err != nil {
		t.Error(err)
	}
	third := mustOwn(t, b, 0, 10)
	if got, _ := replayed(t, third, 0); !slices.Equal(got, append(want, "c")) {
		t.Errorf("%d records in the end, want %d", len(got), len(want)+1)
	}
	if got, _ := replayed(t, mustOwn(t, b, 1, 1), 0); len(got) != 0 {
		t.Errorf("another partition has %q", got)
	}
}

// Ensure that an inbox gives what was sent, once for each id, and waits for more.
func TestInbox(t *testing.T) {
	c := brokertest.Start(t, 1)
	b := connect(t, c, nil)
	if last, err := b.Last(t.Context(), 0); err != nil || last != 0 {
		t.Errorf("Last = %d, %v, want 0", last, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	got := make(chan string, 100)
	done := make(chan error, 1)
	go func() {
		done <- b.Receive(ctx, 0, 0, func(at uint64, m []byte) error { got <- string(m); return nil })
	}()
	for i := range 10 {
		for range 2 {
			if err := b.Send(t.Context(), 0, fmt.Sprint("id", i), []byte(strings.Repeat(fmt.Sprint(i), 1+i*200))); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range 10 {
		if m := <-got; m != strings.Repeat(fmt.Sprint(i), 1+i*200) {
			t.Errorf("message %d is %q", i, m)
		}
	}
	select {
	case m := <-got:
		t.Errorf("%q comes twice", m)
	case <-time.After(200 * time.Millisecond):
	}
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Receive = %v", err)
	}
	if last, err := b.Last(t.Context(), 0); err != nil || last == 0 {
		t.Errorf("Last = %d, %v", last, err)
	}
}

// Ensure that of several who write a value one does, and that who watches sees the last.
func TestRegister(t *testing.T) {
	c := brokertest.Start(t, 1)
	b := connect(t, c, nil)
	seen := make(chan string, 100)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go b.Watch(ctx, "own.", func(key string, value []byte, _ uint64) { seen <- key + "=" + string(value) })
	if _, rev, err := b.Get(t.Context(), "own.1"); err != nil || rev != 0 {
		t.Errorf("Get = %d, %v, want nothing", rev, err)
	}
	rev, err := b.CompareAndSet(t.Context(), "own.1", []byte("a"), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []uint64{0, rev + 1} {
		if _, err := b.CompareAndSet(t.Context(), "own.1", []byte("b"), wrong); !errors.Is(err, stream.ErrConflict) {
			t.Errorf("CompareAndSet on %d = %v, want %v", wrong, err, stream.ErrConflict)
		}
	}
	next, err := b.CompareAndSet(t.Context(), "own.1", []byte("c"), rev)
	if err != nil || next <= rev {
		t.Errorf("CompareAndSet = %d, %v", next, err)
	}
	if v, r, err := b.Get(t.Context(), "own.1"); err != nil || string(v) != "c" || r != next {
		t.Errorf("Get = %q, %d, %v", v, r, err)
	}
	if err := b.Delete(t.Context(), "own.1", rev); !errors.Is(err, stream.ErrConflict) {
		t.Errorf("Delete = %v, want %v", err, stream.ErrConflict)
	}
	if err := b.Delete(t.Context(), "own.1", next); err != nil {
		t.Error(err)
	}
	if _, r, err := b.Get(t.Context(), "own.1"); err != nil || r != 0 {
		t.Errorf("Get after Delete = %d, %v", r, err)
	}
	if _, err := b.CompareAndSet(t.Context(), "own.1", []byte("d"), 0); err != nil {
		t.Error(err)
	}
	for last := ""; last != "own.1=d"; {
		last = <-seen
	}
}

// Ensure that nodes which begin a crawl at the same moment, at brokers that have just started, all take part in the same one.
func TestConnect_AtOnce(t *testing.T) {
	c := brokertest.Start(t, 3)
	secrets := make([]string, 3)
	var joining sync.WaitGroup
	for i := range secrets {
		joining.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			b, err := stream.Connect(ctx, stream.Options{Servers: c.URLs(), Job: "test", Partitions: 8, Replicas: 3})
			if err != nil {
				t.Error(err)
				return
			}
			defer b.Close()
			secrets[i] = string(b.Secret())
		})
	}
	joining.Wait()
	if secrets[0] == "" || secrets[1] != secrets[0] || secrets[2] != secrets[0] {
		t.Errorf("they take part in different crawls")
	}
}

// Ensure that a job is the same for all, and that an error names the setting it is about.
func TestConnect_Errors(t *testing.T) {
	c := brokertest.Start(t, 1)
	first := connect(t, c, nil)
	second := connect(t, c, nil)
	if !slices.Equal(first.Secret(), second.Secret()) || len(first.Secret()) != 32 {
		t.Errorf("secrets are %x and %x", first.Secret(), second.Secret())
	}
	for _, tt := range []struct {
		name   string
		change func(*stream.Options)
		want   string
	}{
		{"other partitions", func(o *stream.Options) { o.Partitions = 4 }, "partitions: test was begun with 2, not 4"},
		{"no name", func(o *stream.Options) { o.Job = "a b" }, "crawl: "},
		{"no servers", func(o *stream.Options) { o.Servers = nil }, "servers: "},
		{
			"nobody there", func(o *stream.Options) { o.Servers = []string{"nats://127.0.0.1:1"} },
			"servers: none of nats://127.0.0.1:1",
		},
		{"one replica", func(o *stream.Options) { o.AllowUnsafe = false }, "replicas: "},
		{"too many replicas", func(o *stream.Options) { o.Job, o.Replicas = "other", 3 }, "replicas: "},
		{"credentials", func(o *stream.Options) { o.Credentials = "/no/such/file" }, "credentials: "},
		{"authorities", func(o *stream.Options) { o.CA = "/no/such/file" }, "ca: "},
	} {
		o := stream.Options{Servers: c.URLs(), Job: "test", Partitions: 2, Replicas: 1, AllowUnsafe: true}
		tt.change(&o)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		b, err := stream.Connect(ctx, o)
		cancel()
		if err == nil {
			b.Close()
		}
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// Ensure that what was acknowledged is there, once and in order, when brokers are killed one after the other, and all at once.
func TestLog_BrokersAreKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("three brokers")
	}
	t.Parallel()
	c := brokertest.Start(t, 3)
	b := connect(t, c, nil)
	l := mustOwn(t, b, 0, 1)
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		n := uint64(0)
		for {
			select {
			case <-stop:
				done <- n
				return
			default:
			}
			if _, err := l.Append(binary.BigEndian.AppendUint64(nil, n)); err != nil {
				t.Errorf("append %d: %v", n, err)
				<-stop
				done <- n
				return
			}
			n++
		}
	}()
	for _, broker := range c.Brokers {
		time.Sleep(500 * time.Millisecond)
		broker.Kill()
		time.Sleep(200 * time.Millisecond)
		mustStart(t, broker)
		time.Sleep(5 * time.Second) // until it has caught up
	}
	for _, broker := range c.Brokers {
		broker.Kill()
	}
	for _, broker := range c.Brokers {
		mustStart(t, broker)
	}
	time.Sleep(time.Second)
	close(stop)
	n := <-done
	var got uint64
	err := mustOwn(t, b, 0, 2).Replay(0, func(_ uint64, r []byte) error {
		if v := binary.BigEndian.Uint64(r); v != got {
			return fmt.Errorf("record %d comes when %d should", v, got)
		}
		got++
		return nil
	})
	if err != nil || got != n {
		t.Errorf("%d records, %v, want %d", got, err, n)
	}
	t.Logf("%d records", n)
}

func mustStart(t testing.TB, b *brokertest.Broker) {
	t.Helper()
	if err := b.Start(); err != nil {
		t.Fatal(err)
	}
}

package stream_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
)

func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n)}).Read(b)
	return b
}

// Ensure that objects of any size are kept, listed and removed, and that others who know JetStream's object store can read them.
func TestObjects(t *testing.T) {
	c := brokertest.Start(t, 1)
	b := connect(t, c, nil)
	o := b.Objects()
	if names, err := o.List(t.Context(), ""); err != nil || len(names) != 0 {
		t.Errorf("List = %q, %v", names, err)
	}
	all := map[string][]byte{"0001-small": noise(1), "0001-large": noise(3<<20 + 7), "0002-whole": noise(512 << 10)}
	for name, data := range all {
		if err := o.Put(t.Context(), name, iotest(data)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range all {
		var got bytes.Buffer
		if err := connect(t, c, nil).Objects().Get(t.Context(), name, &got); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("Get %s gives %d bytes, %v, want %d", name, got.Len(), err, len(want))
		}
		if got := readByOthers(t, c, name); !bytes.Equal(got, want) {
			t.Errorf("others get %d bytes of %s, want %d", len(got), name, len(want))
		}
	}
	names, err := o.List(t.Context(), "0001-")
	if slices.Sort(names); err != nil || !slices.Equal(names, []string{"0001-large", "0001-small"}) {
		t.Errorf("List = %q, %v", names, err)
	}
	if err := o.Delete(t.Context(), "0001-large"); err != nil {
		t.Error(err)
	}
	if err := o.Get(t.Context(), "0001-large", io.Discard); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get of what was removed: %v, want %v", err, fs.ErrNotExist)
	}
	if err := o.Delete(t.Context(), "0001-large"); err != nil {
		t.Errorf("Delete of what was removed: %v", err)
	}
	failed := errors.New("failed")
	if err := o.Put(t.Context(), "0003-part", io.MultiReader(iotest(noise(1<<20)), failing{failed})); !errors.Is(err, failed) {
		t.Errorf("Put of what cannot be read: %v, want %v", err, failed)
	}
	if names, err := o.List(t.Context(), "0003-"); err != nil || len(names) != 1 {
		t.Errorf("List = %q, %v, want what is there in part", names, err)
	}
}

// iotest returns a reader that gives less than it is asked for.
func iotest(b []byte) io.Reader { return &slow{bytes.NewReader(b)} }

type slow struct{ r io.Reader }

func (s *slow) Read(b []byte) (int, error) { return s.r.Read(b[:min(len(b), 100_000)]) }

type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

// readByOthers reads an object as the client of the brokers does, which compares its hash.
func readByOthers(t *testing.T, c *brokertest.Cluster, name string) []byte {
	t.Helper()
	nc, err := nats.Connect(strings.Join(c.URLs(), ","))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	store, err := js.ObjectStore(t.Context(), "CM_test_snap")
	if err != nil {
		t.Fatal(err)
	}
	b, err := store.GetBytes(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Ensure that an object is written and read to its end while brokers die and come back.
func TestObjects_BrokersDie(t *testing.T) {
	if testing.Short() {
		t.Skip("three brokers")
	}
	t.Parallel()
	c := brokertest.Start(t, 3)
	b := connect(t, c, nil)
	want := noise(40 << 20)
	var got bytes.Buffer
	for _, do := range []func(ctx context.Context) error{
		func(ctx context.Context) error { return b.Objects().Put(ctx, "0000-x", bytes.NewReader(want)) },
		func(ctx context.Context) error { return b.Objects().Get(ctx, "0000-x", &got) },
	} {
		done := make(chan error, 1)
		go func() { done <- do(t.Context()) }()
		for _, broker := range c.Brokers {
			time.Sleep(200 * time.Millisecond)
			broker.Kill()
			time.Sleep(200 * time.Millisecond)
			if err := broker.Start(); err != nil {
				t.Fatal(err)
			}
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%d bytes are read, want %d", got.Len(), len(want))
	}
}

// Ensure that a stream forgets what it is told to, and no more: the last message of each kind stays, and with it the fence.
func TestTrim(t *testing.T) {
	c := brokertest.Start(t, 1)
	b := connect(t, c, nil)
	first := mustOwn(t, b, 0, 7)
	var places, inbox []uint64
	for i := range 10 {
		at, err := first.Append([]byte(strings.Repeat("record", 200_000*(i%2)+1)))
		if err != nil {
			t.Fatal(err)
		}
		places = append(places, at)
		if err := b.Send(t.Context(), 0, "id"+string(rune('a'+i)), []byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
		last, err := b.Last(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		inbox = append(inbox, last)
	}
	for _, below := range []uint64{0, 1} {
		if err := b.Trim(t.Context(), 0, below, below); err != nil {
			t.Fatal(err)
		}
		if got, _ := replayed(t, first, 0); len(got) != 10 {
			t.Fatalf("%d records are left after Trim(%d), want 10", len(got), below)
		}
	}
	if err := b.Trim(t.Context(), 0, places[5], inbox[3]); err != nil {
		t.Fatal(err)
	}
	if _, at := replayed(t, mustOwn(t, b, 0, 8), 0); !slices.Equal(at, places[5:]) {
		t.Errorf("the log has %v, want %v", at, places[5:])
	}
	if got := received(t, b, 7); got[0] != 3 {
		t.Errorf("the inbox has %v", got)
	}
	if from, last, size, err := b.Extent(t.Context(), 0); err != nil || from != inbox[3] || last <= places[9] || size == 0 {
		t.Errorf("Extent = %d, %d, %d, %v", from, last, size, err)
	}
	if err := b.Trim(t.Context(), 0, 1<<40, 1<<40); err != nil {
		t.Fatal(err)
	}
	if got := received(t, b, 1); got[0] != 9 {
		t.Errorf("the inbox has %v", got)
	}
	if last, err := b.Last(t.Context(), 0); err != nil || last != inbox[9] {
		t.Errorf("Last = %d, %v, want %d", last, err, inbox[9])
	}
	if _, err := first.Append([]byte("late")); !errors.Is(err, stream.ErrFenced) {
		t.Errorf("a former owner appends: %v, want %v", err, stream.ErrFenced)
	}
	if _, err := b.Own(t.Context(), 0, 7); !errors.Is(err, stream.ErrFenced) {
		t.Errorf("a former owner begins: %v, want %v", err, stream.ErrFenced)
	}
	if at, err := mustOwn(t, b, 0, 9).Append([]byte("next")); err != nil || at <= places[9] {
		t.Errorf("Append = %d, %v", at, err)
	}
}

// received returns the first byte of n messages of the inbox.
func received(t *testing.T, b *stream.Brokers, n int) (got []byte) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	err := b.Receive(ctx, 0, 0, func(_ uint64, m []byte) error {
		if got = append(got, m[0]); len(got) == n {
			stop()
		}
		return nil
	})
	if len(got) != n || !errors.Is(err, context.Canceled) {
		t.Fatalf("%d messages are received, %v, want %d", len(got), err, n)
	}
	return got
}

// Ensure that a stream that was lost is made anew, with places after all that it had.
func TestRecreate(t *testing.T) {
	c := brokertest.Start(t, 1)
	b := connect(t, c, nil)
	l := mustOwn(t, b, 0, 7)
	at, err := l.Append([]byte("old"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := b.Recreate(t.Context(), 0, at+1000); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Append([]byte("late")); err == nil {
		t.Error("the former owner appends to the new stream")
	}
	next := mustOwn(t, b, 0, 8)
	if again, err := next.Append([]byte("new")); err != nil || again <= at+1000 {
		t.Errorf("Append = %d, %v, want more than %d", again, err, at+1000)
	}
	if got, _ := replayed(t, next, 0); !slices.Equal(got, []string{"new"}) {
		t.Errorf("the log has %q", got)
	}
}

// Ensure that an object which is removed while it is read is missed, and not waited for.
func TestObjects_RemovedWhileRead(t *testing.T) {
	t.Parallel()
	c := brokertest.Start(t, 1)
	direct := connect(t, c, nil).Objects()
	const size = 32 << 20
	if err := direct.Put(t.Context(), "0001-object", bytes.NewReader(noise(size))); err != nil {
		t.Fatal(err)
	}
	p := brokertest.StartProxy(t, c.Brokers[0])
	o := connect(t, c, func(o *stream.Options) { o.Servers = []string{p.URL()} }).Objects()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var once sync.Once
	got := 0
	err := o.Get(ctx, "0001-object", writerFunc(func(b []byte) (int, error) {
		once.Do(func() {
			p.Swallow(true)
			if err := direct.Delete(ctx, "0001-object"); err != nil {
				t.Error(err)
			}
			p.Swallow(false)
		})
		got += len(b)
		return len(b), nil
	}))
	if err == nil && got == size {
		t.Skip("all of it had come before it was removed")
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get: %v, want %v", err, fs.ErrNotExist)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// operator returns JetStream as somebody uses it who does not go through this package.
func operator(t testing.TB, c *brokertest.Cluster) jetstream.JetStream {
	t.Helper()
	nc, err := nats.Connect(strings.Join(c.URLs(), ","))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// Ensure that a stream which was lost, or lost and made by somebody else, is not taken for that of the job by anybody, as it would
// look like an empty one; and that one which the job makes anew is.
func TestStream_Lost(t *testing.T) {
	t.Parallel()
	for _, isMade := range []bool{false, true} {
		name := map[bool]string{false: "gone", true: "made by somebody else"}[isMade]
		t.Run(name, func(t *testing.T) {
			c := brokertest.Start(t, 1)
			b, other := connect(t, c, nil), connect(t, c, nil)
			l := mustOwn(t, b, 0, 1)
			if _, err := l.Append([]byte("record")); err != nil {
				t.Fatal(err)
			}
			received := make(chan error, 1)
			go func() { received <- other.Receive(t.Context(), 0, 0, func(uint64, []byte) error { return nil }) }()
			js := operator(t, c)
			s, err := js.Stream(t.Context(), "CM_test_0000")
			if err != nil {
				t.Fatal(err)
			}
			if err := js.DeleteStream(t.Context(), "CM_test_0000"); err != nil {
				t.Fatal(err)
			}
			if isMade {
				if _, err := js.CreateStream(t.Context(), s.CachedInfo().Config); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			for name, do := range map[string]func() error{
				"Own":     func() error { _, err := other.Own(ctx, 0, 2); return err },
				"Send":    func() error { return other.Send(ctx, 0, "id", []byte("link")) },
				"Last":    func() error { _, err := other.Last(ctx, 0); return err },
				"Extent":  func() error { _, _, _, err := other.Extent(ctx, 0); return err },
				"Trim":    func() error { return other.Trim(ctx, 0, 1, 1) },
				"Receive": func() error { return <-received },
				"Connect": func() error { _, err := connect(t, c, nil).Own(ctx, 0, 2); return err },
			} {
				if err := do(); !errors.Is(err, stream.ErrDamaged) || !stream.IsMissing(err) {
					t.Errorf("%s: %v, want it to say that the stream is lost", name, err)
				}
			}
			if _, err := other.Own(ctx, 1, 2); err != nil {
				t.Errorf("another partition: %v", err)
			}
			if err := b.Recreate(ctx, 0, 1000); err != nil {
				t.Fatal(err)
			}
			for _, b := range []*stream.Brokers{other, b, connect(t, c, nil)} {
				if _, err := b.Own(ctx, 0, 3); err != nil {
					t.Errorf("Own of a stream that was made anew: %v", err)
				}
			}
		})
	}
}

// Ensure that whoever writes to a stream which is lost does not wait for it to come back.
func TestAppend_StreamIsLost(t *testing.T) {
	t.Parallel()
	c := brokertest.Start(t, 1)
	b := connect(t, c, nil)
	l, o, js := mustOwn(t, b, 0, 1), b.Objects(), operator(t, c)
	if err := o.Put(t.Context(), "0001-object", strings.NewReader("object")); err != nil {
		t.Fatal(err)
	}
	if err := b.Send(t.Context(), 1, "first", []byte("link")); err != nil { // there is room, as it knows for a while
		t.Fatal(err)
	}
	for _, name := range []string{"CM_test_0000", "CM_test_0001", "OBJ_CM_test_snap"} {
		if err := js.DeleteStream(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error, 3)
	for _, write := range []func() error{
		func() error { _, err := l.Append([]byte("record")); return err },
		func() error { return b.Send(t.Context(), 1, "second", []byte("link")) },
		func() error { return o.Put(t.Context(), "0002-object", strings.NewReader("object")) },
	} {
		go func() { done <- write() }()
		select {
		case err := <-done:
			if !errors.Is(err, stream.ErrDamaged) || !stream.IsMissing(err) {
				t.Errorf("%v, want it to say that the stream is lost", err)
			}
		case <-time.After(time.Minute):
			t.Error("it is waited for")
		}
	}
	if err := o.Get(t.Context(), "0001-object", io.Discard); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get of an object that was lost: %v, want %v", err, fs.ErrNotExist)
	}
	if err := o.Put(t.Context(), "0003-object", strings.NewReader("object")); err != nil {
		t.Errorf("Put after all were lost: %v", err)
	}
}

// Ensure that a job whose streams are there is not begun anew when the register is lost: another secret would send sites elsewhere.
func TestConnect_RegisterLost(t *testing.T) {
	c := brokertest.Start(t, 1)
	mustOwn(t, connect(t, c, nil), 0, 1)
	if err := operator(t, c).DeleteStream(t.Context(), "KV_CM_test_ctl"); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, c, nil, "crawl: ")
}

// Ensure that who has taken part in a job begins none in its place when all that the brokers kept of it is lost, and does not take
// one that another has begun since for it.
func TestConnect_JobLost(t *testing.T) {
	c := brokertest.Start(t, 1)
	begun := connect(t, c, nil).Begun()
	connect(t, c, func(o *stream.Options) { o.Begun = begun })
	js := operator(t, c)
	for name := range js.StreamNames(t.Context()).Name() {
		if err := js.DeleteStream(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	was := func(o *stream.Options) { o.Begun = begun }
	wantRefused(t, c, was, "none of the name test has begun at these brokers, though this node has taken part in one")
	if next := connect(t, c, nil).Begun(); next.Equal(begun) {
		t.Fatalf("the next one began at %v, too", next)
	}
	wantRefused(t, c, was, "another than this node has taken part in")
}

// wantRefused wants Connect to return an error that names a setting, in time.
func wantRefused(t *testing.T, c *brokertest.Cluster, change func(*stream.Options), want string) {
	t.Helper()
	o := stream.Options{
		Servers: c.URLs(), Job: "test", Partitions: 2, Replicas: len(c.Brokers), AllowUnsafe: len(c.Brokers) < 3,
	}
	if change != nil {
		change(&o)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
	defer cancel()
	begin := time.Now()
	b, err := stream.Connect(ctx, o)
	if err == nil {
		b.Close()
	}
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Connect: %v, want %q", err, want)
	}
	if took := time.Since(begin); took > 12*time.Second {
		t.Errorf("it takes %v to say so", took)
	}
}

// Ensure that the replicas of a job are those that it was begun with.
func TestConnect_OtherReplicas(t *testing.T) {
	c := brokertest.Start(t, 1)
	connect(t, c, nil)
	wantRefused(t, c, func(o *stream.Options) { o.Replicas = 3 }, "replicas: test was begun with 1, not 3")
}

// Ensure that all nodes have the lease that the job was begun with: others would take a partition from a node that waits longer.
func TestConnect_OtherLease(t *testing.T) {
	c := brokertest.Start(t, 1)
	connect(t, c, func(o *stream.Options) { o.Lease = 20 * time.Second })
	wantRefused(t, c, func(o *stream.Options) { o.Lease = 6 * time.Second }, "lease: test was begun with 20s, not 6s")
	connect(t, c, func(o *stream.Options) { o.Lease = 20 * time.Second })
	connect(t, c, nil)
}

// Ensure that who may not do what the job needs hears what that is.
func TestConnect_Denied(t *testing.T) {
	for _, tt := range []struct{ name, user, want string }{
		{"no user", "", "credentials: the brokers refuse them"},
		{"wrong password", "all:wrong@", "credentials: the brokers refuse them"},
		{"may not ask JetStream", "deaf:pw@", `credentials: the user lacks a permission: Permissions Violation for Publish to "$JS.API.`},
		{"may not hear answers", "mute:pw@", `credentials: the user lacks a permission: Permissions Violation for Subscription to "cm.test.answers.`},
		{"may not publish to logs", "writer:pw@", `credentials: the user lacks a permission: Permissions Violation for Publish to "cm.test.`},
		{"may not hear calls", "aloof:pw@", `credentials: the user lacks a permission: Permissions Violation for Subscription to "cm.test.`},
		{"may not write values", "reader:pw@", `credentials: the user lacks a permission: Permissions Violation for Publish to "$KV.`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := brokertest.StartWith(t, 1, brokertest.Options{Config: permissions})
			wantRefused(t, c, func(o *stream.Options) {
				o.Servers = []string{strings.Replace(c.URLs()[0], "//", "//"+tt.user, 1)}
			}, tt.want)
		})
	}
}

const permissions = `authorization { users: [
	{user: all, password: pw}
	{user: deaf, password: pw, permissions: {publish: "cm.>"}}
	{user: mute, password: pw, permissions: {subscribe: "cm.test.p.>"}}
	{user: reader, password: pw, permissions: {publish: {deny: "$KV.>"}}}
	{user: writer, password: pw, permissions: {publish: {deny: "cm.>"}}}
	{user: bare, password: pw, permissions: {publish: {deny: "$O.>"}}}
	{user: aloof, password: pw, permissions: {subscribe: "_INBOX.>"}}
] }`

// Ensure that brokers which have not what a job needs are told from those that are too few, at once, and which setting it is about.
func TestConnect_Limits(t *testing.T) {
	const account = `accounts {A: {users: [{user: a, password: a}], jetstream: {%s}}}
no_auth_user: a`
	for _, tt := range []struct{ name, config, want string }{
		{"room of the account", fmt.Sprintf(account, "max_file: 1MB, max_streams: 10"), "log: the brokers, or the account, have not the room of 2"},
		{"streams", fmt.Sprintf(account, "max_file: 1TB, max_streams: 1"), "partitions: the account may not have the 4 streams"},
		{"messages", "max_payload: 8KB", "takes messages of 8192 bytes at most"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := brokertest.StartWith(t, 1, brokertest.Options{Config: tt.config})
			wantRefused(t, c, nil, tt.want)
		})
	}
}

// Ensure that a file that holds no credentials is not taken for brokers that cannot be reached.
func TestConnect_NoCredentialsInFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "user.creds")
	filetest.Write(t, name, "none\n")
	wantRefused(t, brokertest.Start(t, 1), func(o *stream.Options) { o.Credentials = name }, "credentials: "+name)
}

// Ensure that who may not publish to logs and inboxes hears of the subject, and soon.
func TestAppend_Denied(t *testing.T) {
	t.Parallel()
	c := brokertest.StartWith(t, 1, brokertest.Options{Config: permissions})
	as := func(user string) *stream.Brokers {
		return connect(t, c, func(o *stream.Options) {
			o.Servers = []string{strings.Replace(c.URLs()[0], "//", "//"+user+":pw@", 1)}
			o.Existing = user != "all"
		})
	}
	as("all")
	b := as("writer")
	for subject, do := range map[string]func() error{
		"cm.test.p.0000.own": func() error { _, err := b.Own(t.Context(), 0, 1); return err },
		"cm.test.p.0000.in":  func() error { return b.Send(t.Context(), 0, "id", nil) },
	} {
		begin := time.Now()
		err := do()
		if err == nil || !strings.Contains(err.Error(), `lacks a permission: Permissions Violation for Publish to "`+subject+`"`) {
			t.Errorf("%v, want the subject %s", err, subject)
		}
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("it takes %v to say so", took)
		}
	}
}

// Ensure that who may not keep objects hears of that, and soon: the log of a partition is not cut then.
func TestPut_Denied(t *testing.T) {
	t.Parallel()
	c := brokertest.StartWith(t, 1, brokertest.Options{Config: permissions})
	b := connect(t, c, func(o *stream.Options) {
		o.Servers = []string{strings.Replace(c.URLs()[0], "//", "//bare:pw@", 1)}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	err := b.Objects().Put(ctx, "name", strings.NewReader("text"))
	if want := `lacks a permission: Permissions Violation for Publish to "$O.`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Put = %v, want %s", err, want)
	}
}

// Ensure that an error for want of a connection says so, and why.
func TestCompareAndSet_CutOff(t *testing.T) {
	t.Parallel()
	c, strict := brokertest.Start(t, 1), brokertest.StartWith(t, 1, brokertest.Options{Config: permissions})
	p := brokertest.StartProxy(t, c.Brokers[0])
	b := connect(t, c, func(o *stream.Options) { o.Servers = []string{p.URL()} })
	await := func(want string) {
		t.Helper()
		for deadline := time.Now().Add(30 * time.Second); ; {
			_, err := b.CompareAndSet(t.Context(), "key", nil, 0)
			if err != nil && strings.Contains(err.Error(), want) {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("CompareAndSet = %v, want %q", err, want)
			}
		}
	}
	p.Turn(strict.Brokers[0])
	await("credentials: the brokers refuse them: ")
	strict.Brokers[0].Kill()
	await("no broker can be reached")
}

// Ensure that who is refused for a while, as when credentials are renewed too late, goes on when it is let in again.
func TestConnect_RefusedForAWhile(t *testing.T) {
	t.Parallel()
	c, strict := brokertest.Start(t, 1), brokertest.StartWith(t, 1, brokertest.Options{Config: permissions})
	p := brokertest.StartProxy(t, c.Brokers[0])
	b := connect(t, c, func(o *stream.Options) { o.Servers = []string{p.URL()} })
	p.Turn(strict.Brokers[0])
	time.Sleep(10 * time.Second) // it tries each second or two
	p.Turn(c.Brokers[0])
	if err := sendFor(t, b, time.Minute); err != nil {
		t.Error(err)
	}
}

// Ensure that too few brokers for a quorum are called that, in time.
func TestConnect_NoQuorum(t *testing.T) {
	if testing.Short() {
		t.Skip("three brokers")
	}
	t.Parallel()
	c := brokertest.Start(t, 3)
	for range 2 { // at the beginning of a job, and later
		c.Brokers[0].Kill()
		c.Brokers[1].Kill()
		wantRefused(t, c, nil, "servers: the brokers have no quorum")
		mustStart(t, c.Brokers[0])
		mustStart(t, c.Brokers[1])
		connect(t, c, nil)
	}
}

// Ensure that a broker that is too old is named: it may be one of several.
func TestConnect_OldBroker(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			fmt.Fprintf(c, "INFO {\"server_id\":\"old\",\"version\":\"2.9.10\",\"max_payload\":1048576}\r\n")
			_, _ = io.Copy(c, strings.NewReader("PONG\r\n")) // to the PING that ends the handshake
		}
	}()
	url := "nats://" + l.Addr().String()
	_, err = stream.Connect(t.Context(), stream.Options{Servers: []string{url}, Job: "test", Partitions: 1})
	if want := "servers: " + url + " runs version 2.9.10; 2.15 at least is needed"; err == nil || err.Error() != want {
		t.Errorf("Connect: %v, want %s", err, want)
	}
}

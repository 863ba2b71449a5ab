//go:build unix

package tenure

import (
	"context"
	"errors"
	"net"
	"net/rpc"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// nodeEnv makes the test binary a node of TestProcesses: it has the name and the address of the registry.
const nodeEnv = "CYBERMAPPER_TENURE_NODE"

func TestMain(m *testing.M) {
	if name := os.Getenv(nodeEnv); name != "" {
		if err := nodeProcess(name, os.Getenv(nodeEnv+"_AT")); err != nil {
			panic(err)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

const processPartitions = 8

// Processes that are stopped for longer than the TTL, killed, and told to end: none acts when it may not.
func TestProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	p := newPost(t)
	nodes := map[string]*exec.Cmd{}
	for _, name := range []string{"a", "b", "c"} {
		nodes[name] = p.node(name)
	}
	tell := func(name string, sig os.Signal) {
		if err := nodes[name].Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
	}
	p.await("a", "b", "c")
	tell("a", syscall.SIGSTOP)
	p.await("b", "c")
	tell("a", syscall.SIGCONT)
	p.await("a", "b", "c")
	tell("b", syscall.SIGKILL)
	p.await("a", "c")
	tell("c", syscall.SIGTERM)
	p.await("a")
	if err := nodes["c"].Wait(); err != nil {
		t.Errorf("c: %v", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	// What was stopped between its last look at the clocks and the write may arrive: one byte for each partition.
	if most := (processPartitions + 2) / 3; p.stale > most {
		t.Errorf("%d acts under tenures whose partitions others had had since, want at most %d", p.stale, most)
	}
	t.Logf("%d acts, %d of them stale", p.count, p.stale)
}

// A post serves a registry to processes, and hears what they do.
type post struct {
	t    *testing.T
	reg  *memory
	at   string
	ctx  context.Context
	mu   sync.Mutex // guards following
	last [processPartitions]Act
	// how many acts there were, and how many after one of a later epoch
	count, stale int
}

// An Act is what a node does under a tenure.
type Act struct {
	Node      string
	Partition int
	Epoch     uint64
	at        time.Time
}

func newPost(t *testing.T) *post {
	ctx, stop := context.WithCancel(context.Background())
	p := &post{t: t, reg: newMemory(), ctx: ctx}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.at = listener.Addr().String()
	server := rpc.NewServer()
	if err := server.RegisterName("Post", &postService{p}); err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { server.ServeConn(conn) })
		}
	})
	t.Cleanup(func() { // after the processes have ended
		stop()
		_ = listener.Close()
		serving.Wait()
	})
	return p
}

// node starts a process.
func (p *post) node(name string) *exec.Cmd {
	p.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), nodeEnv+"="+name, nodeEnv+"_AT="+p.at)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// await waits until the named nodes, and no others, act for all partitions.
func (p *post) await(names ...string) {
	p.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		acting, partitions := map[string]bool{}, 0
		p.mu.Lock()
		for _, a := range p.last {
			if time.Since(a.at) < 500*time.Millisecond {
				partitions++
				acting[a.Node] = true
			}
		}
		p.mu.Unlock()
		all := partitions == processPartitions && len(acting) == len(names)
		for _, name := range names {
			all = all && acting[name]
		}
		if all {
			return
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("%v act for %d partitions; want %v for %d", acting, partitions, names, processPartitions)
		}
	}
}

// A postService is what processes may call.
type postService struct{ p *post }

// A PostEntry is a register on the wire.
type PostEntry struct {
	Key      string
	Val      []byte
	Rev      uint64
	Gone     bool
	Conflict bool
}

// PostNews are what is asked for, and the answer.
type PostNews struct {
	Prefix  string
	After   uint64
	Entries []PostEntry
}

func (s *postService) Read(key string, out *PostEntry) (err error) {
	out.Val, out.Rev, err = s.p.reg.Get(s.p.ctx, key)
	return err
}

func (s *postService) Write(in PostEntry, out *PostEntry) (err error) {
	if in.Gone {
		err = s.p.reg.Delete(s.p.ctx, in.Key, in.Rev)
	} else {
		out.Rev, err = s.p.reg.CompareAndSet(s.p.ctx, in.Key, in.Val, in.Rev)
	}
	if errors.Is(err, ErrConflict) {
		out.Conflict, err = true, nil
	}
	return err
}

// News waits for changes, for a while.
func (s *postService) News(in PostNews, out *PostNews) error {
	ctx, cancel := context.WithTimeout(s.p.ctx, 100*time.Millisecond)
	defer cancel()
	out.After = s.p.reg.watch(ctx, in.Prefix, in.After, func(key string, val []byte, rev uint64) {
		out.Entries = append(out.Entries, PostEntry{Key: key, Val: val, Rev: rev, Gone: val == nil})
		cancel()
	})
	return nil
}

func (s *postService) Act(in Act, _ *bool) error {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.p.count++
	in.at = time.Now()
	if in.Epoch < s.p.last[in.Partition].Epoch {
		s.p.stale++
		return nil
	}
	s.p.last[in.Partition] = in
	return nil
}

// nodeProcess is a node: it acts as fast as it may.
func nodeProcess(name, at string) error {
	client, err := rpc.Dial("tcp", at)
	if err != nil {
		return err
	}
	defer client.Close()
	node, err := New(&postClient{client}, Options{
		Name: name, Partitions: processPartitions, TTL: 2 * time.Second, Margin: 500 * time.Millisecond,
		Hold: func(t *Tenure) {
			for {
				if t.Valid() {
					_ = client.Call("Post.Act", Act{Node: name, Partition: t.Partition(), Epoch: t.Epoch()}, new(bool))
				}
				select {
				case <-t.Asked():
					return
				case <-t.Context().Done():
					return
				case <-time.After(2 * time.Millisecond):
				}
			}
		},
	})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return node.Run(ctx)
}

// A postClient is the registry as a process reaches it.
type postClient struct{ *rpc.Client }

func (c *postClient) call(ctx context.Context, method string, in, out any) error {
	call := c.Go("Post."+method, in, out, make(chan *rpc.Call, 1))
	select {
	case <-call.Done:
		return call.Error
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *postClient) Get(ctx context.Context, key string) ([]byte, uint64, error) {
	out := new(PostEntry)
	if err := c.call(ctx, "Read", key, out); err != nil {
		return nil, 0, err
	}
	return out.Val, out.Rev, nil
}

func (c *postClient) CompareAndSet(ctx context.Context, key string, val []byte, rev uint64) (uint64, error) {
	return c.write(ctx, PostEntry{Key: key, Val: val, Rev: rev})
}

func (c *postClient) Delete(ctx context.Context, key string, rev uint64) error {
	_, err := c.write(ctx, PostEntry{Key: key, Rev: rev, Gone: true})
	return err
}

func (c *postClient) write(ctx context.Context, in PostEntry) (uint64, error) {
	out := new(PostEntry)
	switch err := c.call(ctx, "Write", in, out); {
	case err != nil:
		return 0, err
	case out.Conflict:
		return 0, ErrConflict
	}
	return out.Rev, nil
}

func (c *postClient) Watch(ctx context.Context, prefix string, see func(string, []byte, uint64)) error {
	for after := uint64(0); ; {
		out := new(PostNews)
		if err := c.call(ctx, "News", PostNews{Prefix: prefix, After: after}, out); err != nil {
			return err
		}
		for _, e := range out.Entries {
			if e.Gone {
				e.Val = nil
			}
			see(e.Key, e.Val, e.Rev)
		}
		after = out.After
	}
}

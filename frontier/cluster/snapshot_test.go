package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// often is how many bytes make a snapshot due where a test waits for it.
const often = 4 << 10

// withSnapshots returns options of a node that makes snapshots often.
func withSnapshots(b cluster.Brokers, s cluster.Store, files vfs.FS, partitions int) cluster.Options {
	o := optionsOf(b, files, partitions)
	o.Snapshots, o.SnapshotEvery, o.SnapshotMost = s, often, often
	return o
}

// start adds the first link of a web.
func (w *tree) start(t testing.TB, f frontier.Frontier) {
	t.Helper()
	frontiertest.MustAdd(t, f, frontier.Link{URL: w.url(t, 0, 0)})
}

// inBackground crawls with a node until it is done or stopped.
func (w *tree) inBackground(t testing.TB, n *node) (wait func()) {
	var running sync.WaitGroup
	running.Go(func() {
		if err := w.crawl(t.Context(), t, n); !errors.Is(err, frontier.ErrIdle) && !errors.Is(err, frontier.ErrClosed) {
			t.Errorf("Lease: %v, want %v", err, frontier.ErrIdle)
		}
	})
	return running.Wait
}

// firstOf returns the place of the first record of a partition.
func (b *broker) firstOf(partition int) uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if records := b.parts[partition].records; len(records) > 0 {
		return records[0].at
	}
	return 0
}

// bytesOf returns how many bytes the log and the inbox of a partition have.
func (b *broker) bytesOf(partition int) uint64 {
	_, _, size, _ := b.Extent(context.Background(), partition)
	return size
}

// Ensure that the log does not grow with the crawl, and that nodes without any files go on from snapshots and what came after:
// every page is asked for once.
func TestSnapshots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const partitions = 3
		w, b, s := newTree(20, 200), newBroker(partitions), newStore()
		var written uint64
		for round := range 6 {
			n := newNodeWith(t, withSnapshots(b, s, vfs.NewMem(), partitions))
			for p := range partitions {
				n.tenures.give(b, p)
			}
			if round == 0 {
				w.start(t, n)
			}
			wait := w.inBackground(t, n)
			if round < 5 {
				time.Sleep(4 * time.Second)
				n.Close()
			}
			wait()
			n.Close()
		}
		if again := w.check(t); again != 0 {
			t.Errorf("%d pages were asked for twice", again)
		}
		for p := range partitions {
			if b.firstOf(p) <= 1 {
				t.Errorf("the log of partition %d was never cut", p)
			}
			if kept := b.bytesOf(p); kept > 8*often {
				t.Errorf("partition %d has %d bytes of log, more than %d", p, kept, 8*often)
			}
			written += b.bytesOf(p)
		}
		if names, _ := s.List(t.Context(), ""); len(names) < 2*partitions || len(names) > 3*partitions {
			t.Errorf("the store has %q, want two snapshots of each partition, and one more that was begun", names)
		}
	})
}

// A faulty node has brokers and a store in between which something happens at one step of a snapshot.
type faulty struct {
	*broker
	store *store
	step  int // at which it happens
	fault func()

	mu    sync.Mutex
	steps []string // that were taken
	dead  atomic.Bool
}

var errDead = errors.New("the process was killed")

// reach is called at each step.
func (f *faulty) reach(what string) error {
	f.mu.Lock()
	f.steps = append(f.steps, what)
	isIt := len(f.steps)-1 == f.step
	f.mu.Unlock()
	if isIt {
		f.fault()
	}
	if f.dead.Load() {
		return errDead
	}
	return nil
}

func (f *faulty) Own(ctx context.Context, partition int, epoch uint64) (disk.Log, error) {
	l, err := f.broker.Own(ctx, partition, epoch)
	return &faultyLog{l, f}, err
}

type faultyLog struct {
	disk.Log
	f *faulty
}

func (l *faultyLog) Append(record []byte) (uint64, error) {
	if l.f.dead.Load() {
		return 0, errDead
	}
	return l.Log.Append(record)
}

func (f *faulty) CompareAndSet(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if !strings.HasPrefix(key, "snapshots.") || !strings.Contains(string(value), "sha256") {
		if f.dead.Load() {
			return 0, errDead
		}
		return f.broker.CompareAndSet(ctx, key, value, revision)
	}
	if err := f.reach("before the manifest"); err != nil {
		return 0, err
	}
	next, err := f.broker.CompareAndSet(ctx, key, value, revision)
	return next, errors.Join(err, f.reach("after the manifest"))
}

func (f *faulty) Trim(ctx context.Context, partition int, log, inbox uint64) error {
	if err := f.reach("before the log is cut"); err != nil {
		return err
	}
	if err := f.broker.Trim(ctx, partition, log, 0); err != nil {
		return err
	}
	if err := f.reach("before the inbox is cut"); err != nil {
		return err
	}
	return f.broker.Trim(ctx, partition, 0, inbox)
}

func (f *faulty) Send(ctx context.Context, partition int, id string, message []byte) error {
	if f.dead.Load() {
		return errDead
	}
	return f.broker.Send(ctx, partition, id, message)
}

// A faultyStore is the store of a faulty node.
type faultyStore struct {
	*store
	f *faulty
}

func (s faultyStore) Put(ctx context.Context, name string, r io.Reader) error {
	if err := s.f.reach("before it is written"); err != nil {
		return err
	}
	return s.store.Put(ctx, name, &breaking{r: r, f: s.f})
}

// A breaking reader reaches a step in the middle and one at the end.
type breaking struct {
	r    io.Reader
	f    *faulty
	half bool
}

func (b *breaking) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if !b.half && err == nil {
		b.half = true
		if err := b.f.reach("while it is written"); err != nil {
			return n, err
		}
	}
	if errors.Is(err, io.EOF) {
		if dead := b.f.reach("when it is written"); dead != nil {
			return n, dead
		}
	}
	return n, err
}

func (s faultyStore) List(ctx context.Context, prefix string) ([]string, error) {
	if err := s.f.reach("before others are removed"); err != nil {
		return nil, err
	}
	return s.store.List(ctx, prefix)
}

func (s faultyStore) Delete(ctx context.Context, name string) error {
	if err := s.f.reach("before one is removed"); err != nil {
		return err
	}
	return s.store.Delete(ctx, name)
}

// Ensure that a node may be killed at each step of a snapshot: the next one, without its files, finds all that was promised.
func TestSnapshots_Killed(t *testing.T) {
	seen := map[string]bool{}
	for step := 0; step < 26; step += stride() {
		synctest.Test(t, func(t *testing.T) {
			w, b, s := newTree(8, 60), newBroker(1), newStore()
			f := &faulty{broker: b, store: s, step: step}
			first := newNodeWith(t, withSnapshots(f, faultyStore{s, f}, vfs.NewMem(), 1))
			have := first.tenures.give(b, 0)
			died := make(chan struct{})
			f.fault = func() { f.dead.Store(true); have.end(); close(died) }
			w.start(t, first)
			ctx, stop := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() { _ = w.crawl(ctx, t, first) })
			select {
			case <-died:
			case <-time.After(time.Minute):
				t.Errorf("step %d is never reached: %q", step, f.steps)
			}
			stop()
			running.Wait()
			first.Close()
			seen[f.steps[min(step, len(f.steps)-1)]] = true
			next := newNodeWith(t, withSnapshots(b, s, vfs.NewMem(), 1))
			next.tenures.give(b, 0)
			w.inBackground(t, next)()
			w.check(t)
			mustKeepTwo(t, s)
			next.Close()
		})
	}
	if len(seen) != 9 && !testing.Short() {
		t.Errorf("only %q were tried", slices.Collect(maps.Keys(seen)))
	}
}

// stride is how many steps are one, as not all are taken with -short.
func stride() int {
	if testing.Short() {
		return 3
	}
	return 1
}

// mustKeepTwo looks when nothing is under way: a snapshot is kept before the one that it replaces goes.
func mustKeepTwo(t *testing.T, s *store) {
	t.Helper()
	synctest.Wait()
	if names, _ := s.List(t.Context(), ""); len(names) > 2 {
		t.Errorf("%d snapshots are kept: %q", len(names), names)
	}
}

// Ensure that a former owner which was asleep at whatever step of a snapshot, and goes on, harms nothing: neither the newer
// snapshots nor the log.
func TestSnapshots_FormerOwner(t *testing.T) {
	for i := 0; i < 40; i += stride() {
		step, hasNewer := i/2, i%2 == 0
		synctest.Test(t, func(t *testing.T) {
			w, b, s := newTree(8, 120), newBroker(1), newStore()
			f := &faulty{broker: b, store: s, step: step}
			first := newNodeWith(t, withSnapshots(f, faultyStore{s, f}, vfs.NewMem(), 1))
			have := first.tenures.give(b, 0)
			asleep, wake := make(chan struct{}), make(chan struct{})
			f.fault = func() { close(asleep); <-wake }
			w.start(t, first)
			ctx, stop := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() { _ = w.crawl(ctx, t, first) })
			<-asleep
			stop() // its right is over, and it does not know
			running.Wait()
			o := withSnapshots(b, s, vfs.NewMem(), 1)
			if !hasNewer {
				o.SnapshotEvery = 1 << 30
			}
			next := newNodeWith(t, o)
			to := next.tenures.give(b, 0)
			wait := w.inBackground(t, next)
			time.Sleep(5 * time.Second)
			before := kept(t, b)
			close(wake)
			time.Sleep(time.Second)
			mine := fmt.Sprintf(`"0000-%016x-`, have.epoch)
			if after := kept(t, b); strings.Count(after, mine) > strings.Count(before, mine) {
				t.Errorf("step %d: the former owner changed %s to %s", step, before, after)
			}
			have.end()
			first.Close()
			to.ask()
			<-to.back
			last := newNodeWith(t, withSnapshots(b, s, vfs.NewMem(), 1)) // begins from what there is
			last.tenures.give(b, 0)
			w.inBackground(t, last)()
			next.Close()
			wait()
			w.check(t)
			mustKeepTwo(t, s)
			last.Close()
		})
	}
}

// kept returns the manifest of partition 0.
func kept(t *testing.T, b *broker) string {
	t.Helper()
	v, _, err := b.Get(t.Context(), "snapshots.0")
	if err != nil {
		t.Fatal(err)
	}
	return string(v)
}

// A crawled partition is one with snapshots, and the files of the node that had it.
type crawled struct {
	w     *tree
	b     *broker
	s     *store
	files *vfs.MemFS
}

// crawlSome crawls a part of a web, with one partition. After the last snapshot comes some of it.
func crawlSome(t *testing.T) crawled {
	t.Helper()
	c := crawled{newTree(8, 200), newBroker(1), newStore(), vfs.NewMem()}
	for _, every := range []int64{often, 1 << 30} {
		o := withSnapshots(c.b, c.s, c.files, 1)
		o.SnapshotEvery = every
		n := newNodeWith(t, o)
		n.tenures.give(c.b, 0)
		c.w.start(t, n)
		wait := c.w.inBackground(t, n)
		time.Sleep(6 * time.Second)
		n.Close()
		wait()
	}
	if names := c.names(t); len(names) != 2 || c.b.firstOf(0) == 1 {
		t.Fatalf("%q are kept, and the log begins at %d", names, c.b.firstOf(0))
	}
	return c
}

// finish crawls the rest.
func (c crawled) finish(t *testing.T, files vfs.FS) *node {
	t.Helper()
	n := newNodeWith(t, withSnapshots(c.b, c.s, files, 1))
	n.tenures.give(c.b, 0)
	c.w.inBackground(t, n)()
	if again := c.w.check(t); again != 0 {
		t.Errorf("%d pages were asked for twice", again)
	}
	return n
}

// names returns those of the snapshots, the newest first.
func (c crawled) names(t *testing.T) (names []string) {
	t.Helper()
	for _, part := range strings.Split(kept(t, c.b), `"name":"`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		names = append(names, name)
	}
	return names
}

// Ensure that a snapshot that is cut off, changed or lost is noticed and the older one used, and that without any the partition is
// left alone by all, who say why.
func TestSnapshots_Damaged(t *testing.T) {
	if testing.Short() {
		t.Skip("what it runs at the same time, others run too")
	}
	for what, damage := range map[string]func(s *store, name string){
		"cut off": func(s *store, name string) { s.files[name] = s.files[name][:len(s.files[name])/2] },
		"longer":  func(s *store, name string) { s.files[name] = append(s.files[name], 0) },
		"lost":    func(s *store, name string) { delete(s.files, name) },
		"changed": func(s *store, name string) {
			s.files[name] = slices.Clone(s.files[name])
			s.files[name][len(s.files[name])/2] ^= 1
		},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := crawlSome(t)
				before := c.names(t)
				damage(c.s, before[0])
				n := newNodeWith(t, withSnapshots(c.b, c.s, vfs.NewMem(), 1))
				n.tenures.give(c.b, 0)
				wait := c.w.inBackground(t, n)
				for c.names(t)[0] == before[0] {
					time.Sleep(10 * time.Millisecond)
				}
				n.Close()
				wait()
				after := c.names(t)
				if slices.Contains(after, before[0]) {
					t.Errorf("of %q the first is damaged, and %q are kept", before, after)
				}
				damage(c.s, after[0])
				c.finish(t, vfs.NewMem()).Close()
			})
			synctest.Test(t, func(t *testing.T) {
				c := crawlSome(t)
				for _, name := range c.names(t) {
					damage(c.s, name)
				}
				n := newNodeWith(t, withSnapshots(c.b, c.s, vfs.NewMem(), 1))
				n.tenures.give(c.b, 0)
				time.Sleep(time.Second)
				all, err := n.Quarantined(t.Context())
				if err != nil || len(all) != 1 || !strings.Contains(all[0].Reason, "no snapshot") {
					t.Errorf("Quarantined = %+v, %v", all, err)
				}
				n.Close()
			})
		})
	}
}

// Ensure that files of a node's own are used if they can be, and replaced if they are damaged or the log has forgotten what they
// lack.
func TestSnapshots_OwnFiles(t *testing.T) {
	const dir = "partitions/0000"
	for what, change := range map[string]func(t *testing.T, c crawled){
		"as they were": func(*testing.T, crawled) {},
		"damaged": func(t *testing.T, c crawled) {
			names, err := c.files.List(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				if strings.HasSuffix(name, ".sst") {
					if err := c.files.Remove(dir + "/" + name); err != nil {
						t.Fatal(err)
					}
				}
			}
		},
		"too old": func(t *testing.T, c crawled) {
			n := newNodeWith(t, withSnapshots(c.b, c.s, vfs.NewMem(), 1))
			n.tenures.give(c.b, 0)
			wait := c.w.inBackground(t, n)
			first := c.b.firstOf(0)
			time.Sleep(4 * time.Second)
			n.Close()
			wait()
			if c.b.firstOf(0) <= first {
				t.Fatal("the log was not cut meanwhile")
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := crawlSome(t)
				change(t, c)
				n := c.finish(t, c.files)
				n.Close()
				_, err := c.files.Stat(dir + ".damaged")
				if isReplaced := err == nil; isReplaced != (what != "as they were") {
					t.Errorf("what was there is set aside: %v", isReplaced)
				}
			})
		})
	}
}

// Ensure that files which turn out to be damaged while they are in use are put aside, and a snapshot takes their place.
func TestSnapshots_DamagedInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawlSome(t)
		o := withSnapshots(c.b, c.s, c.files, 1)
		found := time.Now().Add(2 * time.Second)
		o.Disk.Barrier = func() (uint64, error) {
			if time.Now().After(found) {
				return 0, fmt.Errorf("compact: %w", pebble.ErrCorruption)
			}
			return 0, nil
		}
		n := newNodeWith(t, o)
		n.tenures.give(c.b, 0)
		ctx, stop := context.WithTimeout(t.Context(), 4*time.Second)
		defer stop()
		var running sync.WaitGroup
		running.Go(func() {
			for ; ctx.Err() == nil; time.Sleep(gap) {
				if l, err := n.Lease(ctx, time.Hour); err == nil {
					_ = c.w.visit(ctx, t, l) // it fails
					l.Close()
				}
			}
		})
		running.Wait()
		n.Close()
		if _, err := c.files.Stat("partitions/0000.damaged"); err != nil {
			t.Errorf("the files were not put aside: %v", err)
		}
		last := newNodeWith(t, withSnapshots(c.b, c.s, c.files, 1))
		last.tenures.give(c.b, 0)
		c.w.inBackground(t, last)()
		c.w.check(t)
		last.Close()
	})
}

// Ensure that a directory is a store, in which nothing can be seen before all of it is there.
func TestDirectory(t *testing.T) {
	d := cluster.Directory(t.TempDir())
	if err := d.Put(t.Context(), "0001-a", strings.NewReader("text")); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if err := d.Get(t.Context(), "0001-a", &got); err != nil || got.String() != "text" {
		t.Errorf("Get = %q, %v", got.String(), err)
	}
	broken := errors.New("broken")
	if err := d.Put(t.Context(), "0001-b", io.MultiReader(strings.NewReader("te"), brokenReader{broken})); !errors.Is(err, broken) {
		t.Errorf("Put = %v, want %v", err, broken)
	}
	if err := d.Get(t.Context(), "0001-b", io.Discard); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get of a part = %v, want %v", err, fs.ErrNotExist)
	}
	names, err := d.List(t.Context(), "0001-")
	if fmt.Sprint(names) != "[0001-a 0001-b]" || err != nil {
		t.Errorf("List = %q, %v", names, err)
	}
	for _, name := range append(names, "0001-none") {
		if err := d.Delete(t.Context(), name); err != nil {
			t.Error(err)
		}
	}
	if names, err := d.List(t.Context(), ""); len(names) != 0 || err != nil {
		t.Errorf("List = %q, %v", names, err)
	}
	if err := cluster.Directory("none").Get(t.Context(), "0001-a", io.Discard); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get where no directory is = %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Put(ctx, "0001-c", strings.NewReader("text")); !errors.Is(err, context.Canceled) {
		t.Errorf("Put = %v, want %v", err, context.Canceled)
	}
}

type brokenReader struct{ error }

func (r brokenReader) Read([]byte) (int, error) { return 0, r.error }

package tenure

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const partitions = 64

// A cluster is some nodes on one registry in a bubble. It watches that no partition is anybody's twice.
type cluster struct {
	t     *testing.T
	reg   *memory
	drain time.Duration // how long a user takes to bring his work to an end

	mu    sync.Mutex // guards following
	holds [partitions]hold
	nodes []*testNode
	had   [partitions][]string // by whom, in order
}

// A hold is the last tenure of a partition, of whomever.
type hold struct {
	tenure   *Tenure
	by       *testNode
	returned time.Time // zero when it has not
	gap      time.Duration
}

type testNode struct {
	*Node
	c     *cluster
	line  *line
	stop  context.CancelFunc
	ended chan error
	wall  atomic.Int64 // by how much its wall clock was set
	lost  atomic.Int64 // tenures that ended otherwise than by Hold's return
	next  atomic.Pointer[[]int]
	twice atomic.Int64 // that it was told of a namesake
}

func newCluster(t *testing.T) *cluster {
	return &cluster{t: t, reg: newMemory(), drain: 300 * time.Millisecond}
}

// startAll starts nodes, waits until all partitions have one, and returns the first.
func (c *cluster) startAll(names ...string) (first *testNode) {
	for _, name := range names {
		c.start(name)
	}
	first = c.nodes[0]
	c.await(30*time.Second, names...)
	return first
}

// start starts a node, whose clocks go wrong by as much as two per cent.
func (c *cluster) start(name string) *testNode {
	c.t.Helper()
	n := &testNode{c: c, line: newLine(c.reg, uint64(len(c.nodes))), ended: make(chan error, 1)}
	var err error
	n.Node, err = New(n.line, Options{
		Name: name, Partitions: partitions, Hold: n.hold, Next: func(partitions []int) { n.next.Store(&partitions) },
		Namesake: func() { n.twice.Add(1) },
	})
	if err != nil {
		c.t.Fatal(err)
	}
	rate, start := 1+0.02*float64(len(c.nodes)%3-1), time.Now()
	n.read = func() reading {
		passed := time.Duration(rate * float64(time.Since(start)))
		return reading{mono: passed, boot: passed, wall: passed + time.Duration(n.wall.Load())}
	}
	ctx, stop := context.WithCancel(c.t.Context())
	n.stop = stop
	go func() { n.ended <- n.Run(ctx) }()
	c.mu.Lock()
	c.nodes = append(c.nodes, n)
	c.mu.Unlock()
	return n
}

func (n *testNode) hold(t *Tenure) {
	n.c.began(n, t)
	select {
	case <-t.Asked():
		if !sleep(t.Context(), n.c.drain) {
			n.lost.Add(1)
		}
	case <-t.Context().Done():
		n.lost.Add(1)
	}
	n.c.mu.Lock()
	defer n.c.mu.Unlock()
	if h := &n.c.holds[t.Partition()]; h.tenure == t {
		h.returned = time.Now()
	}
}

func (c *cluster) began(n *testNode, t *Tenure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := &c.holds[t.Partition()]
	if h.tenure != nil && h.tenure.Valid() {
		c.t.Errorf("%s has partition %d while %s has it", n.id, t.Partition(), h.by.id)
	}
	if h.tenure != nil && h.tenure.Epoch() >= t.Epoch() {
		c.t.Errorf("epoch %d of partition %d comes after %d", t.Epoch(), t.Partition(), h.tenure.Epoch())
	}
	gap := time.Duration(0)
	if !h.returned.IsZero() {
		gap = time.Since(h.returned)
	}
	*h = hold{tenure: t, by: n, gap: gap}
	had := &c.had[t.Partition()]
	*had = append(*had, n.o.Name)
}

// shares returns how many partitions nodes have, by name, and how many nobody has.
func (c *cluster) shares() (shares map[string]int, nobodys int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	shares = map[string]int{}
	for p := range c.holds {
		if h := &c.holds[p]; h.tenure != nil && h.tenure.Valid() {
			shares[h.by.o.Name]++
		} else {
			nobodys++
		}
	}
	return shares, nobodys
}

// await waits until the named nodes share all partitions evenly, and returns how long that took.
func (c *cluster) await(atMost time.Duration, names ...string) time.Duration {
	c.t.Helper()
	start := time.Now()
	for {
		shares, nobodys := c.shares()
		even := nobodys == 0 && len(shares) == len(names)
		for _, name := range names {
			even = even && shares[name] >= partitions/len(names) && shares[name] <= (partitions+len(names)-1)/len(names)
		}
		if even {
			return time.Since(start)
		}
		if time.Since(start) > atMost {
			c.t.Fatalf("after %v the shares are %v, and %d are nobody's; want %v", atMost, shares, nobodys, names)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// end stops all nodes.
func (c *cluster) end() {
	for _, n := range c.nodes {
		n.stop()
	}
	for _, n := range c.nodes {
		<-n.ended
	}
}

func (n *testNode) cut() { n.line.set(func(l *line) { l.cut = make(chan struct{}) }) }

func (n *testNode) mend() {
	n.line.set(func(l *line) {
		close(l.cut)
		l.cut = nil
	})
}

// cutAll cuts all nodes off from the registry for a while.
func (c *cluster) cutAll(away time.Duration) {
	for _, n := range c.nodes {
		n.cut()
	}
	time.Sleep(away)
}

// mendAll lets nodes reach the registry again, one after the other.
func (c *cluster) mendAll() {
	for _, n := range c.nodes {
		n.mend()
		time.Sleep(700 * time.Millisecond)
	}
}

// owners returns the names of all owners of each partition so far.
func (c *cluster) owners() [partitions][]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.had
}

func TestRun_NodesJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		defer c.end()
		c.start("a")
		c.start("b")
		c.start("c")
		t.Log("three:", c.await(30*time.Second, "a", "b", "c"))
		time.Sleep(7 * time.Second)
		c.start("d")
		t.Log("one more:", c.await(30*time.Second, "a", "b", "c", "d"))
		for _, h := range c.holds {
			if h.gap > 2*time.Second {
				t.Errorf("partition %d was nobody's for %v when it was handed over", h.tenure.Partition(), h.gap)
			}
		}
		for _, n := range c.nodes {
			if lost := n.lost.Load(); lost > 0 {
				t.Errorf("%s lost %d tenures", n.id, lost)
			}
		}
	})
}

func TestRun_NodeLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		defer c.end()
		a := c.startAll("a", "b", "c")
		heirs := map[int]string{} // of what a has
		for _, n := range c.nodes {
			for _, p := range *n.next.Load() {
				if c.holds[p].by == a {
					heirs[p] = n.id
				}
			}
		}
		if len(heirs) != len(c.held("a")) {
			t.Errorf("%d of %d partitions have an heir", len(heirs), len(c.held("a")))
		}
		a.stop()
		took := c.await(2*time.Second, "b", "c")
		t.Log("handed over in", took)
		for p, id := range heirs {
			if now := c.holds[p].by.id; now != id {
				t.Errorf("%s has partition %d, which %s was in line for", now, p, id)
			}
		}
		if err := <-a.ended; err != nil {
			t.Errorf("Run returned %v", err)
		}
		a.ended <- nil
		if _, rev, _ := c.reg.Get(t.Context(), nodePrefix+a.id); rev != 0 {
			t.Errorf("the heartbeat is still there")
		}
	})
}

func TestRun_NodeIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		defer c.end()
		a := c.startAll("a", "b", "c")
		time.Sleep(3 * time.Second)
		before := c.held("a")
		a.cut()
		t.Log("taken over in", c.await(22*time.Second, "b", "c"))
		for _, tenure := range before {
			if why := context.Cause(tenure.Context()); !errors.Is(why, ErrExpired) {
				t.Errorf("partition %d: the context says %v, want %v", tenure.Partition(), why, ErrExpired)
			}
		}
		a.mend()
		t.Log("back in", c.await(30*time.Second, "a", "b", "c"))
	})
}

func (c *cluster) held(name string) (tenures []*Tenure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, h := range c.holds {
		if h.by != nil && h.by.o.Name == name {
			tenures = append(tenures, h.tenure)
		}
	}
	return tenures
}

// A node that starts anew under its name takes what it had before, and nothing else moves.
func TestRun_NodeRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		defer c.end()
		a := c.startAll("a", "b")
		before := c.held("a")
		kept := c.held("b")
		a.cut() // for good: the process is dead
		c.start("a")
		c.await(32*time.Second, "a", "b")
		for i, tenure := range c.held("a") {
			if tenure.Partition() != before[i].Partition() {
				t.Fatalf("a has another partition than before")
			}
		}
		if !slices.Equal(kept, c.held("b")) {
			t.Error("what b had moved")
		}
		c.twice(0, 0, 0)
	})
}

// Two processes of one name, of which one has nothing, are both told so, once, and nobody else is.
func TestRun_Namesake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		defer c.end()
		c.startAll("a", "b")
		time.Sleep(time.Minute)
		c.start("a")
		time.Sleep(15 * time.Second)
		c.twice(1, 0, 0) // the one that has been there for longer knows at once
		time.Sleep(time.Minute)
		c.twice(1, 0, 1)
	})
}

// twice checks how often each node was told of another process of its name.
func (c *cluster) twice(want ...int64) {
	c.t.Helper()
	for i, n := range c.nodes {
		if got := n.twice.Load(); got != want[i] {
			c.t.Errorf("%s was told %d times, want %d", n.id, got, want[i])
		}
	}
}

func TestRun_RegistryIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		defer c.end()
		c.startAll("a", "b", "c")
		for _, n := range c.nodes {
			n.cut()
		}
		time.Sleep(18500 * time.Millisecond) // TTL less margin, by a slow clock
		if shares, _ := c.shares(); len(shares) > 0 {
			t.Errorf("shares are still %v", shares)
		}
		time.Sleep(41 * time.Second)
		for _, n := range c.nodes {
			n.mend()
		}
		// What each had it has again, without waiting for anybody.
		t.Log("back in", c.await(6*time.Second, "a", "b", "c"))
	})
}

// However long the registry is away, each node gets back what it had, and nothing else in between: what was asked for before can
// be settled there.
func TestRun_RegistryIsDownAndNothingMoves(t *testing.T) {
	each := 1
	if testing.Short() {
		each = 9
	}
	for i := 0; i < 36; i += each {
		away := time.Duration(13+i%18) * time.Second // about a TTL is worst
		synctest.Test(t, func(t *testing.T) {
			c := newCluster(t)
			defer c.end()
			c.startAll("a", "b", "c")
			time.Sleep(time.Minute + time.Duration(i)*1100*time.Millisecond)
			c.cutAll(away)
			before := c.owners()
			c.mendAll()
			time.Sleep(time.Minute)
			for p, names := range c.owners() {
				if slices.ContainsFunc(names[len(before[p]):], func(name string) bool { return name != before[p][len(before[p])-1] }) {
					t.Errorf("away for %v: the owners of partition %d were %v", away, p, names)
				}
			}
		})
	}
}

// Who does not see what it writes is given nothing for long.
func TestRun_NodeIsDeaf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		defer c.end()
		c.startAll("a", "b")
		c.start("c").line.set(func(l *line) { l.deaf = true })
		time.Sleep(15 * time.Second)
		t.Log("without it again after", c.await(20*time.Second, "a", "b"))
		time.Sleep(time.Minute)
		c.await(0, "a", "b")
		c.nodes[2].line.set(func(l *line) { l.deaf = false })
		t.Log("with it after", c.await(time.Minute, "a", "b", "c"))
	})
}

// Who dies while the registry is away is succeeded when it has been silent for a TTL in which the others could hear it.
func TestRun_NodeDiesWhileRegistryIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		defer c.end()
		c.startAll("a", "b", "c")
		c.cutAll(40 * time.Second)
		c.nodes[2].cut() // for good
		for _, n := range c.nodes[:2] {
			n.mend()
		}
		t.Log("succeeded after", c.await(22*time.Second, "a", "b"))
		c.nodes[2].mend()
	})
}

// Nobody has a partition twice whatever is lost, late, cut off or set, and when that ends all is well.
func TestRun_Chaos(t *testing.T) {
	seeds := uint64(4)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { chaos(t, rand.New(rand.NewPCG(seed, 2))) })
		})
	}
}

func chaos(t *testing.T, random *rand.Rand) {
	c := newCluster(t)
	defer c.end()
	alive := map[string]*testNode{}
	cut := map[string]bool{}
	names := []string{"a", "b", "c", "d", "e"}
	for range 100 {
		time.Sleep(time.Duration(random.Int64N(int64(12 * time.Second))))
		name := names[random.IntN(len(names))]
		n := alive[name]
		switch event := random.IntN(8); {
		case n == nil:
			alive[name] = c.start(name)
		case event == 0:
			n.stop()
			delete(alive, name)
			delete(cut, name)
		case event == 1 && !cut[name]:
			n.cut()
			cut[name] = true
		case event <= 3 && cut[name]:
			n.mend()
			delete(cut, name)
		case event == 4:
			n.line.set(func(l *line) { l.losses = 0.3 })
		case event == 5:
			n.line.set(func(l *line) { l.delay = 3 * time.Second })
		case event == 6:
			n.line.set(func(l *line) { l.losses, l.delay = 0, 5*time.Millisecond })
		case event == 7:
			n.wall.Add(int64(time.Hour) * int64(2*random.IntN(2)-1))
		}
	}
	var left []string
	for name, n := range alive {
		left = append(left, name)
		if cut[name] {
			n.mend()
		}
		n.line.set(func(l *line) { l.losses, l.delay = 0, 5*time.Millisecond })
	}
	t.Log(c.await(60*time.Second, left...))
}

func TestRun_WallClockIsSet(t *testing.T) {
	for name, by := range map[string]time.Duration{"forward": time.Hour, "back": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(t)
				defer c.end()
				a := c.startAll("a", "b")
				before := c.held("a")[0]
				a.cut()
				a.wall.Add(int64(by))
				if valid := before.Valid(); valid != (by < 0) {
					t.Errorf("Valid() = %v right after", valid)
				}
				time.Sleep(18500 * time.Millisecond) // by a slow clock
				if before.Valid() || before.Context().Err() == nil {
					t.Error("the tenure lasts longer")
				}
				a.mend()
				c.await(40*time.Second, "a", "b")
			})
		})
	}
}

// Who goes on with a right that is given back by mistake would do so under a tenure that says it is over.
func TestHold_ReturnsUnasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begins []time.Time
		var last *Tenure
		hold := func(t *Tenure) { begins, last = append(begins, time.Now()), t }
		n, err := New(newMemory(), Options{Name: "a", Partitions: 1, Hold: hold})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), 55*time.Second)
		defer stop()
		if err := n.Run(ctx); err != nil {
			t.Error(err)
		}
		if len(begins) != 3 || begins[1].Sub(begins[0]) != 20*time.Second {
			t.Errorf("tenures began at %v, want three, 20 s apart", begins)
		}
		if last.Valid() || !errors.Is(context.Cause(last.Context()), ErrReturned) {
			t.Errorf("Valid() = %v, cause %v", last.Valid(), context.Cause(last.Context()))
		}
	})
}

// The user's word is waited for, and the tenure renewed meanwhile.
func TestHold_TakesItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.drain = 50 * time.Second
		defer c.end()
		a := c.startAll("a")
		c.start("b")
		time.Sleep(40 * time.Second)
		if shares, _ := c.shares(); shares["a"] != partitions {
			t.Errorf("shares are %v while a brings its work to an end", shares)
		}
		c.await(5*time.Minute, "a", "b")
		if lost := a.lost.Load(); lost > 0 {
			t.Errorf("a lost %d tenures", lost)
		}
	})
}

// Run ends also when nothing can be given back.
func TestRun_EndsWithoutRegistry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		a := c.startAll("a")
		a.cut()
		a.stop()
		start := time.Now()
		err := <-a.ended
		if err == nil || !strings.Contains(err.Error(), "64 partitions could not be given back") {
			t.Errorf("Run returned %v", err)
		}
		if took := time.Since(start); took > 35*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// A cluster at rest asks for nothing but renewals and heartbeats.
func TestRun_AtRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		defer c.end()
		c.startAll("a", "b")
		time.Sleep(10 * time.Second)
		before := c.reg.count()
		time.Sleep(100 * time.Second)
		if n := c.reg.count() - before; n > (partitions+2)*21 {
			t.Errorf("%d requests in 100 s, want one for each of %d partitions and two nodes each 5 s", n, partitions)
		}
	})
}

func TestNew_Refuses(t *testing.T) {
	hold := func(*Tenure) {}
	for name, o := range map[string]Options{
		"no name":           {Partitions: 1, Hold: hold},
		"a name with space": {Name: "a b", Partitions: 1, Hold: hold},
		"a dot at its end":  {Name: "a.", Partitions: 1, Hold: hold},
		"ten parts":         {Name: strings.Repeat("a.", 9) + "a", Partitions: 1, Hold: hold},
		"a long part":       {Name: "a." + strings.Repeat("a", 65), Partitions: 1, Hold: hold},
		"no partitions":     {Name: "a", Hold: hold},
		"too many":          {Name: "a", Partitions: MaxPartitions + 1, Hold: hold},
		"no Hold":           {Name: "a", Partitions: 1},
		"no margin":         {Name: "a", Partitions: 1, Hold: hold, Margin: 1},
		"margin over TTL":   {Name: "a", Partitions: 1, Hold: hold, TTL: time.Second},
		"rare renewals":     {Name: "a", Partitions: 1, Hold: hold, Renew: 10 * time.Second},
		"negative Moves":    {Name: "a", Partitions: 1, Hold: hold, Moves: -1},
		"hasty sweep":       {Name: "a", Partitions: 1, Hold: hold, Sweep: time.Second},
	} {
		if _, err := New(newMemory(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

package disk

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// slotsOf returns slots of one site for the links, as a step makes them.
func slotsOf(links []frontier.Link, seqs []uint64) []*slot {
	slots := make([]*slot, len(links))
	for i := range links {
		l := &links[i]
		p := position{depth: clampDepth(l.Depth), rank: rankOf(l.Priority), seq: seqs[i]}
		slots[i] = &slot{queue: l, rec: seenRecord{status: frontier.Queued, position: p}}
	}
	return slots
}

// Ensure that a chunk keeps its entries whole, and that they can be read from any of them on.
func TestChunk_RoundTrip(t *testing.T) {
	anyURL := rapid.Custom(func(t *rapid.T) frontier.URL {
		u, err := frontier.ParseURL(rapid.SampledFrom([]string{
			"http://a.test/", "https://a.test/", "https://a.test/x?y=%2F", "http://a.test/long/way/1", "http://a.test/long/way/2", "http://a.test./dot",
		}).Draw(t, "URL"))
		if err != nil {
			t.Fatal(err)
		}
		return u
	})
	rapid.Check(t, func(t *rapid.T) {
		depth, priority := rapid.IntRange(0, 1<<20).Draw(t, "depth"), rapid.Int8Range(-frontier.MaxPriority, frontier.MaxPriority).Draw(t, "priority")
		links := make([]frontier.Link, rapid.IntRange(1, maxChunkLinks).Draw(t, "links"))
		seqs := make([]uint64, len(links))
		for i := range links {
			l := frontier.Link{URL: anyURL.Draw(t, "URL"), Depth: depth, Priority: priority}
			if rapid.Bool().Draw(t, "found on a page") {
				l.Via = anyURL.Draw(t, "via")
			}
			if rapid.Bool().Draw(t, "redirected") {
				l.Hops = rapid.SliceOfN(anyURL, 1, 3).Draw(t, "hops")
			}
			if rapid.Bool().Draw(t, "found in a sitemap") {
				l.Kind = rapid.Uint8().Draw(t, "kind")
				l.Modified = time.Unix(rapid.Int64Range(-1<<36, 1<<38).Draw(t, "modified"), 0).UTC()
				l.Every = time.Duration(rapid.Int64Range(0, 1<<33).Draw(t, "every")) * time.Second
			}
			l.State = rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "state")
			links[i], seqs[i] = l, rapid.Uint64Range(1, 1<<40).Draw(t, "step")
			if i > 0 {
				seqs[i] += seqs[i-1]
			}
		}
		added := time.Unix(0, rapid.Int64().Draw(t, "added"))
		slots := slotsOf(links, seqs)
		from := rapid.IntRange(0, len(links)-1).Draw(t, "from")
		var want []placed
		for i := from; i < len(links); i++ {
			want = append(want, placed{slots[i].rec.position, frontier.Entry{Link: links[i], ID: seqs[i], Added: added}})
		}
		got, err := decodeQueue(appendChunk(nil, "a.test", added, slots), "a.test", slots[len(slots)-1].rec.position, slots[from].rec.position)
		opts := cmp.Options{cmp.AllowUnexported(placed{}, position{}), cmpopts.EquateComparable(frontier.URL{}), cmpopts.EquateEmpty()}
		if diff := cmp.Diff(want, got, opts); err != nil || diff != "" {
			t.Errorf("decode: %v\n%s", err, diff)
		}
	})
}

// Ensure that the links of one batch that stand next to each other in the queue share a key, within bounds.
func TestChunk_Keys(t *testing.T) {
	page := func(n int, change func(i int, l *frontier.Link)) (links []frontier.Link) {
		for i := range n {
			l := frontier.Link{URL: numbered(t, i), Depth: 1}
			change(i, &l)
			links = append(links, l)
		}
		return links
	}
	for _, tt := range []struct {
		name  string
		links []frontier.Link
		want  int
	}{
		{"one", page(1, func(int, *frontier.Link) {}), 1},
		{"a page", page(50, func(int, *frontier.Link) {}), 1},
		{"of different depths", page(50, func(i int, l *frontier.Link) { l.Depth = i % 3 }), 3},
		{"of different priorities", page(50, func(i int, l *frontier.Link) { l.Priority = int8(i % 5) }), 5},
		{"many", page(maxChunkLinks+1, func(int, *frontier.Link) {}), 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := openMem(t)
			frontiertest.MustAdd(t, f, tt.links...)
			if got := countKeys(t, f, kindQueue); got != tt.want {
				t.Errorf("%d keys in the queue, want %d", got, tt.want)
			}
			var order []frontier.URL
			for e, err := range f.Waiting(t.Context(), "a.test") {
				if err != nil {
					t.Fatal(err)
				}
				order = append(order, e.URL)
			}
			if len(order) != len(tt.links) {
				t.Errorf("%d entries wait, want %d", len(order), len(tt.links))
			}
		})
	}
}

// Ensure that a chunk stays until the last of its entries is settled, in whatever order they are, and in however many leases.
func TestChunk_Deleted(t *testing.T) {
	const n = 20
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		f := openMem(t)
		var links []frontier.Link
		for i := range n {
			links = append(links, frontier.Link{URL: numbered(t, i)})
		}
		frontiertest.MustAdd(t, f, links...)
		for left := n; left > 0; {
			left -= settleSome(t, f, rng)
			if got, want := countKeys(t, f, kindQueue), min(left, 1); got != want {
				t.Fatalf("seed %d: %d keys in the queue while %d entries are left, want %d", seed, got, left, want)
			}
			if problems, err := f.Check(t.Context()); err != nil || len(problems) > 0 {
				t.Fatalf("seed %d: Check = %q, %v", seed, problems, err)
			}
		}
	}
}

// settleSome takes entries of a site with one lease, settles some of them, and returns how many.
func settleSome(t *testing.T, f *Frontier, rng *rand.Rand) int {
	t.Helper()
	l := frontiertest.MustLease(t, f, time.Hour)
	defer l.Close()
	var out []frontier.Outcome
	for range 1 + rng.IntN(6) {
		e, ok, err := l.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			out = append(out, frontier.Outcome{Entry: e, Status: frontier.Done})
		}
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	out = out[:rng.IntN(len(out)+1)]
	for rest := out; len(rest) > 0; {
		k := 1 + rng.IntN(len(rest))
		frontiertest.MustSettle(t, l, rest[:k]...)
		rest = rest[k:]
	}
	return len(out)
}

// Ensure that a chunk goes with its last entry even if it was read twice, because something came in before it.
func TestChunk_ReadAgain(t *testing.T) {
	f := openMem(t)
	links := make([]frontier.Link, 5)
	for i := range links {
		links[i] = frontier.Link{URL: numbered(t, i), Depth: 2}
	}
	frontiertest.MustAdd(t, f, links...)
	l := frontiertest.MustLease(t, f, 0)
	defer l.Close()
	var out []frontier.Outcome
	take := func() {
		e := frontiertest.MustNext(t, l)
		out = append(out, frontier.Outcome{Entry: e, Status: frontier.Done})
	}
	take()
	take()
	frontiertest.MustAdd(t, f, frontier.Link{URL: numbered(t, 5), Depth: 1})
	for range 4 {
		take()
	}
	for i, o := range out {
		frontiertest.MustSettle(t, l, o)
		if got, want := countKeys(t, f, kindQueue), []int{2, 2, 1, 1, 1, 0}[i]; got != want {
			t.Errorf("%d keys in the queue after %d entries were settled, want %d", got, i+1, want)
		}
	}
}

// Ensure that entries that have a key of their own are handed out with the others.
func TestChunk_Alone(t *testing.T) {
	f := openMem(t)
	for i := range 3 {
		frontiertest.MustAdd(t, f, frontier.Link{URL: numbered(t, i)})
	}
	if _, value := first(f, kindQueue); value[0] != recordVersion {
		t.Errorf("an entry that is alone is written as %x", value)
	}
	frontiertest.MustAdd(t, f, frontier.Link{URL: numbered(t, 3)}, frontier.Link{URL: numbered(t, 4)})
	l := frontiertest.MustLease(t, f, 0)
	defer l.Close()
	for i := range 5 {
		if e, _, err := l.Next(t.Context()); err != nil || e.URL != numbered(t, i) {
			t.Errorf("Next = %s, %v, want %s", e.URL, err, numbered(t, i))
		}
	}
}

func openMem(t *testing.T) *Frontier {
	t.Helper()
	f, err := Open("f", Options{FS: vfs.NewMem(), Memory: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func numbered(t *testing.T, i int) frontier.URL {
	t.Helper()
	return frontiertest.URL(t, fmt.Sprintf("http://a.test/%d", i))
}

// countKeys returns how many keys of a kind there are.
func countKeys(t *testing.T, f *Frontier, kind byte) (n int) {
	t.Helper()
	it, err := f.core.db.NewIter(keysOf(kind))
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		n++
	}
	return n
}

package disk_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// forced returns links that are queued even if they were before.
func forced(t testing.TB, raws ...string) []frontier.Link {
	ls := frontiertest.Links(t, raws...)
	for i := range ls {
		ls[i].Force = true
	}
	return ls
}

// settleAll leases whatever is due, and settles all of it. It returns how many entries that were.
func settleAll(t testing.TB, f *disk.Frontier) (settled int) {
	t.Helper()
	for {
		l, err := f.Lease(t.Context(), 0)
		if errors.Is(err, frontier.ErrIdle) {
			return settled
		}
		if err != nil {
			t.Fatal(err)
		}
		for {
			e, ok, err := l.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			frontiertest.MustSettle(t, l, frontier.Outcome{Entry: e, Status: frontier.Done})
			settled++
		}
		l.Close()
	}
}

// Ensure that what was taken from elsewhere is there together with its place, in the directory and in the log, and is not taken
// again, not even a link that is forced.
func TestTake(t *testing.T) {
	for _, logged := range []bool{false, true} {
		t.Run(fmt.Sprintf("log=%v", logged), func(t *testing.T) {
			disks, log := vfs.NewCrashableMem(), &memLog{}
			opened := func() *disk.Frontier {
				o := disk.Options{FS: disks, Memory: 1}
				if logged {
					o.Log = log.take()
				}
				return open(t, "f", o)
			}
			f := opened()
			if got := f.Taken(); got != 0 {
				t.Errorf("Taken = %d in a new frontier", got)
			}
			take := func(at uint64, want frontier.AddResult, ls ...frontier.Link) {
				t.Helper()
				if res, err := f.Take(t.Context(), at, ls); err != nil || res != want {
					t.Errorf("Take up to %d = %+v, %v, want %+v", at, res, err, want)
				}
			}
			take(10, frontier.AddResult{New: 2}, forced(t, "http://a/1", "http://b/2")...)
			if got := settleAll(t, f); got != 2 {
				t.Errorf("%d entries settled, want 2", got)
			}
			take(10, frontier.AddResult{}, forced(t, "http://a/1", "http://b/2")...)
			take(9, frontier.AddResult{}, frontiertest.Links(t, "http://never/1")...)
			take(12, frontier.AddResult{})
			crashed := disks.CrashClone(vfs.CrashCloneCfg{})
			f.Close()

			disks = crashed
			f = opened()
			defer f.Close()
			if got := f.Taken(); got != 12 {
				t.Errorf("Taken = %d after a crash, want 12", got)
			}
			take(11, frontier.AddResult{}, forced(t, "http://a/1")...)
			if got := settleAll(t, f); got != 0 {
				t.Errorf("%d entries are back", got)
			}
			take(13, frontier.AddResult{New: 1, Known: 1}, append(forced(t, "http://a/1"), frontiertest.Links(t, "http://b/2")...)...)
			mustBeSound(t, f)
			if st, err := f.Stats(t.Context()); err != nil || st.Known != 2 || st.Sites != 2 || st.Queued != 1 {
				t.Errorf("Stats = %+v, %v, want two links, one queued", st, err)
			}
		})
	}
}

// Ensure that of callers that take the same at the same time one does.
func TestTake_AtOnce(t *testing.T) {
	f := open(t, "f", disk.Options{FS: vfs.NewMem(), Memory: 1})
	defer f.Close()
	var mu sync.Mutex
	var sum frontier.AddResult
	for at := uint64(1); at <= 50; at++ {
		var wg sync.WaitGroup
		for range 8 {
			ls := forced(t, fmt.Sprintf("http://a/%d", at))
			wg.Go(func() {
				res, err := f.Take(t.Context(), at, ls)
				if err != nil {
					t.Errorf("Take: %v", err)
				}
				mu.Lock()
				defer mu.Unlock()
				sum.New += res.New
				sum.Known += res.Known
			})
		}
		wg.Wait()
	}
	if sum != (frontier.AddResult{New: 50}) {
		t.Errorf("taken are %+v, want 50 new links", sum)
	}
	mustBeSound(t, f)
}

// Ensure that links, however many, are taken in one step with their place: there is one record in the log, and a crash before it
// leaves neither.
func TestTake_OneStep(t *testing.T) {
	log := &memLog{}
	f := open(t, "f", disk.Options{FS: vfs.NewMem(), Memory: 1, Log: log.take()})
	defer f.Close()
	var many []frontier.Link
	for i := range 25_000 {
		many = append(many, frontiertest.Links(t, fmt.Sprintf("http://site-%d.test/%d", i%100, i))...)
	}
	before := log.copy()
	if _, err := f.Take(t.Context(), 5, many); err != nil {
		t.Fatal(err)
	}
	if got := log.len() - before.len(); got != 1 {
		t.Errorf("%d records, want one", got)
	}
	for _, tt := range []struct {
		log   *memLog
		taken uint64
		known int64
	}{{before, 0, 0}, {log.copy(), 5, 25_000}} {
		g := open(t, "f", disk.Options{FS: vfs.NewMem(), Memory: 1, Log: tt.log.take()})
		if st, err := g.Stats(t.Context()); err != nil || st.Known != tt.known || g.Taken() != tt.taken {
			t.Errorf("%d links, %v, taken up to %d, want %d and %d", st.Known, err, g.Taken(), tt.known, tt.taken)
		}
		g.Close()
	}
}

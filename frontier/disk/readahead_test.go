package disk_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// visit leases the only site that is due, takes entries, settles those before the last few, and gives it back.
func visit(t testing.TB, f *disk.Frontier, take, leave int) (urls []string) {
	t.Helper()
	l := frontiertest.MustLease(t, f, time.Minute)
	defer l.Close()
	for i := range take {
		e := frontiertest.MustNext(t, l)
		g := frontiertest.MustPermit(t, l, l.Site())
		g.Done(time.Nanosecond)
		urls = append(urls, e.URL.String())
		if i >= take-leave {
			continue
		}
		frontiertest.MustSettle(t, l, frontier.Outcome{Entry: e, Status: frontier.Done, Page: true})
	}
	return urls
}

// Ensure that what one lease has read ahead the next one takes up, unless something else comes first by then, or entries were taken
// and not settled.
func TestReadAhead_NextLease(t *testing.T) {
	f := open(t, t.TempDir(), disk.Options{DefaultDelay: time.Nanosecond})
	defer f.Close()
	add := func(depth, from, to int) {
		t.Helper()
		var links []frontier.Link
		for i := from; i < to; i++ {
			u := frontiertest.URL(t, fmt.Sprintf("http://a.test/%d", i))
			links = append(links, frontier.Link{URL: u, Depth: depth})
		}
		frontiertest.MustAdd(t, f, links...)
	}
	want := func(numbers ...int) (urls []string) {
		for _, i := range numbers {
			urls = append(urls, fmt.Sprintf("http://a.test/%d", i))
		}
		return urls
	}
	add(2, 0, 20)
	for _, step := range []struct {
		what              string
		do                func()
		take, leave, kept int
		want              []string
	}{
		{"at first", func() {}, 2, 0, 18, want(0, 1)},
		{"later", func() {}, 2, 0, 16, want(2, 3)},
		{"when others come behind it", func() { add(3, 20, 22) }, 1, 0, 15, want(4)},
		{"when others come before it", func() { add(1, 30, 32) }, 3, 0, 14, want(30, 31, 5)},
		{"when some are not settled", func() {}, 3, 2, 0, want(6, 7, 8)},
		{"after that", func() {}, 2, 0, 11, want(7, 8)},
		{"when one is found once more, nearer", func() { add(0, 19, 20) }, 2, 0, 9, want(9, 10)},
		{"to the end", func() {}, 11, 0, 0, want(11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21)},
	} {
		step.do()
		if got := visit(t, f, step.take, step.leave); !slices.Equal(got, step.want) {
			t.Errorf("%s it takes %q, want %q", step.what, got, step.want)
		}
		if n := f.KeptAhead(); n != step.kept {
			t.Errorf("%s %d entries are kept, want %d", step.what, n, step.kept)
		}
	}
	if s, err := f.Stats(t.Context()); err != nil || s.Queued != 0 || s.Done != 24 {
		t.Errorf("%+v, %v; want 24 done", s, err)
	}
}

// Ensure that what is kept of sites nobody leases is bounded.
func TestReadAhead_Bounded(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	f := open(t, t.TempDir(), disk.Options{DefaultDelay: time.Nanosecond, Memory: 16 << 20})
	defer f.Close()
	const sites = 1500
	for site := range sites {
		var links []frontier.Link
		for i := range 40 {
			links = append(links, frontier.Link{URL: frontiertest.URL(t, fmt.Sprintf("http://%d.test/%d", site, i))})
		}
		frontiertest.MustAdd(t, f, links...)
	}
	for range sites {
		visit(t, f, 1, 0)
	}
	if n := f.KeptAhead(); n == 0 || n > 16<<20/16/400 {
		t.Errorf("%d entries are kept of %d sites", n, sites)
	}
}

// What a page costs when each takes a lease of its own, as where politeness has pauses between requests, and the links of a page
// come together.
func BenchmarkLease_OnePage(b *testing.B) {
	f := open(b, b.TempDir(), disk.Options{DefaultDelay: time.Nanosecond})
	defer f.Close()
	for n := 0; n < b.N; n += 60 {
		var links []frontier.Link
		for i := range 60 {
			links = append(links, frontier.Link{URL: makeURL(n%20, uint64(n+i))})
		}
		frontiertest.MustAdd(b, f, links...)
	}
	b.ResetTimer()
	for range b.N {
		visit(b, f, 1, 0)
	}
}

// A disk that cannot be read is told as that, whichever block of the queue it is, and not as a queue that is damaged.
func TestReadAhead_ReadFails(t *testing.T) {
	var left atomic.Int64 // reads of tables until one fails
	left.Store(math.MaxInt64)
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileReadAt && strings.HasSuffix(op.Path, ".sst") && left.Add(-1) < 0 {
			return errorfs.ErrInjected
		}
		return nil
	}))
	f := open(t, "frontier", disk.Options{FS: fs})
	var last frontier.URL
	for i := range 200 { // each in a key of its own
		u := frontiertest.URL(t, fmt.Sprintf("http://a.test/%d%s", i, strings.Repeat("x", 500)))
		frontiertest.MustAdd(t, f, frontier.Link{URL: u, Depth: i})
		last = u
	}
	frontiertest.MustClose(t, f)
	failed, isLast := 0, false
	for n := int64(0); !isLast; n++ {
		f := open(t, "frontier", disk.Options{FS: fs})
		l := frontiertest.MustLease(t, f, time.Minute)
		left.Store(n)
		var err error
		for ok := true; ok && err == nil; {
			_, ok, err = l.Next(t.Context())
		}
		if err == nil {
			_, err = f.Lookup(t.Context(), last)
		}
		isLast = left.Load() >= 0
		left.Store(math.MaxInt64)
		switch {
		case errors.Is(err, errorfs.ErrInjected):
			failed++
		case err != nil:
			t.Errorf("read %d fails: %v", n, err)
		}
		if err := errors.Join(l.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if failed == 0 {
		t.Error("no read failed")
	}
}

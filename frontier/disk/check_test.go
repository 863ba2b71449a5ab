package disk

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// A countdown is a context that ends when it has been looked at so many times.
type countdown struct {
	context.Context
	left *int
}

func (c countdown) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// Ensure that the check of a site ends when it is interrupted, however many URLs the site has.
func TestCheck_EndsWithinSite(t *testing.T) {
	f, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var links []frontier.Link
	for i := range 1000 {
		u, err := frontier.ParseURL(fmt.Sprintf("https://a.example/%d", i))
		if err != nil {
			t.Fatal(err)
		}
		links = append(links, frontier.Link{URL: u})
	}
	if _, err := f.Add(t.Context(), links); err != nil {
		t.Fatal(err)
	}
	left := 100
	if _, err := f.Check(countdown{t.Context(), &left}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted, but: %v", err)
	}
}

// Ensure that every kind of contradiction is found, each by itself.
func TestCheck_Finds(t *testing.T) {
	for _, tt := range []struct {
		name string
		want string // part of a problem
		harm func(f *Frontier, b *pebble.Batch)
	}{
		{"nothing", "", func(*Frontier, *pebble.Batch) {}},
		{"lost entries", "2 URLs wait, but 0 entries", deleteFirst(kindQueue)},
		{"lost retry", "0 entries", deleteFirst(kindRetry)},
		{"lost URL", "record is", deleteFirst(kindSeen)},
		{"lost site", "of a site that is unknown", deleteFirst(kindSite)},
		{"lost policy", "has no policy", deleteFirst(kindPolicy)},
		{"unscheduled site", "not in the schedule", deleteFirst(kindDue)},
		{"lost totals", "totals are", deleteFirst(kindTotals)},
		{"scheduled without need", "3 sites are scheduled, 2 have work", func(f *Frontier, b *pebble.Batch) {
			b.Set(appendDueKey(nil, 1, 2), nil, nil)
		}},
		{"entry twice", "but known as", func(f *Frontier, b *pebble.Batch) {
			key, value := first(f, kindQueue)
			id, p, _ := parseQueueKey(key)
			p.depth++
			b.Set(appendQueueKey(nil, id, p), value, nil)
		}},
		{"settled chunk", "all of its entries are settled", func(f *Frontier, b *pebble.Batch) {
			key, value := first(f, kindQueue)
			id, p, _ := parseQueueKey(key)
			entries, _ := decodeQueue(value, "a", p, position{})
			l := entries[0].entry.Link
			p.seq = 1 // that of the entry which was settled
			b.Set(appendQueueKey(nil, id, p), appendChunk(nil, "a", entries[0].entry.Added, slotsOf([]frontier.Link{l}, []uint64{1})), nil)
		}},
		{"wrong counter", "record is", func(f *Frontier, b *pebble.Batch) {
			key, value := first(f, kindSite)
			rec, _ := decodeSite(value)
			rec.done++
			b.Set(key, rec.append(nil), nil)
		}},
		{"wrong head", "before the head", func(f *Frontier, b *pebble.Batch) {
			for _, id := range []siteID{f.core.siteID("a"), f.core.siteID("b")} {
				key := appendSite(nil, kindSite, id)
				value, closer, _ := f.core.db.Get(key)
				rec, _ := decodeSite(value)
				closer.Close()
				rec.head = maxPosition
				b.Set(key, rec.append(nil), nil)
			}
		}},
		{"garbage", "malformed", func(f *Frontier, b *pebble.Batch) {
			key, _ := first(f, kindQueue)
			b.Set(key, []byte("garbage"), nil)
		}},
		{"stray", "of the end", func(f *Frontier, b *pebble.Batch) {
			b.Set(appendSeenKey(nil, seenKey{^siteID(0), 1}), (&seenRecord{status: frontier.Done}).append(nil), nil)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := littleOfAll(t)
			defer f.Close()
			b := f.core.db.NewBatch()
			tt.harm(f, b)
			if err := f.core.db.Apply(b, pebble.Sync); err != nil {
				t.Fatal(err)
			}
			problems, err := f.Check(t.Context())
			if all := strings.Join(problems, "\n"); err != nil || (all == "") != (tt.want == "") || !strings.Contains(all, tt.want) {
				t.Errorf("Check = %v\n%s\nwant %q", err, all, tt.want)
			}
		})
	}
}

// littleOfAll returns a frontier of two sites: one has two URLs queued and one done, the other one URL that is retried.
func littleOfAll(t *testing.T) *Frontier {
	t.Helper()
	f, err := Open("f", Options{FS: vfs.NewMem(), Memory: 1})
	if err != nil {
		t.Fatal(err)
	}
	var links []frontier.Link
	for _, raw := range []string{"http://a/1", "http://a/2", "http://a/3", "http://b/1"} {
		links = append(links, frontier.Link{URL: frontiertest.URL(t, raw)})
	}
	frontiertest.MustAdd(t, f, links...)
	for range 2 {
		l := frontiertest.MustLease(t, f, 0)
		e := frontiertest.MustNext(t, l)
		o := frontier.Outcome{Entry: e, Status: frontier.Done}
		if l.Site() == "b" {
			o.Status = frontier.Retrying
		}
		frontiertest.MustSettle(t, l, o)
	}
	return f
}

// first returns the first pair of a kind.
func first(f *Frontier, kind byte) (key, value []byte) {
	it, err := f.core.db.NewIter(keysOf(kind))
	if err != nil {
		panic(err)
	}
	defer it.Close()
	it.First()
	return append([]byte(nil), it.Key()...), append([]byte(nil), it.Value()...)
}

func deleteFirst(kind byte) func(*Frontier, *pebble.Batch) {
	return func(f *Frontier, b *pebble.Batch) {
		key, _ := first(f, kind)
		b.Delete(key, nil)
	}
}

// Promise 5: memory holds no more sites than it may, however many there are.
func TestSiteCache_Bounded(t *testing.T) {
	f, err := Open("f", Options{FS: vfs.NewMem(), Memory: 1, ActiveSites: 20})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range 500 {
		frontiertest.MustAdd(t, f, frontier.Link{URL: frontiertest.URL(t, "http://s"+strings.Repeat("x", i%50)+string(rune('a'+i%26))+"/")})
		if n, m := len(f.sites.sites), f.schedule.len(); n > 20 || m > 20 {
			t.Fatalf("%d sites and %d appointments in memory, want 20 at most", n, m)
		}
	}
}

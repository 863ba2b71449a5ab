package cluster_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/disk"
)

// awaitQuarantine gives a partition to a node and returns why it leaves it alone.
func awaitQuarantine(t *testing.T, c crawled, n *node) cluster.Quarantine {
	t.Helper()
	n.tenures.give(c.b, 0)
	time.Sleep(time.Second)
	all, err := cluster.Quarantined(t.Context(), c.b, 1)
	if err != nil || len(all) != 1 {
		t.Fatalf("Quarantined = %+v, %v", all, err)
	}
	return all[0]
}

// Ensure that a partition whose log contradicts itself is left alone by all nodes until it is repaired, from its newest snapshot or
// the files of a node, with what can be used of the log, and that all pages are found then.
func TestRepair(t *testing.T) {
	for what, test := range map[string]struct {
		damage   func(c crawled)
		ownFiles bool // the node has what it had
		from     string
		isLost   bool // a part of the log cannot be used
		inbox    bool // is lost
	}{
		"a record is missing": {damage: func(c crawled) {
			r := c.b.parts[0].records
			c.b.parts[0].records = append(r[:len(r)-9:len(r)-9], r[len(r)-8:]...)
		}, isLost: true},
		"a record is another": {damage: func(c crawled) {
			r := c.b.parts[0].records
			r[len(r)-5].data = r[len(r)-6].data
		}, isLost: true},
		"the end is missing": {damage: func(c crawled) {
			r := c.b.parts[0].records
			c.b.parts[0].records = r[:len(r)-9]
		}, ownFiles: true},
		"the end is missing, a node has it": {damage: func(c crawled) {
			r := c.b.parts[0].records
			c.b.parts[0].records = r[:len(r)-9]
		}, ownFiles: true, from: "partitions/0000", isLost: true},
		"the end is missing, and places begin anew": {damage: func(c crawled) {
			r := c.b.parts[0].records
			c.b.parts[0].records, c.b.parts[0].last = r[:len(r)-9], r[len(r)-10].at
		}, ownFiles: true, isLost: true, inbox: true},
		"no snapshot can be read": {damage: func(c crawled) { clear(c.s.files) }, from: "partitions/0000"},
		"the inbox cannot be read": {damage: func(c crawled) {
			if err := c.b.Send(context.Background(), 0, "x", []byte("x")); err != nil {
				panic(err)
			}
			c.b.parts[0].broken = c.b.parts[0].last
		}, inbox: true},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := crawlSome(t)
				if _, err := cluster.Repair(t.Context(), withSnapshots(c.b, c.s, c.files, 1), 0, ""); !errors.Is(err, cluster.ErrNotQuarantined) {
					t.Errorf("Repair of what is whole = %v, want %v", err, cluster.ErrNotQuarantined)
				}
				test.damage(c)
				files := vfs.NewMem()
				if test.ownFiles {
					files = c.files
				}
				o := withSnapshots(c.b, c.s, files, 1)
				o.Node = "first"
				first := newNodeWith(t, o)
				q := awaitQuarantine(t, c, first)
				if q.Node != "first" || q.Reason == "" || q.Inbox != (what == "the inbox cannot be read") {
					t.Errorf("quarantined: %+v", q)
				}
				o.Node, o.Disk.FS = "second", vfs.NewMem()
				second := newNodeWith(t, o)
				awaitQuarantine(t, c, second)
				c.b.mu.Lock()
				last := c.b.parts[0].last
				c.b.mu.Unlock()
				time.Sleep(time.Minute)
				if _, now, _, _ := c.b.Extent(t.Context(), 0); now != last {
					t.Error("a node has written to the log")
				}

				o.Disk.FS, o.Dir = c.files, "operator"
				res, err := cluster.Repair(t.Context(), o, 0, test.from)
				if err != nil {
					t.Fatal(err)
				}
				if (res.Lost != nil) != test.isLost || res.InboxLost != test.inbox || res.Base == "" || res.Place == 0 {
					t.Errorf("Repair = %+v", res)
				}
				if names := c.names(t); len(names) != 1 || len(c.s.files) != 1 {
					t.Errorf("%q are kept, of %d", names, len(c.s.files))
				}
				if _, revision, _ := c.b.Get(t.Context(), "paused"); revision == 0 {
					t.Error("nodes do not hear that what they passed on may be lost")
				}
				if all, err := second.Quarantined(t.Context()); err != nil || len(all) != 0 {
					t.Errorf("Quarantined = %+v, %v", all, err)
				}
				if left, err := c.files.List("operator"); err == nil && len(left) > 0 {
					t.Errorf("%q are left", left)
				}
				time.Sleep(10 * time.Second) // both give it back
				first.tenures.give(c.b, 0)   // with files that are of no use any more, maybe
				c.w.inBackground(t, first)()
				c.w.check(t)
				first.Close()
				second.Close()
			})
		})
	}
}

// Ensure that a partition stays as it is when it shall be rebuilt from a directory without files, or with those of another one.
func TestRepair_FromElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawlSome(t)
		n := newNodeWith(t, withSnapshots(c.b, c.s, vfs.NewMem(), 1))
		defer n.Close()
		clear(c.s.files)
		awaitQuarantine(t, c, n)
		_, err := cluster.Repair(t.Context(), withSnapshots(c.b, c.s, c.files, 1), 0, "partitions/0009")
		if !errors.Is(err, disk.ErrNotExist) {
			t.Errorf("Repair from nothing = %v, want %v", err, disk.ErrNotExist)
		}
		if _, err := c.files.Stat("partitions/0009"); err == nil {
			t.Error("a directory was made")
		}
		const many = 1000 // partitions: none of the few sites falls into this one
		_, err = cluster.Repair(t.Context(), withSnapshots(c.b, c.s, c.files, many), 0, "partitions/0000")
		if err == nil || !strings.Contains(err.Error(), "another partition") {
			t.Errorf("Repair from the files of another partition = %v", err)
		}
		awaitQuarantine(t, c, n)
	})
}

// Ensure that a repair which is interrupted at whatever step is made good by another one, and leaves the partition alone until
// then.
func TestRepair_Interrupted(t *testing.T) {
	for step := 0; ; step += stride() {
		isOver := false
		synctest.Test(t, func(t *testing.T) {
			c := crawlSome(t)
			r := c.b.parts[0].records
			c.b.parts[0].records = append(r[:len(r)-9:len(r)-9], r[len(r)-8:]...)
			n := newNodeWith(t, withSnapshots(c.b, c.s, vfs.NewMem(), 1))
			awaitQuarantine(t, c, n)
			f := &faulty{broker: c.b, store: c.s, step: step}
			ctx, kill := context.WithCancel(t.Context())
			f.fault = func() { f.dead.Store(true); kill() }
			if _, err := cluster.Repair(ctx, withSnapshots(f, faultyStore{c.s, f}, c.files, 1), 0, ""); err == nil {
				isOver = true
			} else {
				awaitQuarantine(t, c, n)
				if _, err := cluster.Repair(t.Context(), withSnapshots(c.b, c.s, c.files, 1), 0, ""); err != nil {
					t.Errorf("step %d, %s: %v", step, f.steps[step], err)
				}
			}
			time.Sleep(10 * time.Second)
			n.tenures.give(c.b, 0)
			c.w.inBackground(t, n)()
			c.w.check(t)
			n.Close()
		})
		if isOver {
			if step < 7 {
				t.Errorf("there were %d steps only", step)
			}
			return
		}
	}
}

// Ensure that a quarantine can be ended as it is, and comes back if its cause is there.
func TestRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawlSome(t)
		if err := cluster.Release(t.Context(), c.b, 0); !errors.Is(err, cluster.ErrNotQuarantined) {
			t.Errorf("Release = %v, want %v", err, cluster.ErrNotQuarantined)
		}
		whole := c.b.parts[0].records
		c.b.parts[0].records = append(whole[:len(whole)-9:len(whole)-9], whole[len(whole)-8:]...)
		n := newNodeWith(t, withSnapshots(c.b, c.s, vfs.NewMem(), 1))
		awaitQuarantine(t, c, n)
		if err := cluster.Release(t.Context(), c.b, 0); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if q := awaitQuarantine(t, c, n); !strings.Contains(q.Reason, "contradict") {
			t.Errorf("quarantined: %+v", q)
		}
		c.b.mu.Lock()
		c.b.parts[0].records = whole
		c.b.mu.Unlock()
		if err := cluster.Release(t.Context(), c.b, 0); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		n.tenures.give(c.b, 0)
		if err := c.w.crawl(t.Context(), t, n); !errors.Is(err, frontier.ErrIdle) {
			t.Errorf("Lease: %v, want %v", err, frontier.ErrIdle)
		}
		c.w.check(t)
		n.Close()
	})
}

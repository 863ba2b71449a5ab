package disk_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// Promise 3: nothing of an operation is on disk before the barrier, which makes its pages durable, has returned: what is on
// disk while it runs, synced or not, does not show the operation. The barrier comes after the operation began, once for each
// batch.
func TestBarrier_PrecedesCommit(t *testing.T) {
	fs := vfs.NewCrashableMem()
	var calls atomic.Int64
	var seen frontier.Status // of the URL, on disk, during the last call
	target := frontiertest.URL(t, "http://a/1")
	o := disk.Options{FS: fs, Memory: 1}
	o.Barrier = func() (uint64, error) {
		calls.Add(1)
		f, err := disk.Open("f", disk.Options{FS: fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))}), Memory: 1})
		if err != nil {
			return 0, err
		}
		defer f.Close()
		info, err := f.Lookup(context.Background(), target)
		seen = info.Status
		return 0, err
	}
	f := open(t, "f", o)
	for _, step := range []struct {
		name   string
		do     func()
		before frontier.Status
	}{
		{"Add", func() { frontiertest.Queue(t, f, "http://a/1") }, frontier.Unknown},
		{"Settle", func() { settleOne(t, f) }, frontier.Queued},
		{"Close", func() { f.Close() }, frontier.Done},
	} {
		n := calls.Load()
		step.do()
		if calls.Load() != n+1 || seen != step.before {
			t.Errorf("%s called the barrier %d times, when the URL was %d on disk, want once, %d", step.name, calls.Load()-n, seen, step.before)
		}
	}
}

func settleOne(t *testing.T, f frontier.Frontier) {
	t.Helper()
	l := frontiertest.MustLease(t, f, time.Hour)
	defer l.Close()
	e, _, err := l.Next(t.Context())
	if err == nil {
		_, err = l.Settle(t.Context(), frontier.Outcome{Entry: e, Status: frontier.Done})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Ensure that what the barrier returned last is known when the frontier is opened again, also after a kill, and when it has fallen.
func TestBarrier_ReliesOn(t *testing.T) {
	fs := vfs.NewCrashableMem()
	var reach uint64
	o := disk.Options{FS: fs, Memory: 1, Barrier: func() (uint64, error) { return reach, nil }}
	for _, step := range []struct {
		name       string
		reach      uint64
		do         func(f *disk.Frontier)
		last, kept uint64
	}{
		{"nothing yet", 0, func(*disk.Frontier) {}, 0, 0},
		{"added, then killed", 7, func(f *disk.Frontier) { frontiertest.Queue(t, f, "http://a/1") }, 0, 7},
		{"killed without a word", 8, func(*disk.Frontier) {}, 7, 7},
		{"settled, then killed", 9, func(f *disk.Frontier) { settleOne(t, f) }, 7, 9},
		{"closed with less", 3, func(f *disk.Frontier) { f.Close() }, 9, 3},
	} {
		reach = step.reach
		f := open(t, "f", o)
		if f.ReliesOn() != step.last {
			t.Errorf("%s: it was opened relying on %d, want %d", step.name, f.ReliesOn(), step.last)
		}
		step.do(f)
		o.FS = fs.CrashClone(vfs.CrashCloneCfg{})
		f.Close()
		fs = o.FS.(*vfs.MemFS)
		f = open(t, "f", disk.Options{FS: fs.CrashClone(vfs.CrashCloneCfg{}), Memory: 1, ReadOnly: true})
		if f.ReliesOn() != step.kept {
			t.Errorf("%s: then it relies on %d, want %d", step.name, f.ReliesOn(), step.kept)
		}
		f.Close()
	}
}

// Ensure that after the barrier has failed nobody is told of success, and nothing has happened.
func TestBarrier_Fails(t *testing.T) {
	fs := vfs.NewMem()
	broken := errors.New("disk full")
	var fails atomic.Bool
	f := open(t, "f", disk.Options{FS: fs, Memory: 1, Barrier: func() (uint64, error) {
		if fails.Load() {
			return 0, broken
		}
		return 0, nil
	}})
	frontiertest.Queue(t, f, "http://a/1", "http://b/1")
	l := frontiertest.MustLease(t, f, time.Hour)
	e := frontiertest.MustNext(t, l)
	fails.Store(true)
	if _, err := l.Settle(t.Context(), frontier.Outcome{Entry: e, Status: frontier.Done}); !errors.Is(err, broken) {
		t.Errorf("Settle: %v, want %v", err, broken)
	}
	fails.Store(false)
	for name, call := range map[string]func() error{
		"Add":       func() error { _, err := f.Add(t.Context(), frontiertest.Links(t, "http://a/2")); return err },
		"Add again": func() error { _, err := f.Add(t.Context(), frontiertest.Links(t, "http://a/1")); return err },
		"Settle": func() error {
			_, err := l.Settle(t.Context(), frontier.Outcome{Entry: e, Status: frontier.Done})
			return err
		},
		"SetPolicy": func() error { return l.SetPolicy(t.Context(), frontier.SitePolicy{}) },
		"Next":      func() error { _, _, err := l.Next(t.Context()); return err },
		"Permit":    func() error { _, err := l.Permit(t.Context(), "a"); return err },
		"Lease":     func() error { _, err := f.Lease(t.Context(), 0); return err },
	} {
		if err := call(); !errors.Is(err, broken) {
			t.Errorf("%s after the failure: %v, want %v", name, err, broken)
		}
	}
	if _, err := f.Stats(t.Context()); err != nil {
		t.Errorf("Stats: %v, want to be able to look", err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	f = open(t, "f", disk.Options{FS: fs, Memory: 1})
	defer f.Close()
	if st, err := f.Stats(t.Context()); err != nil || st.Known != 2 || st.Queued != 2 {
		t.Errorf("Stats = %+v, %v, want two links, both queued", st, err)
	}
}

// Ensure that a disk that cannot be written any more is an error for all callers, and not the end of the process.
func TestDiskFails(t *testing.T) {
	var fails atomic.Bool
	full := errors.New("no space left on device")
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if fails.Load() && op.Kind.ReadOrWrite() == errorfs.OpIsWrite && strings.HasSuffix(op.Path, ".log") {
			return full
		}
		return nil
	}))
	f := open(t, "f", disk.Options{FS: fs, Memory: 1})
	frontiertest.Queue(t, f, "http://a/1")
	fails.Store(true)
	for i := range 3 {
		if _, err := f.Add(t.Context(), frontiertest.Links(t, fmt.Sprintf("http://b/%d", i))); err == nil || !strings.Contains(err.Error(), full.Error()) {
			t.Errorf("Add: %v, want %v", err, full)
		}
	}
	if _, err := f.Lease(t.Context(), 0); err == nil {
		t.Error("Lease after the failure, want an error")
	}
	fails.Store(false)
	f.Close()
}

// Ensure that a disk on which no file can be made any more, as one that has room but no inode, is an error for whoever adds links,
// and for whoever closes what has written enough for another log, and never the end of the process; and that all that was
// acknowledged is there when it can be written again.
func TestDiskFails_NoFileCanBeMade(t *testing.T) {
	for _, whenClosed := range []bool{false, true} {
		t.Run(fmt.Sprintf("closed first %v", whenClosed), func(t *testing.T) {
			var fails atomic.Bool
			fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
				if fails.Load() && (op.Kind == errorfs.OpCreate || op.Kind == errorfs.OpReuseForWrite) {
					return syscall.ENOSPC
				}
				return nil
			}))
			f := open(t, "f", disk.Options{FS: fs, Memory: 1})
			fails.Store(!whenClosed)
			long := strings.Repeat("x", 1000)
			var err error
			var acknowledged int64
			for page := 0; err == nil && (!whenClosed || page < 30); page++ { // a log holds less than 2,000 of these links
				var links []string
				for i := range 50 {
					links = append(links, fmt.Sprintf("http://a/%d/%d/%s", page, i, long))
				}
				if _, err = f.Add(t.Context(), frontiertest.Links(t, links...)); err == nil {
					acknowledged += int64(len(links))
				}
			}
			if !whenClosed && !errors.Is(err, syscall.ENOSPC) || whenClosed && err != nil {
				t.Errorf("Add of %d links: %v", acknowledged, err)
			}
			fails.Store(true)
			if err := f.Close(); err != nil && !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("Close: %v", err)
			}
			fails.Store(false)
			f = open(t, "f", disk.Options{FS: fs, Memory: 1})
			defer f.Close()
			if st, err := f.Stats(t.Context()); err != nil || st.Queued < acknowledged {
				t.Errorf("Stats = %+v, %v, want %d queued at least", st, err, acknowledged)
			}
		})
	}
}

// Ensure that a file system which cannot set room aside for a file, as NFS and most of those in user space, holds a frontier.
func TestDisk_NoPreallocation(t *testing.T) {
	fs := errorfs.Wrap(vfs.Default, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFilePreallocate {
			return syscall.EOPNOTSUPP
		}
		return nil
	}))
	f := open(t, t.TempDir(), disk.Options{FS: fs, Memory: 1})
	defer f.Close()
	if _, err := f.Add(t.Context(), frontiertest.Links(t, "http://a/1")); err != nil {
		t.Error(err)
	}
}

// Ensure that of many callers who offer the same new links at once each link is new to exactly one.
func TestAdd_Concurrent(t *testing.T) {
	f := open(t, "f", disk.Options{FS: vfs.NewMem(), Memory: 1})
	defer f.Close()
	const pages, callers = 40, 16
	var fresh, known atomic.Int64
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for p := range pages {
				var ls []frontier.Link
				for i := range 20 {
					ls = append(ls, frontiertest.Links(t, fmt.Sprintf("http://a/%d", p*10+i))...)
				}
				res, err := f.Add(t.Context(), ls)
				if err != nil {
					t.Error(err)
				}
				fresh.Add(int64(res.New))
				known.Add(int64(res.Known))
			}
		})
	}
	wg.Wait()
	if want := int64(pages*10 + 10); fresh.Load() != want || fresh.Load()+known.Load() != pages*20*callers {
		t.Errorf("%d new, %d known, want %d new of %d", fresh.Load(), known.Load(), want, pages*20*callers)
	}
	mustBeSound(t, f)
}

// Ensure that whoever is told that links are known can rely on it, although it was another who made them so.
func TestAdd_KnownIsDurable(t *testing.T) {
	fs := vfs.NewCrashableMem()
	f := open(t, "f", disk.Options{FS: fs, Memory: 1})
	defer f.Close()
	var wg sync.WaitGroup
	for i := range 200 {
		raw := fmt.Sprintf("http://a/%d", i)
		for range 3 {
			wg.Go(func() {
				if _, err := f.Add(t.Context(), frontiertest.Links(t, raw)); err != nil {
					t.Error(err)
					return
				}
				if i%20 != 0 {
					return
				}
				after := open(t, "f", disk.Options{FS: fs.CrashClone(vfs.CrashCloneCfg{}), Memory: 1})
				defer after.Close()
				if info, err := after.Lookup(t.Context(), frontiertest.URL(t, raw)); err != nil || info.Status != frontier.Queued {
					t.Errorf("%s after power loss: %+v, %v", raw, info, err)
				}
			})
		}
		wg.Wait()
	}
}

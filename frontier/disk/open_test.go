package disk_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// Ensure that a directory belongs to one process, and that whoever comes second hears which directory it is about.
func TestOpen_Locked(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, disk.Options{})
	if _, err := disk.Open(dir, disk.Options{}); !errors.Is(err, disk.ErrInUse) || !strings.Contains(err.Error(), dir) {
		t.Errorf("second Open = %v, want %v with the directory", err, disk.ErrInUse)
	}
	if err := f.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	open(t, dir, disk.Options{}).Close()
}

func TestOpen_ReadOnly(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, disk.Options{})
	frontiertest.Queue(t, f, "http://a/1", "http://b/1")
	f.Close()

	before := listing(t, dir)
	other := open(t, dir, disk.Options{ReadOnly: true})
	defer other.Close()
	f = open(t, dir, disk.Options{ReadOnly: true})
	if info, err := f.Lookup(t.Context(), frontiertest.URL(t, "http://a/1")); err != nil || info.Status != frontier.Queued {
		t.Errorf("Lookup = %+v, %v, want it queued", info, err)
	}
	if st, err := f.Stats(t.Context()); err != nil || st != (frontier.Stats{Known: 2, Queued: 2, Sites: 2}) {
		t.Errorf("Stats = %+v, %v", st, err)
	}
	mustBeSound(t, f)
	if _, err := f.Add(t.Context(), frontiertest.Links(t, "http://a/2")); !errors.Is(err, disk.ErrReadOnly) {
		t.Errorf("Add: %v, want %v", err, disk.ErrReadOnly)
	}
	if _, err := f.Lease(t.Context(), 0); !errors.Is(err, disk.ErrReadOnly) {
		t.Errorf("Lease: %v, want %v", err, disk.ErrReadOnly)
	}
	if err := f.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if after := listing(t, dir); after != before {
		t.Errorf("files before\n%s\nand after\n%s", before, after)
	}
}

// listing returns names and times of the files in dir, but for the lock.
func listing(t *testing.T, dir string) string {
	var b strings.Builder
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == "LOCK" {
			continue
		}
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(e.Name() + " " + info.ModTime().Format(time.RFC3339Nano) + "\n")
	}
	return b.String()
}

func TestOpen_NothingToRead(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	for _, dir := range []string{t.TempDir(), missing} {
		if _, err := disk.Open(dir, disk.Options{ReadOnly: true}); !errors.Is(err, disk.ErrNotExist) {
			t.Errorf("Open(%s) = %v, want %v", dir, err, disk.ErrNotExist)
		}
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("reading has made a directory")
	}
}

// Promise 2: after a crash every site with work waits its full delay from the moment of opening again, and after Close only
// what is left of the gap.
func TestOpen_Politeness(t *testing.T) {
	for _, tt := range []struct {
		name    string
		crash   bool
		settle  bool
		away    time.Duration // between the last request and opening again
		waits   time.Duration // from opening
		lastEnd bool
	}{
		{"closed", false, true, 3 * time.Second, 7 * time.Second, true},
		{"closed, nothing settled", false, false, 3 * time.Second, 7 * time.Second, true},
		{"closed long ago", false, true, time.Hour, 0, true},
		{"crashed", true, true, 3 * time.Second, 10 * time.Second, true},
		{"crashed, nothing settled", true, false, 3 * time.Second, 10 * time.Second, false},
		{"crashed long ago", true, true, time.Hour, 10 * time.Second, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fs := vfs.NewCrashableMem()
				f := open(t, "f", disk.Options{FS: fs, Memory: 1})
				frontiertest.Queue(t, f, "http://a/1", "http://a/2")
				l := frontiertest.MustLease(t, f, time.Hour)
				l.SetPolicy(t.Context(), frontier.SitePolicy{Delay: 10 * time.Second})
				ask(t, l, tt.settle, time.Second) // the policy asks for more
				if tt.crash {
					fs = fs.CrashClone(vfs.CrashCloneCfg{})
				}
				f.Close()
				time.Sleep(tt.away)

				start := time.Now()
				f = open(t, "f", disk.Options{FS: fs, Memory: 1})
				defer f.Close()
				l = frontiertest.MustLease(t, f, time.Hour)
				g, err := l.Permit(t.Context(), "a")
				if got := time.Since(start); got != tt.waits || err != nil {
					t.Errorf("the next request may leave after %v (%v), want %v", got, err, tt.waits)
				}
				if g.LastEnd.IsZero() == tt.lastEnd {
					t.Errorf("last end %v, want one: %v", g.LastEnd, tt.lastEnd)
				}
				g.Done(0)
			})
		})
	}
}

// Ensure that the gap that a slow answer made the next request owe, longer than the delay of the policy, survives a crash.
func TestOpen_SlowAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewCrashableMem()
		f := open(t, "f", disk.Options{FS: fs, Memory: 1})
		frontiertest.Queue(t, f, "http://a/1", "http://a/2")
		l := frontiertest.MustLease(t, f, time.Hour)
		l.SetPolicy(t.Context(), frontier.SitePolicy{Delay: 10 * time.Second})
		ask(t, l, true, 25*time.Second)
		fs = fs.CrashClone(vfs.CrashCloneCfg{})
		f.Close()

		start := time.Now()
		f = open(t, "f", disk.Options{FS: fs, Memory: 1})
		defer f.Close()
		frontiertest.MustLease(t, f, time.Hour)
		if got := time.Since(start); got != 25*time.Second {
			t.Errorf("leased after %v, want the gap that was owed: 25s", got)
		}
	})
}

// Ensure that a frontier of a process that died, on a disk that is full, does not try for ever to open, and lets go of the
// directory, with nothing lost, once there is room. It takes real time: the store holds locks while it waits.
func TestOpen_DiskFull(t *testing.T) {
	var isFull atomic.Bool
	mem := vfs.NewCrashableMem()
	f := open(t, "f", disk.Options{FS: mem, Memory: 1})
	frontiertest.Queue(t, f, "http://a/1", "http://a/2")
	crashed := mem.CrashClone(vfs.CrashCloneCfg{})
	f.Close()
	fs := errorfs.Wrap(crashed, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if isFull.Load() && op.Kind.ReadOrWrite() == errorfs.OpIsWrite && strings.HasSuffix(op.Path, ".sst") {
			return syscall.ENOSPC
		}
		return nil
	}))

	isFull.Store(true)
	start := time.Now()
	if _, err := disk.Open("f", disk.Options{FS: fs, Memory: 1}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Open on a full disk: %v, want %v", err, syscall.ENOSPC)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %v to find out", took)
	}
	isFull.Store(false)
	time.Sleep(3 * time.Second)
	f = open(t, "f", disk.Options{FS: fs, Memory: 1})
	defer f.Close()
	if st, err := f.Stats(t.Context()); err != nil || st.Queued != 2 {
		t.Errorf("Stats = %+v, %v, want two links queued", st, err)
	}
}

// Ensure that a frontier of which the log cannot be made does not open, and says why, while it reads what was seen.
func TestOpen_NoLog(t *testing.T) {
	var fails atomic.Bool
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		isMaking := op.Kind == errorfs.OpCreate || op.Kind == errorfs.OpReuseForWrite
		if fails.Load() && isMaking && strings.HasSuffix(op.Path, ".log") {
			return syscall.EDQUOT
		}
		if fails.Load() && op.Kind == errorfs.OpFileReadAt && strings.HasSuffix(op.Path, ".sst") {
			time.Sleep(time.Millisecond)
		}
		return nil
	}))
	f := open(t, "f", disk.Options{FS: fs, Memory: 1})
	frontiertest.Queue(t, f, "http://a/1", "http://a/2", "http://b/1")
	f.Close()
	open(t, "f", disk.Options{FS: fs, Memory: 1}).Close()

	fails.Store(true)
	for range 20 {
		if f, err := disk.Open("f", disk.Options{FS: fs, Memory: 1}); !errors.Is(err, syscall.EDQUOT) {
			t.Fatalf("Open = %v, %v, want %v", f, err, syscall.EDQUOT)
		}
	}
}

// ask makes one request that takes a second and makes the next one owe gap, and settles it or not.
func ask(t *testing.T, l frontier.Lease, settle bool, gap time.Duration) {
	t.Helper()
	g, err := l.Permit(t.Context(), l.Site())
	if err != nil {
		t.Fatalf("Permit: %v", err)
	}
	time.Sleep(time.Second)
	g.Done(gap)
	e, _, err := l.Next(t.Context())
	if err == nil && settle {
		_, err = l.Settle(t.Context(), frontier.Outcome{Entry: e, Status: frontier.Done})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Ensure that the delay of sites nobody set a policy for is owed after a crash, too.
func TestOpen_DefaultDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewCrashableMem()
		o := disk.Options{FS: fs, Memory: 1, DefaultDelay: 5 * time.Second}
		f := open(t, "f", o)
		frontiertest.Queue(t, f, "http://a/1")
		start := time.Now()
		frontiertest.MustLease(t, f, time.Hour)
		if got := time.Since(start); got != 0 {
			t.Errorf("a new site was leased after %v", got)
		}
		o.FS = fs.CrashClone(vfs.CrashCloneCfg{})
		f.Close()
		f = open(t, "f", o)
		defer f.Close()
		frontiertest.MustLease(t, f, time.Hour)
		if got := time.Since(start); got != 5*time.Second {
			t.Errorf("leased %v after the crash, want 5s", got)
		}
	})
}

// Ensure that what others know of the requests of a process that died is kept to, by the next process and the one after it, and
// that a process that asks for nothing does not make the crash forgotten.
func TestRemember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewCrashableMem()
		o := disk.Options{FS: fs, Memory: 1, DefaultDelay: 5 * time.Second}
		f := open(t, "f", o)
		frontiertest.Queue(t, f, "http://a/1", "http://b/1")
		o.FS = fs.CrashClone(vfs.CrashCloneCfg{})
		f.Close()

		start := time.Now()
		f = open(t, "f", o)
		if !f.Unclean() {
			t.Error("the crash is forgotten")
		}
		if err := errors.Join(f.Owe(t.Context(), "a", start.Add(-time.Second), time.Minute), f.Block(t.Context(), "b", start.Add(time.Hour), "busy")); err != nil {
			t.Fatal(err)
		}
		f.Close()
		f = open(t, "f", o)
		defer f.Close()
		if !f.Unclean() {
			t.Error("a process that asked for nothing made the crash forgotten")
		}
		for _, want := range []struct {
			site string
			wait time.Duration
		}{{"a", time.Minute}, {"b", time.Hour}} {
			l := frontiertest.MustLease(t, f, time.Hour)
			if got := time.Since(start); l.Site() != want.site || got < want.wait-time.Second {
				t.Errorf("%s was leased after %v, want %s after %v", l.Site(), got, want.site, want.wait)
			}
		}
	})
}

// Whoever may not write looks at a frontier all the same: on a read-only file system, or at that of somebody else.
func TestOpen_ReadOnlyWhereNothingCanBeWritten(t *testing.T) {
	for _, why := range []error{syscall.EROFS, syscall.EACCES} {
		files := vfs.NewMem()
		f := open(t, "f", disk.Options{FS: files})
		frontiertest.Queue(t, f, "http://a.example/")
		frontiertest.MustClose(t, f)
		f, err := disk.Open("f", disk.Options{FS: unwritable{files, why}, ReadOnly: true})
		if err != nil {
			t.Fatalf("%v: %v", why, err)
		}
		if s, err := f.Stats(t.Context()); err != nil || s.Queued != 1 {
			t.Errorf("%v: %d queued, %v; want 1", why, s.Queued, err)
		}
		if err := f.Close(); err != nil {
			t.Errorf("%v: %v", why, err)
		}
		if _, err := disk.Open("f", disk.Options{FS: unwritable{files, why}}); !errors.Is(err, why) {
			t.Errorf("to write: %v, want %v", err, why)
		}
	}
}

// unwritable is a file system on which nothing can be made or changed.
type unwritable struct {
	vfs.FS
	why error
}

func (u unwritable) refuse(name string) error {
	return &fs.PathError{Op: "open", Path: name, Err: u.why}
}

func (u unwritable) Lock(name string) (io.Closer, error) { return nil, u.refuse(name) }

func (u unwritable) Create(name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, u.refuse(name)
}

func (u unwritable) OpenReadWrite(name string, _ vfs.DiskWriteCategory, _ ...vfs.OpenOption) (vfs.File, error) {
	return nil, u.refuse(name)
}

func (u unwritable) Remove(name string) error { return u.refuse(name) }

func (u unwritable) MkdirAll(string, os.FileMode) error { return nil }

// Ensure that what a later version of the database wrote is not taken for damaged, and stays as it is.
func TestOpen_Newer(t *testing.T) {
	dir := t.TempDir()
	if err := open(t, dir, disk.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	markers, err := filepath.Glob(filepath.Join(dir, "marker.format-version.*"))
	if err != nil || len(markers) != 1 {
		t.Fatalf("markers %q, %v", markers, err)
	}
	if err := os.Rename(markers[0], strings.TrimSuffix(markers[0], filepath.Ext(markers[0]))+".999"); err != nil {
		t.Fatal(err)
	}
	for _, readOnly := range []bool{false, true} {
		_, err := disk.Open(dir, disk.Options{ReadOnly: readOnly})
		if !errors.Is(err, disk.ErrNewer) || disk.IsDamaged(err) {
			t.Errorf("Open = %v, want %v", err, disk.ErrNewer)
		}
	}
}

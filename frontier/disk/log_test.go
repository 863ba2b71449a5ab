package disk_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// The contract, with the write-ahead log elsewhere.
func TestFrontier_Log(t *testing.T) {
	t.Parallel()
	frontiertest.Test(t, func(t testing.TB) frontier.Frontier {
		o := disk.Options{FS: vfs.NewMem(), Memory: 1, Log: new(memLog).take()}
		return &checked{Frontier: open(t, "f", o), t: t}
	}, frontiertest.Options{Bubble: true, Oracle: newOracle})
}

// Where whoever opens a frontier again begins, besides the log.
const (
	fromDir   = "its directory"
	fromEmpty = "an empty directory"
	fromCopy  = "a snapshot"
)

// What must outlive the process, whatever its directory has kept.
func TestFrontier_LogReopen(t *testing.T) {
	t.Parallel()
	for _, from := range []string{fromDir, fromEmpty, fromCopy} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			testLogReopen(t, from)
		})
	}
}

// A machine is a directory and the log of the frontier in it.
type machine struct {
	disk *vfs.MemFS
	log  *memLog
}

// copies returns the snapshots there are, the last one last.
func (m machine) copies(t testing.TB) []string {
	t.Helper()
	names, err := m.disk.List("")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, "copy") })
}

// A copied frontier makes snapshots of itself when something is added, now and then.
type copied struct {
	*checked
	machine
	rng *rand.Rand
}

func (c *copied) Add(ctx context.Context, links []frontier.Link) (frontier.AddResult, error) {
	if c.rng.IntN(2) == 0 {
		if _, err := c.Snapshot(fmt.Sprintf("copy-%06d", c.log.len())); err != nil && !errors.Is(err, fs.ErrExist) {
			return frontier.AddResult{}, err
		}
	}
	return c.checked.Add(ctx, links)
}

func testLogReopen(t *testing.T, from string) {
	machines := make(map[string]machine)
	opened := func(t testing.TB, dir string) frontier.Frontier {
		m, known := machines[dir]
		if !known {
			m.log = &memLog{}
		}
		if !known || from == fromEmpty {
			m.disk = vfs.NewCrashableMem()
		}
		machines[dir] = m
		in := "f"
		if copies := m.copies(t); from == fromCopy && len(copies) > 0 {
			in = copies[len(copies)-1]
		}
		f := &checked{Frontier: open(t, in, disk.Options{FS: m.disk, Memory: 1, Log: m.log.take(), Boot: onMachine("a")}), t: t}
		t.Cleanup(func() { f.Close() }) // also that on the machine which has lost its power
		if from == fromCopy {
			return &copied{f, m, rand.New(rand.NewPCG(uint64(m.log.len()), 1))}
		}
		return f
	}
	kill := func(t testing.TB, f frontier.Frontier, dir string) string {
		m, after := machines[dir], filepath.Join(dir, "after")
		machines[after] = machine{m.disk.CrashClone(vfs.CrashCloneCfg{}), m.log.copy()}
		return after
	}
	frontiertest.Reopen(t, opened, kill, frontiertest.Options{Bubble: true, Oracle: newOracle})
}

func dump(t testing.TB, f *disk.Frontier) map[string]string {
	t.Helper()
	all, err := f.Dump()
	if err != nil {
		t.Fatalf("Dump: %v", err)
	}
	return all
}

// Ensure that whatever a crash has left of the directory, together with the log, is what the frontier would be without the crash,
// key by key.
func TestLog_Crash(t *testing.T) {
	t.Parallel()
	rounds := 10
	if testing.Short() {
		rounds = 1
	}
	rng := rand.New(rand.NewPCG(3, 4))
	partly := 0
	for range rounds {
		fs, log, b := vfs.NewCrashableMem(), &memLog{}, newBooks()
		f := open(t, "f", disk.Options{FS: fs, Memory: 1, Log: log.take()})
		left := crawlSome(t, f, rng, b, fs, log)
		want := dump(t, f)
		all := log.copy()
		f.Close()
		for _, m := range append(left, machine{vfs.NewCrashableMem(), nil}) {
			if _, err := m.disk.Stat("f"); err == nil {
				partly++
			}
			g := open(t, "f", disk.Options{FS: m.disk, Memory: 1, Log: all.copy().take()})
			if diff := cmp.Diff(want, dump(t, g)); diff != "" {
				t.Errorf("after the crash, and what it would be without (-without +with):\n%.2000s", diff)
			}
			b.balance(t, g)
			if err := g.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		}
	}
	if partly == 0 {
		t.Error("no crash has left anything")
	}
}

// crawlSome crawls for a while, during which the store is flushed now and then, and returns what crashes in the midst would have
// left.
func crawlSome(t *testing.T, f *disk.Frontier, rng *rand.Rand, b *books, fs *vfs.MemFS, log *memLog) (left []machine) {
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var notes atomic.Int64
	wg.Go(func() {
		crawl(ctx, f, rng.Uint64(), func(kind, raw string, s frontier.Status) {
			b.note(kind, raw, s)
			notes.Add(1)
		})
	})
	for range 4 {
		for until := notes.Load() + 300; notes.Load() < until; {
			time.Sleep(time.Millisecond)
		}
		if err := f.Flush(); err != nil {
			t.Errorf("Flush: %v", err)
		}
		left = append(left, machine{fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rand.New(rand.NewPCG(5, 6))}), log})
	}
	cancel()
	wg.Wait()
	return left
}

// Ensure that a batch which the store does not copy, because it is long, is kept as whole as any other.
func TestLog_LongRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	log := &memLog{}
	f := open(t, "f", disk.Options{FS: vfs.NewMem(), Memory: 1, Log: log.take()})
	defer f.Close()
	var many []frontier.Link
	for i := range 10_000 {
		many = append(many, frontiertest.Links(t, fmt.Sprintf("http://site-%d.test/%d/%s", i%500, i, strings.Repeat("long", 50)))...)
	}
	frontiertest.MustAdd(t, f, many...)
	if size := log.size(); size < 1<<20 {
		t.Fatalf("the log has %d bytes, too few to be long", size)
	}
	want := dump(t, f)
	fs := vfs.NewCrashableMem()
	g := open(t, "f", disk.Options{FS: fs, Memory: 1, Log: log.copy().take()})
	defer g.Close()
	h := open(t, "f", disk.Options{FS: fs.CrashClone(vfs.CrashCloneCfg{}), Memory: 1, Log: log.copy().take()})
	defer h.Close()
	for _, again := range []*disk.Frontier{g, h} {
		if diff := cmp.Diff(want, dump(t, again)); diff != "" {
			t.Errorf("replayed (-without +with):\n%.2000s", diff)
		}
		mustBeSound(t, again)
	}
}

// Ensure that of a frontier which was closed nothing is replayed, and that the next one goes on in the log.
func TestLog_ClosedIsFlushed(t *testing.T) {
	fs, log := vfs.NewCrashableMem(), &memLog{}
	f := open(t, "f", disk.Options{FS: fs, Memory: 1, Log: log.take()})
	frontiertest.Queue(t, f, "http://a/1")
	if err := f.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	appended := log.len()
	var replayed []uint64
	watched := &watchedLog{memOwner: log.take(), replayed: &replayed}
	f = open(t, "f", disk.Options{FS: fs.CrashClone(vfs.CrashCloneCfg{}), Memory: 1, Log: watched})
	defer f.Close()
	if len(replayed) != 1 || replayed[0] != placeOf(appended-1) {
		t.Errorf("replayed %d, want only the last record, at %d, to compare", replayed, placeOf(appended-1))
	}
	frontiertest.Queue(t, f, "http://a/2")
	mustBeSound(t, f)
	if got := log.len(); got != appended+2 {
		t.Errorf("%d records, want %d: that the frontier is open, and a link", got, appended+2)
	}
}

// A watchedLog notes which records are replayed.
type watchedLog struct {
	*memOwner
	replayed *[]uint64
}

func (w *watchedLog) Replay(after uint64, f func(at uint64, record []byte) error) error {
	return w.memOwner.Replay(after, func(at uint64, record []byte) error {
		*w.replayed = append(*w.replayed, at)
		return f(at, record)
	})
}

// someLog returns a log of some records, and directories that hold all of them and some.
func someLog(t *testing.T) (log *memLog, whole, part *vfs.MemFS) {
	t.Helper()
	log, whole = &memLog{}, vfs.NewCrashableMem()
	f := open(t, "f", disk.Options{FS: whole, Memory: 1, Log: log.take()})
	for _, raw := range []string{"http://a/1", "http://a/2", "http://b/3"} {
		frontiertest.Queue(t, f, raw)
	}
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	part = whole.CrashClone(vfs.CrashCloneCfg{})
	for _, raw := range []string{"http://a/4", "http://b/5", "http://c/6"} {
		frontiertest.Queue(t, f, raw)
	}
	frontiertest.MustClose(t, f)
	return log, whole, part
}

// Ensure that a log which is not the one that was written opens nothing, and leaves the log as it is.
func TestLog_Diverged(t *testing.T) {
	other := func(l *memLog) {
		o := open(t, "o", disk.Options{FS: vfs.NewMem(), Memory: 1, Log: l.take()})
		for range 9 {
			frontiertest.Queue(t, o, "http://o/"+time.Duration(l.len()).String())
		}
		o.Close()
	}
	const held = 4 // records in the directory that holds some
	for name, tt := range map[string]struct {
		change func(l *memLog)
		whole  bool // the directory holds all
		empty  bool // it holds nothing
		says   string
	}{
		"a record is missing": {
			change: func(l *memLog) { l.records = append(l.records[:held+1], l.records[held+2:]...) }, says: "record 7, at 25 of the log, follows record 5",
		},
		"the next record is missing":       {change: func(l *memLog) { l.records = append(l.records[:held], l.records[held+1:]...) }},
		"the last held and next":           {change: func(l *memLog) { l.records = append(l.records[:held-1], l.records[held+1:]...) }},
		"a record is there twice":          {change: func(l *memLog) { l.records[held+1].data = l.records[held].data }},
		"the record held is there twice":   {change: func(l *memLog) { l.records[held].data = l.records[held-1].data }},
		"two records in the wrong order":   {change: func(l *memLog) { swap(l, held, held+1) }},
		"a record was written anew":        {change: func(l *memLog) { l.records[held+1].data[60] ^= 1 }},
		"the last record was written anew": {change: func(l *memLog) { last := l.records[len(l.records)-1].data; last[len(last)-1] ^= 1 }},
		"the record held was written anew": {change: func(l *memLog) { l.records[held-1].data[20] ^= 1 }},
		"a record is cut off":              {change: func(l *memLog) { l.records[held].data = l.records[held].data[:50] }},
		"a record is empty":                {change: func(l *memLog) { l.records[held].data = nil }},
		"a record of another version":      {change: func(l *memLog) { l.records[held].data[0]++ }},
		"the log has lost its end":         {change: func(l *memLog) { l.records = l.records[:held-1] }},
		"all, and the log its last record": {change: func(l *memLog) { l.records = l.records[:len(l.records)-1] }, whole: true},
		"the log is empty":                 {change: func(l *memLog) { l.records = nil }, whole: true},
		"the log is another's":             {change: func(l *memLog) { l.records = nil; other(l) }, whole: true},
		"the log goes on as another's": {change: func(l *memLog) {
			o := &memLog{}
			other(o)
			l.records = append(l.records[:held], o.records[held:]...)
		}},
		"the log has lost its beginning": {change: func(l *memLog) { l.records = l.records[2:] }, empty: true},
	} {
		t.Run(name, func(t *testing.T) {
			log, whole, fs := someLog(t)
			if tt.whole {
				fs = whole
			}
			if tt.empty {
				fs = vfs.NewCrashableMem()
			}
			tt.change(log)
			appended := log.len()
			f, err := disk.Open("f", disk.Options{FS: fs, Memory: 1, Log: log.take()})
			if !errors.Is(err, disk.ErrDiverged) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("Open = %v, want %v with %q", err, disk.ErrDiverged, tt.says)
			}
			if err == nil {
				f.Close()
			}
			if log.len() != appended {
				t.Error("something was appended")
			}
		})
	}
}

func swap(l *memLog, i, j int) {
	l.records[i].data, l.records[j].data = l.records[j].data, l.records[i].data
}

// Ensure that a log may forget what comes before the last record that the directory holds, and that one too.
func TestLog_Trimmed(t *testing.T) {
	for _, forgotten := range []int{3, 4} {
		log, _, part := someLog(t)
		log.records = log.records[forgotten:]
		f := open(t, "f", disk.Options{FS: part, Memory: 1, Log: log.take()})
		if st, err := f.Stats(t.Context()); err != nil || st.Known != 6 {
			t.Errorf("Stats = %+v, %v, want all six links", st, err)
		}
		mustBeSound(t, f)
		f.Close()
	}
}

// Ensure that a frontier with a log is not opened without, where it would go on alone, nor one without with.
func TestLog_Forgotten(t *testing.T) {
	log, whole, part := someLog(t)
	if _, err := disk.Open("f", disk.Options{FS: whole, Memory: 1}); !errors.Is(err, disk.ErrDiverged) {
		t.Errorf("Open without the log = %v, want %v", err, disk.ErrDiverged)
	}
	f := open(t, "f", disk.Options{FS: part, Memory: 1, ReadOnly: true})
	if st, err := f.Stats(t.Context()); err != nil || st.Known != 3 {
		t.Errorf("Stats = %+v, %v, want what the directory holds", st, err)
	}
	f.Close()
	f = open(t, "f", disk.Options{FS: part, Memory: 1, Log: log.take()})
	f.Close()

	fs := vfs.NewMem()
	open(t, "f", disk.Options{FS: fs, Memory: 1}).Close()
	if _, err := disk.Open("f", disk.Options{FS: fs, Memory: 1, Log: new(memLog).take()}); !errors.Is(err, disk.ErrDiverged) {
		t.Errorf("Open with a log = %v, want %v", err, disk.ErrDiverged)
	}
}

// Ensure that a log that cannot be appended to ends the frontier: nothing that was not appended is seen, all callers hear of it,
// and it is not tried again.
func TestLog_AppendFails(t *testing.T) {
	broken := errors.New("no broker")
	log := &memLog{}
	owner := log.take()
	calls := 0
	owner.before = func(number int) error {
		if calls++; number == 3 {
			return broken
		}
		return nil
	}
	fs := vfs.NewCrashableMem()
	f := open(t, "f", disk.Options{FS: fs, Memory: 1, Log: owner})
	frontiertest.Queue(t, f, "http://a/1")
	for range 2 {
		if _, err := f.Add(t.Context(), frontiertest.Links(t, "http://a/2")); !errors.Is(err, broken) {
			t.Errorf("Add = %v, want %v", err, broken)
		}
	}
	if info, err := f.Lookup(t.Context(), frontiertest.URL(t, "http://a/2")); err != nil || info.Status != frontier.Unknown {
		t.Errorf("Lookup = %+v, %v: it is there, and not in the log", info, err)
	}
	if _, err := f.Lease(t.Context(), 0); !errors.Is(err, broken) {
		t.Errorf("Lease = %v, want %v", err, broken)
	}
	if err := f.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if calls != 3 || log.len() != 2 {
		t.Errorf("%d calls of Append, %d records, want 3 and 2", calls, log.len())
	}
	f = open(t, "f", disk.Options{FS: fs, Memory: 1, Log: log.take()})
	defer f.Close()
	mustBeSound(t, f)
	frontiertest.Queue(t, f, "http://a/2")
	if st, err := f.Stats(t.Context()); err != nil || st.Known != 2 {
		t.Errorf("Stats = %+v, %v, want two links", st, err)
	}
}

// Ensure that a record that was appended, though whoever did was told otherwise, is there for the next owner, once.
func TestLog_AppendedUnheard(t *testing.T) {
	lost := errors.New("no answer")
	log := &memLog{}
	owner := log.take()
	fs := vfs.NewCrashableMem()
	f := open(t, "f", disk.Options{FS: fs, Memory: 1, Log: owner})
	frontiertest.Queue(t, f, "http://a/1")
	owner.after = func(int) error { return lost }
	forced := frontiertest.Links(t, "http://a/2")
	forced[0].Force = true
	if _, err := f.Add(t.Context(), forced); !errors.Is(err, lost) {
		t.Errorf("Add = %v, want %v", err, lost)
	}
	f.Close()
	f = open(t, "f", disk.Options{FS: fs, Memory: 1, Log: log.take()})
	defer f.Close()
	mustBeSound(t, f)
	if st, err := f.Stats(t.Context()); err != nil || st.Known != 2 || st.Queued != 2 {
		t.Errorf("Stats = %+v, %v, want both links queued", st, err)
	}
}

// Ensure that whoever has lost the log can change nothing, and warns of that, and that whoever has it now does not see what the
// other one tries.
func TestLog_Fenced(t *testing.T) {
	log := &memLog{}
	core, told := observer.New(zap.WarnLevel)
	f := open(t, "f", disk.Options{FS: vfs.NewMem(), Memory: 1, Log: log.take(), Logger: zap.New(core)})
	frontiertest.Queue(t, f, "http://a/1")
	g := open(t, "f", disk.Options{FS: vfs.NewMem(), Memory: 1, Log: log.take()})
	defer g.Close()
	if _, err := f.Add(t.Context(), frontiertest.Links(t, "http://a/2")); !errors.Is(err, errTaken) {
		t.Errorf("Add = %v, want %v", err, errTaken)
	}
	if lines := told.All(); len(lines) != 1 || lines[0].Level != zap.WarnLevel {
		t.Errorf("it tells %+v, want a warning", lines)
	}
	if err := f.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	frontiertest.Queue(t, g, "http://a/3")
	if st, err := g.Stats(t.Context()); err != nil || st.Known != 2 {
		t.Errorf("Stats = %+v, %v, want the links 1 and 3", st, err)
	}
	mustBeSound(t, g)
}

// Ensure that a frontier that cannot say in the log that it is open is not.
func TestLog_OpenFails(t *testing.T) {
	broken := errors.New("no broker")
	owner := new(memLog).take()
	owner.before = func(int) error { return broken }
	if _, err := disk.Open("f", disk.Options{FS: vfs.NewMem(), Memory: 1, Log: owner}); !errors.Is(err, broken) {
		t.Errorf("Open = %v, want %v", err, broken)
	}
}

// Ensure that nothing is seen before it is in the log, that what comes while a record is on its way shares the next one, and that
// the barrier comes before.
func TestLog_GroupCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &memLog{}
		owner := log.take()
		var barriers, appends int
		barrier := func() (uint64, error) { barriers++; return 1, nil }
		f := open(t, "f", disk.Options{FS: vfs.NewMem(), Memory: 1, Log: owner, Barrier: barrier})
		defer f.Close()
		owner.before = func(int) error {
			if appends++; barriers != appends {
				t.Errorf("append %d after %d barriers", appends, barriers)
			}
			time.Sleep(time.Second)
			return nil
		}
		start := time.Now()
		first := frontiertest.Links(t, "http://first/1")
		go func() {
			if _, err := f.Add(t.Context(), first); err != nil {
				t.Errorf("Add: %v", err)
			}
		}()
		synctest.Wait()
		if info, err := f.Lookup(t.Context(), frontiertest.URL(t, "http://first/1")); err != nil || info.Status != frontier.Unknown {
			t.Errorf("Lookup = %+v, %v while it is on its way to the log", info, err)
		}
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() { frontiertest.Queue(t, f, "http://a/"+strings.Repeat("x", i)) })
		}
		wg.Wait()
		if got := time.Since(start); got != 2*time.Second || appends != 2 {
			t.Errorf("%d records in %v, want two in two seconds", appends, got)
		}
	})
}

package disk_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// Ensure that a directory that lacks what the log has forgotten is not opened, and is not taken for one that contradicts it.
func TestOpen_Behind(t *testing.T) {
	log, files := &memLog{}, vfs.NewMem()
	f := open(t, "f", disk.Options{FS: files, Memory: 1, Log: log.take()})
	frontiertest.Queue(t, f, "http://a/1")
	early, err := f.Snapshot("early")
	if err != nil {
		t.Fatal(err)
	}
	frontiertest.Queue(t, f, "http://a/2")
	late, err := f.Snapshot("late")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	for log.records[0].at < late {
		log.records = log.records[1:]
	}
	for _, dir := range []string{"none", "early"} {
		_, err := disk.Open(dir, disk.Options{FS: files, Memory: 1, Log: log.take(), LogFrom: late})
		if !errors.Is(err, disk.ErrBehind) || errors.Is(err, disk.ErrDiverged) || disk.IsDamaged(err) {
			t.Errorf("Open %s, which ends at %d = %v, want %v", dir, early, err, disk.ErrBehind)
		}
	}
	g := open(t, "late", disk.Options{FS: files, Memory: 1, Log: log.take(), LogFrom: late})
	defer g.Close()
	if at, err := g.Place(); err != nil || at <= late {
		t.Errorf("Place = %d, %v, want one after %d", at, err, late)
	}
}

// Ensure that a frontier that is closed says so to whoever asks for its place in the log, or wants its files kept.
func TestClosed_PlaceAndKeep(t *testing.T) {
	f := open(t, "f", disk.Options{FS: vfs.NewMem(), Memory: 1})
	f.Close()
	if _, err := f.Place(); !errors.Is(err, frontier.ErrClosed) {
		t.Errorf("Place = %v, want %v", err, frontier.ErrClosed)
	}
	if err := f.Keep(t.Context()); !errors.Is(err, frontier.ErrClosed) {
		t.Errorf("Keep = %v, want %v", err, frontier.ErrClosed)
	}
}

// Ensure that files which were cut off, changed or lost are told from a disk that does not do what it should.
func TestIsDamaged(t *testing.T) {
	for _, does := range []struct {
		to     string
		damage func(name string) error
	}{
		{"*.sst", func(name string) error { return os.Truncate(name, 100) }},
		{"*.sst", os.Remove},
		{"*.sst", func(name string) error { return overwrite(name, 20) }},
		{"MANIFEST-*", os.Remove},
		{"MANIFEST-*", func(name string) error { return overwrite(name, 20) }},
	} {
		dir, log := t.TempDir(), &memLog{}
		f := open(t, dir, disk.Options{Log: log.take()})
		frontiertest.Queue(t, f, "http://a/1")
		f.Close()
		names, err := filepath.Glob(filepath.Join(dir, does.to))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %q, %v", does.to, names, err)
		}
		for _, name := range names {
			if err := does.damage(name); err != nil {
				t.Fatal(err)
			}
		}
		f, err = disk.Open(dir, disk.Options{Log: log.take()})
		if !disk.IsDamaged(err) {
			t.Errorf("Open with damaged %s = %v, want damage", does.to, err)
		}
		if err != nil && (strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "stack trace")) {
			t.Errorf("Open with damaged %s says more than a line: %v", does.to, err)
		}
		if err == nil {
			f.Close()
		}
	}
	if err := fmt.Errorf("read: %w", os.ErrNotExist); disk.IsDamaged(err) || disk.IsDamaged(nil) {
		t.Errorf("%v is damage", err)
	}
}

// overwrite changes bytes in the middle of a file.
func overwrite(name string, n int64) error {
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.WriteAt(make([]byte, n), 10)
	return err
}

// Ensure that what follows in a damaged log is saved, and that whoever replays it from there on gets the same.
func TestOpen_Salvage(t *testing.T) {
	for _, damage := range []struct {
		what  string
		do    func(l *memLog)
		saved int // of ten links
	}{
		{"nothing", func(*memLog) {}, 10},
		{"a hole", func(l *memLog) { l.records = append(l.records[:7:7], l.records[8:]...) }, 6},
		{"the end is lost", func(l *memLog) { l.records = l.records[:5] }, 4},
		{"no record", func(l *memLog) { l.records[5].data = []byte("x") }, 4},
	} {
		t.Run(damage.what, func(t *testing.T) {
			log, files := &memLog{}, vfs.NewMem()
			f := open(t, "f", disk.Options{FS: files, Memory: 1, Log: log.take()})
			for i := range 10 { // records 2 to 11
				frontiertest.Queue(t, f, fmt.Sprintf("http://a/%d", i))
			}
			f.Close()
			damage.do(log)
			g := open(t, "g", disk.Options{FS: files, Memory: 1, Log: log.take(), Salvage: true})
			if (g.Contradiction() == nil) != (damage.saved == 10 || damage.what == "the end is lost") {
				t.Errorf("Contradiction = %v", g.Contradiction())
			}
			from, err := g.Snapshot("copy")
			if err != nil {
				t.Fatal(err)
			}
			frontiertest.Queue(t, g, "http://b/")
			wantKnown(t, g, damage.saved+1)
			g.Close()
			for log.records[0].at < from {
				log.records = log.records[1:]
			}
			h := open(t, "copy", disk.Options{FS: files, Memory: 1, Log: log.take(), LogFrom: from})
			defer h.Close()
			mustBeSound(t, h)
			wantKnown(t, h, damage.saved+1)
			if damage.what == "the end is lost" { // what it was has the same places
				return
			}
			if _, err := disk.Open("f", disk.Options{FS: files, Memory: 1, Log: log.take(), LogFrom: from}); !errors.Is(err, disk.ErrBehind) {
				t.Errorf("the files as they were are opened: %v, want %v", err, disk.ErrBehind)
			}
		})
	}
}

func wantKnown(t *testing.T, f *disk.Frontier, want int) {
	t.Helper()
	if st, err := f.Stats(t.Context()); err != nil || st.Known != int64(want) {
		t.Errorf("Stats = %+v, %v, want %d known", st, err, want)
	}
}

// Ensure that files which are ahead of their log are saved as they are.
func TestOpen_SalvageAhead(t *testing.T) {
	log, files := &memLog{}, vfs.NewMem()
	f := open(t, "f", disk.Options{FS: files, Memory: 1, Log: log.take()})
	for i := range 10 {
		frontiertest.Queue(t, f, fmt.Sprintf("http://a/%d", i))
	}
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	lost := log.copy()
	lost.records = lost.records[:5]
	if _, err := disk.Open("f", disk.Options{FS: files, Memory: 1, Log: lost.take()}); !errors.Is(err, disk.ErrDiverged) {
		t.Fatalf("Open = %v, want %v", err, disk.ErrDiverged)
	}
	lost.records = append(lost.records, memRecord{placeOf(100), nil}) // by whoever saves it
	g := open(t, "f", disk.Options{FS: files, Memory: 1, Log: lost.take(), Salvage: true})
	defer g.Close()
	if g.Contradiction() == nil {
		t.Error("there is no contradiction")
	}
	wantKnown(t, g, 10)
}

// Ensure that frontiers which share their memory are ones like others.
func TestBudget(t *testing.T) {
	b := disk.NewBudget(1, 8)
	defer b.Close()
	var all []*disk.Frontier
	for i := range 10 {
		f := open(t, "f", disk.Options{FS: vfs.NewMem(), Budget: b, Log: new(memLog).take()})
		defer f.Close()
		all = append(all, f)
		frontiertest.Queue(t, f, "http://a/1", fmt.Sprintf("http://a/%d", i+2))
	}
	for i, f := range all {
		wantKnown(t, f, 2)
		info, err := f.Lookup(t.Context(), frontiertest.URL(t, fmt.Sprintf("http://a/%d", i+2)))
		if err != nil || info.Status != frontier.Queued {
			t.Errorf("Lookup = %+v, %v", info, err)
		}
	}
}

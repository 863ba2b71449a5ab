package disk_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// Ensure that who follows a log that another one writes has, when it opens the frontier, all that is there, and reads no more of
// the log than what came since; and that it writes nothing.
func TestCatchUp(t *testing.T) {
	log, files := &memLog{}, vfs.NewMem()
	owner, err := disk.Open("owner", disk.Options{FS: vfs.NewMem(), Memory: 1, Log: log.take()})
	if err != nil {
		t.Fatal(err)
	}
	add := func(from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			frontiertest.Queue(t, owner, fmt.Sprintf("http://a.test/%d", i))
		}
	}
	reader := &countedLog{Log: &memOwner{log: log}}
	o := disk.Options{FS: files, Memory: 1, Log: reader}
	done := 0
	for _, step := range []struct{ to, most int }{{50, 60}, {50, 1}, {80, 31}} {
		add(done, step.to)
		done = step.to
		before := log.len()
		reader.records = 0
		at, err := disk.CatchUp("follower", o)
		if err != nil {
			t.Fatal(err)
		}
		if want := placeOf(log.len() - 1); at != want || log.len() != before {
			t.Errorf("it has come to %d of %d records at %d, from %d", at, log.len(), want, before)
		}
		if reader.records > step.most {
			t.Errorf("%d of %d records were read, more than %d", reader.records, log.len(), step.most)
		}
	}
	owner.Close()
	reader = &countedLog{Log: log.take()}
	f, err := disk.Open("follower", disk.Options{FS: files, Memory: 1, Log: reader})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if s, err := f.Stats(t.Context()); err != nil || s.Queued != 80 {
		t.Errorf("%d URLs are queued, %v; want 80", s.Queued, err)
	}
	if reader.records > 5 {
		t.Errorf("%d records were read, which it had", reader.records)
	}
	if _, err := disk.CatchUp("follower", o); !errors.Is(err, disk.ErrInUse) {
		t.Errorf("CatchUp of a frontier that is open: %v, want %v", err, disk.ErrInUse)
	}
}

// Ensure that who is behind the beginning of a log is told so.
func TestCatchUp_Behind(t *testing.T) {
	o := disk.Options{FS: vfs.NewMem(), Memory: 1, Log: (&memLog{}).take(), LogFrom: 9}
	if _, err := disk.CatchUp("f", o); !errors.Is(err, disk.ErrBehind) {
		t.Errorf("CatchUp: %v, want %v", err, disk.ErrBehind)
	}
}

// A countedLog counts the records that are read.
type countedLog struct {
	disk.Log
	records int
}

func (l *countedLog) Replay(after uint64, f func(at uint64, record []byte) error) error {
	return l.Log.Replay(after, func(at uint64, record []byte) error {
		l.records++
		return f(at, record)
	})
}

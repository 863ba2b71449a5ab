package database_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/cybermapper/cybermapper/storage/database"
)

// Ensure that a database whose list of tables could not be brought to stable storage leaves its files as they were, so that it can
// be opened and merged when the disk is sound again, with all that was known to be written.
func TestOpen_ListOfTablesFails(t *testing.T) {
	for _, kind := range []errorfs.OpKind{errorfs.OpFileSync, errorfs.OpFileWrite} {
		for failures := 1; failures <= 3; failures++ {
			for _, isLogged := range []bool{true, false} {
				t.Run(fmt.Sprintf("op %d, %d times, log %t", kind, failures, isLogged), func(t *testing.T) {
					testListOfTablesFails(t, kind, failures, isLogged)
				})
			}
		}
	}
}

func testListOfTablesFails(t *testing.T, kind errorfs.OpKind, failures int, isLogged bool) {
	var left atomic.Int64
	mem := vfs.NewMem()
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == kind && strings.Contains(op.Path, "MANIFEST") && left.Add(-1) >= 0 {
			return syscall.EIO
		}
		return nil
	}))
	failed := make(chan error, 100)
	db := mustOpen(t, fs, isLogged, failed)
	fill(t, db)
	if err := db.Flush(); err != nil {
		t.Fatalf("Flush: %v", err)
	}
	fill(t, db)
	left.Store(int64(failures))
	if _, err := db.AsyncFlush(); err != nil {
		t.Fatalf("AsyncFlush: %v", err)
	}
	<-failed
	time.Sleep(100 * time.Millisecond) // it tries again
	db.Close()

	db = mustOpen(t, mem, isLogged, nil)
	if err := db.Compact(t.Context(), []byte("a"), []byte("z"), false); err != nil {
		t.Errorf("Compact: %v", err)
	}
	if _, closer, err := db.Get([]byte("key 99")); err != nil {
		t.Errorf("Get: %v", err)
	} else {
		closer.Close()
	}
	if err := db.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func mustOpen(t *testing.T, fs vfs.FS, isLogged bool, failed chan<- error) *pebble.DB {
	t.Helper()
	db, _, err := database.Open("db", &pebble.Options{
		FS: fs, Logger: quiet{}, DisableWAL: !isLogged, FormatMajorVersion: pebble.FormatNewest,
		EventListener: &pebble.EventListener{BackgroundError: func(err error) {
			select {
			case failed <- err:
			default:
			}
		}},
	}, func() {})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return db
}

func fill(t *testing.T, db *pebble.DB) {
	t.Helper()
	for i := range 100 {
		if err := db.Set(fmt.Appendf(nil, "key %d", i), []byte("value"), pebble.NoSync); err != nil {
			t.Fatalf("Set: %v", err)
		}
	}
}

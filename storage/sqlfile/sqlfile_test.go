package sqlfile_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cybermapper/cybermapper/storage/sqlfile"
)

// Of many who begin with a file at once none is told that it is locked.
func TestOpen_ManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	for i := range 100 {
		name := filepath.Join(dir, fmt.Sprint(i))
		begin := make(chan struct{})
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				db, err := sqlfile.Open(name, 1, "_pragma=synchronous(off)", "_pragma=auto_vacuum(2)", "_pragma=journal_mode(WAL)")
				if err != nil {
					t.Error(err)
					return
				}
				defer db.Close()
				<-begin
				if err := db.PingContext(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		close(begin)
		all.Wait()
	}
}

// What is brief is not begun when it is too late, and not ended once it has begun.
func TestBrief(t *testing.T) {
	late := errors.New("too late")
	ctx, cancel := context.WithCancelCause(t.Context())
	brief, err := sqlfile.Brief(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel(late)
	if brief.Err() != nil {
		t.Errorf("ended: %v", brief.Err())
	}
	if _, err := sqlfile.Brief(ctx); !errors.Is(err, late) {
		t.Errorf("Brief() = %v, want %v", err, late)
	}
}

package sqlfile_test

import (
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

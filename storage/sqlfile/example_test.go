package sqlfile_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cybermapper/cybermapper/storage/sqlfile"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "sqlfile")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	db, err := sqlfile.Open(filepath.Join(dir, "pages.db"), 4, "_pragma=journal_mode(WAL)")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	var mode string
	err = db.QueryRowContext(context.Background(), `PRAGMA journal_mode`).Scan(&mode)
	fmt.Println(mode, err)
	// Output: wal <nil>
}

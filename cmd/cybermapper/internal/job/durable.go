package job

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cybermapper/cybermapper/storage/durable"
)

// MakeDir makes a directory, and those above it that are missing, durably: after power loss they are there, and so is what was
// synced in them. It is no error if it is there already.
func MakeDir(dir string) error { return makeDir(dir, durable.SyncDir) }

func makeDir(dir string, sync func(dir string) error) error {
	var parents []string // of what is missing
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		parents = append(parents, filepath.Dir(at))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, p := range parents {
		if err := sync(p); err != nil {
			return fmt.Errorf("make %s: %w", dir, err)
		}
	}
	return nil
}

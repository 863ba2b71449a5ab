package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cybermapper/cybermapper/storage/ctxio"
)

// A Directory is a Store in a directory that all nodes share, such as one of a network file system. It must exist.
type Directory string

// partSuffix ends the name of a file that is being written.
const partSuffix = ".part"

// Put implements Store.
func (d Directory) Put(ctx context.Context, name string, r io.Reader) (err error) {
	part := filepath.Join(string(d), name+partSuffix)
	file, err := os.Create(part)
	if err != nil {
		return fmt.Errorf("keep a snapshot: %w", err)
	}
	_, err = io.Copy(file, ctxio.Reader(ctx, r))
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(part, filepath.Join(string(d), name))
	}
	if err == nil {
		err = d.sync()
	}
	if err != nil {
		return fmt.Errorf("keep a snapshot: %w", err)
	}
	return nil
}

// sync makes the names in the directory durable, where the system lets it.
func (d Directory) sync() error {
	file, err := os.Open(string(d))
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

// Get implements Store.
func (d Directory) Get(ctx context.Context, name string, w io.Writer) error {
	if _, err := os.Stat(string(d)); err != nil {
		return fmt.Errorf("read a snapshot: %v", err) // which says nothing of what is in there
	}
	file, err := os.Open(filepath.Join(string(d), name))
	if err != nil {
		return fmt.Errorf("read a snapshot: %w", err)
	}
	defer file.Close()
	if _, err = io.Copy(w, ctxio.Reader(ctx, file)); err != nil {
		return fmt.Errorf("read a snapshot: %w", err)
	}
	return nil
}

// List implements Store.
func (d Directory) List(_ context.Context, prefix string) (names []string, err error) {
	entries, err := os.ReadDir(string(d))
	if err != nil {
		return nil, fmt.Errorf("list snapshots: %w", err)
	}
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), partSuffix); strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	return names, nil
}

// Delete implements Store.
func (d Directory) Delete(_ context.Context, name string) error {
	for _, file := range []string{name, name + partSuffix} {
		if err := os.Remove(filepath.Join(string(d), file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove a snapshot: %w", err)
		}
	}
	return nil
}

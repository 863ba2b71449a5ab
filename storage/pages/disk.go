package pages

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sync/errgroup"

	"github.com/cybermapper/cybermapper/storage/durable"
)

const (
	syncers     = 16 // fsyncs at once
	volumeWorth = 4  // from this many on, syncing the whole file system is cheaper than each of them
)

// A disk brings things to stable storage. Tests replace its functions.
type disk struct {
	file   func(path string) error
	folder func(path string) error
	// volume syncs the whole file system that holds f. It is nil where the system cannot, or does not report errors, and returns
	// errors.ErrUnsupported on a file system where it may be no more than a hint.
	volume func(f *os.File) error
}

func newDisk() disk { return disk{file: syncFile, folder: durable.SyncDir, volume: volumeSync()} }

// sync brings files and folders, given by their paths, to stable storage, and after them the list.
func (d disk) sync(files, folders []string, list *os.File) error {
	if n := len(files) + len(folders); n >= volumeWorth && d.volume != nil {
		if err := d.volume(list); !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	if err := each(files, d.file); err != nil {
		return err
	}
	if err := each(folders, d.folder); err != nil {
		return err
	}
	return d.file(list.Name())
}

// each calls f for several paths at once.
func each(paths []string, f func(string) error) error {
	var g errgroup.Group
	g.SetLimit(syncers)
	for _, p := range paths {
		g.Go(func() error {
			if err := f(p); !errors.Is(err, fs.ErrNotExist) { // removed by somebody meanwhile
				return err
			}
			return nil
		})
	}
	return g.Wait()
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

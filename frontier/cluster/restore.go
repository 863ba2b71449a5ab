package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/frontier/disk"
)

// errBadSnapshot says that a snapshot is not what was kept.
var errBadSnapshot = errors.New("the snapshot is not what was kept")

// errNoSnapshot says that a partition cannot be opened for want of a snapshot.
var errNoSnapshot = errors.New("no snapshot of the partition can be used, and its log begins after what there is")

// fetch makes dir, whatever is in it, what a snapshot has. An error that wraps errBadSnapshot says that it is not whole.
func (s *shelf) fetch(ctx context.Context, k snapshot, dir string) error {
	if s.store == nil {
		return errors.New("there is a snapshot of the partition, and no store to read it from (Options.Snapshots)")
	}
	if err := s.disk.Files().RemoveAll(dir); err != nil {
		return err
	}
	r, w := io.Pipe()
	m := newMeter(w, k.Size)
	got := make(chan error, 1)
	go func() {
		err := s.store.Get(ctx, k.Name, m)
		w.CloseWithError(err)
		got <- err
	}()
	unpacked := disk.Unpack(r, dir, s.disk)
	r.CloseWithError(unpacked)
	err := <-got
	switch {
	case disk.IsDamaged(unpacked), errors.Is(err, fs.ErrNotExist), errors.Is(err, errBadSnapshot):
		return fmt.Errorf("%w: %s: %w", errBadSnapshot, k.Name, errors.Join(unpacked, err))
	case err != nil || unpacked != nil:
		return errors.Join(unpacked, err)
	case m.n != k.Size || m.hex() != k.Hash:
		return fmt.Errorf("%w: %s has %d bytes with hash %s, not %d with %s", errBadSnapshot, k.Name, m.n, m.hex(), k.Size, k.Hash)
	}
	return nil
}

// A restorer opens the files of a partition, or what takes their place.
type restorer struct {
	shelf  *shelf
	logger *zap.Logger
	id     int
	dir    string
	m      manifest
	take   func(dir string, o disk.Options) error // opens what is there
	bad    []string                               // snapshots that are not whole
}

// open opens the partition: this node's own files, if they are whole and the log goes on from them; else the newest snapshot that
// is whole; else, if all of the log is there, nothing.
func (r *restorer) open(ctx context.Context, o disk.Options) error {
	files := o.Files()
	for _, left := range []string{r.dir + copySuffix, r.dir + newSuffix} {
		if err := files.RemoveAll(left); err != nil {
			return err
		}
	}
	o.LogFrom = r.m.From
	rest := r.m.Kept
	err := disk.ErrBehind
	if _, missing := files.Stat(r.dir); len(rest) == 0 || !errors.Is(missing, fs.ErrNotExist) {
		err = r.take(r.dir, o)
	}
	for ; errors.Is(err, disk.ErrBehind) || disk.IsDamaged(err) || errors.Is(err, errBadSnapshot); rest = rest[1:] {
		r.logger.Info("a partition is restored", zap.Int("partition", r.id), zap.Error(err))
		if len(rest) == 0 {
			return r.openEmpty(o, err)
		}
		if err = r.openFrom(ctx, rest[0], o); err != nil {
			r.bad = append(r.bad, rest[0].Name)
		}
	}
	return err
}

// Names of what is beside the directory of a partition.
const (
	copySuffix    = ".copy"    // being packed
	newSuffix     = ".new"     // being unpacked
	damagedSuffix = ".damaged" // what could not be used
)

// openFrom puts a snapshot in the place of the directory.
func (r *restorer) openFrom(ctx context.Context, k snapshot, o disk.Options) error {
	next := r.dir + newSuffix
	for {
		err := r.shelf.fetch(ctx, k, next)
		if err == nil {
			break
		}
		if errors.Is(err, errBadSnapshot) || ctx.Err() != nil || r.shelf.store == nil {
			return err
		}
		r.logger.Warn("a snapshot cannot be read now", zap.Int("partition", r.id), zap.Error(err))
		if err := pause(ctx, retryEvery); err != nil {
			return err
		}
	}
	if err := r.setAside(o); err != nil {
		return err
	}
	if err := disk.Replace(r.dir, next, o); err != nil {
		return err
	}
	return r.take(r.dir, o)
}

// openEmpty begins with nothing, if the log has all.
func (r *restorer) openEmpty(o disk.Options, why error) error {
	if r.m.From > 0 {
		return fmt.Errorf("%w: %w", errNoSnapshot, why)
	}
	if err := r.setAside(o); err != nil {
		return err
	}
	return r.take(r.dir, o)
}

// giveUp puts files that turned out to be damaged aside: whoever opens the partition next begins from a snapshot.
func (r *restorer) giveUp() {
	err := r.setAside(r.shelf.disk)
	r.logger.Warn("the files of a partition are damaged, and put aside", zap.Int("partition", r.id), zap.Error(err))
}

// setAside keeps what cannot be used for an operator to look at, once.
func (r *restorer) setAside(o disk.Options) error {
	files := o.Files()
	if _, err := files.Stat(r.dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := files.RemoveAll(r.dir + damagedSuffix); err != nil {
		return err
	}
	return files.Rename(r.dir, r.dir+damagedSuffix)
}

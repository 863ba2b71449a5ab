package job

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A View is a job directory being looked at. Nothing in it is changed.
type View struct {
	Dir      string
	Kind     Kind
	Running  bool           // a process works on the job; its queue cannot be read then
	Frontier *disk.Frontier // nil while running, when there is none yet, and of a node
	IsNode   bool           // its queue is shared with other nodes

	lock     *os.File         // nil while running
	contents *ledger.Contents // of the ledger, once they were asked for
}

// Look opens the job in dir to look at it, as any number of processes may at once. While the View of a job that is not running is
// open, no process can begin to work on the job. The errors are those of KindOf.
func Look(dir string) (*View, error) {
	kind, err := KindOf(dir)
	if err != nil {
		return nil, err
	}
	v := &View{Dir: dir, Kind: kind}
	if _, err := os.Stat(v.Path(PartitionsDir)); err == nil {
		v.IsNode = true
	}
	v.lock, err = lockDir(dir, os.O_RDONLY, shared)
	switch {
	case errors.Is(err, ErrInUse):
		v.Running = true
		return v, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	v.Frontier, err = disk.Open(v.Path(FrontierDir), disk.Options{ReadOnly: true})
	if errors.Is(err, fs.ErrPermission) || IsOfSystem(err) {
		return nil, errors.Join(err, v.Close())
	}
	if errors.Is(err, disk.ErrNewer) {
		return nil, errors.Join(fmt.Errorf("%s: %w: %w", dir, ErrNewer, err), v.Close())
	}
	if err != nil && !errors.Is(err, disk.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("%w: the queue of %s cannot be read: %w", ErrDamaged, dir, err), v.Close())
	}
	return v, nil
}

// IsOfSystem reports whether err is about what the files of a job are on, or the system, and says nothing of the job: a disk fails,
// or is gone with its network, or too many files are open.
func IsOfSystem(err error) bool {
	system := []error{syscall.EIO, syscall.ESTALE, syscall.ENOTCONN, syscall.EMFILE, syscall.ENFILE}
	return slices.ContainsFunc(system, func(e error) bool { return errors.Is(err, e) })
}

// InUse reports whether a process works on the job in dir at this moment.
func InUse(dir string) (bool, error) {
	lock, err := lockDir(dir, os.O_RDONLY, shared)
	switch {
	case errors.Is(err, ErrInUse):
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	}
	return false, unlock(lock)
}

// Contents returns the contents of the ledger as they were when they were asked for first.
func (v *View) Contents() *ledger.Contents {
	if v.contents == nil {
		v.contents = ledger.OpenContents(v.Path(LedgerDir))
	}
	return v.contents
}

// Path returns the path of an entry of the job.
func (v *View) Path(name string) string { return filepath.Join(v.Dir, name) }

// Close ends the look. Closing twice is an error, and does no harm.
func (v *View) Close() error {
	var errs []error
	if v.Frontier != nil {
		errs = append(errs, v.Frontier.Close())
	}
	if v.lock != nil {
		errs = append(errs, unlock(v.lock))
	}
	return errors.Join(errs...)
}

package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/storage/index"
)

// A shown is a job that is shown.
type shown struct {
	name string
	dir  string

	mu   sync.RWMutex // held for reading while the index is used, for writing while it is opened anew
	x    *index.Index
	info fs.FileInfo // of the file of x: an index that is made again is another file

	graph refresh
}

func (j *shown) path(name string) string { return filepath.Join(j.dir, name) }

// errNoIndex says that a job has no index yet.
var errNoIndex = errors.New("this job has no search index")

// withIndex lets do use the index of the job. The error is errNoIndex, that of index.Open, or do's.
func (j *shown) withIndex(do func(*index.Index) error) error {
	info, err := os.Stat(j.path(job.IndexFile))
	if errors.Is(err, fs.ErrNotExist) {
		return errNoIndex
	}
	if err != nil {
		return fmt.Errorf("search index: %w", err)
	}
	j.mu.RLock()
	if !j.isOpen(info) {
		j.mu.RUnlock()
		if err := j.open(info); err != nil {
			return err
		}
		j.mu.RLock()
	}
	defer j.mu.RUnlock()
	if j.x == nil {
		return errNoIndex
	}
	return do(j.x)
}

// isOpen reports whether the index in a file is open, and shows what is in it.
func (j *shown) isOpen(info fs.FileInfo) bool {
	return j.x != nil && os.SameFile(j.info, info) && !j.x.IsOutdated()
}

func (j *shown) open(info fs.FileInfo) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.isOpen(info) {
		return nil // somebody else did
	}
	if j.x != nil {
		j.x.Close() // it was read only
		j.x = nil
	}
	x, err := index.Open(j.path(job.IndexFile), index.Options{ReadOnly: true, Memory: cli.IndexMemory(cli.MaxMemory())})
	if errors.Is(err, fs.ErrNotExist) {
		return errNoIndex
	}
	if err != nil {
		return err
	}
	j.x, j.info = x, info
	return nil
}

func (j *shown) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.x == nil {
		return nil
	}
	x := j.x
	j.x = nil
	return x.Close()
}

// status returns what the job last said of itself; of a job that has said nothing, an empty report. Where there is no job any more,
// as when its disk is not there, the error is that of job.KindOf.
func (j *shown) status() (*progress.Report, error) {
	r, err := progress.Read(j.path(job.StatusFile))
	if errors.Is(err, fs.ErrNotExist) {
		r = &progress.Report{Format: 1}
		_, err = job.KindOf(j.dir)
	}
	if err != nil {
		return nil, err
	}
	r.Job = j.name
	if r.State == progress.Running {
		running, err := job.InUse(j.dir)
		if err != nil {
			return nil, err
		}
		if !running {
			r.State = progress.Killed
		}
	}
	return r, nil
}

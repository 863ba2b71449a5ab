package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/frontier/disk"
)

// A jobView is a job directory being looked at. Nothing in it is changed.
type jobView struct {
	dir      string
	kind     jobKind
	running  bool           // a process works on the job; its queue cannot be read then
	frontier *disk.Frontier // nil while running, and when there is none yet

	lock *os.File
}

// openView opens the job in dir to look at it.
func openView(dir string) (*jobView, error) {
	kind, err := readJobKind(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, withHint(fmt.Errorf("there is no job in %s", dir), "--job DIR names the directory of a crawl")
	}
	if err != nil {
		return nil, err
	}
	v := &jobView{dir: dir, kind: kind}
	v.lock, err = lockJob(dir, os.O_RDONLY)
	switch {
	case errors.Is(err, errLocked):
		v.running = true
		return v, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	v.frontier, err = disk.Open(v.path(jobDirs.frontier), disk.Options{ReadOnly: true})
	if err != nil && !errors.Is(err, disk.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("open frontier: %w", err), v.Close())
	}
	return v, nil
}

// path returns the path of an entry of the job.
func (v *jobView) path(name string) string { return (&job{dir: v.dir}).path(name) }

// Close ends the look.
func (v *jobView) Close() error {
	var errs []error
	if v.frontier != nil {
		errs = append(errs, v.frontier.Close())
	}
	if v.lock != nil {
		errs = append(errs, v.lock.Close())
	}
	return errors.Join(errs...)
}

// report returns how the job stands: as the running process last said, or as the queue on disk says. It is nil when no run
// has got so far as to say anything.
func (v *jobView) report(ctx context.Context) (*crawlReport, error) {
	r, err := readReport(v.path(statusFile))
	if errors.Is(err, fs.ErrNotExist) {
		r, err = &crawlReport{Format: 1, Job: v.dir}, nil
	}
	if err != nil || v.running {
		return r, err
	}
	if r.State == "running" {
		r.State = stateKilled
	}
	if v.frontier == nil {
		return r, nil
	}
	stats, err := v.frontier.Stats(ctx)
	if err != nil {
		return nil, fmt.Errorf("read frontier: %w", err)
	}
	r.Total = totalsOf(stats)
	r.Waiting, r.WaitingN, err = waitingSites(ctx, v.frontier, now())
	return r, err
}

// jobFlag declares --job for a command that looks at a job.
func jobFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "job", "cybermapper-job", "directory of the crawl")
}

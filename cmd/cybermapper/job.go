package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// What lies in a job directory.
const (
	jobFile    = "job.yaml"    // the effective configuration; its first line makes the directory a job
	lockFile   = "LOCK"        // held while a process works on the job
	seedsFile  = "seeds.txt"   // every seed ever given, one per line; the scope is made of them
	statusFile = "status.json" // how the crawl stands, rewritten while it runs
	reportFile = "report.json" // how it ended
)

// jobDirs are the directories of a job, each of which belongs to one package.
var jobDirs = struct{ frontier, robots, ledger, pages string }{"frontier", "robots", "ledger", "pages"}

// jobEntries are the names that --fresh deletes. Whatever else lies in the directory is not ours.
func jobEntries() []string {
	return []string{
		jobFile, seedsFile, statusFile, reportFile, jobDirs.frontier, jobDirs.robots, jobDirs.ledger, jobDirs.pages,
	}
}

// A jobKind keeps the directory of a demo apart from one that somebody cares for.
type jobKind string

const (
	crawlJob jobKind = "crawl"
	demoJob  jobKind = "demo"
)

const jobHeader = "# cybermapper job, format 1: "

// errNoJob says that a directory is not a job directory.
var errNoJob = errors.New("not a job directory")

// A job is a job directory that this process holds the lock of.
type job struct {
	dir  string
	lock *os.File
}

// path returns the path of an entry of the job.
func (j *job) path(name string) string { return filepath.Join(j.dir, name) }

// readJobKind returns what kind of job lies in dir. The error is errNoJob when dir is no job directory, and
// fs.ErrNotExist when there is nothing at all yet: no directory, or an empty one.
func readJobKind(dir string) (jobKind, error) {
	data, err := os.ReadFile(filepath.Join(dir, jobFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", emptyOrNoJob(dir)
	}
	if err != nil {
		return "", fmt.Errorf("read job: %w", err)
	}
	first, _, _ := bytes.Cut(data, []byte("\n"))
	kind, ok := strings.CutPrefix(strings.TrimSpace(string(first)), jobHeader)
	if !ok {
		return "", fmt.Errorf("%s: %w: %s does not begin with %q", dir, errNoJob, jobFile, jobHeader)
	}
	return jobKind(kind), nil
}

func emptyOrNoJob(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("read job directory: %w", err)
	}
	for _, e := range entries {
		if e.Name() != lockFile {
			return fmt.Errorf("%s: %w: it has no %s, but %s", dir, errNoJob, jobFile, e.Name())
		}
	}
	return fmt.Errorf("job directory %s: %w", dir, fs.ErrNotExist)
}

// requireKind returns an error unless dir is a job of that kind, or may become one.
func requireKind(dir string, kind jobKind) error {
	found, err := readJobKind(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, errNoJob):
		return usageError("choose another --job; nothing was changed", "%w", err)
	case err != nil:
		return diskError(err)
	case found != kind:
		return usageError("choose another --job; nothing was changed", "%s is the job of a %s, not of a %s", dir, found, kind)
	}
	return nil
}

// openJob takes hold of the job directory dir, which is created if there is none. With fresh, what an earlier crawl left
// in it is deleted, but only if it is a job of that kind.
func openJob(dir string, kind jobKind, fresh bool) (*job, error) {
	if err := requireKind(dir, kind); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("create job directory: %w", err)
	}
	lock, err := lockJob(dir, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	j := &job{dir: dir, lock: lock}
	if fresh {
		if err := j.clear(); err != nil {
			return nil, errors.Join(err, j.Close())
		}
	}
	return j, nil
}

// lockJob takes the lock of the job in dir, or says who holds it.
func lockJob(dir string, flag int) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), flag, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock job directory: %w", err)
	}
	if err := tryLock(f); err != nil {
		holder, _ := os.ReadFile(f.Name())
		f.Close()
		if !errors.Is(err, errLocked) {
			return nil, fmt.Errorf("lock job directory %s: %w", dir, err)
		}
		who := "another process"
		if pid := strings.TrimSpace(string(holder)); pid != "" {
			who = "process " + pid
		}
		return nil, &exitError{
			code: exitDisk, err: fmt.Errorf("job directory %s is %w by %s", dir, errLocked, who),
			hint: "wait for it, stop it, or choose another --job",
		}
	}
	if flag&os.O_RDWR != 0 {
		if err := writePID(f); err != nil {
			return nil, errors.Join(fmt.Errorf("lock job directory: %w", err), f.Close())
		}
	}
	return f, nil
}

func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt(fmt.Appendln(nil, os.Getpid()), 0)
	return err
}

// errLocked says that another process holds a lock.
var errLocked = errors.New("in use")

// clear deletes what a crawl makes in its directory, the mark that makes it a job last.
func (j *job) clear() error {
	entries := jobEntries()
	for i := len(entries) - 1; i >= 0; i-- {
		if err := os.RemoveAll(j.path(entries[i])); err != nil {
			return fmt.Errorf("start over: %w", err)
		}
	}
	return nil
}

// writeConfig records the effective configuration. It makes an empty directory a job directory.
func (j *job) writeConfig(kind jobKind, c Config) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%s\n", jobHeader, kind)
	fmt.Fprintln(&b, "# The configuration in force when the job was last run. A run without --config goes on with it.")
	if err := yaml.NewEncoder(&b).Encode(c); err != nil {
		return fmt.Errorf("write job configuration: %w", err)
	}
	return writeFile(j.path(jobFile), b.Bytes())
}

// Close gives the job back. The LOCK file stays: deleting it could pull it from under another process.
func (j *job) Close() error { return j.lock.Close() }

// writeFile replaces a file as a whole: whoever reads it sees the old content or the new.
func writeFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

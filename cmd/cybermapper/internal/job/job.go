package job

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/cybermapper/cybermapper/storage/durable"
)

// What lies in a job directory.
const (
	ConfigFile = "job.yaml"
	LockFile   = "LOCK"
	SeedsFile  = "seeds.txt"
	StatusFile = "status.json"
	ReportFile = "report.json"
	PageFile   = "report.html"
	OptOutFile = "optout.txt" // who is left alone
	DebtsFile  = "debts.json" // what the crawl before --fresh owes to sites
	ReachFile  = "reach.json" // how far the crawl may go, as of the links judged last

	FrontierDir   = "frontier"
	RobotsDir     = "robots"
	PartitionsDir = "partitions" // of a crawl that several nodes share, instead of a frontier: those that this node owns
	LedgerDir     = "ledger"
	PagesDir      = "pages"
	ArchiveDir    = "archive" // WARC files
	IndexesDir    = "indexes" // CDXJ of these
	SubmitDir     = "submit"  // what was submitted and not taken in yet

	IndexFile = "index.db" // what was fetched, to be searched
	GraphFile = "graph.db" // what links to what, for the map and for site owners

	clearing = "clearing" // says that what lies here is being deleted, to start over
)

// entries are the names that starting over deletes, the mark of a job last. Whatever else lies in the directory is not ours, but
// for OptOutFile and DebtsFile: who asked to be left alone did not ask for one crawl only.
func entries() []string {
	return []string{
		IndexFile + "-wal", IndexFile + "-shm", IndexFile,
		GraphFile + "-wal", GraphFile + "-shm", GraphFile,
		SubmitDir, PagesDir, ArchiveDir, IndexesDir, LedgerDir, RobotsDir, FrontierDir, PartitionsDir,
		FrontierDir + ".new", FrontierDir + ".damaged", SeedsFile + ".damaged", PagesDir + ".damaged", ArchiveDir + ".damaged",
		PageFile, ReportFile, StatusFile, ReachFile, SeedsDir, SeedsFile,
		ConfigFile,
	}
}

// Errors about a directory.
var (
	// ErrNoJob says that a directory is not a job directory.
	ErrNoJob = errors.New("not a job directory")
	// ErrNewer says that a later version of the program made a job.
	ErrNewer = errors.New("made by a newer version")
	// ErrOtherKind says that a directory is a job of another kind.
	ErrOtherKind = errors.New("a job of another kind")
	// ErrInUse says that another process works on the job.
	ErrInUse = errors.New("in use")
	// ErrDamaged says that what lies in a job directory cannot be read.
	ErrDamaged = errors.New("damaged")
	// ErrCannotCreate says that there is no job directory, and that none can be made.
	ErrCannotCreate = errors.New("create job directory")
)

// A MissingError says that there is no job in a directory, because nothing is: it is empty, or not there, or what is left there is
// being deleted. It is fs.ErrNotExist.
type MissingError struct {
	Dir     string
	Cleared bool // it is being deleted, or that was cut short
}

func (e *MissingError) Error() string {
	if e.Cleared {
		return "there is no job in " + e.Dir + " any more: it is being deleted, to start over"
	}
	return "there is no job in " + e.Dir
}

// Is reports whether the error is the target.
func (e *MissingError) Is(target error) bool { return target == fs.ErrNotExist }

// A Kind says what a job is for.
type Kind string

// The kinds of jobs.
const (
	Crawl Kind = "crawl"
	Demo  Kind = "demo"
)

const (
	anyHeader = "# cybermapper job, format "
	header    = anyHeader + "1: "
)

// KindOf returns what kind of job lies in dir. The error is ErrNoJob when dir is no job directory, ErrNewer, ErrNotRegular when
// nothing in it should be opened, or a MissingError if there is nothing at all yet: no directory, or an empty one. It is also that,
// besides the kind, when what lies there is being deleted.
func KindOf(dir string) (Kind, error) {
	if err := Inspect(dir); errors.Is(err, ErrNotRegular) || errors.Is(err, ErrNoJob) {
		return "", err
	}
	data, err := os.ReadFile(filepath.Join(dir, ConfigFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", emptyOrNoJob(dir)
	}
	if err != nil {
		return "", fmt.Errorf("read job: %w", err)
	}
	first, _, _ := bytes.Cut(data, []byte("\n"))
	kind, ok := strings.CutPrefix(strings.TrimSpace(string(first)), header)
	if !ok && strings.HasPrefix(string(first), anyHeader) {
		return "", fmt.Errorf("%s: %w: %s says %q", dir, ErrNewer, ConfigFile, strings.TrimSpace(string(first)))
	}
	if !ok {
		return "", fmt.Errorf("%s: %w: %s does not begin with %q", dir, ErrNoJob, ConfigFile, header)
	}
	if _, err := os.Lstat(filepath.Join(dir, clearing)); err == nil {
		return Kind(kind), &MissingError{Dir: dir, Cleared: true}
	}
	return Kind(kind), nil
}

func emptyOrNoJob(dir string) error {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return &MissingError{Dir: dir}
	}
	if err != nil {
		return fmt.Errorf("read job directory: %w", err)
	}
	for _, e := range list {
		if within := filepath.Join(dir, e.Name()); hasConfig(within) {
			return fmt.Errorf("%s: %w, but %s in it is one", dir, ErrNoJob, within)
		}
	}
	for _, e := range list {
		if !slices.Contains([]string{LockFile, OptOutFile, DebtsFile, clearing}, e.Name()) && !unfinished(e.Name()) {
			return fmt.Errorf("%s: %w: it has no %s, but %s", dir, ErrNoJob, ConfigFile, e.Name())
		}
	}
	return &MissingError{Dir: dir}
}

// hasConfig reports whether there is what makes a directory a job.
func hasConfig(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, ConfigFile))
	return err == nil
}

// unfinished says whether an entry of a job directory is what a kill left of a file that only the holder of the job writes.
func unfinished(name string) bool {
	own := []string{ConfigFile, StatusFile, ReachFile, OptOutFile, DebtsFile, clearing}
	return strings.HasSuffix(name, ".tmp") &&
		slices.ContainsFunc(own, func(file string) bool { return strings.HasPrefix(name, file+".") })
}

// Require returns nil if dir is a job of that kind, or may become one; otherwise ErrNoJob, ErrOtherKind, or what kept it
// from finding out.
func Require(dir string, kind Kind) error {
	found, err := KindOf(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && (found == "" || found == kind):
		return nil
	case err != nil && found == "":
		return err
	case found != kind:
		return fmt.Errorf("%s is %w: that of a %s, not of a %s", dir, ErrOtherKind, found, kind)
	}
	return nil
}

// A Job is a job directory that this process holds.
type Job struct {
	dir  string
	kind Kind
	lock *os.File

	seeding sync.Mutex // held while the file of seeds is replaced
}

// Open takes hold of the job directory dir, which is created if there is none. A Clear that was cut short is
// gone on with. Besides the errors of Require there are ErrInUse and ErrCannotCreate.
func Open(dir string, kind Kind) (*Job, error) {
	if err := Require(dir, kind); err != nil {
		return nil, err
	}
	if err := MakeDir(dir); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCannotCreate, err)
	}
	lock, err := lockDir(dir, os.O_RDWR|os.O_CREATE, alone)
	if err != nil {
		return nil, err
	}
	j := &Job{dir: dir, kind: kind, lock: lock}
	if err := errors.Join(writePID(lock), j.sweep()); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	if _, err := os.Lstat(j.Path(clearing)); err == nil {
		if err := j.Clear(); err != nil {
			return nil, errors.Join(err, j.Close())
		}
	}
	return j, nil
}

// A locking is whether the lock of a job keeps all others away, or only who would have it alone.
type locking int

const (
	alone  locking = iota // to work on the job
	shared                // to look at it, as any number may at once
)

// lockDir takes the lock of the job in dir, or says who holds it.
func lockDir(dir string, flag int, how locking) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, LockFile), flag, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock job directory: %w", err)
	}
	err = tryLock(f, how)
	if err == nil {
		return f, nil
	}
	defer f.Close()
	if !errors.Is(err, ErrInUse) {
		return nil, fmt.Errorf("lock job directory %s: %w", dir, err)
	}
	return nil, fmt.Errorf("job directory %s is %w by %s", dir, err, holder(f))
}

// holder says who has the lock of f, which this process could not get. The number in it is that of who worked on the job last.
func holder(f *os.File) string {
	if tryLock(f, shared) == nil {
		return "a command that looks at it"
	}
	pid, _ := os.ReadFile(f.Name())
	if pid := strings.TrimSpace(string(pid)); pid != "" {
		return "process " + pid
	}
	return "another process"
}

func writePID(f *os.File) error {
	err := f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt(fmt.Appendln(nil, os.Getpid()), 0)
	}
	if err != nil {
		return fmt.Errorf("lock job directory: %w", err)
	}
	return nil
}

// sweep deletes the files that a kill left unfinished.
func (j *Job) sweep() error {
	list, err := os.ReadDir(j.dir)
	for _, e := range list {
		if unfinished(e.Name()) {
			err = errors.Join(err, os.Remove(j.Path(e.Name())))
		}
	}
	if err != nil {
		return fmt.Errorf("open job directory: %w", err)
	}
	return nil
}

// Clear deletes what a crawl has left in the job, but for opt-outs and debts. When it is cut short, the next Open goes on with it,
// for what is left then is no job any more; unless the disk is so full that this cannot be noted.
func (j *Job) Clear() error {
	if err := WriteFile(j.Path(clearing), nil); err != nil && !errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("start over: %w", err)
	}
	for _, name := range append(entries(), clearing) {
		if err := os.RemoveAll(j.Path(name)); err != nil {
			return fmt.Errorf("start over: %w", err)
		}
	}
	return nil
}

// Path returns the path of an entry of the job.
func (j *Job) Path(name string) string { return filepath.Join(j.dir, name) }

// WriteConfig records the effective configuration, as YAML. It makes an empty directory a job directory.
func (j *Job) WriteConfig(yaml []byte) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%s\n", header, j.kind)
	fmt.Fprintln(&b, "# The configuration in force when the job was last run. A run without --config goes on with it.")
	b.Write(yaml)
	return WriteFile(j.Path(ConfigFile), b.Bytes())
}

// Close gives the job back. The LOCK file stays: deleting it could pull it from under another process.
func (j *Job) Close() error { return unlock(j.lock) }

// RobotsFile returns where a job keeps the robots.txt with that digest, below its directory; nowhere is "".
func RobotsFile(digest string) string {
	hex, ok := strings.CutPrefix(digest, "sha256:")
	if !ok {
		return ""
	}
	return path.Join(RobotsDir, hex)
}

// Replaceable returns the name of what may be replaced by a file: that of a file, of what a link leads to, or of nothing yet.
// Anything else is an error: a device of the system would be gone.
func Replaceable(name string) (string, error) {
	target := name
	if to, err := filepath.EvalSymlinks(name); err == nil {
		target = to
	}
	if info, err := os.Stat(target); err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("write %s: %s is not a regular file", name, target)
	}
	return target, nil
}

// Replace lets write fill a file beside the one of that name, or the one that a link leads to, and puts it in its place, durably,
// when that has gone well.
func Replace(name string, write func(*os.File) error) error {
	return replace(name, write, durable.SyncDir)
}

func replace(name string, write func(*os.File) error, sync func(dir string) error) error {
	name, err := Replaceable(name)
	if err != nil {
		return err
	}
	f, err := CreateBeside(name)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // unless it has its name by then
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return err
	}
	return sync(filepath.Dir(name))
}

// WriteFile replaces a file, or the one that a link leads to, as a whole and durably: whoever reads it sees the old content or the
// new. What is not a regular file is left as it is, which is an error.
func WriteFile(name string, data []byte) error { return writeFile(name, data, durable.SyncDir) }

// WriteDerived replaces a file that can be made again, as WriteFile does, but waits for no disk: after a loss of power there may be
// the old content, or none at all.
func WriteDerived(name string, data []byte) error { return writeFile(name, data, nil) }

// writeFile is WriteFile, with what makes the names of a folder durable; without it, the content is not made so either.
func writeFile(name string, data []byte, syncDir func(dir string) error) error {
	name, err := Replaceable(name)
	if err != nil {
		return err
	}
	f, err := CreateTemp(filepath.Dir(name), filepath.Base(name)+".")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, nameless(err))
	}
	_, err = f.Write(data)
	if info, serr := os.Stat(name); serr == nil {
		err = errors.Join(err, f.Chmod(info.Mode().Perm()))
	}
	if syncDir != nil {
		err = errors.Join(err, f.Sync())
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	} else if syncDir != nil {
		err = syncDir(filepath.Dir(name))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, nameless(err))
	}
	return nil
}

// AppendLines durably adds whole lines to a file, or to the one that a link leads to, to which others may add lines at the same
// time, behind what was never finished. What cannot be written whole is taken back. There is a file afterwards.
func AppendLines(name string, lines []byte) (err error) {
	if name, err = Replaceable(name); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	last := []byte{'\n'}
	if size := info.Size(); size > 0 {
		if _, err := f.ReadAt(last, size-1); err != nil {
			return err
		}
	}
	if last[0] != '\n' {
		lines = append([]byte{'\n'}, lines...)
	}
	if n, err := f.Write(lines); err != nil {
		if now, _ := f.Stat(); n > 0 && now != nil && now.Size() == info.Size()+int64(n) {
			err = errors.Join(err, f.Truncate(info.Size()))
		}
		return err
	}
	return errors.Join(f.Sync(), durable.SyncDir(filepath.Dir(name)))
}

// nameless returns an error of a file operation without the name of the file, which is named already, or is a temporary one.
func nameless(err error) error {
	var file *fs.PathError
	var rename *os.LinkError
	switch {
	case errors.As(err, &file):
		return file.Err
	case errors.As(err, &rename):
		return rename.Err
	}
	return err
}

// CreateBeside makes a new file in the directory of the one that it is to replace when it is complete, and removes those that
// killed processes left there for the same. No other process removes it while it is open.
func CreateBeside(name string) (*os.File, error) {
	dir, prefix := filepath.Dir(name), filepath.Base(name)+"."
	removeLeft(dir, prefix)
	for {
		f, err := CreateTemp(dir, prefix)
		if err != nil {
			return nil, err
		}
		locked := tryLock(f, alone) // a file system without locks has nothing removed
		if _, err := os.Stat(f.Name()); !errors.Is(locked, ErrInUse) && err == nil {
			return f, nil
		}
		f.Close() // another process took it for one that was left
	}
}

// removeLeft removes the files of CreateTemp that no process has open any more.
func removeLeft(dir, prefix string) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range list {
		random, ok := strings.CutPrefix(e.Name(), prefix)
		if ok {
			random, ok = strings.CutSuffix(random, ".tmp")
		}
		if !ok || !e.Type().IsRegular() || len(random) < leastRandom || strings.Trim(random, digits36) != "" {
			continue
		}
		name := filepath.Join(dir, e.Name())
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if tryLock(f, alone) == nil {
			for _, beside := range []string{"-journal", "-wal", "-shm"} { // of a database
				os.Remove(name + beside)
			}
			if os.Remove(name) != nil {
				f.Close()
				os.Remove(name) // Windows removes nothing that is open
			}
		}
		f.Close()
	}
}

// The names of CreateTemp, nearly all of them; no name that a person gives is to look like one.
const (
	leastRandom = 11
	digits36    = "0123456789abcdefghijklmnopqrstuvwxyz"
)

// CreateTemp makes a new file, open to write and to read, of which the name begins with prefix and ends in .tmp, and which gets
// another name when it is complete. Unlike one of os.CreateTemp it has the permissions that the umask leaves.
func CreateTemp(dir, prefix string) (*os.File, error) {
	for {
		name := filepath.Join(dir, prefix+strconv.FormatUint(rand.Uint64(), 36)+".tmp")
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

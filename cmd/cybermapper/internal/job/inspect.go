package job

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotRegular says that something in a job directory is not the file that it should be: a pipe, which would be waited for for
// ever, a device, which has no end, a directory, or a file far larger than an honest one gets.
var ErrNotRegular = errors.New("not a file of a job")

// Bounds of files, in bytes, far beyond what honest ones have.
const (
	maxSettings = 64 << 20 // of those that are read as a whole
	maxList     = 1 << 30  // likewise, where there may be a line for each site
	maxQueue    = 16 << 30 // of the queue, and of what is known of pages
	unbounded   = -1       // read as it goes by
)

// regular returns the files of a job, with their bounds.
func regular() map[string]int64 {
	files := map[string]int64{
		ConfigFile: maxSettings, LockFile: maxSettings, StatusFile: maxSettings, ReportFile: maxSettings,
		OptOutFile: maxList, DebtsFile: maxList, ReachFile: maxList,
		SeedsFile: unbounded, filepath.Join(PagesDir, "pages.jsonl"): unbounded,
	}
	for _, database := range []string{IndexFile, GraphFile} {
		for _, part := range []string{"", "-wal", "-shm"} {
			files[database+part] = unbounded
		}
	}
	return files
}

// folders returns the folders of a job that have only files, with the bounds of these.
func folders() map[string]int64 {
	return map[string]int64{
		LedgerDir: unbounded, ArchiveDir: unbounded, IndexesDir: unbounded, SeedsDir: unbounded, SubmitDir: maxSettings,
		FrontierDir: maxQueue, filepath.Join(PagesDir, ".store"): maxQueue, filepath.Join(PagesDir, ".store", "index"): maxQueue,
	}
}

// Inspect looks at what lies in a job directory, or in one with only part of it, before anything there is opened: the error is
// ErrNotRegular and names what is not a file, or too large to be one of a job, or ErrNoJob if dir has no name or is a file itself.
// Links to files are files. The files of pages and of robots.txt are left to those who read them: there may be millions.
func Inspect(dir string) error {
	if dir == "" {
		return fmt.Errorf("%w: its name is empty", ErrNoJob)
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: %w: it is a file", dir, ErrNoJob)
	}
	for name, most := range regular() {
		if err := inspectFile(filepath.Join(dir, name), most); err != nil {
			return err
		}
	}
	for name, most := range folders() {
		if err := inspectFolder(filepath.Join(dir, name), most); err != nil {
			return err
		}
	}
	return nil
}

// ReadFile reads a file of a job that has at most so many bytes; anything else there is ErrNotRegular.
func ReadFile(name string, most int64) ([]byte, error) {
	if err := inspectFile(name, most); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

// OpenFile opens a file of a job to read it; anything else there is ErrNotRegular.
func OpenFile(name string) (*os.File, error) {
	if err := inspectFile(name, unbounded); err != nil {
		return nil, err
	}
	return os.Open(name)
}

// inspectFile returns what is wrong with a file; one that does not exist is fine.
func inspectFile(name string, most int64) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at the job: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is %s, %w", name, kindOfFile(info.Mode()), ErrNotRegular)
	case most != unbounded && info.Size() > most:
		return fmt.Errorf("%s has %d bytes, more than the %d that it may have: %w", name, info.Size(), most, ErrNotRegular)
	}
	return nil
}

// inspectFolder looks at all files of a folder. A folder in it is nothing that anybody would wait for.
func inspectFolder(name string, most int64) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at the job: %w", err)
	case !info.IsDir():
		return fmt.Errorf("%s is %s, %w", name, kindOfFile(info.Mode()), ErrNotRegular)
	}
	list, err := os.ReadDir(name)
	if err != nil {
		return fmt.Errorf("look at the job: %w", err)
	}
	for _, e := range list {
		if e.IsDir() || e.Type().IsRegular() && most == unbounded {
			continue
		}
		if err := inspectFile(filepath.Join(name, e.Name()), most); err != nil {
			return err
		}
	}
	return nil
}

// kindOfFile says what something is that is no regular file.
func kindOfFile(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "a file"
}

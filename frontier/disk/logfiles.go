package disk

import (
	"strings"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A logFiles is the file system of a store whose own log may become impossible to write or to make, as where no file may be
// added any more: the store ends the process over that, and holds locks so that nobody can keep it from it. Instead fail is
// told, before the store goes on, and from then on whatever is written to a log is dropped: what is on the disk ends where it
// broke off, as after a crash. Who asks Frontier.Err before telling of success therefore never tells of what was dropped.
type logFiles struct {
	vfs.FS
	fail   func(error) error
	broken atomic.Bool
}

// A logFile is a log of the store. Of what matters to that no error is returned; Preallocate is only for speed, and many file
// systems have none of it.
type logFile struct {
	vfs.File
	files *logFiles
}

// Create implements vfs.FS.
func (fs *logFiles) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if !strings.HasSuffix(name, ".log") {
		return fs.FS.Create(name, category)
	}
	return fs.open(func() (vfs.File, error) { return fs.FS.Create(name, category) })
}

// ReuseForWrite implements vfs.FS. The store uses it for logs only.
func (fs *logFiles) ReuseForWrite(old, name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	return fs.open(func() (vfs.File, error) { return fs.FS.ReuseForWrite(old, name, category) })
}

// open returns the log that create makes, or an empty one in memory.
func (fs *logFiles) open(create func() (vfs.File, error)) (file vfs.File, err error) {
	fs.try(func() error {
		file, err = create()
		return err
	})
	if file == nil {
		if file, err = vfs.NewMem().Create("log", vfs.WriteCategoryUnspecified); err != nil {
			return nil, err
		}
	}
	return &logFile{file, fs}, nil
}

// try does what concerns a log, unless that is broken.
func (fs *logFiles) try(do func() error) {
	if fs.broken.Load() {
		return
	}
	if err := do(); err != nil {
		fs.fail(err)
		fs.broken.Store(true)
	}
}

// Write implements vfs.File.
func (f *logFile) Write(p []byte) (int, error) {
	f.files.try(func() error { _, err := f.File.Write(p); return err })
	return len(p), nil
}

// Sync implements vfs.File.
func (f *logFile) Sync() error {
	f.files.try(f.File.Sync)
	return nil
}

// SyncData implements vfs.File.
func (f *logFile) SyncData() error {
	f.files.try(f.File.SyncData)
	return nil
}

// SyncTo implements vfs.File.
func (f *logFile) SyncTo(length int64) (full bool, err error) {
	f.files.try(func() error { full, err = f.File.SyncTo(length); return err })
	return full, nil
}

// Close implements vfs.File.
func (f *logFile) Close() error {
	if err := f.File.Close(); err != nil {
		f.files.try(func() error { return err })
	}
	return nil
}

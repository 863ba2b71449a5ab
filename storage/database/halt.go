package database

import (
	"errors"
	"strings"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// errHalted is what a database gets that changes its files after it was to end the process.
var errHalted = errors.New("the database has failed before")

// A halter is the file system and the logger of a database that ends the process when it does not know what of its list of tables
// has reached the disk. The process goes on, but the files stay as they are from then on, as they would: the database itself would
// go on, and write the same tables and the same lines of the list twice, or remove tables that the list has. Its log only ever gets
// longer, and is left alone: when that cannot be written, the database holds locks that nobody gets it to give back.
type halter struct {
	vfs.FS
	pebble.Logger
	isHalted *atomic.Bool
}

// Fatalf implements pebble.Logger.
func (h halter) Fatalf(format string, args ...any) {
	h.isHalted.Store(true)
	h.Logger.Fatalf(format, args...)
}

func (h halter) err() error {
	if h.isHalted.Load() {
		return errHalted
	}
	return nil
}

// open returns the file that do opens to be written.
func (h halter) open(name string, do func() (vfs.File, error)) (vfs.File, error) {
	isLog := strings.HasSuffix(name, ".log")
	if err := h.err(); err != nil && !isLog {
		return nil, err
	}
	f, err := do()
	if err != nil || isLog {
		return f, err
	}
	return haltedFile{f, h}, nil
}

// Create implements vfs.FS.
func (h halter) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	return h.open(name, func() (vfs.File, error) { return h.FS.Create(name, category) })
}

// OpenReadWrite implements vfs.FS.
func (h halter) OpenReadWrite(name string, category vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return h.open(name, func() (vfs.File, error) { return h.FS.OpenReadWrite(name, category, opts...) })
}

// Link implements vfs.FS.
func (h halter) Link(old, name string) error {
	if err := h.err(); err != nil {
		return err
	}
	return h.FS.Link(old, name)
}

// Rename implements vfs.FS.
func (h halter) Rename(old, name string) error {
	if err := h.err(); err != nil {
		return err
	}
	return h.FS.Rename(old, name)
}

// Remove implements vfs.FS.
func (h halter) Remove(name string) error {
	if err := h.err(); err != nil {
		return err
	}
	return h.FS.Remove(name)
}

// RemoveAll implements vfs.FS.
func (h halter) RemoveAll(name string) error {
	if err := h.err(); err != nil {
		return err
	}
	return h.FS.RemoveAll(name)
}

// A haltedFile is a file of a halter.
type haltedFile struct {
	vfs.File
	h halter
}

// Write implements vfs.File.
func (f haltedFile) Write(p []byte) (int, error) {
	if err := f.h.err(); err != nil {
		return 0, err
	}
	return f.File.Write(p)
}

// WriteAt implements vfs.File.
func (f haltedFile) WriteAt(p []byte, at int64) (int, error) {
	if err := f.h.err(); err != nil {
		return 0, err
	}
	return f.File.WriteAt(p, at)
}

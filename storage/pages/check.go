package pages

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/cybermapper/cybermapper/storage"
)

const (
	maxProblems = 1000    // named in a report; further ones are counted
	maxChecked  = 100_000 // files remembered to be sound, for the pages that share them
)

// A Report is what Check found.
type Report struct {
	Lines    int64     // in the list
	Files    int64     // in the tree
	Problems []Problem // at most 1,000
	More     int64     // further problems
}

// A Problem is something that is not as it should be.
type Problem struct {
	Line int64  // number of the line in the list; 0 when there is none
	URL  string // of the page
	File string
	What string
}

// String says which line or file is wrong, of which URL.
func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.What
	}
	return fmt.Sprintf("%s line %d: %s: %s (%s)", linesName, p.Line, p.File, p.What, p.URL)
}

// Check compares the lines and the files of the store in dir: each line's file must be there with the size and digest that the
// line says, and each file must have a line; the contents must say what is in the list. It reads every file and changes nothing.
// What an interrupted process left behind is no problem, for the next Open repairs it; nor is a page that was lost but stored again
// since. A directory that does not exist has no page. No process should be storing pages meanwhile. The error says that the store
// could not be read, or that ctx has ended.
func Check(ctx context.Context, dir string) (Report, error) {
	c := checker{
		tree: tree{dir: dir}, seed: maphash.MakeSeed(),
		bad: map[string]Problem{}, sound: map[uint64]struct{}{}, buf: make([]byte, 64<<10),
	}
	if err := c.lines(ctx, dir); err != nil {
		return c.report, err
	}
	if err := errors.Join(c.files(ctx, dir), c.checkContents(dir)); err != nil {
		return c.report, err
	}
	bySequence := func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) }
	c.report.Problems = slices.SortedFunc(maps.Values(c.bad), bySequence)
	return c.report, nil
}

// A checker is one run of Check.
type checker struct {
	report Report
	tree   tree
	seed   maphash.Seed
	listed []uint64            // hashes of the names of files that have a line
	bad    map[string]Problem  // by URL, or by name for files without a line
	sound  map[uint64]struct{} // hashes of name and digest of files that were compared
	buf    []byte
}

// add notes a problem unless there are too many.
func (c *checker) add(key string, p Problem) {
	if _, known := c.bad[key]; !known && len(c.bad) >= maxProblems {
		c.report.More++
		return
	}
	c.bad[key] = p
}

// lines checks that every line has its file.
func (c *checker) lines(ctx context.Context, dir string) error {
	for l, err := range Read(dir) {
		c.report.Lines++
		switch bad := (*badLine)(nil); {
		case errors.As(err, &bad):
			c.add(bad.Error(), Problem{Line: c.report.Lines, File: linesName, What: "not a page"})
			continue
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		c.listed = append(c.listed, c.hash(l.File))
		if what := c.compare(&l); what != "" {
			c.add(l.URL, Problem{c.report.Lines, l.URL, l.File, what})
		} else {
			delete(c.bad, l.URL)
		}
	}
	slices.Sort(c.listed)
	return nil
}

func (c *checker) hash(s string) uint64 { return maphash.String(c.seed, s) }

// compare says what is wrong with the file of l.
func (c *checker) compare(l *Line) string {
	if !isTreeName(l.File) {
		return "not a name in the store"
	}
	key := c.hash(l.File + " " + string(l.Digest))
	if _, known := c.sound[key]; known {
		return ""
	}
	if _, known := c.sound[c.hash(l.SameAs+" "+string(l.Digest))]; known && c.isLink(l.File, l.SameAs) {
		return ""
	}
	info, err := os.Stat(c.tree.path(l.File))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "the file is missing"
	case err != nil:
		return err.Error()
	case !info.Mode().IsRegular(): // opening a pipe would wait for ever, and a device has no end
		return "is not a regular file"
	case info.Size() != l.Bytes:
		return fmt.Sprintf("the file has %d bytes, want %d", info.Size(), l.Bytes)
	}
	f, err := os.Open(c.tree.path(l.File))
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	h := sha256.New()
	size, err := io.CopyBuffer(h, onlyReader{f}, c.buf)
	switch got := storage.Digest("sha256:" + hex.EncodeToString(h.Sum(nil))); {
	case err != nil:
		return err.Error()
	case size != l.Bytes:
		return fmt.Sprintf("the file has %d bytes, want %d", size, l.Bytes)
	case got != l.Digest:
		return fmt.Sprintf("the file has digest %s, want %s", got, l.Digest)
	}
	if len(c.sound) >= maxChecked {
		clear(c.sound)
	}
	c.sound[key] = struct{}{}
	return ""
}

// isLink says whether two names are those of one file.
func (c *checker) isLink(a, b string) bool {
	x, err := os.Lstat(c.tree.path(a))
	y, errB := os.Lstat(c.tree.path(b))
	return err == nil && errB == nil && os.SameFile(x, y)
}

// An onlyReader hides that a file can copy itself, which would not use our buffer.
type onlyReader struct{ io.Reader }

// files checks that every file has a line.
func (c *checker) files(ctx context.Context, dir string) error {
	unfinished, _, err := readStarted(filepath.Join(dir, ownFolder))
	if err != nil {
		return err
	}
	removing, err := readRemoving(filepath.Join(dir, ownFolder))
	if err != nil {
		return err
	}
	if to, err := filepath.EvalSymlinks(dir); err == nil {
		dir = to // a walk follows no link, be it the first
	}
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == dir {
			return nil
		}
		if err != nil {
			return fmt.Errorf("pages: check: %w", err)
		}
		name, err := filepath.Rel(dir, path)
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case name == ownFolder:
			return fs.SkipDir
		case e.IsDir() || name == linesName:
			return ctx.Err()
		}
		c.report.Files++
		_, isUnfinished := unfinished[name]
		_, isRemoved := removing[name]
		if _, isListed := slices.BinarySearch(c.listed, c.hash(name)); !isListed && !isUnfinished && !isRemoved {
			c.add(name, Problem{File: name, What: "no line is about this file"})
		}
		return nil
	})
}

package warc

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// recover finishes the files that a process has left which did not close its archive.
func (a *Archive) recover() error {
	names, err := namesIn(a.dir, func(name string) bool { return strings.HasSuffix(name, openSuffix) })
	if err != nil {
		return err
	}
	for _, name := range names {
		torn, err := a.finishFile(filepath.Join(a.dir, name))
		if err != nil {
			return err
		}
		a.torn += torn
	}
	return nil
}

// finishFile cuts an unfinished file after its last whole record, writes its index, and gives it its name. A file without any
// record but warcinfo is removed.
func (a *Archive) finishFile(open string) (torn int64, err error) {
	name := strings.TrimSuffix(open, openSuffix)
	lines := &Sorter{Dir: a.options.IndexDir}
	defer func() { err = errors.Join(err, lines.Close()) }()
	whole, records, err := wholeRecords(open, filepath.Base(name), lines)
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(open)
	if err != nil {
		return 0, err
	}
	torn = info.Size() - whole
	if records == 0 {
		return torn, os.Remove(open)
	}
	f, err := os.OpenFile(open, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	err = errors.Join(f.Truncate(whole), f.Sync(), f.Close())
	if err == nil {
		err = a.writeIndex(filepath.Base(name), lines)
	}
	if err == nil {
		err = a.nameFinished(name)
	}
	return torn, err
}

// wholeRecords reads a file up to what is no whole record, and returns where that is, and how many records besides warcinfo come
// before.
func wholeRecords(open, name string, lines *Sorter) (end int64, records int, err error) {
	r, err := OpenFile(open)
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	r.name = filepath.Join(filepath.Dir(open), name)
	var line []byte
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return end, records, nil
		}
		var c Capture
		var listed bool
		if err == nil {
			c, listed, err = CaptureOf(rec, name)
		}
		if _, ok := errors.AsType[*FormatError](err); ok {
			return end, records, nil
		}
		if err != nil {
			return end, records, err
		}
		if rec.Lax != "" {
			return end, records, nil // cut before the empty lines behind it
		}
		end = r.place()
		if rec.Type() != TypeWarcinfo {
			records++
		}
		if !listed {
			continue
		}
		line = c.AppendTo(line[:0])
		if err := lines.Add(line); err != nil {
			return end, records, err
		}
	}
}

// place is where the record that was finished last ends.
func (r *Reader) place() int64 {
	if r.isPlain() && r.member != nil {
		return r.begin + r.at()
	}
	return r.next
}

// writeIndex writes the index of a WARC file, as a whole. It is on stable storage before the WARC file gets its name.
func (a *Archive) writeIndex(warc string, lines *Sorter) error {
	return writeIndex(filepath.Join(a.options.IndexDir, warc+IndexSuffix), lines, a.syncDir)
}

func writeIndex(name string, lines *Sorter, syncDir func(string) error) error {
	if err := os.Remove(name + ".tmp"); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a process that was killed
		return err
	}
	f, err := os.OpenFile(name+".tmp", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // when it could not be renamed
	w := bufio.NewWriterSize(f, 64<<10)
	err = lines.Each(func(line []byte) error {
		w.Write(line)
		return w.WriteByte('\n')
	})
	err = errors.Join(err, w.Flush(), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return err
	}
	return syncDir(filepath.Dir(name))
}

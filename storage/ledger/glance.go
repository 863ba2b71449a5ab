package ledger

import (
	"errors"
	"fmt"
	"io/fs"
)

// Glance looks at the beginnings of the files in dir and at the end of the last one, and reports what is wrong there: records
// missing that were on stable storage, newer ones that do not fit, another format. It is quick whatever the size of the ledger,
// changes nothing, and may run while a process appends. What is wrong is a *[CorruptError]. What a crash left behind the last
// record, and a directory that does not exist, are no errors.
func Glance(dir string) error {
	list, err := segments(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, n := range list {
		if err := glanceAt(dir, n); err != nil {
			return err
		}
	}
	known, err := readMark(dir)
	if err != nil {
		return err
	}
	c := chain{known: known}
	if known.Sum != "" {
		err = c.follow(dir, known)
	}
	if bad, ok := errors.AsType[*CorruptError](err); ok && bad.garbage && bad.File == segmentName(list[len(list)-1]) {
		return c.complete()
	}
	return err
}

// glanceAt checks the format of one file, which its first record names.
func glanceAt(dir string, segment int) (err error) {
	segmentLines(dir, entry{segment: segment}, true, func(e entry, lineErr error) bool {
		var r Record
		_, bad := decodeLine(e.text, &r, nil)
		switch {
		case lineErr != nil:
			err = lineErr
		case e.torn > 0:
		case bad != nil:
			err = e.garbage("not a record")
		case r.Format == 0:
			err = &CorruptError{File: segmentName(segment), Line: e.line, Seq: r.Seq,
				What: "begins a file, which another one did: that is missing"}
		case r.Format != Format:
			err = &CorruptError{
				File: segmentName(segment), Line: e.line, Seq: r.Seq, Format: r.Format,
				What: fmt.Sprintf("begins a file and has format %d, want %d", r.Format, Format),
			}
		}
		return false
	})
	return err
}

package ledger

import (
	"errors"
	"iter"
	"os"
)

// Lines iterates over the lines that follow record after, as written and without their newlines; a line is valid until the next. It
// decodes nothing but the first record of each file. Like Read it may run while a process appends, and stops at a last line that is
// not whole. The error is final.
func Lines(dir string, after uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		from, err := fileOf(dir, after+1)
		if err != nil {
			yield(nil, err)
			return
		}
		seq := from.Seq
		for e, err := range lines(dir, from, nil) {
			switch {
			case e.segment == 0 && errors.Is(err, os.ErrNotExist) || e.torn > 0:
				return
			case err != nil:
				yield(nil, err)
				return
			case seq > after && !yield(e.text, nil):
				return
			}
			seq++
		}
	}
}

// Sum returns the hash by which the next record names a line, in hexadecimal.
func Sum(line []byte) string { return hash(line) }

// fileOf returns the beginning of the last file that begins at or before a record.
func fileOf(dir string, seq uint64) (mark, error) {
	list, err := segments(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return mark{}, err
	}
	from := origin()
	for _, n := range list {
		var first Record
		segmentLines(dir, entry{segment: n}, true, func(e entry, lineErr error) bool {
			if err = lineErr; err == nil && e.torn == 0 {
				if _, bad := decodeLine(e.text, &first, nil); bad != nil {
					err = e.garbage("not a record")
				}
			}
			return false
		})
		if err != nil {
			return mark{}, err
		}
		if first.Seq == 0 || first.Seq > seq {
			break
		}
		from = mark{File: n, Line: 1, Seq: first.Seq}
	}
	return from, nil
}

// Decode reads the record of a line.
func Decode(line []byte) (Record, error) {
	e, err := DecodeEntry(line)
	return e.Record, err
}

// DecodeEntry is Decode for who wants to know whether others may read the line as another record.
func DecodeEntry(line []byte) (e Entry, err error) {
	if e.Foreign, err = decodeLine(line, &e.Record, nil); err != nil || e.Seq == 0 {
		return Entry{}, errors.New("ledger: not a record")
	}
	return e, nil
}

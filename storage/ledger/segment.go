package ledger

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	segmentPrefix = "ledger-"
	segmentSuffix = ".jsonl"
)

// segmentName returns the name of the nth file of a ledger; the first is number 1.
func segmentName(n int) string { return fmt.Sprintf("%s%06d%s", segmentPrefix, n, segmentSuffix) }

// segments returns the numbers of the files in dir in ascending order.
func segments(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("ledger: list files: %w", err)
	}
	var found []int
	for _, e := range entries {
		digits := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(e.Name(), segmentPrefix), packedSuffix), segmentSuffix)
		if n, err := strconv.Atoi(digits); err == nil && (segmentName(n) == e.Name() || packedName(n) == e.Name()) {
			found = append(found, n)
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// A File is one file of a ledger.
type File struct {
	Name  string // in the directory
	Bytes int64  // on the disk
	Text  int64  // bytes of its lines: more than Bytes when it is packed, as far as that is known without reading it
}

// Files returns the files of the ledger in dir, in order; none where nothing is. It may be called while a process appends.
func Files(dir string) ([]File, error) {
	list, err := segments(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	files := make([]File, 0, len(list))
	for _, n := range list {
		f := File{Name: segmentName(n), Text: textSize(dir, n)}
		if isPacked(dir, n) {
			f.Name = packedName(n)
		}
		if info, err := os.Stat(filepath.Join(dir, f.Name)); err == nil {
			f.Bytes = info.Size()
		}
		files = append(files, f)
	}
	return files, err
}

// An entry is one line of a ledger, and where it lies.
type entry struct {
	text    []byte // without the newline; valid until the next entry
	segment int    // number of the file
	line    int    // number of the line, from 1
	start   int64  // offset of its first byte
	end     int64  // offset behind its newline
	torn    int64  // bytes of a last line without a newline; text is nil then
	leapt   bool   // the entry stands for a whole file, which was not read; it has only the number
}

// errLong is a line that is longer than any record; errEndless one of which it is not worth while to look for the end.
var (
	errLong    = fmt.Errorf("longer than %d bytes", MaxRecord)
	errEndless = fmt.Errorf("longer than %d bytes: what follows was not read", endless)
)

const endless = 256 << 20 // bytes

// lines iterates over the lines of the ledger in dir, beginning with the one that from names. The last entry is a torn one if
// the last file does not end in a newline. Files that leap chooses are not read; nil chooses none. An error belongs to the entry
// beside it; only after *CorruptError is there more to come.
func lines(dir string, from mark, leap func(file int) bool) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		list, err := segments(dir)
		if err != nil {
			yield(entry{}, err)
			return
		}
		list = slices.DeleteFunc(list, func(n int) bool { return n < from.File })
		want := from.File
		for i, n := range list {
			if n != want && !yield(entry{segment: n}, &CorruptError{File: segmentName(want), What: "the file is missing"}) {
				return
			}
			want = n + 1
			at := entry{segment: n}
			if leap != nil && leap(n) {
				if at.leapt = true; !yield(at, nil) {
					return
				}
				continue
			}
			if n == from.File {
				at.line, at.end = from.Line-1, from.Offset
			}
			if !segmentLines(dir, at, i == len(list)-1, yield) {
				return
			}
		}
	}
}

// segmentLines yields the lines of one file that follow at.
func segmentLines(dir string, at entry, last bool, yield func(entry, error) bool) bool {
	f, err := openSegment(dir, at.segment, at.end)
	if errors.Is(err, errPacked) {
		return yield(at, at.damaged(err))
	}
	if err != nil {
		yield(at, fmt.Errorf("ledger: read: %w", err))
		return false
	}
	defer f.Close()
	buf := bufio.NewReaderSize(f, MaxRecord)
	for {
		text, size, err := readLine(buf)
		at.start, at.end, at.text = at.end, at.end+size, text
		at.line++
		switch {
		case errors.Is(err, io.EOF) && size == 0:
			return true
		case errors.Is(err, io.EOF) && last:
			at.torn, at.text = size, nil
			return yield(at, nil)
		case errors.Is(err, io.EOF):
			return yield(at, at.garbage("cut off"))
		case errors.Is(err, errLong):
			if !yield(at, at.garbage(err.Error())) {
				return false
			}
		case errors.Is(err, errEndless):
			return yield(at, at.garbage(err.Error()))
		case errors.Is(err, errPacked):
			return yield(at, at.damaged(err))
		case err != nil:
			yield(at, fmt.Errorf("ledger: read %s: %w", segmentName(at.segment), err))
			return false
		case !yield(at, nil):
			return false
		}
	}
}

// readLine reads one line and returns it without its newline, and the number of bytes read. The error is io.EOF when there was no
// newline, errLong when the line is too long to be returned, errEndless when its end was not reached.
func readLine(r *bufio.Reader) (line []byte, size int64, err error) {
	line, err = r.ReadSlice('\n')
	size = int64(len(line))
	if err == nil {
		return line[:size-1], size, nil
	}
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = r.ReadSlice('\n')
		switch size += int64(len(line)); {
		case err == nil:
			return nil, size, errLong
		case size > endless:
			return nil, size, errEndless
		}
	}
	return nil, size, err
}

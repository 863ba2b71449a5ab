package ledger

import (
	"bytes"
	"errors"
	"iter"
	"os"
	"slices"
	"strconv"
)

// ReadOptions choose what Read yields. The zero value means all records.
type ReadOptions struct {
	// Types, Gates, Purposes and Origins choose records by what they are about, by the gate of a [Refusal], and by what a [Request]
	// was for and whose robots.txt it asked for. Empty means any. What they leave out is not even decoded.
	Types                    []Type
	Gates, Purposes, Origins []string
	// Match decides by the raw line, without its newline, whether a record is decoded and yielded. Decoding costs far more
	// than a [bytes.Contains]. Nil means every record. It must not keep the line.
	Match func(line []byte) bool
	// In leaves out the files that it has not. Nil leaves out none.
	In *Selection
	// Tail leaves out old files: reading begins with the last one that has, together with those after it, at least so many
	// bytes. 0 means all files.
	Tail int64
}

// Read iterates over the records in dir in the order of writing. It neither verifies the chain (see [Verify]) nor needs more
// memory for a longer ledger. It may run while a process appends: it sees what had reached the files, and a last line that is
// not whole yet is no error. A line that is not a record is yielded as a *[CorruptError] error with a zero Record, and the
// iteration goes on; after any other error it ends. A directory that does not exist holds no records.
func Read(dir string, o ReadOptions) iter.Seq2[Record, error] {
	mayChoose := []func(line []byte) bool{
		anyOf(`"type":`, o.Types), anyOf(`"gate":`, o.Gates), anyOf(`"purpose":`, o.Purposes), anyOf(`"origin":`, o.Origins),
	}
	return func(yield func(Record, error) bool) {
		from := origin()
		if o.Tail > 0 {
			from.File = tail(dir, o.Tail)
		}
		var known Record
		for e, err := range lines(dir, from, func(file int) bool { return !o.In.Has(file) }) {
			isAbsent := e.segment == 0 && errors.Is(err, os.ErrNotExist)
			if isAbsent || e.torn > 0 {
				return
			}
			if err == nil && (e.leapt || !all(mayChoose, e.text) || o.Match != nil && !o.Match(e.text)) {
				continue
			}
			var r Record
			if err == nil {
				if _, bad := decodeLine(e.text, &r, &known); bad != nil {
					r, err = Record{}, e.garbage("not a record")
				}
			}
			if err == nil && !o.chooses(r) {
				continue // the line only had the words in a value
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// ReadSound is Read without its CorruptErrors, for whoever can do without lines that are no records: [Verify] finds them.
func ReadSound(dir string, o ReadOptions) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for r, err := range Read(dir, o) {
			if _, ok := errors.AsType[*CorruptError](err); ok {
				continue
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// chooses reports whether r is among what was asked for.
func (o *ReadOptions) chooses(r Record) bool {
	return isOneOf(r.Type, o.Types) && isOneOf(r.Gate, o.Gates) && isOneOf(r.Purpose, o.Purposes) && isOneOf(r.Origin, o.Origins)
}

// isOneOf reports whether list has v, or is empty.
func isOneOf[S ~string](v S, list []S) bool { return len(list) == 0 || slices.Contains(list, v) }

// all reports whether all tests hold for a line.
func all(tests []func(line []byte) bool, line []byte) bool {
	return !slices.ContainsFunc(tests, func(holds func([]byte) bool) bool { return !holds(line) })
}

// anyOf returns a function that reports whether a line can hold the member that begins with key and has one of the values;
// none means that every line can. No record escapes the words that these are named by.
func anyOf[S ~string](key string, values []S) func(line []byte) bool {
	name, marks := []byte(key), make([][]byte, len(values))
	for i, v := range values {
		marks[i] = []byte(strconv.Quote(string(v)))
	}
	return func(line []byte) bool {
		for rest, found := line, len(marks) > 0; found; { // once as a rule: the members of an object are in the same line
			_, rest, found = bytes.Cut(rest, name)
			if found && slices.ContainsFunc(marks, func(mark []byte) bool { return bytes.HasPrefix(rest, mark) }) {
				return true
			}
		}
		return len(marks) == 0
	}
}

// tail returns the number of the last file that has, together with those after it, at least size bytes; else that of the first.
func tail(dir string, size int64) int {
	list, _ := segments(dir) // whoever reads the lines says what is wrong
	for _, n := range slices.Backward(list) {
		if size -= textSize(dir, n); size <= 0 {
			return n
		}
	}
	return 1
}

package ledger

import (
	"errors"
	"iter"
	"os"
)

// ReadOptions choose what Read yields. The zero value means all records.
type ReadOptions struct {
	// Match decides by the raw line, without its newline, whether a record is decoded and yielded. Decoding costs far more
	// than a [bytes.Contains]. Nil means every record. It must not keep the line.
	Match func(line []byte) bool
}

// Read iterates over the records in dir in the order of writing. It neither verifies the chain (see [Verify]) nor needs more
// memory for a longer ledger. It may run while a process appends: it sees what had reached the files, and a last line that is
// not whole yet is no error. A line that is not a record is yielded as a *[Bad] error with a zero Record, and the
// iteration goes on; after any other error it ends. A directory that does not exist holds no records.
func Read(dir string, o ReadOptions) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for e, err := range lines(dir, origin()) {
			isAbsent := e.segment == 0 && errors.Is(err, os.ErrNotExist)
			if isAbsent || e.torn > 0 {
				return
			}
			if err == nil && o.Match != nil && !o.Match(e.text) {
				continue
			}
			var r Record
			if err == nil && decodeLine(e.text, &r) != nil {
				r, err = Record{}, e.garbage("not a record")
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// A CorruptError names a record, or a file, that is not as it was written.
type CorruptError struct {
	File string // name of the file
	Line int    // number of the line in it; 0 when the file as a whole is meant
	Seq  uint64 // number of the record; 0 when it cannot be known
	What string // what is wrong with it

	Format int // of the file, when it is that of another version of this package; else 0

	garbage bool // no version of this package wrote the line
}

// Error says where the chain breaks: the file, the line and the record, as far as they are known.
func (b *CorruptError) Error() string {
	switch {
	case b.Line == 0:
		return fmt.Sprintf("ledger: %s: %s", b.File, b.What)
	case b.Seq == 0:
		return fmt.Sprintf("ledger: %s line %d: %s", b.File, b.Line, b.What)
	}
	return fmt.Sprintf("ledger: %s line %d: record %d %s", b.File, b.Line, b.Seq, b.What)
}

// garbage says that e is nothing that this package wrote.
func (e entry) garbage(what string) *CorruptError {
	return &CorruptError{File: segmentName(e.segment), Line: e.line, What: what, garbage: true}
}

// damaged says that e, and what follows it in its file, cannot be unpacked.
func (e entry) damaged(err error) *CorruptError {
	return &CorruptError{File: packedName(e.segment), Line: e.line, What: err.Error()}
}

// Is reports whether the error is the target.
func (b *CorruptError) Is(target error) bool { return target == ErrNewer && b.Format > Format }

// genesis is the hash that the first record names.
const genesis = "0000000000000000000000000000000000000000000000000000000000000000"

// hash returns the SHA-256 of a line in hexadecimal.
func hash(line []byte) string {
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}

// A chain follows the records of a ledger, of which each names the one before it.
type chain struct {
	known mark   // the record that must be there
	seq   uint64 // number of the last record that fitted
	sum   string // its hash
	prev  string // the hash it names
	last  entry  // where it lies
	file  string // name of that file
	torn  int64  // bytes behind the last whole line

	contents *Contents // of files that need not be read; nil when all are
	options  WalkOptions
	visit    func(*Entry) bool // called with every record that fitted; nil for nobody. False ends the walk
}

// errStopped says that the visitor has seen enough.
var errStopped = errors.New("stopped")

// follow walks along the chain from the record that from names to the end of the ledger. Anything that does not fit ends the
// walk with a *CorruptError.
func (c *chain) follow(dir string, from mark) error {
	c.seq, c.sum = from.Seq-1, from.Prev
	leap := func(file int) bool { return c.contents.leaps(file, c.known) }
	for e, err := range decodedLines(dir, from, c.options, leap) {
		if err != nil {
			return err
		}
		if e.leapt {
			if bad := c.leap(c.contents.files[e.segment]); bad != nil {
				return bad
			}
			continue
		}
		if e.torn > 0 {
			c.torn = e.torn
			break
		}
		if err := c.extend(e); err != nil {
			return err
		}
	}
	return c.complete()
}

// complete checks that the record that must be there was among those that fitted.
func (c *chain) complete() error {
	if c.known.Sum == "" || c.seq >= c.known.Seq {
		return nil
	}
	what := fmt.Sprintf("is missing: the ledger ends after record %d", c.seq)
	return &CorruptError{File: segmentName(c.known.File), Line: c.known.Line, Seq: c.known.Seq, What: what}
}

// extend makes e the end of the chain if it fits.
func (c *chain) extend(e *decoded) error {
	if !e.ok {
		return e.garbage("not a record")
	}
	if bad := c.unfit(e); bad != nil {
		return bad
	}
	if e.segment != c.last.segment {
		c.file = segmentName(e.segment)
	}
	c.seq, c.sum, c.prev, c.last = e.is.Seq, e.sum, e.is.Prev, e.entry
	e.is.InFile, e.is.AtLine = c.file, e.line
	if c.visit != nil && !c.visit(&e.is) {
		return errStopped
	}
	return nil
}

// leap makes the end of a file that is known to be whole the end of the chain, if the file fits.
func (c *chain) leap(d described) *CorruptError {
	first := &decoded{entry: entry{segment: d.File, line: 1}}
	first.is.Seq, first.is.Prev, first.is.Format = d.First, d.Prev, Format
	if bad := c.unfit(first); bad != nil {
		return bad
	}
	c.seq, c.sum, c.last = d.Last, d.Sum, entry{segment: d.File, line: int(d.Last-d.First) + 1}
	return nil
}

// unfit says why e does not follow the last record that fitted; nil if it does.
func (c *chain) unfit(e *decoded) *CorruptError {
	l := &e.is
	bad := func(format string, args ...any) *CorruptError {
		return &CorruptError{File: segmentName(e.segment), Line: e.line, Seq: l.Seq, What: fmt.Sprintf(format, args...)}
	}
	switch {
	case l.Seq > c.seq+1:
		return bad("follows record %d: records between are missing", c.seq)
	case l.Seq <= c.seq:
		return bad("follows record %d: inserted or out of order", c.seq)
	case l.Prev != c.sum && c.last.segment == 0:
		return bad("names another record as the one before it")
	case l.Prev != c.sum:
		return &CorruptError{File: segmentName(c.last.segment), Line: c.last.line, Seq: c.seq,
			What: "was altered: the record after it names another hash"}
	case e.start == 0 && l.Format != Format:
		other := bad("begins a file and has format %d, want %d", l.Format, Format)
		other.Format = l.Format
		return other
	case l.Seq == c.known.Seq && c.known.Sum != "" && e.sum != c.known.Sum:
		return bad("was altered: %s names another hash", markName)
	}
	return nil
}

// mark returns the mark of the last record that fitted.
func (c *chain) mark() mark {
	return mark{File: c.last.segment, Line: c.last.line, Offset: c.last.start, Seq: c.seq, Prev: c.prev, Sum: c.sum}
}

package checkpoint

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// A Row is what a proof says of some neighbouring lines of a ledger: their number is a power of two, First-1 is divisible by it,
// and Hash is the root of the subtree over them (RFC 6962 section 2.1). The rows of a proof cover a ledger from its first line to
// its last, so that the root of all follows from them; a row of one line shows that line.
type Row struct {
	First, Last int64 // numbers of records, from 1
	Hash        tlog.Hash
}

// String writes a row as ParseRow reads it: the two numbers and the hash in hexadecimal.
func (r Row) String() string { return fmt.Sprintf("%d %d %x", r.First, r.Last, r.Hash[:]) }

// ParseRow reads a row.
func ParseRow(text string) (r Row, err error) {
	fields := strings.Split(text, " ")
	if len(fields) != 3 {
		return r, errors.New("checkpoint: a row of a proof has two numbers and a hash")
	}
	first, err1 := strconv.ParseInt(fields[0], 10, 64)
	last, err2 := strconv.ParseInt(fields[1], 10, 64)
	sum, err3 := hex.DecodeString(fields[2])
	if err1 != nil || err2 != nil || err3 != nil || first < 1 || last < first || len(sum) != len(r.Hash) {
		return r, errors.New("checkpoint: a row of a proof has two numbers and a hash")
	}
	r.First, r.Last = first, last
	copy(r.Hash[:], sum)
	return r, nil
}

// Shows reports whether the row is that of a single line, and the line is this.
func (r Row) Shows(line []byte) bool { return r.First == r.Last && r.Hash == tlog.RecordHash(line) }

// isSubtree reports whether the records of a row are those below one node of the tree.
func (r Row) isSubtree() bool {
	n := uint64(r.Last - r.First + 1)
	return bits.OnesCount64(n) == 1 && uint64(r.First-1)%n == 0
}

// A Fold works out the root of a ledger from the rows of a proof. It needs memory for some hundred hashes. The zero Fold is that of
// an empty ledger.
type Fold struct{ rows []Row }

// Add adds the next row. The error says that it does not follow the one before, or is no subtree.
func (f *Fold) Add(r Row) error {
	if r.First != f.Size()+1 {
		return fmt.Errorf("checkpoint: the row of records %d to %d follows that of record %d", r.First, r.Last, f.Size())
	}
	if !r.isSubtree() {
		return fmt.Errorf("checkpoint: records %d to %d are no subtree", r.First, r.Last)
	}
	f.rows = join(append(f.rows, r))
	return nil
}

// join makes one of the last two rows as long as they are the halves of a subtree.
func join(rows []Row) []Row {
	for n := len(rows); n > 1; n-- {
		left, right := rows[n-2], rows[n-1]
		both := Row{left.First, right.Last, tlog.NodeHash(left.Hash, right.Hash)}
		if !both.isSubtree() || left.Last-left.First != right.Last-right.First {
			break
		}
		rows = append(rows[:n-2], both)
	}
	return rows
}

// Size returns the number of lines so far.
func (f *Fold) Size() int64 {
	if len(f.rows) == 0 {
		return 0
	}
	return f.rows[len(f.rows)-1].Last
}

// Root returns the root of the lines so far.
func (f *Fold) Root() tlog.Hash {
	if len(f.rows) == 0 {
		root, _ := tlog.TreeHash(0, nil) // that of nothing needs no hashes
		return root
	}
	root := f.rows[len(f.rows)-1].Hash
	for i := len(f.rows) - 2; i >= 0; i-- {
		root = tlog.NodeHash(f.rows[i].Hash, root)
	}
	return root
}

// A Summary makes the rows of a proof that shows some lines of a ledger, and keeps the others to itself. It hands each row to Row
// as soon as it is known.
type Summary struct {
	Row func(Row) error

	fold    Fold
	pending []Row // of lines that are not shown
	size    int64
}

// Add takes in the next line.
func (s *Summary) Add(line []byte, show bool) error {
	s.size++
	r := Row{s.size, s.size, tlog.RecordHash(line)}
	if !show {
		s.pending = join(append(s.pending, r))
		return nil
	}
	if err := s.Cut(); err != nil {
		return err
	}
	return s.emit(r)
}

// Cut ends the row that was begun, so that the root of the lines so far follows from the rows so far. It is called at the end, and
// wherever a checkpoint was signed.
func (s *Summary) Cut() error {
	for _, r := range s.pending {
		if err := s.emit(r); err != nil {
			return err
		}
	}
	s.pending = s.pending[:0]
	return nil
}

func (s *Summary) emit(r Row) error {
	if err := s.fold.Add(r); err != nil {
		return err
	}
	return s.Row(r)
}

// Checkpoint returns what is known of the lines so far. It is to be called after Cut.
func (s *Summary) Checkpoint(origin string) Checkpoint {
	return Checkpoint{Origin: origin, Size: s.size, Root: s.fold.Root()}
}

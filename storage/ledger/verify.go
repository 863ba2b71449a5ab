package ledger

import (
	"crypto/sha256"
	"errors"
)

// A Report is what Verify found.
type Report struct {
	Records uint64        // that fit the chain, from the first
	Files   int           // they lie in
	Head    string        // hexadecimal SHA-256 of the last of them: it stands for the whole ledger
	Known   uint64        // number of the last record that ledger.head says was on stable storage; 0 when it does not say
	Torn    int64         // bytes of an unfinished record at the very end; the next Open cuts them off
	Bad     *CorruptError // the first thing that is wrong; nil when the ledger is sound
}

// An Entry is a record and where it lies.
type Entry struct {
	Record
	InFile string // name of the file
	AtLine int    // number of the line in it

	// Foreign says that others may read the line as another record than this one: it has members that no record has, one of them
	// twice, or bytes that are no text.
	Foreign bool

	Leaf [sha256.Size]byte // what WalkOptions.Leaf makes of the line
}

// WalkOptions choose what Walk does besides.
type WalkOptions struct {
	// Leaf is called with each line, from several goroutines at once: whoever needs another hash of all lines has it made on all
	// cores. Nil for none.
	Leaf func(line []byte) [sha256.Size]byte
	// Workers read ahead of visit, and take memory each; 0 for as many as there are cores. Whoever walks through several ledgers at
	// once has fewer for each.
	Workers int
}

// Verify reads the whole ledger in dir and checks that it is as it was written: every record is there, in order and unchanged.
// What is wrong with the ledger is in the report; the error says that it could not be read. It changes nothing and may run
// while a process appends. An empty directory is a sound ledger.
func Verify(dir string) (Report, error) { return Walk(dir, WalkOptions{}, nil) }

// Walk is Verify for who wants to see the records as well: visit is called with each of them that fits the chain, in order, until
// it returns false; the report is then about what was read. An entry is the visitor's until the next one. That it was altered may
// show only then.
func Walk(dir string, o WalkOptions, visit func(*Entry) bool) (Report, error) {
	known, err := readMark(dir)
	c := chain{known: known, visit: visit, options: o}
	if err == nil {
		err = c.follow(dir, origin())
	}
	if err == nil {
		err = twins(dir)
	}
	r := Report{Records: c.seq, Files: c.last.segment, Head: c.sum, Torn: c.torn}
	if known.Sum != "" {
		r.Known = known.Seq
	}
	if errors.As(err, &r.Bad) || errors.Is(err, errStopped) {
		err = nil
	}
	return r, err
}

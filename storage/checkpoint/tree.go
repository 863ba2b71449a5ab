package checkpoint

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// height is the number of levels of the tree that one row of hashes stands for, and a tile of tlog-tiles has.
const height = 8

// A Tree is the Merkle tree over the lines of a ledger, of which it keeps the right edge only. The zero Tree is empty. It is not
// safe for concurrent use.
type Tree struct {
	size int64
	rows [][]tlog.Hash // row n has the roots of whole subtrees of 256^n leaves, fewer than 256
	leaf tlog.Hash     // the last

	full func(level int, n int64, row []tlog.Hash) error // called with each row that is complete; nil for nobody
}

// Size returns the number of lines.
func (t *Tree) Size() int64 { return t.size }

// Leaf is the hash of a line as a leaf of a tree.
func Leaf(line []byte) [sha256.Size]byte { return tlog.RecordHash(line) }

// Add appends a line.
func (t *Tree) Add(line []byte) error { return t.AddLeaf(Leaf(line)) }

// AddLeaf appends a line by its hash.
func (t *Tree) AddLeaf(hash [sha256.Size]byte) error {
	t.size++
	t.leaf = hash
	return t.push(0, hash)
}

func (t *Tree) push(level int, h tlog.Hash) error {
	if level == len(t.rows) {
		t.rows = append(t.rows, make([]tlog.Hash, 0, 1<<height))
	}
	t.rows[level] = append(t.rows[level], h)
	row := t.rows[level]
	if len(row) < 1<<height {
		return nil
	}
	if t.full != nil {
		if err := t.full(level, t.size>>(height*(level+1))-1, row); err != nil {
			return err
		}
	}
	root := fold(row)
	t.rows[level] = row[:0]
	return t.push(level+1, root)
}

// fold returns the root of a subtree whose leaves, a power of two, are row.
func fold(row []tlog.Hash) tlog.Hash {
	if len(row) == 1 {
		return row[0]
	}
	half := len(row) / 2
	return tlog.NodeHash(fold(row[:half]), fold(row[half:]))
}

// Root returns the hash of the tree. That of an empty tree is the hash of nothing (RFC 6962 section 2.1).
func (t *Tree) Root() tlog.Hash {
	var root tlog.Hash
	found := false
	for _, row := range t.rows {
		for _, h := range edge(row) {
			if !found {
				root, found = h, true
			} else {
				root = tlog.NodeHash(h, root)
			}
		}
	}
	if !found {
		root, _ = tlog.TreeHash(0, nil)
	}
	return root
}

// edge returns the roots of the largest whole subtrees of a row, the last first.
func edge(row []tlog.Hash) (roots []tlog.Hash) {
	for size := 1; len(row) > 0; size *= 2 {
		if len(row)&size != 0 {
			roots = append(roots, fold(row[len(row)-size:]))
			row = row[:len(row)-size]
		}
	}
	return roots
}

// Follow adds the lines that a ledger has beyond the tree, as many as there are up to size; 0 is all.
func (t *Tree) Follow(dir string, size int64) error {
	if size > 0 && t.size >= size {
		return nil
	}
	for line, err := range ledger.Lines(dir, uint64(t.size)) {
		if err != nil {
			return err
		}
		if err := t.Add(line); err != nil {
			return err
		}
		if t.size == size {
			return nil
		}
	}
	return nil
}

// continuedBy reports whether a ledger has the lines of the tree: the last one, which names the line before it, and so all. One
// that was cut, or put back from a copy, may have others.
func (t *Tree) continuedBy(dir string) (bool, error) {
	if t.size == 0 {
		return true, nil
	}
	for line, err := range ledger.Lines(dir, uint64(t.size-1)) {
		return err == nil && Leaf(line) == t.leaf, err
	}
	return false, nil
}

// Checkpoint returns what is to be signed.
func (t *Tree) Checkpoint(origin string) Checkpoint {
	return Checkpoint{Origin: origin, Size: t.size, Root: t.Root()}
}

type treeState struct {
	Size int64         `json:"size"`
	Rows [][]tlog.Hash `json:"rows"`
	Leaf tlog.Hash     `json:"leaf"`
}

// MarshalJSON implements [json.Marshaler].
func (t *Tree) MarshalJSON() ([]byte, error) { return json.Marshal(treeState{t.size, t.rows, t.leaf}) }

// UnmarshalJSON implements [json.Unmarshaler].
func (t *Tree) UnmarshalJSON(data []byte) error {
	var s treeState
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	rest := s.Size
	for _, row := range s.Rows {
		if int64(len(row)) != rest%(1<<height) {
			return fmt.Errorf("checkpoint: a row has %d hashes, want %d", len(row), rest%(1<<height))
		}
		rest >>= height
	}
	if rest != 0 || s.Size < 0 {
		return fmt.Errorf("checkpoint: a tree of %d lines with too few rows", s.Size)
	}
	t.size, t.rows, t.leaf = s.Size, s.Rows, s.Leaf
	return nil
}

package checkpoint_test

import (
	"fmt"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/cybermapper/cybermapper/storage/checkpoint"
)

// The rows of a proof are nodes of the tree that Go's transparency log would build, they give its root, also that of earlier, and
// they hold all that its own proofs of the lines that are shown need.
func TestSummary_AgreesWithTlog(t *testing.T) {
	for _, size := range []int64{1, 2, 3, 7, 8, 9, 100, 1000} {
		var hashes []tlog.Hash
		reader := tlog.HashReaderFunc(func(at []int64) (list []tlog.Hash, err error) {
			for _, i := range at {
				list = append(list, hashes[i])
			}
			return list, nil
		})
		shown := func(n int64) bool { return n%17 == 3 || n == size-1 || n > 600 && n < 620 }
		cut := size * 2 / 3
		nodes := map[tlog.Hash]bool{}
		var fold checkpoint.Fold
		s := checkpoint.Summary{Row: func(r checkpoint.Row) error {
			nodes[r.Hash] = true
			again, err := checkpoint.ParseRow(r.String())
			if err != nil || again != r {
				t.Fatalf("row %v is read as %v, %v", r, again, err)
			}
			if err := fold.Add(again); err != nil {
				return err
			}
			if fold.Size() == cut {
				if want, _ := tlog.TreeHash(cut, reader); fold.Root() != want {
					t.Errorf("size %d: the root of the first %d is %v, want %v", size, cut, fold.Root(), want)
				}
				cut = -1
			}
			return nil
		}}
		for n := range size {
			line := fmt.Appendf(nil, "line %d", n)
			more, err := tlog.StoredHashes(n, line, reader)
			if err != nil {
				t.Fatal(err)
			}
			hashes = append(hashes, more...)
			if err := s.Add(line, shown(n)); err != nil {
				t.Fatal(err)
			}
			if n+1 == cut {
				if err := s.Cut(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := s.Cut(); err != nil {
			t.Fatal(err)
		}
		if cut > 0 {
			t.Errorf("size %d: no row ends at %d", size, cut)
		}
		root, err := tlog.TreeHash(size, reader)
		if err != nil || fold.Root() != root || s.Checkpoint("x").Root != root {
			t.Errorf("size %d: root %v, want %v, %v", size, fold.Root(), root, err)
		}
		for n := range size {
			if shown(n) && !nodes[tlog.RecordHash(fmt.Appendf(nil, "line %d", n))] {
				t.Errorf("size %d: line %d is not shown", size, n)
			}
		}
	}
}

// What is no proof is refused, and nothing that can be read makes a root of rows with holes.
func FuzzParseRow(f *testing.F) {
	f.Add("1 1 0000000000000000000000000000000000000000000000000000000000000000", "2 3 00")
	f.Fuzz(func(t *testing.T, a, b string) {
		var fold checkpoint.Fold
		for _, text := range []string{a, b} {
			r, err := checkpoint.ParseRow(text)
			if err != nil {
				continue
			}
			before := fold.Size()
			if err := fold.Add(r); err == nil && (r.First != before+1 || fold.Size() != r.Last) {
				t.Errorf("after %d records %v was taken", before, r)
			}
		}
	})
}

package hashset

import (
	"hash/maphash"
	"math/rand/v2"
	"testing"
)

// Ensure that a set holds what was added and nothing else, whatever the hashes are: mixed, in a row, all in one table, at its ends.
func TestSet(t *testing.T) {
	seed := maphash.MakeSeed()
	rng := rand.New(rand.NewPCG(1, 2))
	for name, hash := range map[string]func(i int) uint64{
		"mixed":     func(i int) uint64 { return maphash.Comparable(seed, i) },
		"in a row":  func(i int) uint64 { return uint64(i) },
		"at an end": func(i int) uint64 { return ^uint64(i) },
		"few":       func(int) uint64 { return rng.Uint64N(700) << 50 },
	} {
		var s Set
		want := map[uint64]bool{}
		for i := range 3000 {
			h := hash(i)
			if s.Has(h) != want[h] {
				t.Fatalf("%s: Has(%#x) = %v after %d hashes", name, h, !want[h], i)
			}
			s.Add(h)
			want[h] = true
			if !s.Has(h) || s.Len() != len(want) {
				t.Fatalf("%s: after Add(%#x): Has = %v, Len = %d, want true, %d", name, h, s.Has(h), s.Len(), len(want))
			}
		}
		for h := range want {
			if !s.Has(h) || s.Has(h^1<<30) != want[h^1<<30] {
				t.Fatalf("%s: %#x: Has = %v; with a bit turned: %v", name, h, s.Has(h), s.Has(h^1<<30))
			}
		}
	}
}

// Promise 5: a hash takes a dozen bytes at most.
func TestSet_IsSmall(t *testing.T) {
	const hashes = 100_000
	var s Set
	seed := maphash.MakeSeed()
	for i := range hashes {
		s.Add(maphash.Comparable(seed, i))
	}
	places := 0
	for i := range s.tables {
		places += cap(s.tables[i].places)
	}
	if perHash := float64(8*places) / hashes; perHash > 12 {
		t.Errorf("%.1f bytes for a hash, want at most 12", perHash)
	}
}

func BenchmarkSet(b *testing.B) {
	seed := maphash.MakeSeed()
	hashes := make([]uint64, 1<<20)
	for i := range hashes {
		hashes[i] = maphash.Comparable(seed, i)
	}
	var s Set
	for _, h := range hashes[:len(hashes)/2] {
		s.Add(h)
	}
	found := 0
	for i := 0; b.Loop(); i++ {
		if s.Has(hashes[i%len(hashes)]) {
			found++
		}
	}
}

package verify

import "hash/maphash"

// A shard is the part of all keys that one pass over the ledger looks at: those whose hash begins with the given bits. When even
// that is too much for memory the pass is begun anew with half of it.
type shard struct {
	seed maphash.Seed
	bits uint
	part uint64
	done bool
}

func newShard() shard { return shard{seed: maphash.MakeSeed()} }

func (s *shard) hash(key string) uint64 { return maphash.String(s.seed, key) }

// has reports whether a key with that hash is looked at in this pass.
func (s *shard) has(hash uint64) bool { return !s.done && hash>>(64-s.bits) == s.part }

// halve makes the shard smaller.
func (s *shard) halve() { s.bits, s.part = s.bits+1, s.part*2 }

// next turns to the keys that follow.
func (s *shard) next() {
	if s.part++; s.part == 1<<s.bits {
		s.done = true
	}
}

func (s *shard) nextUnlessDone() {
	if !s.done {
		s.next()
	}
}

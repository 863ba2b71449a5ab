package disk

import (
	"encoding/binary"
	"math/bits"
)

// A hashKey is the secret of one crawl. With it unknown, nobody can craft two URLs that the seen set takes for one.
type hashKey [16]byte

// hash returns SipHash-2-4 of s (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012).
func (k *hashKey) hash(s string) uint64 {
	k0, k1 := binary.LittleEndian.Uint64(k[:8]), binary.LittleEndian.Uint64(k[8:])
	h := sipState{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573}
	last := uint64(len(s)) << 56
	for ; len(s) >= 8; s = s[8:] {
		h.word(uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56)
	}
	for i := range len(s) {
		last |= uint64(s[i]) << (8 * i)
	}
	h.word(last)
	h.v2 ^= 0xff
	for range 4 {
		h.round()
	}
	return h.v0 ^ h.v1 ^ h.v2 ^ h.v3
}

type sipState struct{ v0, v1, v2, v3 uint64 }

func (h *sipState) word(m uint64) {
	h.v3 ^= m
	h.round()
	h.round()
	h.v0 ^= m
}

func (h *sipState) round() {
	h.v0 += h.v1
	h.v1 = bits.RotateLeft64(h.v1, 13) ^ h.v0
	h.v0 = bits.RotateLeft64(h.v0, 32)
	h.v2 += h.v3
	h.v3 = bits.RotateLeft64(h.v3, 16) ^ h.v2
	h.v0 += h.v3
	h.v3 = bits.RotateLeft64(h.v3, 21) ^ h.v0
	h.v2 += h.v1
	h.v1 = bits.RotateLeft64(h.v1, 17) ^ h.v2
	h.v2 = bits.RotateLeft64(h.v2, 32)
}

package fetch

import (
	"math/bits"
	"sync"
)

const (
	leastBody = 4 << 10 // capacity of the smallest bodies that are pooled; each other has twice that of the one before
	bodySizes = 5       // up to smallChunk
)

// A bodyPool recycles the memory of small bodies, which nearly all are: it is the most that a crawl allocates. A nil pool has none.
type bodyPool struct {
	bySize [bodySizes]sync.Pool // of *[]byte
}

// take returns an empty slice with room for size bytes, and more if it is one to be given back.
func (p *bodyPool) take(size int64) []byte {
	if p == nil || size > smallChunk {
		return make([]byte, 0, size)
	}
	i := bits.Len64(uint64(max(size-1, 0)) / leastBody)
	if b, ok := p.bySize[i].Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return make([]byte, 0, leastBody<<i)
}

// give takes back what take has returned, if it is of a size that is pooled. Nobody may use it any more.
func (p *bodyPool) give(b []byte) {
	if p == nil || cap(b) < leastBody {
		return
	}
	i := bits.Len64(uint64(cap(b)-1) / leastBody)
	if i < bodySizes && cap(b) == leastBody<<i {
		p.bySize[i].Put(&b)
	}
}

package fetch

import "sync"

// bodyStep is by how much the sizes differ in which bodies are pooled, in bytes: little, as many pages wait in memory.
const bodyStep = 4 << 10

// A bodyPool recycles the memory of small bodies, which nearly all are: it is the most that a crawl allocates. A nil pool has none.
type bodyPool struct {
	bySize [smallChunk / bodyStep]sync.Pool // of *[]byte
}

// take returns an empty slice with room for size bytes, and more if it is one to be given back.
func (p *bodyPool) take(size int64) []byte {
	if p == nil || size > smallChunk {
		return make([]byte, 0, size)
	}
	i := max(size-1, 0) / bodyStep
	if b, ok := p.bySize[i].Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return make([]byte, 0, (i+1)*bodyStep)
}

// give takes back what take has returned, if it is of a size that is pooled. Nobody may use it any more.
func (p *bodyPool) give(b []byte) {
	if n := cap(b); p != nil && n > 0 && n <= smallChunk && n%bodyStep == 0 {
		p.bySize[n/bodyStep-1].Put(&b)
	}
}

package indexer

import (
	"testing"

	"github.com/cybermapper/cybermapper/storage/index"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// What is taken in at once follows from the memory that there is.
func TestBatch_IsFull(t *testing.T) {
	for _, test := range []struct {
		pages  int
		bytes  int64
		memory int64
		want   bool
	}{
		{1023, 16<<20 - 1, index.MaxMemory, false}, {1024, 0, index.MaxMemory, true}, {1, 16 << 20, index.MaxMemory, true},
		{127, 2<<20 - 1, index.MaxMemory / 8, false}, {128, 0, index.MaxMemory / 8, true}, {1, 2 << 20, index.MaxMemory / 8, true},
		{1, 0, 1, true},
	} {
		b := batch{lines: make([]pages.Line, test.pages), bytes: test.bytes}
		if got := b.isFull(test.memory); got != test.want {
			t.Errorf("%d pages, %d bytes: full of %d: %v, want %v", test.pages, test.bytes, test.memory, got, test.want)
		}
	}
}

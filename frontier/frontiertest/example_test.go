package frontiertest_test

import (
	"testing"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/frontier/memory"
)

// The whole test file of an implementation.
func Example() {
	open := func(testing.TB) frontier.Frontier { return memory.New() }

	_ = func(t *testing.T) { // func TestFrontier
		frontiertest.Test(t, open, frontiertest.Options{
			Bubble: true,
			Oracle: func() frontier.Frontier { return memory.New() },
		})
	}
	_ = func(b *testing.B) { // func BenchmarkFrontier
		frontiertest.Benchmark(b, open)
	}
	// Output:
}

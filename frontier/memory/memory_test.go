package memory_test

import (
	"testing"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/frontier/memory"
)

func open(testing.TB) frontier.Frontier { return memory.New() }

func TestFrontier(t *testing.T) {
	frontiertest.Test(t, open, frontiertest.Options{
		Bubble: true,
		Oracle: func() frontier.Frontier { return memory.New() },
	})
}

func BenchmarkFrontier(b *testing.B) { frontiertest.Benchmark(b, open) }

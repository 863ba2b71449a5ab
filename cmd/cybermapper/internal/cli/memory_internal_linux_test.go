package cli

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/cybermapper/cybermapper/storage/filetest"
)

func TestMaxMemory(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		want  uint64
	}{
		{"nothing", nil, 0},
		{"version 2, in a container", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "134217728\n"}, 128 << 20},
		{"version 2, no limit", map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, 0},
		{"version 2, the group above has less", map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "2000\n", "sys/fs/cgroup/a/memory.max": "1000\n",
		}, 1000},
		{"version 1", map[string]string{
			"proc/self/cgroup": "5:cpu:/x\n4:memory:/docker/1\n0::/\n",
			"sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "1000\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 1000},
		{"version 1, no limit", map[string]string{
			"proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 0},
	} {
		root := t.TempDir()
		for name, text := range test.files {
			name = filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			filetest.Write(t, name, text)
		}
		if got := maxMemory(root); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

// An index has its default where nobody says how much may be taken.
func TestIndexMemory(t *testing.T) {
	for most, want := range map[uint64]int64{0: 0, 128 << 20: 16 << 20, math.MaxUint64: math.MaxInt64 / 8} {
		if got := IndexMemory(most); got != want {
			t.Errorf("IndexMemory(%d) = %d, want %d", most, got, want)
		}
	}
}

// A database keeps less where little may be taken.
func TestCacheSize(t *testing.T) {
	for most, want := range map[uint64]string{
		0: "_pragma=cache_size(-16384)", 64 << 20: "_pragma=cache_size(-2048)", 512 << 20: "_pragma=cache_size(-16384)",
	} {
		if got := CacheSize(16<<20, most); got != want {
			t.Errorf("of %d: %s, want %s", most, got, want)
		}
	}
}

func TestLimitMemory(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	for _, step := range []struct {
		most uint64
		want int64
	}{{0, math.MaxInt64}, {3 << 30, 2 << 30}, {6 << 30, 2 << 30}} {
		LimitMemory(step.most)
		if got := debug.SetMemoryLimit(-1); got != step.want {
			t.Errorf("LimitMemory(%d) set %d, want %d", step.most, got, step.want)
		}
	}
}

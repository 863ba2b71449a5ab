package audit

import "testing"

// Lines are sorted in less where less may be taken than the usual 64 MiB and what else an audit needs.
func TestSortMemory(t *testing.T) {
	for most, want := range map[uint64]int{0: 64 << 20, 64 << 20: 8 << 20, 128 << 20: 16 << 20, 512 << 20: 64 << 20, 1 << 40: 64 << 20} {
		if got := sortMemory(64<<20, most); got != want {
			t.Errorf("of %d: %d, want %d", most, got, want)
		}
	}
}

package crawler

import "testing"

// Promise 5: what is counted takes memory of bounded size.
func TestBoundedMap_StaysBounded(t *testing.T) {
	m := boundedMap[int]{most: 100}
	for i := range uint64(10_000) {
		m.put(i, int(i))
		if n := len(m.young) + len(m.old); n > 100 {
			t.Fatalf("after %d puts the map holds %d entries, want at most 100", i+1, n)
		}
	}
	if v, ok := m.get(9_999); !ok || v != 9_999 {
		t.Errorf("get(9999) = %d, %v; the newest entry must be there", v, ok)
	}
}

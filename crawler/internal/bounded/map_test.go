package bounded

import "testing"

// Promise 5: what is counted takes memory of bounded size.
func TestMap_StaysBounded(t *testing.T) {
	m := Map[int]{Most: 100}
	for i := range uint64(10_000) {
		m.Put(i, int(i))
		if n := m.Len(); n > 100 {
			t.Fatalf("after %d puts the map holds %d entries, want at most 100", i+1, n)
		}
	}
	if v, ok := m.Get(9_999); !ok || v != 9_999 {
		t.Errorf("Get(9999) = %d, %v; the newest entry must be there", v, ok)
	}
}

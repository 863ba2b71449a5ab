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

// Ensure that what is shared stays bounded, and that an owner who has much forgets before those who have little.
func TestShared_TheLargestForgets(t *testing.T) {
	const owners, each = 200, 40
	s := Shared[int]{Most: 10_000, Each: 7500}
	for owner := range uint64(owners) {
		for k := range uint64(each) {
			s.Put(owner, k, int(k))
		}
	}
	for k := range uint64(100_000) {
		s.Put(owners, k, int(k))
		if s.Len() > s.Most || s.LenOf(owners) > s.Each {
			t.Fatalf("%d entries, %d of one owner", s.Len(), s.LenOf(owners))
		}
	}
	sum := 0
	for owner := range uint64(owners) {
		for k := range uint64(each) {
			if v, ok := s.Get(owner, k); !ok || v != int(k) {
				t.Fatalf("entry %d of owner %d is %d, %v", k, owner, v, ok)
			}
		}
		sum += s.LenOf(owner)
	}
	if got := sum + s.LenOf(owners); got != s.Len() {
		t.Errorf("%d entries are counted, there are %d", s.Len(), got)
	}
	if !s.Forgot() {
		t.Error("it has forgotten nothing")
	}
}

// Ensure that what is shared stays bounded when each of very many owners has one entry, and that the last ones are there.
func TestShared_ManyOwners(t *testing.T) {
	s := Shared[int]{Most: 1000, Each: 750}
	for owner := range uint64(50_000) {
		s.Put(owner, 1, 1)
		if _, ok := s.Get(owner, 1); s.Len() > s.Most || len(s.owners) > s.Most {
			t.Fatalf("after %d owners %d entries, %d owners (%v)", owner, s.Len(), len(s.owners), ok)
		}
	}
}

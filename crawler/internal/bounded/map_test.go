package bounded

import (
	"math/rand/v2"
	"runtime"
	"testing"
)

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

// Ensure that a map holds what the built-in one would, whatever the keys are: mixed, in a row, alike but for their highest bits;
// and that of what it forgets half is left.
func TestMap_HoldsWhatWasPut(t *testing.T) {
	for name, key := range map[string]func(i uint64) uint64{
		"in a row": func(i uint64) uint64 { return i },
		"mixed":    func(i uint64) uint64 { return rand.New(rand.NewPCG(i, 0)).Uint64() },
		"high":     func(i uint64) uint64 { return i << 48 },
	} {
		const n = 20_000
		m, want := Map[uint64]{Most: 4 * n}, map[uint64]uint64{}
		for i := range uint64(n) {
			for _, k := range []uint64{key(i), key(i / 2)} {
				m.Put(k, i)
				want[k] = i
			}
		}
		if m.Len() != len(want) {
			t.Fatalf("%s: %d entries, want %d", name, m.Len(), len(want))
		}
		for k, v := range want {
			if got, ok := m.Get(k); !ok || got != v {
				t.Fatalf("%s: Get(%#x) = %d, %v, want %d", name, k, got, ok, v)
			}
		}
		if _, ok := m.Get(key(n)); ok {
			t.Errorf("%s: a key that was never put is known", name)
		}
		m.forget()
		left := 0
		for k, v := range want {
			if got, ok := m.Get(k); ok {
				if left++; got != v {
					t.Fatalf("%s: Get(%#x) = %d after half was forgotten, want %d", name, k, got, v)
				}
			}
		}
		if left != m.Len() || left != len(want)/2 {
			t.Errorf("%s: %d of %d entries are left, and %d are counted", name, left, len(want), m.Len())
		}
	}
}

// Promise 5: an entry takes what its key and its value take, and little more.
func TestMap_IsSmall(t *testing.T) {
	const n, size = 100_000, 8 + 16
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	m := Map[[2]uint64]{Most: 4 * n}
	for i := range uint64(n) {
		m.Put(i, [2]uint64{i, i})
	}
	if got := (heap() - before) / n; got > size*3/2 {
		t.Errorf("an entry of %d bytes takes %d", size, got)
	}
	runtime.KeepAlive(&m)
}

func BenchmarkMap(b *testing.B) {
	m := Map[[2]uint64]{Most: 2000}
	b.ReportAllocs()
	for i := uint64(0); b.Loop(); i++ {
		k := i / 4 * 0x9e3779b97f4a7c15
		if _, ok := m.Get(k); !ok {
			m.Put(k, [2]uint64{i, i})
		}
	}
}

// Ensure that a value can be written where it is, and that what is old, or not there, is left to Put.
func TestMap_At(t *testing.T) {
	m := Map[int]{Most: 4}
	if at, young := m.At(1); at != nil || young {
		t.Error("an empty map has something")
	}
	if at, young := (*Map[int])(nil).At(1); at != nil || young {
		t.Error("no map has something")
	}
	m.Put(1, 1)
	if at, young := m.At(1); at == nil || *at != 1 || !young {
		t.Fatalf("a new entry is %v, young: %v", at, young)
	} else {
		*at = 2
	}
	if v, _ := m.Get(1); v != 2 || m.Len() != 1 {
		t.Errorf("it is %d after that, of %d entries, want 2 of 1", v, m.Len())
	}
	m.Put(2, 2)
	m.Put(3, 3) // 1 and 2 are old now
	if at, young := m.At(1); at == nil || *at != 2 || young {
		t.Errorf("an old entry is %v, young: %v", at, young)
	}
}

package bounded

// A Shared is a Map that several owners fill, each with keys of its own. It holds at most Most entries, of one owner at most Each:
// when it is full, the owner that has most forgets first, so that nobody can drive out what others have. The zero Shared, once
// Most and Each are set, is empty and ready for use. It is not safe for concurrent use.
type Shared[V any] struct {
	Most, Each int
	owners     map[uint64]*Map[V]
	n          int
	forgot     bool
}

// Get returns the value that an owner has for a key and whether it is known.
func (s *Shared[V]) Get(owner, k uint64) (v V, ok bool) { return s.owners[owner].Get(k) }

// Of returns what an owner has, to look several keys up until the next Put; nil when there is nothing. Only the Shared may write
// to it.
func (s *Shared[V]) Of(owner uint64) *Map[V] { return s.owners[owner] }

// Put keeps a value of an owner, which counts as young.
func (s *Shared[V]) Put(owner, k uint64, v V) {
	m := s.owners[owner]
	if m == nil {
		if s.owners == nil {
			s.owners = map[uint64]*Map[V]{}
		}
		m = &Map[V]{Most: s.Each}
		s.owners[owner] = m
	}
	if at := m.young.at(k); at != nil {
		*at = v
		return
	}
	before := m.Len()
	m.Put(k, v)
	if s.n += m.Len() - before; s.n > s.Most {
		s.makeRoom()
	}
}

// Len returns how many entries are held: at most Most.
func (s *Shared[V]) Len() int { return s.n }

// LenOf returns how many entries are held of an owner: at most Each.
func (s *Shared[V]) LenOf(owner uint64) int {
	if m := s.owners[owner]; m != nil {
		return m.Len()
	}
	return 0
}

// Forgot reports whether an owner has ever had to forget because all together had too much.
func (s *Shared[V]) Forgot() bool { return s.forgot }

// makeRoom lets the owner that has most forget; if that is little, those that have more than their equal share; and at last any.
// A sixteenth becomes free, so that going through the owners costs a few steps for each entry.
func (s *Shared[V]) makeRoom() {
	s.forgot = true
	enough := s.Most - s.Most/16
	largest, most := uint64(0), 0
	for owner, m := range s.owners {
		if m.Len() > most {
			largest, most = owner, m.Len()
		}
	}
	s.forget(largest)
	for _, least := range []int{s.n / len(s.owners), 0} {
		for owner, m := range s.owners {
			if s.n <= enough {
				return
			}
			if m.Len() >= least {
				s.forget(owner)
			}
		}
	}
}

// forget lets an owner forget the older half of what it has.
func (s *Shared[V]) forget(owner uint64) {
	m := s.owners[owner]
	before := m.Len()
	m.forget()
	s.n -= before - m.Len()
	if m.Len() == 0 {
		delete(s.owners, owner)
	}
}

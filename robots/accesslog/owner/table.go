package owner

import (
	"cmp"
	"encoding/binary"
	"net/netip"
	"slices"
	"sort"
)

// An Owner is who holds a network.
type Owner struct {
	Name    string `json:"name"`
	Contact string `json:"contact,omitempty"` // whom to tell of abuse
	ASN     string `json:"asn,omitempty"`     // number of the autonomous system
	Country string `json:"country,omitempty"`
}

// A Table knows the owners of networks. A nil Table knows none.
type Table struct {
	v4     spans[v4]
	v6     spans[v6]
	owners []Owner
}

// Len returns the number of networks.
func (t *Table) Len() int { return len(t.v4) + len(t.v6) }

// Of returns the owner of the smallest network that has the address.
func (t *Table) Of(addr netip.Addr) (o Owner, ok bool) {
	if t == nil || !addr.IsValid() {
		return o, false
	}
	var i int32
	if addr = addr.Unmap(); addr.Is4() {
		i = t.v4.find(v4Of(addr))
	} else {
		i = t.v6.find(v6Of(addr))
	}
	if i < 0 {
		return o, false
	}
	return t.owners[i], true
}

// An address is one that can be compared.
type address[A any] interface{ compare(A) int }

type v4 uint32

func v4Of(a netip.Addr) v4 {
	b := a.As4()
	return v4(binary.BigEndian.Uint32(b[:]))
}

func (a v4) compare(b v4) int { return cmp.Compare(a, b) }

type v6 struct{ high, low uint64 }

func v6Of(a netip.Addr) v6 {
	b := a.As16()
	return v6{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}
}

func (a v6) compare(b v6) int { return cmp.Or(cmp.Compare(a.high, b.high), cmp.Compare(a.low, b.low)) }

// A span is a network, from its first to its last address.
type span[A address[A]] struct {
	from, to A
	owner    int32
	around   int32 // the span before it that has its first address too; -1 for none
}

type spans[A address[A]] []span[A]

// arrange sorts the spans, those that begin at the same address by falling size, and finds which are around which.
func (s spans[A]) arrange() {
	slices.SortStableFunc(s, func(x, y span[A]) int { return cmp.Or(x.from.compare(y.from), y.to.compare(x.to)) })
	var open []int32
	for i := range s {
		for len(open) > 0 && s[open[len(open)-1]].to.compare(s[i].from) < 0 {
			open = open[:len(open)-1]
		}
		s[i].around = -1
		if len(open) > 0 {
			s[i].around = open[len(open)-1]
		}
		open = append(open, int32(i))
	}
}

// find returns the owner of the last span to begin that has the address; -1 for none.
func (s spans[A]) find(a A) int32 {
	i := int32(sort.Search(len(s), func(i int) bool { return s[i].from.compare(a) > 0 }) - 1)
	for i >= 0 && s[i].to.compare(a) < 0 {
		i = s[i].around
	}
	if i < 0 {
		return -1
	}
	return s[i].owner
}

package audit

import (
	"cmp"
	"slices"
)

// An Address is what came from one address, under whatever names.
type Address struct {
	Client    string `json:"client"`
	Names     int    `json:"names"` // User-Agents or product tokens, as far as they were told apart
	Requests  int64  `json:"requests"`
	Documents int64  `json:"documents"`
	Assets    int64  `json:"assets"`
	Bytes     int64  `json:"bytes"`
}

// addresses are the clients put together by address. There may be as many addresses as clients, so that they hold numbers, not
// pointers.
type addresses struct {
	clients []*client
	all     []together
	next    []int32         // of each client, the one before it at the same address, counted from 1; 0 is none
	proxies map[string]bool // in front of the server, and nobody; see addProxies
}

// together are the clients of one address.
type together struct {
	everybody, plain tally // plain are those that do not say to be robots
	names            int32 // clients
	first            int32 // of them
	last             int32 // of those that do not say to be robots, counted from 1
	referred, moved  int32 // of plain
	asked            bool  // for robots.txt, in plain
}

// A tally is what clients got.
type tally struct {
	requests, documents, assets int32
	bytes                       int64
}

func (t *tally) add(c *client) {
	t.requests += c.requests
	t.documents += c.documents
	t.assets += c.assets
	t.bytes += c.bytes
}

// byAddress puts the clients of a table together.
func byAddress(table *clientTable) addresses {
	list := table.list
	a := addresses{clients: list, all: make([]together, 0, len(list)), next: make([]int32, len(list))}
	slots := make([]int32, max(1, 2*len(table.slots))) // numbers in all, counted from 1; at most a quarter is taken
	for i, c := range list {
		at := int(c.hash) & (len(slots) - 1)
		for slots[at] > 0 && !sameName(list[a.all[slots[at]-1].first], c) {
			at = (at + 1) & (len(slots) - 1)
		}
		if slots[at] == 0 {
			a.all = append(a.all, together{first: int32(i)})
			slots[at] = int32(len(a.all))
		}
		t := &a.all[slots[at]-1]
		t.everybody.add(c)
		t.names++
		if c.robot != nil || c.agent.token != "" {
			continue
		}
		a.next[i], t.last = t.last, int32(i+1)
		t.plain.add(c)
		t.referred += c.referred
		t.moved += c.moved
		t.asked = t.asked || c.asked > 0
	}
	return a
}

// name returns what an address is called.
func (a *addresses) name(t *together) string { return a.clients[t.first].name }

func sameName(x, y *client) bool { return x.hash == y.hash && x.name == y.name }

// of goes through the clients at an address that do not say to be robots.
func (a *addresses) of(t *together) func(yield func(*client) bool) {
	return func(yield func(*client) bool) {
		for i := t.last; i > 0 && yield(a.clients[i-1]); i = a.next[i-1] {
		}
	}
}

// sum makes one of the clients at an address that do not say to be robots.
func (a *addresses) sum(t *together) *client {
	sum := newClient(a.name(t), 0, &unit{}, a.clients[t.last-1].agent)
	for c := range a.of(t) {
		sum.requests, sum.documents, sum.assets, sum.bytes = sum.requests+c.requests, sum.documents+c.documents,
			sum.assets+c.assets, sum.bytes+c.bytes
		sum.asked, sum.disallowed = sum.asked+c.asked, sum.disallowed+c.disallowed
		sum.first, sum.last, sum.peak = min(sum.first, c.first), max(sum.last, c.last), max(sum.peak, c.peak)
	}
	return &sum
}

// busiest returns those with the most requests.
func (a *addresses) busiest(most int, many *crowded) []Address {
	list := []Address{}
	for _, i := range topOf(indexes(len(a.all)), most+1, func(x, y int) int {
		if c := cmp.Compare(a.all[y].everybody.requests, a.all[x].everybody.requests); c != 0 {
			return c
		}
		return cmp.Compare(a.name(&a.all[x]), a.name(&a.all[y]))
	}) {
		t := &a.all[i]
		if a.name(t) == nobody || len(list) == most {
			continue
		}
		list = append(list, Address{
			Client: a.name(t), Names: max(int(t.names), many.nameCount(a.name(t))), Requests: int64(t.everybody.requests),
			Documents: int64(t.everybody.documents), Assets: int64(t.everybody.assets), Bytes: t.everybody.bytes,
		})
	}
	return list
}

// indexes goes through the numbers below n.
func indexes(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n && yield(i); i++ {
		}
	}
}

// topOf returns the first of some values in an order.
func topOf[V any](all func(yield func(V) bool), most int, compare func(x, y V) int) []V {
	var top []V
	for v := range all {
		if len(top) == most && (most == 0 || compare(v, top[most-1]) >= 0) {
			continue
		}
		i, _ := slices.BinarySearchFunc(top, v, compare)
		top = slices.Insert(top, i, v)
		top = top[:min(len(top), most)]
	}
	return top
}

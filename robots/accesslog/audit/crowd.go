package audit

// manyNames is how many names one address may have before it is taken together: an office behind one address has some, a robot that
// takes another name each time has thousands.
const manyNames = 64

// crowded are addresses with many names. Few have many: names are counted by the hash of the address first.
type crowded struct {
	counts [1 << 16]uint8 // of names, by hash, up to manyNames
	byName map[string]*crowdedAddress
	agent  agent // stands for all names of an address
	unit   unit
}

// A crowdedAddress is one address that may have many names.
type crowdedAddress struct {
	names map[int32]struct{} // units of those that came last
}

// maxNames bounds the names of an address that are counted.
const maxNames = 10_000

// came takes in that an address comes under the name of a unit, and reports whether it has so many names that they are taken
// together.
func (w *crowded) came(hash uint64, name string, unit int32) bool {
	count := &w.counts[hash%uint64(len(w.counts))]
	if *count < manyNames {
		*count++
		return false
	}
	if w.byName == nil {
		w.byName = map[string]*crowdedAddress{}
		w.agent.text, w.agent.class = "(many names)", ClassBrowser
		w.unit.id = -1 // no table has it
	}
	c := w.byName[name]
	if c == nil {
		c = &crowdedAddress{map[int32]struct{}{}}
		w.byName[name] = c
	}
	if len(c.names) < maxNames {
		c.names[unit] = struct{}{}
	}
	return c.isMany()
}

// nameCount returns how many names of an address were counted; 0 when they are not taken together.
func (w *crowded) nameCount(name string) int {
	if c := w.byName[name]; c.isMany() {
		return manyNames + len(c.names)
	}
	return 0
}

// isMany reports whether an address has so many names that they are taken together.
func (c *crowdedAddress) isMany() bool { return c != nil && len(c.names) > manyNames/4 }

// A Crowd is addresses each of which got documents only, without the images, styles and scripts that browsers get with them and
// without coming from a link, when there are so many that they cannot be people.
type Crowd struct {
	Addresses int64 `json:"addresses"`
	Networks  int   `json:"networks"` // that they are in
	Requests  int64 `json:"requests"`
	Documents int64 `json:"documents"` // without redirects
	Bytes     int64 `json:"bytes"`
}

// What makes a crowd: so many addresses, with one part in so many of all documents that browsers got which behave as such by
// themselves; and that so many others did get what belongs to documents, which otherwise may be on another host.
const (
	manyBare   = 200
	crowdShare = 4
	fewWhole   = 20
)

// isBare reports whether an address got documents and nothing of what belongs to them, on its own account. Nothing belongs to a
// redirect.
func (t *together) isBare() bool {
	return t.plain.documents > t.moved && t.plain.assets == 0 && t.referred == 0 && !t.asked
}

// crowd finds the addresses that are a crowd; nil when there is none.
func (a *Auditor) crowd(by *addresses) *Crowd {
	var c Crowd
	documents, whole := int64(0), 0
	var bare []int
	for i := range by.all {
		t := &by.all[i]
		if a.isOdd(by, t) {
			continue
		}
		documents += int64(t.plain.documents - t.moved)
		if t.plain.assets > 0 {
			whole++
		}
		if t.isBare() {
			c.Addresses++
			c.Requests += int64(t.plain.requests)
			c.Documents += int64(t.plain.documents - t.moved)
			c.Bytes += t.plain.bytes
			bare = append(bare, i)
		}
	}
	if whole < fewWhole || c.Addresses < manyBare || c.Documents*crowdShare < documents {
		return nil
	}
	networks := map[*network]struct{}{}
	for _, i := range bare {
		networks[by.clients[by.all[i].first].network] = struct{}{}
	}
	c.Networks = len(networks)
	return &c
}

// isOdd reports whether one of the clients at an address behaves as a robot, a feed reader or an attacker does by itself, or its
// network does.
func (a *Auditor) isOdd(by *addresses, t *together) bool {
	for c := range by.of(t) {
		if a.isUnusual(c) || c.isProber() || c.documents >= fewWatchedURLs && c.isReader() || c.network != nil && c.network.odd {
			return true
		}
	}
	return false
}

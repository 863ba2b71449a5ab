package audit

// manyNames is how many names one address may have before it is taken together: an office behind one address has some, a robot that takes
// another name each time has thousands.
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

// of returns an address that comes under the name of a unit; nil when it has few.
func (w *crowded) of(hash uint64, name string, unit int32) *crowdedAddress {
	count := &w.counts[hash%uint64(len(w.counts))]
	if *count < manyNames {
		*count++
		return nil
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
	return c
}

// isMany reports whether an address has so many names that they are taken together.
func (c *crowdedAddress) isMany() bool { return c != nil && len(c.names) > manyNames/4 }

// A Crowd is addresses each of which got documents only, without the images, styles and scripts that browsers get with them and without
// coming from a link, when there are so many that they cannot be people.
type Crowd struct {
	Addresses int64 `json:"addresses"`
	Networks  int   `json:"networks"` // that they are in
	Requests  int64 `json:"requests"`
	Documents int64 `json:"documents"`
	Bytes     int64 `json:"bytes"`
}

// What makes a crowd: so many addresses, with one part in so many of all documents that browsers got; and that so many others did get what
// belongs to documents, which otherwise may be on another host.
const (
	manyBare   = 200
	crowdShare = 4
	fewWhole   = 20
)

// together are the clients of one address that say to be browsers.
type together struct {
	clients                                      *client // chained by beside
	requests, documents, assets, referred, bytes int64
	asked                                        bool
}

// byAddress puts the clients together that are at one address.
func byAddress(list []*client) []together {
	all := make([]together, 0, len(list))
	index := make(map[string]int32, len(list))
	for _, c := range list {
		if c.robot != nil || c.agent.token != "" {
			continue
		}
		i, known := index[c.name]
		if !known {
			i = int32(len(all))
			all, index[c.name] = append(all, together{}), i
		}
		t := &all[i]
		c.beside, t.clients = t.clients, c
		t.requests += int64(c.requests)
		t.documents += int64(c.documents)
		t.assets += int64(c.assets)
		t.referred += int64(c.referred)
		t.bytes += c.bytes
		t.asked = t.asked || c.asked > 0
	}
	return all
}

// isBare reports whether an address got documents and nothing of what belongs to them, on its own account.
func (t *together) isBare() bool {
	return t.documents > 0 && t.assets == 0 && t.referred == 0 && !t.asked
}

// crowd finds the addresses that are a crowd; nil when there is none.
func (a *Auditor) crowd(all []together) *Crowd {
	var c Crowd
	documents, whole := int64(0), 0
	networks := map[*network]struct{}{}
	for i := range all {
		t := &all[i]
		documents += t.documents
		if t.assets > 0 {
			whole++
		}
		if t.isBare() && !a.isOdd(t) {
			c.Addresses++
			c.Requests += t.requests
			c.Documents += t.documents
			c.Bytes += t.bytes
			networks[t.clients.network] = struct{}{}
		}
	}
	c.Networks = len(networks)
	if whole < fewWhole || c.Addresses < manyBare || c.Documents*crowdShare < documents {
		return nil
	}
	return &c
}

// isOdd reports whether one of the clients at an address behaves as a robot does by itself, or its network does.
func (a *Auditor) isOdd(t *together) bool {
	for c := t.clients; c != nil; c = c.beside {
		if a.isUnusual(c) || c.network != nil && c.network.odd {
			return true
		}
	}
	return false
}

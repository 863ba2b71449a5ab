package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/netip"
	"slices"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// manyClients is how many unremarkable clients of a network together can be remarkable; manyBareDocuments is how many documents
// they get then that is remarkable, at any pace.
const (
	manyClients       = 5
	manyBareDocuments = 500
)

// A Network is what came from neighbouring addresses: a robot may spread over many. It is told of when there is more than one of
// them.
type Network struct {
	Prefix       string   `json:"network"` // as in 192.0.2.0/24
	Clients      int      `json:"clients"` // addresses, as far as they were told apart
	Tokens       []string `json:"tokens"`  // product tokens seen from it, the busiest first, up to MaxAddresses
	Requests     int64    `json:"requests"`
	Documents    int64    `json:"documents"` // without images, styles and scripts; redirects, too
	Bytes        int64    `json:"bytes"`
	PeakSecond   int64    `json:"peak_per_second"` // in lines that are out of order by less than 16s
	PeakMinute   int64    `json:"peak_per_minute"`
	Sustained    float64  `json:"sustained_per_second"` // over its busiest minute
	RapidSeconds int64    `json:"rapid_seconds"`        // seconds with rapid fire, of all its clients together
	Asked        int64    `json:"robots_txt_requests"`
	Why          []string `json:"why,omitempty"` // it is unusual, if it is
}

// A network is a Network in the making. It is small and has no pointers, for there may be as many as clients.
type network struct {
	first                   [16]byte // its first address, IPv4 as in RFC 4291 section 2.5.5.2
	bits                    uint8    // of it that name the network, of an IPv4 address from its beginning
	many                    bool     // it has more than one address
	odd                     bool     // it is unusual; known in the end
	listed                  bool     // its members are told; known in the end
	hasSite                 bool     // it has named a host; see missing.addSite
	pairs                   uint32   // of addresses and names of people
	requests, assets, asked uint32
	moved                   uint32 // of the requests, to elsewhere
	bytes                   int64
	beat                    beat
}

// networksAtOnce is how many are allocated together.
const networksAtOnce = 256

// networks are told apart up to a number.
type networks struct {
	known map[[16]byte]*network // by address, without what does not name the network
	next  []network             // allocated
	rest  network               // all others
}

// of returns the network of a client; nil when its name is not an address.
func (w *networks) of(name string, o *Options) *network {
	addr, err := netip.ParseAddr(name)
	if err != nil {
		return nil
	}
	addr = addr.Unmap()
	bits := o.NetworkBits6
	switch {
	case addr.Is4():
		bits = o.NetworkBits4
	case nat64.Contains(addr) && o.NetworkBits4 >= 0:
		bits = nat64.Bits() + o.NetworkBits4
	}
	prefix, err := addr.Prefix(min(bits, addr.BitLen()))
	if err != nil {
		return nil
	}
	n := w.known[prefix.Addr().As16()]
	switch {
	case n == nil && len(w.known) >= o.MaxNetworks:
		return &w.rest
	case n == nil:
		n = w.add(prefix.Addr().As16())
		n.first, n.bits = addr.As16(), uint8(prefix.Bits())
	}
	n.many = n.many || n.first != addr.As16()
	return n
}

func (w *networks) add(key [16]byte) *network {
	if w.known == nil {
		w.known = map[[16]byte]*network{}
	}
	if len(w.next) == 0 {
		w.next = make([]network, networksAtOnce)
	}
	n := &w.next[0]
	w.next = w.next[1:]
	w.known[key] = n
	return n
}

// prefix returns what names the network.
func (n *network) prefix() netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom16(n.first).Unmap(), int(n.bits)).Masked()
}

// count counts a request.
func (n *network) count(e *accesslog.Entry, asset bool, rapid int) {
	n.requests++
	n.bytes += e.Bytes
	if asset {
		n.assets++
	} else if isRobotsTxt(e.Target) {
		n.asked++
	} else if isRedirect(e.Status) {
		n.moved++
	}
	n.beat.count(e.Time.Unix(), rapid)
}

// beatSeconds is how many seconds a beat has open at a time: a power of 2 that is less than a minute.
const beatSeconds = 16

// A beat counts what comes in one second and in one minute, in lines that are out of order by less than beatSeconds. What comes
// later makes no peak.
type beat struct {
	newest                         int64 // second
	seconds                        [beatSeconds]uint16
	minutes                        [2]uint32
	peakSecond, peakMinute, bursts uint32
}

func (b *beat) count(second int64, rapid int) {
	if second > b.newest {
		b.advance(second)
	}
	if second <= b.newest-beatSeconds {
		return
	}
	in := &b.seconds[second&(beatSeconds-1)]
	if *in < math.MaxUint16 {
		*in++
	}
	if int(*in) == rapid+1 {
		b.bursts++
	}
	minute := &b.minutes[floorDiv(second, 60)&1]
	*minute++
	b.peakSecond, b.peakMinute = max(b.peakSecond, uint32(*in)), max(b.peakMinute, *minute)
}

// advance opens the seconds and minutes up to this one, in the places of those that are over.
func (b *beat) advance(second int64) {
	for s := max(b.newest+1, second-beatSeconds+1); s <= second; s++ {
		b.seconds[s&(beatSeconds-1)] = 0
	}
	minute := floorDiv(second, 60)
	for m := max(floorDiv(b.newest, 60)+1, minute-1); m <= minute; m++ {
		b.minutes[m&1] = 0
	}
	b.newest = second
}

// addNetworks lists the busiest networks, and those that behave as a robot does though none of their clients says to be one.
func (a *Auditor) addNetworks(r *Report, by *addresses) {
	w := &a.visitors.networks
	hasAssets := false // otherwise they may be on another host, and people do not ask for them here either
	requests, assets := int64(0), int64(0)
	for _, n := range w.known {
		requests, assets = requests+int64(n.requests), assets+int64(n.assets)
	}
	isUsual := 2*assets >= requests // that assets come with documents
	var many, fast []*network
	for _, n := range w.known {
		hasAssets = hasAssets || n.assets > 0
		if n.many {
			many = append(many, n)
		}
		if n.many && a.isBeyondPeople(n, isUsual) && !by.hasProxy(n.prefix()) {
			fast = append(fast, n)
		}
	}
	busiest := func(x, y *network) int {
		return cmp.Or(cmp.Compare(y.requests, x.requests), bytes.Compare(x.first[:], y.first[:]))
	}
	top := topOf(slices.Values(many), a.o.TopNetworks, busiest)
	slices.SortFunc(fast, busiest)
	of := a.members(top, fast)
	for _, n := range fast {
		m := of[n]
		if n.odd = hasAssets && len(m.plain) >= manyClients && len(m.tokens) == 0; !n.odd {
			continue
		}
		r.UnusualNetworkCount++
		if len(r.UnusualNetworks) < a.o.MaxAddresses {
			r.UnusualNetworks = append(r.UnusualNetworks, n.report(m, a.o.MaxAddresses))
		}
	}
	for _, n := range top {
		r.Networks = append(r.Networks, n.report(of[n], a.o.MaxAddresses))
	}
	r.OtherNetworks = int64(w.rest.requests)
}

// isBeyondPeople reports whether a network gets documents as a robot does: fast, or many of them where others get assets. Nothing
// belongs to a redirect.
func (a *Auditor) isBeyondPeople(n *network, othersGetAssets bool) bool {
	shown := n.requests - n.moved
	return n.assets == 0 && shown >= fewDocuments &&
		(int(n.beat.peakMinute) > a.o.HumanPace || othersGetAssets && shown >= manyBareDocuments)
}

// members are the clients of a network.
type members struct {
	addresses map[string]bool
	plain     map[string]bool  // addresses that do not say to be a robot, and are not unusual by themselves
	tokens    map[string]int64 // requests with each
}

// members collects the clients of networks.
func (a *Auditor) members(lists ...[]*network) map[*network]*members {
	of := map[*network]*members{}
	for _, n := range slices.Concat(lists...) {
		of[n] = &members{map[string]bool{}, map[string]bool{}, map[string]int64{}}
		n.listed = true
	}
	for _, c := range a.visitors.clients.list {
		if c.network == nil || !c.network.listed {
			continue
		}
		m := of[c.network]
		m.addresses[c.name] = true
		if c.agent.token != "" {
			m.tokens[c.agent.token] += int64(c.requests)
		} else if len(a.whyUnusual(c)) == 0 {
			m.plain[c.name] = true
		}
	}
	return of
}

// report sums up a network, with up to most tokens.
func (n *network) report(m *members, most int) Network {
	one := Network{
		Prefix: n.prefix().String(), Clients: len(m.addresses), Requests: int64(n.requests),
		Documents: int64(n.requests - n.assets), Bytes: n.bytes, PeakSecond: int64(n.beat.peakSecond),
		PeakMinute: int64(n.beat.peakMinute), Sustained: float64(n.beat.peakMinute) / 60, RapidSeconds: int64(n.beat.bursts),
		Asked: int64(n.asked),
	}
	one.Tokens = slices.SortedFunc(maps.Keys(m.tokens), func(x, y string) int {
		return cmp.Or(cmp.Compare(m.tokens[y], m.tokens[x]), cmp.Compare(x, y))
	})
	one.Tokens = append([]string{}, one.Tokens[:min(len(one.Tokens), most)]...)
	if n.odd {
		one.Why = []string{
			fmt.Sprintf("up to %d documents in a minute from %d clients, each of which could be a person", n.beat.peakMinute,
				len(m.plain)),
			fmt.Sprintf("%d documents and none of the images, styles and scripts that belong to them",
				n.requests-n.assets-n.moved),
		}
	}
	return one
}

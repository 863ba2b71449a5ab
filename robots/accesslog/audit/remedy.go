package audit

import (
	"net/netip"
	"slices"
	"sort"
	"strings"

	"github.com/cybermapper/cybermapper/robots/accesslog/block"
)

// A Remedy is what keeps out who broke rules, and slows who was too fast, as far as the evidence goes; and what it would have done
// to this log.
type Remedy struct {
	Refused []Met         `json:"refused"`
	Limited []Met         `json:"limited"`
	Blocks  []block.Block `json:"blocks"` // to paste
}

// A Met is whom a block would have met in this log.
type Met struct {
	Name   string `json:"name"`      // product token or network
	Meant  int64  `json:"requests"`  // of those who are meant
	People int64  `json:"of_people"` // requests of browsers that behave as such; if there are any, the block is too wide
}

// A remedyMaker makes a remedy out of what an audit has found.
type remedyMaker struct {
	Remedy
	order   block.Order
	auditor *Auditor
	people  peopleList
	by      *addresses // of the log
	claimed bool       // addresses are what X-Forwarded-For says, and may be those of anybody: nothing is ordered by address
}

// addRemedy orders what the evidence supports: nothing for fail2ban, which bans addresses, where the log has those of proxies, or
// people come from them.
func (a *Auditor) addRemedy(r *Report, by *addresses) {
	m := remedyMaker{auditor: a, people: a.peopleByAddress(), by: by, claimed: r.Claimed > 0}
	m.order = block.Order{Shared: m.claimed || r.Behind != "", Proxied: a.intake.proxied > 0}
	for _, one := range r.Robots {
		m.meet(one)
	}
	for _, c := range r.Unusual {
		if c.Documents >= fewDocuments { // others only look odd
			m.limitAddress(c.Client, c.Requests)
		}
	}
	for _, n := range r.UnusualNetworks {
		m.limitAddress(n.Prefix, n.Requests)
	}
	for _, s := range r.Suggestions {
		if slices.Contains(slices.Concat(m.order.RefusedNames, m.order.LimitedNames), s.Token) && s.Robots != "" {
			m.order.Groups = append(m.order.Groups, s.Robots)
		}
	}
	if !m.order.IsEmpty() {
		m.Blocks = m.order.All()
		m.Refused, m.Limited = append([]Met{}, m.Refused...), append([]Met{}, m.Limited...)
		r.Remedy = &m.Remedy
	}
}

// meet orders what is to be done about a robot: who broke rules is refused by name, unless that may be somebody else's; who borrows
// a name, has none that tells it from others, or shares it with some who keep the rules, by address; who is too fast is limited.
func (m *remedyMaker) meet(one Robot) {
	broke := one.broke(FaultDisallowed)
	fast := one.isBurden() || one.broke(FaultDelay)
	isBorrowed := one.Identity == Disproved && len(one.Faults) > 0
	switch isNamed := (broke || fast) && m.auditor.canBeNamed(one) && !(broke && one.isDivided); {
	case one.IsClaim() && !isBorrowed: // the name is a claim that can be checked first
	case isBorrowed, broke && !isNamed:
		for _, address := range one.Addresses {
			if address.broke || !one.isDivided {
				m.refuseAddress(address)
			}
		}
	case fast && !isNamed:
		for _, address := range one.Addresses {
			m.limitAddress(address.Client, address.Requests)
		}
	case broke && !contains(m.Refused, one.Token):
		m.order.RefusedNames = append(m.order.RefusedNames, one.Token)
		m.Refused = append(m.Refused, m.named(one))
		m.order.Shared = m.order.Shared || slices.ContainsFunc(one.Addresses, m.people.hasAt)
	case fast && !contains(m.Limited, one.Token) && !contains(m.Refused, one.Token):
		m.order.LimitedNames = append(m.order.LimitedNames, one.Token)
		m.Limited = append(m.Limited, m.named(one))
	}
}

// named tells whom a block by the name of a robot would have met.
func (m *remedyMaker) named(one Robot) Met {
	return Met{one.Token, one.Requests, m.auditor.peopleNamed(one.Token)}
}

// prefix reads the address or network that is to be ordered; ok is false if nothing may be ordered by it.
func (m *remedyMaker) prefix(text string) (p netip.Prefix, ok bool) {
	p, ok = m.people.prefixOf(text)
	return p, ok && !m.claimed && !m.by.hasProxy(p)
}

// refuseAddress refuses the network of an address.
func (m *remedyMaker) refuseAddress(address RobotAddress) {
	p, ok := m.prefix(address.Client)
	switch i := slices.IndexFunc(m.Refused, func(e Met) bool { return e.Name == p.String() }); {
	case !ok:
	case i < 0:
		m.order.RefusedNetworks = append(m.order.RefusedNetworks, p)
		m.Refused = append(m.Refused, Met{p.String(), address.Requests, m.people.in(p)})
	default:
		m.Refused[i].Meant += address.Requests
	}
}

// limitAddress slows a network that is not slowed or refused yet.
func (m *remedyMaker) limitAddress(text string, requests int64) {
	p, ok := m.prefix(text)
	if ok && !slices.Contains(slices.Concat(m.order.LimitedNetworks, m.order.RefusedNetworks), p) {
		m.order.LimitedNetworks = append(m.order.LimitedNetworks, p)
		m.Limited = append(m.Limited, Met{p.String(), requests, m.people.in(p)})
	}
}

// canBeNamed reports whether the name of a robot tells it from others: it is no word that many have, and stands in no User-Agent of
// others in the log, unless that may be a crawler whose name only adds to this one, as SemrushBot-BA does to SemrushBot.
func (a *Auditor) canBeNamed(one Robot) bool {
	if !one.Known && isFirstWord(one.Token, one.Agent) {
		return false
	}
	name := strings.ToLower(one.Token)
	for _, g := range a.agents.byText {
		more, begins := strings.CutPrefix(g.lower, name)
		isKin := begins && (more == "" || g.class.mayCrawl() && (more[0] < 'a' || more[0] > 'z'))
		if !isKin && strings.Contains(g.lowerText, name) {
			return false
		}
	}
	return block.IsName(one.Token)
}

// isFirstWord reports whether a name is but the first word of what a robot calls itself, and no word of robots, as in
// "News Crawler/1.0": others may have that in their names.
func isFirstWord(token, agent string) bool {
	lower := strings.ToLower(token)
	_, after, _ := strings.Cut(strings.ToLower(agent), lower)
	next, isWord := strings.CutPrefix(after, " ")
	next = strings.TrimPrefix(next, "v") // as in "v1.0"
	return isWord && next != "" && next[0] >= 'a' && next[0] <= 'z' && !soundsLikeCrawler(lower)
}

// IsClaim reports whether the name can be checked, and was not.
func (r Robot) IsClaim() bool {
	return r.Identity == Unchecked && r.provable
}

func contains(list []Met, name string) bool {
	return slices.ContainsFunc(list, func(e Met) bool { return strings.EqualFold(e.Name, name) })
}

// prefixOf reads an address or a network. An IPv6 address stands for its /64, in which a host takes other addresses at will, unless
// a translator or a local network has people in there, too.
func (l peopleList) prefixOf(text string) (netip.Prefix, bool) {
	p, err := ParsePrefix(text)
	if p.Addr().Is6() && !p.Addr().Is4In6() && p.Bits() > 64 && !nat64.Contains(p.Addr()) {
		if wide := netip.PrefixFrom(p.Addr(), 64).Masked(); l.in(wide) == l.in(p) {
			p = wide
		}
	}
	return p.Masked(), err == nil
}

// peopleNamed returns how many requests of people have a name in their User-Agents, which a block by name would refuse too.
func (a *Auditor) peopleNamed(token string) (n int64) {
	lower := strings.ToLower(token)
	for _, g := range a.agents.byText {
		if g.class.isPerson() && strings.Contains(g.lowerText, lower) {
			n += g.requests
		}
	}
	return n
}

// A peopleList has the addresses of browsers that behave as such, in their order.
type peopleList []peopleAt

// A peopleAt is how many requests came from an address and those before it.
type peopleAt struct {
	addr netip.Addr
	sum  int64
}

func (a *Auditor) peopleByAddress() (list peopleList) {
	for _, c := range a.visitors.clients.list {
		if c.robot != nil || c.agent.token != "" || a.isUnusual(c) || c.assets == 0 {
			continue
		}
		if addr, err := netip.ParseAddr(c.name); err == nil {
			list = append(list, peopleAt{addr.WithZone(""), int64(c.requests)})
		}
	}
	slices.SortFunc(list, func(a, b peopleAt) int { return a.addr.Compare(b.addr) })
	for i := 1; i < len(list); i++ {
		list[i].sum += list[i-1].sum
	}
	return list
}

// in returns how many requests of a network are of people.
func (l peopleList) in(p netip.Prefix) (n int64) {
	from, _ := slices.BinarySearchFunc(l, p.Masked().Addr(), func(e peopleAt, a netip.Addr) int { return e.addr.Compare(a) })
	to := from + sort.Search(len(l)-from, func(i int) bool { return !p.Contains(l[from+i].addr) })
	if to > 0 {
		n = l[to-1].sum
	}
	if from > 0 {
		n -= l[from-1].sum
	}
	return n
}

// hasAt reports whether people come from an address of a robot, too: behind a network of caches, or a router.
func (l peopleList) hasAt(address RobotAddress) bool {
	addr, err := netip.ParseAddr(address.Client)
	return err == nil && l.in(netip.PrefixFrom(addr, addr.BitLen())) > 0
}

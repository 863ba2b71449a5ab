package verify

import (
	"context"
	"net/netip"
	"slices"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// Whether a line of the log that is of no request to the site is of one to another site of its server.
const (
	nowhere = iota
	perhapsElsewhere
	elsewhere
)

// neighbourhood is what tells other sites of the same server.
type neighbourhood struct {
	domain    string
	addresses map[netip.Addr]bool // under which the site was asked
	proxied   bool                // it was asked through a proxy that knew its address alone
}

func newNeighbourhood(site string) *neighbourhood {
	return &neighbourhood{domain: domainOf(site), addresses: map[netip.Addr]bool{}}
}

// domainOf returns the domain that somebody has registered of which a site is part; empty if there is none.
func domainOf(site string) string {
	domain, err := publicsuffix.EffectiveTLDPlusOne(hostOf(site))
	if err != nil {
		return ""
	}
	return domain
}

// add notes where a request to the site went.
func (n *neighbourhood) add(r *ledger.Record) {
	at, err := netip.ParseAddrPort(r.Address)
	if err == nil {
		n.addresses[at.Addr().Unmap()] = true
	}
	n.proxied = n.proxied || err != nil && r.Proxy != ""
}

// has reports whether a request to another site may have gone to the same server: by its address or its domain.
func (n *neighbourhood) has(r *ledger.Record) bool {
	at, err := netip.ParseAddrPort(r.Address)
	if err == nil && n.addresses[at.Addr().Unmap()] || n.proxied && err != nil && r.Proxy != "" {
		return true
	}
	return n.domain != "" && n.domain == domainOf(siteOf(r.URL))
}

// findElsewhere looks for lines that are of no request to the site among the requests to others: many logs do not say for which
// site of their server a line is.
func (c *comparer) findElsewhere(ctx context.Context, j Job) error {
	open := openByTarget(c.logged)
	if len(open) == 0 || c.others == 0 {
		return nil
	}
	var near, far []compared
	err := j.walkAll(ctx, func(e *ledger.Entry) {
		if e.Type != ledger.Request || siteOf(e.URL) == c.site || len(near)+len(far) >= maxCompared {
			return
		}
		_, path := splitURL(e.URL)
		if c.decoded {
			path = asDecoded(path)
		}
		sameHost := hostOf(siteOf(e.URL)) == c.host
		r := compared{
			target: c.target(path), hostless: !sameHost, start: e.Start.UnixNano(), end: e.End.UnixNano(), status: int16(e.Status),
		}
		switch {
		case c.lineOf(open[r.target], &r, func(*compared) bool { return true }) < 0:
		case c.near.has(&e.Record):
			near = append(near, r)
		default:
			far = append(far, r)
		}
	})
	if err != nil {
		return err
	}
	c.place(open, near, elsewhere)
	c.place(open, far, perhapsElsewhere)
	return nil
}

// findOtherwise looks for lines with what a server may have made of a target, without its query and escapes, among what was asked.
func (c *comparer) findOtherwise(ctx context.Context, j Job) error {
	open := map[uint64][]int{}
	for i := range c.logged {
		if l := &c.logged[i]; !l.found && l.rewritten {
			open[l.target] = append(open[l.target], i)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return j.walkAll(ctx, func(e *ledger.Entry) {
		if e.Type != ledger.Request || siteOf(e.URL) != c.site {
			return
		}
		_, target := splitURL(e.URL)
		path, query, _ := strings.Cut(target, "?")
		bare := string(unescape(path))
		for _, made := range []string{bare, bare + "?" + query} {
			for _, i := range open[c.target(made)] {
				c.logged[i].otherwise = c.logged[i].otherwise || made != target
			}
		}
	})
}

// place finds for each request to another site a line that is of it.
func (c *comparer) place(open map[uint64][]int, requests []compared, where int8) {
	for _, r := range requests {
		if i := c.lineOf(open[r.target], &r, func(l *compared) bool { return l.elsewhere == nowhere }); i >= 0 {
			c.logged[i].elsewhere = where
		}
	}
}

// lineOf returns the first of some lines, which are in order of time, that may be of a request for the same thing to another site,
// and fits besides; -1 if there is none. A line that names the host of the site is of no request to another host.
func (c *comparer) lineOf(lines []int, r *compared, fit func(l *compared) bool) int {
	slack := int64(logSlack)
	for _, by := range c.ahead {
		from := sort.Search(len(lines), func(n int) bool { return c.logged[lines[n]].start-by >= r.start-slack })
		for _, i := range lines[from:] {
			l := &c.logged[i]
			if l.start-by > r.end+slack {
				break
			}
			if (l.hostless || !r.hostless) && agree(l.status, r.status) && fit(l) {
				return i
			}
		}
	}
	return -1
}

// offsets returns by how much the clock of the server was ahead, most of the time first.
func (c *comparer) offsets() []int64 {
	if len(c.out.Offsets) == 0 {
		return []int64{0}
	}
	var list []int64
	for _, o := range c.out.Offsets {
		list = append(list, int64(o.By))
	}
	return list
}

// isAt reports whether a line may be of a request, by their times.
func (c *comparer) isAt(l, r *compared) bool {
	slack := int64(logSlack)
	return slices.ContainsFunc(c.ahead, func(by int64) bool {
		return l.start-by >= r.start-slack && l.start-by <= r.end+slack
	})
}

// asDecoded returns a target as servers log it that undo the escapes of the path, as IIS does: what is between the letters of ASCII
// depends on the encoding of the log.
func asDecoded(target string) string {
	path, query, _ := strings.Cut(target, "?")
	return asLogged(string(unescape(path)) + "?" + query)
}

// asLogged returns a target that was logged with its escapes undone in the form of asDecoded.
func asLogged(target string) string {
	target, _, _ = strings.Cut(target, "#")
	out, foreign := make([]byte, 0, len(target)), false
	for i := range len(target) {
		switch b := target[i]; {
		case b >= 0x80 || b == '?' || b < ' ' || b == 0x7f:
			if !foreign {
				out = append(out, '?')
			}
			foreign = true
			continue
		case b == ' ':
			out = append(out, '+')
		case b == '\\':
			out = append(out, '/')
		default:
			out = append(out, b)
		}
		foreign = false
	}
	return strings.TrimRight(string(out), "?")
}

// unescape undoes the escapes of a path once.
func unescape(path string) []byte {
	out := make([]byte, 0, len(path))
	for i := 0; i < len(path); i++ {
		b := path[i]
		if b == '%' && i+2 < len(path) {
			if n, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil {
				b, i = byte(n), i+2
			}
		}
		out = append(out, b)
	}
	return out
}

package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrClosed is returned by a [Resolver] that has been closed.
var ErrClosed = errors.New("fetch: closed")

// ResolverOptions are the bounds of a [Resolver], which are always there: zero and negative numbers mean the default.
type ResolverOptions struct {
	// Lookup asks for the addresses of a name. The default is the Go resolver, which asks the name servers of the system.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)

	// Fixed holds the addresses of "host:port", in lower case, of which nobody is asked.
	Fixed map[string][]netip.Addr

	TTL         time.Duration // how long addresses that answer are kept: 10m. The system does not tell us the TTL of a record
	NegativeTTL time.Duration // how long a failure is kept: 1m
	Timeout     time.Duration // one lookup: 10s
	MaxEntries  int           // names kept: 10,000; beyond it any name that is not being looked up may be forgotten
	Concurrency int           // lookups at once: 512. Keep it above the number of callers, then dead names hold up nobody
}

func (o ResolverOptions) withDefaults() ResolverOptions {
	if o.Lookup == nil {
		system := &net.Resolver{PreferGo: true}
		o.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return lookupFamilies(ctx, func(ctx context.Context, network string) ([]netip.Addr, error) {
				return system.LookupNetIP(ctx, network, rooted(host))
			})
		}
	}
	o.TTL = cmp.Or(max(o.TTL, 0), 10*time.Minute)
	o.NegativeTTL = cmp.Or(max(o.NegativeTTL, 0), time.Minute)
	o.Timeout = cmp.Or(max(o.Timeout, 0), 10*time.Second)
	o.MaxEntries = cmp.Or(max(o.MaxEntries, 0), 10_000)
	o.Concurrency = cmp.Or(max(o.Concurrency, 0), 512)
	return o
}

// rooted keeps the search list of the system away from names that have a dot: a dead name would cost several questions.
func rooted(host string) string {
	if strings.Contains(host, ".") {
		return host + "."
	}
	return host
}

// oneFamilyAfter is how long the addresses of a name are waited for before those of each family are asked for by themselves.
const oneFamilyAfter = 3 * time.Second

// lookupFamilies asks for the addresses of IPv4 and IPv6 together, as the network "ip", which gives both in the order to try them.
// That takes until the slower answer is there, and some name servers never answer about IPv6 (RFC 4074, section 4.1): so after a
// while each family is asked for alone, and when the other is not there as long after that, one will do: whoever wants to connect
// waits no longer than a lookup may last, and has time left.
func lookupFamilies(
	ctx context.Context, lookup func(ctx context.Context, network string) ([]netip.Addr, error),
) ([]netip.Addr, error) {
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	var found [2][]netip.Addr
	var asked sync.WaitGroup
	for i, network := range []string{"ip4", "ip6"} {
		asked.Go(func() {
			select {
			case <-time.After(oneFamilyAfter):
				if found[i], _ = lookup(waiting, network); len(found[i]) > 0 { // the error for both says as much
					time.AfterFunc(oneFamilyAfter, stop)
				}
			case <-waiting.Done():
			}
		})
	}
	addrs, err := lookup(waiting, "ip")
	stop()
	asked.Wait()
	if one := slices.Concat(found[:]...); err != nil && len(one) > 0 {
		return one, nil
	}
	return addrs, err
}

// A Resolver finds and remembers the addresses of hosts. It is safe for concurrent use. Questions for the same name that
// come at the same time share one lookup.
type Resolver struct {
	opts   ResolverOptions
	slots  chan struct{}
	life   context.Context // ends with Close; the lookups' parent, because they outlive whoever asked
	cancel context.CancelFunc

	mu      sync.Mutex // guards the fields below, and adding to flights
	closed  bool
	answers map[string]*answer
	flights sync.WaitGroup
}

// An answer is what is known of one name.
type answer struct {
	known   chan struct{} // closed when addrs and err are set
	addrs   []netip.Addr
	err     error
	expires time.Time // guarded by Resolver.mu; zero while the lookup is under way
}

// NewResolver returns a resolver, which the caller closes.
func NewResolver(o ResolverOptions) *Resolver {
	r := &Resolver{opts: o.withDefaults(), answers: make(map[string]*answer)}
	r.slots = make(chan struct{}, r.opts.Concurrency)
	r.life, r.cancel = context.WithCancel(context.Background())
	return r
}

// Lookup returns the addresses of host, at least one when err is nil; they must not be modified. An IP literal, without brackets,
// is its own answer. When ctx ends, Lookup returns and the lookup goes on in the background, so that a slow
// answer is there the next time. After Close it returns [ErrClosed], except for literals and what is still in memory.
func (r *Resolver) Lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a.Unmap()}, nil
	}
	a, err := r.answer(strings.ToLower(strings.TrimSuffix(host, ".")))
	if err != nil {
		return nil, err
	}
	select {
	case <-a.known:
		return a.addrs, a.err
	case <-ctx.Done():
		return nil, fmt.Errorf("look up %s: %w", host, ctx.Err())
	}
}

// LookupPort is Lookup for whoever wants to connect to a port: the addresses may be fixed for it.
func (r *Resolver) LookupPort(ctx context.Context, host string, port uint16) ([]netip.Addr, error) {
	if len(r.opts.Fixed) > 0 {
		if addrs := r.opts.Fixed[joinPort(strings.ToLower(strings.TrimSuffix(host, ".")), port)]; len(addrs) > 0 {
			return addrs, nil
		}
	}
	return r.Lookup(ctx, host)
}

// prefer puts an address of host, to which a connection could be made, before the others that are known.
func (r *Resolver) prefer(host string, good netip.Addr) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.answers[host]
	if a == nil || a.expires.IsZero() || !slices.Contains(a.addrs, good) {
		return
	}
	others := slices.DeleteFunc(slices.Clone(a.addrs), func(x netip.Addr) bool { return x == good })
	addrs := append([]netip.Addr{good}, others...)
	r.answers[host] = &answer{known: a.known, addrs: addrs, expires: a.expires}
}

// forget lets the next question for host be asked anew, unless a lookup is under way.
func (r *Resolver) forget(host string) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	r.mu.Lock()
	defer r.mu.Unlock()
	if a := r.answers[host]; a != nil && !a.expires.IsZero() {
		delete(r.answers, host)
	}
}

// answer returns the answer for host, known or under way.
func (r *Resolver) answer(host string) (*answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.answers[host]
	if a != nil && (a.expires.IsZero() || time.Now().Before(a.expires)) {
		return a, nil
	}
	if r.closed {
		return nil, ErrClosed
	}
	if a == nil && len(r.answers) >= r.opts.MaxEntries {
		r.forgetOneLocked()
	}
	a = &answer{known: make(chan struct{})}
	r.answers[host] = a
	r.flights.Go(func() { r.fly(host, a) })
	return a, nil
}

// forgetOneLocked makes room by dropping the first answer that the map's random order yields.
func (r *Resolver) forgetOneLocked() {
	for host, a := range r.answers {
		if !a.expires.IsZero() {
			delete(r.answers, host)
			return
		}
	}
}

// fly looks host up and publishes the answer.
func (r *Resolver) fly(host string, a *answer) {
	a.addrs, a.err = r.lookup(host)
	ttl := r.opts.TTL
	if a.err != nil {
		ttl = r.opts.NegativeTTL
	}
	r.mu.Lock()
	a.expires = time.Now().Add(ttl)
	r.mu.Unlock()
	close(a.known)
}

func (r *Resolver) lookup(host string) ([]netip.Addr, error) {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-r.life.Done():
		return nil, ErrClosed
	}
	ctx, cancel := context.WithTimeout(r.life, r.opts.Timeout)
	defer cancel()
	found, err := r.opts.Lookup(ctx, host)
	if err == nil && len(found) == 0 {
		err = &net.DNSError{Err: "no address", Name: host, IsNotFound: true}
	}
	if err != nil {
		return nil, err
	}
	addrs := make([]netip.Addr, len(found))
	for i, a := range found {
		addrs[i] = a.Unmap()
	}
	return addrs, nil
}

// Close ends the lookups under way and waits for them. Closing twice does nothing.
func (r *Resolver) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel()
	r.flights.Wait()
}

package fetch

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"time"
)

// maxAddresses is how many addresses of a host are tried before it counts as unreachable.
const maxAddresses = 4

// A dialer connects to a host by name. The check for special addresses is made on each address at the moment it is dialled,
// so that neither a redirect nor a name that changes its address between two lookups gets around it.
type dialer struct {
	life         context.Context // ends with the client; net/http goes on dialling when the request is given up
	resolver     *Resolver
	timeout      time.Duration // lookup and connection together
	allowPrivate bool
	optedOut     func(netip.Addr) (entry string, out bool)
	dial         dialFunc
	unguarded    dialFunc // to a proxy

	local     netip.Addr     // where connections are made from; the zero one means anywhere
	rootCAs   *x509.CertPool // who may vouch for a proxy
	userAgent string         // what a proxy is told of us
}

// A dialFunc connects to an IP address and port.
type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

func newDialer(life context.Context, o Options, r *Resolver) *dialer {
	d := &dialer{
		life: life, resolver: r, timeout: o.ConnectTimeout, allowPrivate: o.AllowPrivate, optedOut: o.optedOut,
		local: o.LocalAddr, rootCAs: o.RootCAs, userAgent: o.UserAgent,
	}
	if o.Dial == nil {
		system := net.Dialer{KeepAlive: -1} // idle connections are few and short-lived
		if o.LocalAddr.IsValid() {
			system.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(o.LocalAddr, 0))
		}
		guarded := system
		guarded.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error { return d.check(address) }
		d.dial, d.unguarded = guarded.DialContext, system.DialContext
		return d
	}
	d.unguarded = o.Dial
	d.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if err := d.check(address); err != nil {
			return nil, err
		}
		return o.Dial(ctx, network, address)
	}
	return d
}

// check returns why address, "ip:port", must not be connected to.
func (d *dialer) check(address string) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("check address: %w", err)
	}
	if entry, out := d.optedOut(to.Addr()); out {
		return &OptOutError{entry}
	}
	if d.allowPrivate {
		return nil
	}
	return checkAddress(to.Addr())
}

// DialContext connects to "host:port". A failure is an *Error without URL.
func (d *dialer) DialContext(ctx context.Context, _, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	defer context.AfterFunc(d.life, cancel)()
	host, port, err := splitPort(address)
	if err != nil {
		return nil, &Error{Kind: KindURL, Op: OpConnect, Err: err}
	}
	if w := wayOf(ctx); w.proxy != nil {
		conn, err := d.dialProxy(ctx, w.proxy, host, port)
		if err != nil && !errors.As(err, new(*Error)) {
			err = &Error{Kind: connectKind(err), Op: OpConnect, Err: err}
		}
		return conn, err
	}
	addrs, err := d.lookup(ctx, host, port)
	if err != nil {
		return nil, err
	}
	conn, err := d.dialFirst(ctx, d.dial, host, addrs, port)
	if err != nil {
		return nil, &Error{Kind: connectKind(err), Op: OpConnect, Err: err}
	}
	return conn, nil
}

// dialFirst connects by dial to the first address of host that answers. The error is that of the one preferred, which tells most.
func (d *dialer) dialFirst(
	ctx context.Context, dial dialFunc, host string, addrs []netip.Addr, port uint16,
) (net.Conn, error) {
	var first error
	for i, a := range addrs {
		conn, err := dialOne(ctx, dial, netip.AddrPortFrom(a, port), len(addrs)-i)
		if err == nil {
			if i > 0 { // or each connection would wait for those before it, as where only IPv4 gets through
				d.resolver.prefer(host, a)
			}
			return conn, nil
		}
		if first == nil || connectKind(err) == KindOptedOut {
			first = err
		}
		if connectKind(err) == KindOptedOut {
			break // not by another way either
		}
	}
	if k := connectKind(first); k == KindRefused || k == KindTimeout {
		d.resolver.forget(host) // it may have moved
	}
	return nil, first
}

// lookup returns the addresses to try. A failure is an *Error without URL.
func (d *dialer) lookup(ctx context.Context, host string, port uint16) ([]netip.Addr, error) {
	found, err := d.resolver.LookupPort(ctx, host, port)
	if err != nil {
		return nil, &Error{Kind: KindDNS, Op: OpResolve, Err: err}
	}
	addrs, err := d.reachable(host, found)
	if err != nil {
		return nil, &Error{Kind: KindRefused, Op: OpConnect, Err: err}
	}
	return addrs, nil
}

// reachable returns the addresses of host to try: those that can be reached from where connections are made.
func (d *dialer) reachable(host string, found []netip.Addr) (addrs []netip.Addr, err error) {
	for _, a := range found {
		if !d.local.IsValid() || a.Is4() == d.local.Is4() {
			addrs = append(addrs, a)
		}
	}
	if len(addrs) == 0 {
		return nil, fmt.Errorf("no address of %s is of the kind of %s", host, d.local)
	}
	return inTurn(addrs)[:min(len(addrs), maxAddresses)], nil
}

// inTurn orders addresses so that those of IPv4 and IPv6 take turns (RFC 8305 section 4), beginning with the first: else a host
// with four of the kind that does not get through would count as unreachable.
func inTurn(addrs []netip.Addr) []netip.Addr {
	var kinds [2][]netip.Addr // that of the first, and the other
	for _, a := range addrs {
		if a.Is4() == addrs[0].Is4() {
			kinds[0] = append(kinds[0], a)
		} else {
			kinds[1] = append(kinds[1], a)
		}
	}
	ordered := make([]netip.Addr, 0, len(addrs))
	for i := range addrs {
		for _, kind := range kinds {
			if i < len(kind) {
				ordered = append(ordered, kind[i])
			}
		}
	}
	return ordered
}

// dialOne connects to one address within a fair part of the time left, given that left addresses remain to be tried.
func dialOne(ctx context.Context, dial dialFunc, to netip.AddrPort, left int) (net.Conn, error) {
	ctx, cancel := fairPart(ctx, left)
	defer cancel()
	return dial(ctx, "tcp", to.String())
}

// fairPart bounds ctx by a fair part of the time left, given that so many tries remain.
func fairPart(ctx context.Context, tries int) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok || tries < 2 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)/time.Duration(tries))
}

func splitPort(address string) (host string, port uint16, err error) {
	host, digits, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	return host, uint16(n), err
}

// connectKind tells why a connection could not be made.
func connectKind(err error) Kind {
	var out *OptOutError
	var forbidden *ForbiddenError
	var local *localError
	var timeout interface{ Timeout() bool }
	switch {
	case errors.As(err, &out):
		return KindOptedOut
	case errors.As(err, &forbidden):
		return KindForbidden
	case errors.As(err, &local):
		return KindLocal
	case errors.Is(err, context.Canceled):
		return KindCanceled
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return KindTimeout
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOBUFS),
		errors.Is(err, syscall.EADDRNOTAVAIL):
		return KindLocal
	}
	return KindRefused
}

package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"sync/atomic"
	"time"
)

// Get makes one request and reads the whole response, within the limits of the client. It follows no redirect. Once a response head
// is there, whatever happens to the body is told by [Response.Truncated], and what came of the body is kept; the one exception is
// the end of ctx, which always gives an error. The error is an [*Error].
//
// The request is sent at most once. net/http would repeat it on a new connection when a kept-alive one closes under
// it; the server may have seen such a request, so Get reports KindReset instead and leaves the repetition, and when,
// to the caller, and makes a new connection for each request to that host from then on. So it does where a server wants HTTP/1.1
// in place of HTTP/2, which its host is asked by from then on.
func (c *Client) Get(ctx context.Context, r Request) (*Response, error) {
	x := &exchange{client: c, request: r, response: &Response{Start: time.Now()}}
	x.response.share.memory, x.response.bodies = c.memory, c.bodies
	u, err := target(r.URL)
	if err != nil {
		return nil, &Error{Kind: KindURL, Op: OpRequest, URL: r.URL, Err: err}
	}
	if err := checkPort(u); err != nil {
		return nil, &Error{Kind: KindForbidden, Op: OpConnect, URL: r.URL, Err: err}
	}
	var cancel context.CancelCauseFunc
	x.ctx, cancel = context.WithCancelCause(ctx)
	defer cancel(nil)
	x.cancel = cancel
	x.watch = newWatch(c.pace, cancel)
	defer x.watch.stop()

	x.response.wires, x.response.Wire = c.wires, c.wires.begin()
	defer x.untap()
	x.way = c.wayTo(u)
	hr := &http.Request{Method: http.MethodGet, URL: u, Host: u.Host, Header: r.header(c.constant)}
	hr.Close = c.hangUpHosts.has(u.Host)
	x.secret = x.way.apply(hr)
	if c.opts.Sign != nil {
		maps.Copy(hr.Header, c.opts.Sign(u.Host))
	}
	traced := httptrace.WithClientTrace(context.WithValue(x.ctx, wayKey{}, x.way), x.trace())
	transports := c.transports
	if c.http1Hosts.has(u.Host) {
		transports = c.http1
	}
	resp, err := transports.current().RoundTrip(hr.WithContext(traced))
	if !x.reused {
		transports.connected()
	}
	if err != nil {
		c.learn(x, u.Host, err)
		x.untap()
		x.response.Release()
		return nil, x.fail(ctx, err)
	}
	defer resp.Body.Close()
	x.way.takeCookies(u, resp)
	if err := x.read(ctx, hr, resp); err != nil {
		x.untap()
		x.response.Release()
		return nil, x.fail(ctx, err)
	}
	return x.response, nil
}

// An exchange is one Get under way; its context is that of the call.
type exchange struct {
	client   *Client
	request  Request
	response *Response
	ctx      context.Context
	cancel   context.CancelCauseFunc
	watch    *watch
	way      *way
	secret   []string // fields of the request that are not kept

	conn      *connection // nil over HTTP/2
	tapped    *connection // while what goes over it is noted
	connected bool
	reused    bool        // the connection was there
	wrote     atomic.Bool // the request has left
	tlsFailed atomic.Bool
}

// trace returns the hooks that note address and time, and that keep a request from being repeated.
func (x *exchange) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn:              x.gotConn,
		GotFirstResponseByte: x.gotFirstByte,
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err == nil {
				x.wrote.Store(true)
			}
		},
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			if err != nil {
				x.tlsFailed.Store(true)
			}
		},
	}
}

// gotConn is called when there is a connection to send the request on; a second time if net/http wants to repeat it.
func (x *exchange) gotConn(info httptrace.GotConnInfo) {
	if x.wrote.Load() {
		x.cancel(errNoRepeat)
		info.Conn.Close()
		return
	}
	x.connected, x.reused = true, info.Reused
	x.response.Address = addressOf(info.Conn.RemoteAddr())
	x.response.From = visibleAddress(addressOf(info.Conn.LocalAddr()).Addr(), x.response.Address.Addr())
	if entry, out := x.client.opts.optedOut(x.response.Address.Addr()); out {
		x.cancel(&OptOutError{entry})
		info.Conn.Close()
		return
	}
	if c, ok := info.Conn.(*connection); ok {
		x.conn = c
		c.awaited.Store(true)
	}
	x.tapConn(info.Conn)
}

// gotFirstByte is called by the reader of the connection, for whom the head may have been awaited to its end.
func (x *exchange) gotFirstByte() {
	x.response.FirstByte = time.Now()
	if x.conn != nil && x.conn.begun.After(x.response.Start) {
		x.response.FirstByte = x.conn.begun
	}
}

func addressOf(addr net.Addr) netip.AddrPort {
	a, ok := addr.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	ap := a.AddrPort()
	return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
}

// leave completes a response whose body nobody wants: what of it is under way ends with the connection.
func (x *exchange) leave(sent *http.Request, resp *http.Response) error {
	r := x.response
	x.watch.stop()
	x.beginWire(sent, resp)
	r.Truncated, r.End = CutUnwanted, time.Now()
	r.share.settle(0)
	return x.endWire(sent, 0, false)
}

// read fills the response. An error means that the response is of no use. ctx is the caller's, which goes on where the
// exchange has been ended for its slowness.
func (x *exchange) read(ctx context.Context, sent *http.Request, resp *http.Response) error {
	if resp.StatusCode < 200 {
		return errors.New("unexpected interim response " + resp.Status)
	}
	r := x.response
	r.Status, r.Header, r.Proto, r.TLS = resp.StatusCode, resp.Header, resp.Proto, sent.URL.Scheme == "https"
	if x.request.HeadOnly {
		x.watch.stop()
		r.End = time.Now()
		r.share.settle(0)
		return nil
	}
	codings := contentCodings(resp.Header)
	if x.request.Unwanted != nil && x.request.Unwanted(r.Status, r.Header) {
		return x.leave(sent, resp)
	}
	x.watch.body()
	body, chunked := x.limited(x.beginWire(sent, resp)), len(resp.TransferEncoding) > 0
	if x.request.isSpooled(codings) {
		s, err := x.receiveSpooled(body, len(codings) > 0)
		if err := x.received(sent, s.sent, chunked, err); err != nil {
			return err
		}
		if err := x.measure(s); err != nil {
			return err
		}
	} else {
		wire, err := x.receive(body, resp.ContentLength, len(codings) > 0)
		if err := x.received(sent, wire.size, chunked, err); err != nil {
			return err
		}
		if r.Body, err = x.decode(ctx, wire, codings); err != nil {
			return err
		}
	}
	if r.Status == http.StatusPartialContent && r.Truncated == "" {
		r.Truncated = CutPartial
	}
	r.share.settle(int64(len(r.Body)))
	return nil
}

// received completes what is known of an exchange when its body has come, of n bytes as sent, or could not for err, which it
// returns.
func (x *exchange) received(sent *http.Request, n int64, chunked bool, err error) error {
	x.watch.stop()
	if err != nil {
		return err
	}
	x.response.End, x.response.WireBytes = time.Now(), n
	return x.endWire(sent, n, chunked)
}

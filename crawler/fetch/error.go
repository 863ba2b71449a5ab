package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
)

// A Kind tells why there was no response.
type Kind string

// The kinds of failure before a usable response head.
const (
	KindURL       Kind = "url"       // the URL cannot be asked for
	KindDNS       Kind = "dns"       // the name has no address, or none could be found out
	KindForbidden Kind = "forbidden" // the address is private or special, or the port bad; Err is a *ForbiddenError or *PortError
	KindOptedOut  Kind = "opted-out" // whoever is at the address asked to be left alone; Err is an *OptOutError
	KindRefused   Kind = "refused"   // connection refused, or no way to the address
	KindLocal     Kind = "local"     // this machine has no socket left, no room to keep what comes, or a proxy that fails
	KindTimeout   Kind = "timeout"   // no connection, or no response head, in time
	KindTLS       Kind = "tls"       // the handshake failed or the certificate is not good
	KindReset     Kind = "reset"     // the connection ended before the response head
	KindProtocol  Kind = "protocol"  // what came is no HTTP response
	KindTooLarge  Kind = "too-large" // the response head is over its limit
	KindCanceled  Kind = "canceled"  // the caller's context ended, or the client was closed
)

// The steps of an exchange that an [Error] can name.
const (
	OpResolve = "resolve" // looking up the host
	OpConnect = "connect" // connecting, TLS included
	OpRequest = "request" // from the request to the response head, or, if the caller gave up, to the end of the body
)

// An Error is an exchange that gave no response.
type Error struct {
	Kind Kind
	Op   string // OpResolve, OpConnect or OpRequest
	URL  string
	Err  error // never nil
}

// Error returns a line like "fetch http://h/: dns: lookup h: no such host".
func (e *Error) Error() string {
	text := strings.TrimPrefix(e.Err.Error(), string(e.Kind)+": ") // as crypto/tls begins, too
	return fmt.Sprintf("fetch %s: %s: %s", e.URL, e.Kind, text)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// HostFailure reports whether every other URL of the host would fail the same way now: no address, a forbidden one, one to be
// left alone, no connection or no TLS. A timeout counts when there was no connection yet.
func (e *Error) HostFailure() bool {
	switch e.Kind {
	case KindDNS, KindForbidden, KindOptedOut, KindRefused, KindTLS:
		return true
	case KindTimeout:
		return e.Op != OpRequest
	}
	return false
}

// An OptOutError says that somebody asked to be left alone.
type OptOutError struct{ Entry string } // of the list that says so

// Error names the entry.
func (e *OptOutError) Error() string { return "opted out: " + e.Entry }

// Causes with which an exchange is ended from inside.
var (
	errHeaderTimeout = errors.New("no response head in time")
	errBodyTimeout   = errors.New("body not complete in time")
	errTooSlow       = errors.New("body too slow")
	errWire          = errors.New("what was received cannot be kept")
	errHTTP1         = errors.New("the server wants HTTP/1.1 for this, not HTTP/2; it is tried again later, with that")
	errNoRepeat      = errors.New("connection closed before an answer; it is tried again later, not at once")
)

// fail makes the *Error for an exchange that got no response head. caller is the context given to Get.
func (x *exchange) fail(caller context.Context, err error) *Error {
	e := &Error{URL: x.request.URL, Op: OpRequest}
	if !x.connected {
		e.Op = OpConnect
	}
	var dial *Error
	var out *OptOutError
	switch cause := context.Cause(x.ctx); {
	case errors.As(cause, &out):
		e.Kind, e.Op, e.Err = KindOptedOut, OpConnect, out
	case caller.Err() != nil:
		e.Kind, e.Err = KindCanceled, context.Cause(caller)
	case errors.Is(cause, errHeaderTimeout):
		e.Kind, e.Err = KindTimeout, cause
	case errors.Is(cause, errNoRepeat):
		e.Kind, e.Op, e.Err = KindReset, OpRequest, cause
	case errors.As(err, &dial):
		e.Kind, e.Op, e.Err = dial.Kind, dial.Op, dial.Err
	case wantsHTTP1(err):
		e.Kind, e.Err = KindReset, errHTTP1
	case errors.Is(err, errWire):
		e.Kind, e.Err = KindLocal, err
	default:
		e.Kind, e.Err = x.headKind(err), err
		if e.Kind == KindTLS {
			e.Err = explainTLS(err)
		}
	}
	return e
}

// headKind tells apart what can go wrong between a TCP connection and a response head. net/http exports neither its
// header limit error nor its malformed-response errors, so the former is known by its text (a test holds it in place).
func (x *exchange) headKind(err error) Kind {
	var timeout interface{ Timeout() bool }
	var broken *net.OpError
	switch text := err.Error(); {
	case errors.As(err, &timeout) && timeout.Timeout():
		return KindTimeout
	case x.tlsFailed.Load() && !x.connected, wantsCertificate(text):
		return KindTLS
	case strings.Contains(text, "response headers exceeded"), strings.Contains(text, "header list larger"),
		strings.Contains(text, "header list too large"):
		return KindTooLarge
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.ErrClosedPipe), errors.As(err, &broken),
		strings.Contains(text, "server closed idle connection"), strings.Contains(text, "stream error"):
		return KindReset
	}
	return KindProtocol
}

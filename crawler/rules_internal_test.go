package crawler

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/fetch"
)

// A machine without a network, or without IPv6, is not told that a port was mistyped.
func TestIsRefused(t *testing.T) {
	for _, tt := range []struct {
		kind fetch.Kind
		err  syscall.Errno
		want bool
	}{
		{fetch.KindRefused, syscall.ECONNREFUSED, true},
		{fetch.KindRefused, syscall.ENETUNREACH, false},
		{fetch.KindRefused, syscall.EHOSTUNREACH, false},
		{fetch.KindRefused, syscall.ENETDOWN, false},
		{fetch.KindReset, syscall.ECONNRESET, false},
	} {
		err := &fetch.Error{Kind: tt.kind, Op: fetch.OpConnect, Err: &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", tt.err)}}
		if got := isRefused(err); got != tt.want {
			t.Errorf("isRefused(%v) = %v, want %v", err, got, tt.want)
		}
	}
}

func TestIsLasting(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{&net.DNSError{Err: "no such host", IsNotFound: true}, true},
		{&net.DNSError{Err: "server misbehaving", IsTemporary: true}, false},
		{&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, true},
		{tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, true},
		{errors.New("connection reset by peer"), false},
	} {
		err := fmt.Errorf("robots.txt: %w", &fetch.Error{Kind: fetch.KindTLS, Op: fetch.OpConnect, Err: tt.err})
		if got := isLasting(err); got != tt.want {
			t.Errorf("isLasting(%v) = %v, want %v", err, got, tt.want)
		}
	}
}

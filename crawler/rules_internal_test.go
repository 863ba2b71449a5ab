package crawler

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/fetch"
)

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

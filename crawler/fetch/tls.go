package fetch

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
)

// cipherSuites are those that servers may choose from: the ones of crypto/tls and, as browsers have them for old servers, AES with
// a key that RSA transports. What a crawler reads is public: that a key which is stolen later would open it harms nobody.
func cipherSuites() []uint16 {
	ids := []uint16{
		tls.TLS_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_RSA_WITH_AES_256_GCM_SHA384,
		tls.TLS_RSA_WITH_AES_128_CBC_SHA, tls.TLS_RSA_WITH_AES_256_CBC_SHA,
	}
	for _, s := range tls.CipherSuites() {
		ids = append(ids, s.ID)
	}
	return ids
}

// explainTLS adds what an operator can do, or cannot, about a connection that was not secured. Alerts of servers are no exported
// type of crypto/tls, so they are known by their text (a test holds it in place).
func explainTLS(err error) error {
	issuer := missingIssuer(err)
	switch text := err.Error(); {
	case issuer != "":
		return fmt.Errorf("%w; the server does not send the certificate of its issuer, %s, which browsers find by themselves "+
			"and --ca FILE may name", err, issuer)
	case strings.Contains(text, "protocol version not supported"), strings.Contains(text, "unsupported protocol version"):
		return fmt.Errorf("%w; the server knows versions of TLS before 1.2 only, which browsers refuse as well", err)
	case wantsCertificate(text):
		return fmt.Errorf("%w; the server wants a client that it knows: certificate in hosts: has one", err)
	case strings.Contains(text, "tls: unrecognized name"):
		return fmt.Errorf("%w; the server has no site of this name", err)
	case strings.Contains(text, "first record does not look like a TLS handshake"):
		return fmt.Errorf("%w; the server speaks no TLS at this port", err)
	case strings.Contains(text, "tls: handshake failure"):
		return fmt.Errorf("%w; the server is too old to have a cipher that browsers use, or wants a client that it knows", err)
	}
	return err
}

// wantsCertificate reports whether a server says that it does not let in whoever shows no certificate, or this one. In TLS 1.3 it
// says so when the handshake is over for us.
func wantsCertificate(text string) bool {
	_, alert, ok := strings.Cut(text, "remote error: tls: ")
	return ok && (strings.Contains(alert, "certificate") || alert == "access denied")
}

// missingIssuer names who issued the last certificate that a server has sent, if that says where the next one is and the server
// should have sent it: a common fault, which browsers hide.
func missingIssuer(err error) string {
	bad, ok := errors.AsType[*tls.CertificateVerificationError](err)
	if !ok || len(bad.UnverifiedCertificates) == 0 {
		return ""
	}
	last := bad.UnverifiedCertificates[len(bad.UnverifiedCertificates)-1]
	_, unknown := errors.AsType[x509.UnknownAuthorityError](bad)
	if !unknown || len(last.IssuingCertificateURL) == 0 || bytes.Equal(last.RawIssuer, last.RawSubject) {
		return ""
	}
	name := last.Issuer.String()
	return strings.ToValidUTF8(name[:min(len(name), maxIssuer)], "")
}

const maxIssuer = 200 // bytes of a name in an error

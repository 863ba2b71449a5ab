package fetch_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/fetch"
)

// Ensure that a server that leaves out the certificate of its issuer, which browsers find by themselves, is told apart from one
// that nobody vouches for, and that the certificate helps.
func TestGet_MissingIssuerIsNamed(t *testing.T) {
	root, rootKey := certified(t, "Root", nil, nil)
	between, betweenKey := certified(t, "Between", root, rootKey)
	leaf, leafKey := certified(t, "127.0.0.1", between, betweenKey)
	stranger, _ := certified(t, "Stranger", nil, nil)
	for _, test := range []struct {
		name  string
		chain [][]byte
		roots *x509.Certificate
		said  string // nothing: it is trusted
	}{
		{"whole", [][]byte{leaf.Raw, between.Raw}, root, ""},
		{"leaf alone", [][]byte{leaf.Raw}, root, "does not send the certificate of its issuer, CN=Between,"},
		{"leaf alone, and what it lacks", [][]byte{leaf.Raw}, between, ""},
		{"whole, to a stranger", [][]byte{leaf.Raw, between.Raw, root.Raw}, stranger, "unknown authority"},
	} {
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: test.chain, PrivateKey: leafKey}}}
		server.StartTLS()
		pool := x509.NewCertPool()
		pool.AddCert(test.roots)
		c := fetch.New(fetch.Options{AllowPrivate: true, RootCAs: pool})
		if test.said == "" {
			get(t, c, server.URL)
		} else if e := getError(t, c, server.URL); e.Kind != fetch.KindTLS || !strings.Contains(e.Error(), test.said) ||
			strings.Contains(e.Error(), "issuer") != strings.Contains(test.said, "issuer") {
			t.Errorf("%s: %v, want %q", test.name, e, test.said)
		}
		c.Close()
		server.Close()
	}
}

// certified returns a certificate of an authority, or of 127.0.0.1, and its key; without an issuer it vouches for itself.
func certified(t *testing.T, name string, issuer *x509.Certificate, issuerKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), BasicConstraintsValid: true,
	}
	if ip := net.ParseIP(name); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.IsCA, template.KeyUsage = true, x509.KeyUsageCertSign
	}
	if issuer == nil {
		issuer, issuerKey = template, key
	} else {
		template.IssuingCertificateURL = []string{"http://authority.example/" + issuer.Subject.CommonName + ".crt"}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, issuer, &key.PublicKey, issuerKey)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key
}

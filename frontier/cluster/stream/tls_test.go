package stream_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// certificate writes a certificate for loopback that vouches for itself, and its key.
func certificate(t *testing.T, name string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	public, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key")
	blocks := map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: public}, key: {Type: "PRIVATE KEY", Bytes: secret}}
	for file, block := range blocks {
		filetest.Write(t, file, pem.EncodeToMemory(block))
	}
	return cert, key
}

// Ensure that brokers are spoken to with TLS, and only when their certificate comes from where it should.
func TestConnect_TLS(t *testing.T) {
	cert, key := certificate(t, "broker")
	other, _ := certificate(t, "other")
	c := brokertest.StartWith(t, 1, brokertest.Options{Host: "127.0.0.1", Config: fmt.Sprintf("tls { cert_file: %q, key_file: %q, timeout: 30 }", cert, key)})
	with := func(ca string) func(*stream.Options) {
		return func(o *stream.Options) {
			o.Servers, o.CA = []string{strings.Replace(c.URLs()[0], "nats:", "tls:", 1)}, ca
		}
	}
	mustOwn(t, connect(t, c, with(cert)), 0, 1)
	wantRefused(t, c, with(other), "ca: the certificate of a broker comes from elsewhere")
	wantRefused(t, c, with(""), "ca: the certificate of a broker comes from elsewhere")
	wantRefused(t, c, with(key), "ca: ")
	plain := brokertest.Start(t, 1)
	wantRefused(t, plain, func(o *stream.Options) {
		o.Servers = []string{strings.Replace(plain.URLs()[0], "nats:", "tls:", 1)}
	}, "servers: the brokers and this node do not agree on TLS")
}

// Ensure that a node which runs goes on when the certificates of brokers and nodes, and who may sign them, are renewed.
func TestConnect_TLSRenewed(t *testing.T) {
	t.Parallel()
	cert, key := certificate(t, "broker")
	own, ownKey := certificate(t, "node")
	c := brokertest.StartWith(t, 1, brokertest.Options{Host: "127.0.0.1", Config: fmt.Sprintf(
		"tls { cert_file: %q, key_file: %q, ca_file: %q, verify: true, timeout: 30 }", cert, key, own)})
	b := connect(t, c, func(o *stream.Options) {
		o.Servers = []string{strings.Replace(c.URLs()[0], "nats:", "tls:", 1)}
		o.CA, o.Certificate, o.Key = cert, own, ownKey
	})
	if _, _, err := b.Get(t.Context(), "key"); err != nil {
		t.Fatal(err)
	}
	c.Brokers[0].Kill()
	newCert, newKey := certificate(t, "broker")
	newOwn, newOwnKey := certificate(t, "node")
	for before, now := range map[string]string{cert: newCert, key: newKey, own: newOwn, ownKey: newOwnKey} {
		if err := os.Rename(now, before); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Brokers[0].Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		_, _, err := b.Get(ctx, "key")
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("the node does not reach the broker again: %v", err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

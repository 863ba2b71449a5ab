package fetch_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/fetch"
)

// Old servers are read as long as browsers read them; what is wrong with older ones is said.
func TestGet_OldServers(t *testing.T) {
	old := func(cipher uint16) *tls.Config {
		return &tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{cipher}}
	}
	for _, test := range []struct {
		name string
		tls  *tls.Config
		said string // nothing: it is read
	}{
		{"a key that RSA transports", old(tls.TLS_RSA_WITH_AES_128_GCM_SHA256), ""},
		{"and CBC", old(tls.TLS_RSA_WITH_AES_256_CBC_SHA), ""},
		{"TLS 1.1", &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, "versions of TLS before 1.2 only"},
		{"clients it knows", &tls.Config{ClientAuth: tls.RequireAnyClientCert}, "certificate in hosts: has one"}, // TLS 1.3
		{"clients it knows", &tls.Config{ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12}, "wants a client"},
		{"3DES", old(tls.TLS_RSA_WITH_3DES_EDE_CBC_SHA), "too old to have a cipher"},
	} {
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.TLS = test.tls
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		pool := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		c := fetch.New(fetch.Options{AllowPrivate: true, RootCAs: pool})
		if test.said == "" {
			get(t, c, server.URL)
		} else if e := getError(t, c, server.URL); e.Kind != fetch.KindTLS || !strings.Contains(e.Error(), test.said) {
			t.Errorf("%s: %v, want %q", test.name, e, test.said)
		}
		c.Close()
		server.Close()
	}
}

// What a server says before any handshake is told in words that help.
func TestGet_NoHandshake(t *testing.T) {
	for said, want := range map[string]string{
		"\x15\x03\x03\x00\x02\x02\x70":                      "no site of this name",
		"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n": "no TLS at this port",
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		go func() {
			if conn, err := l.Accept(); err == nil {
				defer conn.Close()
				conn.Read(make([]byte, 4096))
				io.WriteString(conn, said)
				io.Copy(io.Discard, conn)
			}
		}()
		c := fetch.New(fetch.Options{AllowPrivate: true})
		if e := getError(t, c, "https://"+l.Addr().String()); e.Kind != fetch.KindTLS || !strings.Contains(e.Error(), want) {
			t.Errorf("%v, want %q", e, want)
		}
		c.Close()
	}
}

// A server may ask for a certificate when it has seen what is asked for; one that nobody has it goes without.
func TestGet_ServerRenegotiates(t *testing.T) {
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("openssl is not there, and Go's server does not renegotiate")
	}
	known := httptest.NewTLSServer(nil) // for its certificate
	known.Close()
	pair, dir := known.TLS.Certificates[0], t.TempDir()
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "pair.pem")
	both := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...)
	if err := os.WriteFile(file, both, 0o600); err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	ln.Close()
	server := exec.Command("openssl", "s_server", "-accept", address, "-tls1_2", "-key", file, "-cert", file)
	typed, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { server.Process.Kill(); server.Wait() }()
	shown := bufio.NewScanner(out)
	awaitLine(t, shown, "ACCEPT")
	done := make(chan struct{})
	go func() {
		defer close(done)
		awaitLine(t, shown, "GET /private/ HTTP/1.1")
		io.WriteString(typed, "R\n")
		awaitLine(t, shown, "SSL_do_handshake")
		io.WriteString(typed, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab\n")
	}()
	c := fetch.New(fetch.Options{AllowPrivate: true, RootCAs: known.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs})
	defer c.Close()
	if resp := get(t, c, "https://"+address+"/private/"); string(resp.Body) != "ab" {
		t.Errorf("%d, %q", resp.Status, resp.Body)
	}
	<-done
}

// awaitLine reads up to a line that begins so.
func awaitLine(t *testing.T, s *bufio.Scanner, prefix string) {
	for s.Scan() {
		if strings.HasPrefix(s.Text(), prefix) {
			return
		}
	}
	t.Errorf("openssl never said %q", prefix)
}

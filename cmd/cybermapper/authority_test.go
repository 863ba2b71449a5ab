package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// A server whose certificate nobody vouches for is left alone, in words, until --ca vouches for it; the job remembers that.
func TestCrawlTrustsTheAuthoritiesGiven(t *testing.T) {
	site := webtest.New(t).TLSSite(webtest.Pages{"/": {Body: "x"}})
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	c, err := tls.Dial("tcp", site.Addr.String(), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	good := write("good.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.ConnectionState().PeerCertificates[0].Raw}))
	bad := write("bad.pem", []byte("no certificate"))
	crawl := "crawl --allow-private --delay 1ms --delay-factor 0 --patience 1s --job " + dir + "/"
	for _, tt := range []struct {
		args, says string
		code       int
	}{
		{crawl + "strange " + site.URL, "certificate signed by unknown authority", cli.ExitNoPages},
		{crawl + "known --ca " + good + " " + site.URL, "done", cli.ExitDone},
		{crawl + "known", "done", cli.ExitDone},
		{crawl + "none --ca " + good + "x " + site.URL, "read certificate authorities", cli.ExitConfig},
		{crawl + "bad --ca " + bad + " " + site.URL, "holds no certificate", cli.ExitConfig},
	} {
		if code, out := runCommand(t.Context(), tt.args); code != tt.code || !strings.Contains(out, tt.says) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s", tt.args, code, tt.code, tt.says, out)
		}
	}
	if n := len(site.Hits()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

// A certificate that is not valid yet tells of a clock that is wrong more often than of a server, so the clock is named.
func TestCrawlNamesTheClockBesideTheCertificate(t *testing.T) {
	from := time.Now().Add(24 * time.Hour)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: from.Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	made, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ca := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made}), 0o600); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{made}, PrivateKey: key}}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // that the handshake fails is meant
	server.StartTLS()
	defer server.Close()
	code, out := runCommand(t.Context(), "crawl --allow-private --patience 1s --job "+dir+"/job --ca "+ca+" "+server.URL)
	if code != cli.ExitNoPages || !strings.Contains(out, "not yet valid") || !strings.Contains(out, "your clock;") {
		t.Errorf("exit code %d, want %d, and a word on the clock\n%s", code, cli.ExitNoPages, out)
	}
}

// Where the machine knows no authority, as in many a container, that is said, and not of each site that its certificate is bad.
func TestCrawlSaysThatThereAreNoAuthorities(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the system is asked, and no file")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	site := webtest.New(t).TLSSite(webtest.Pages{})
	for _, tt := range []struct {
		url  string
		want bool
	}{{site.URL, true}, {"http://" + site.Addr.String(), false}} {
		cmd := exec.Command(self)
		cmd.Args = []string{"cybermapper", "crawl", "--allow-private", "--patience", "1ms", "--job", filepath.Join(t.TempDir(), "job"), tt.url}
		cmd.Env = append(os.Environ(), "SSL_CERT_FILE="+t.TempDir()+"/none", "SSL_CERT_DIR="+t.TempDir())
		out, _ := cmd.CombinedOutput() // its code is that of a crawl without a page
		if got := strings.Contains(string(out), "knows no certificate authority"); got != tt.want {
			t.Errorf("%s: that there are no authorities is said: %v, want %v\n%s", tt.url, got, tt.want, out)
		}
	}
}
